"""How the harness names a provision, and when two names mean the same one."""

import unicodedata

from articulado.language.folding import fold
from articulado.legal.labels import provision_key

Provision = tuple[str, str]
"""A law's identifier and the label of the provision as written: ``("BOE-A-2015-11430", "Artículo 38")``."""

Key = tuple[str, str]
"""A law's identifier and what all spellings of a label share."""

SEPARATOR = "#"


def make_provision(law_id: str, label: str) -> Provision:
    r"""Name a provision: every run of white space of the label (a no-break space, too) becomes one blank.

    >>> make_provision("BOE-A-2015-11430", "Artículo\u00a038 ")
    ('BOE-A-2015-11430', 'Artículo 38')
    """
    return law_id.strip(), " ".join(unicodedata.normalize("NFC", label).split())


def key_of(provision: Provision) -> Key:
    """Return what decides whether two names mean the same provision.

    "Art. 38", "artículo 38" and "38" are one; a label that names no provision is known by itself, folded.

    >>> key_of(("BOE-A-2015-11430", "Art. 38")) == key_of(("BOE-A-2015-11430", "Artículo 38"))
    True
    """
    law_id, label = provision
    return law_id, provision_key(label) or fold(label)


def format_provision(provision: Provision) -> str:
    """Return a provision as gold sets write it.

    >>> format_provision(("BOE-A-2015-11430", "Artículo 38"))
    'BOE-A-2015-11430#Artículo 38'
    """
    return SEPARATOR.join(provision)


def parse_provision(text: str) -> Provision | None:
    """Read what ``format_provision`` writes; ``None`` without a law, a label or the separator between them.

    >>> parse_provision("BOE-A-2015-11430#Artículo 38")
    ('BOE-A-2015-11430', 'Artículo 38')
    >>> parse_provision("Artículo 38") is None
    True
    """
    law_id, _, label = text.partition(SEPARATOR)
    provision = make_provision(law_id, label)
    return provision if all(provision) and len(law_id.split()) == 1 else None
