"""What is seldom the rule that is asked about: transitional and amending provisions, and special regimes unasked."""

from collections.abc import Mapping

from legal.regimes import named_regimes, regime_of
from legal.registry import known_laws
from state.chunks import Chunk

SPECIAL = 0.85
"""For a law beside the general statutes of the field."""
AMENDING = 0.5
"""For a provision that amends another law and quotes it."""
KINDS: Mapping[str, float] = {"dt": 0.85, "df": 0.8, "dd": 0.8}
"""For transitional, final and derogatory dispositions."""


def prior(question: str, chunk: Chunk) -> float:
    """Return a factor in (0, 1] by what kind of provision a chunk is, and of which law (docs/retrieval.md)."""
    law = known_laws().get(chunk["law_id"])
    regime = regime_of(chunk)
    special = regime not in named_regimes(question) if regime else law is not None and not law.general
    own = AMENDING if chunk["title"].startswith("Modificaci") else 1.0
    return KINDS.get(chunk["provision_key"].partition(":")[0], 1.0) * (SPECIAL if special else 1.0) * own
