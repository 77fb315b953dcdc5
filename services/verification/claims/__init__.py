"""Compare what an answer claims with what its sources say: the case, the subject, and whether it affirms or denies."""

from services.verification.claims.findings import claim_findings

__all__ = ["claim_findings"]
