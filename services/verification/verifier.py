"""Run every check over an answer; each is one function in a file of its own."""

from articulado.values.findings import Finding
from services.verification.citations import KnownProvisions, citation_findings
from services.verification.claims.findings import claim_findings
from services.verification.figures import figure_findings
from services.verification.quotations import quotation_findings
from services.verification.reading import ReadAnswer


def findings_of(answer: ReadAnswer, known: KnownProvisions, language: str = "es") -> list[Finding]:
    """Return all that is wrong with an answer, in the order of its text; of what overlaps, what is certain goes first.

    ``known`` are the provisions that the answer names and its sources are not, as the index has them
    (``citations.look_up``). Figures and claims are read in Spanish (``language``, ISO 639-1) alone.
    """
    found: list[Finding] = [*citation_findings(answer, known), *quotation_findings(answer)]
    if language == "es":
        found += [*figure_findings(answer), *claim_findings(answer)]
    return sorted(found, key=lambda finding: (finding["start"], finding["severity"], finding["end"]))
