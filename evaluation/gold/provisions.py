"""How the harness names a provision, and when two names mean the same one."""

import unicodedata

from language.folding import fold
from legal.labels import provision_key

Provision = tuple[str, str]
"""A law's identifier and the label of the provision as written: ``("BOE-A-2015-11430", "Artículo 38")``."""

Key = tuple[str, str]
"""A law's identifier and what all spellings of a label share."""

SEPARATOR = "#"


def provision(law_id: str, label: str) -> Provision:
    """Name a provision: every run of white space of the label (a no-break space, too) becomes one blank."""
    return law_id.strip(), " ".join(unicodedata.normalize("NFC", label).split())


def key_of(named: Provision) -> Key:
    """Return what decides whether two names mean the same provision.

    "Art. 38", "artículo 38" and "38" are one; a label that names no provision is known by itself, folded.
    """
    law_id, label = named
    return law_id, provision_key(label) or fold(label)


def written(named: Provision) -> str:
    """Return a provision as gold sets write it: ``BOE-A-2015-11430#Artículo 38``."""
    return SEPARATOR.join(named)


def parsed(text: str) -> Provision | None:
    """Read what ``written`` writes; ``None`` without a law, a label or the mark between them."""
    law_id, _, label = text.partition(SEPARATOR)
    named = provision(law_id, label)
    return named if all(named) and len(named[0].split()) == 1 else None
