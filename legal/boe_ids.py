"""Identifiers by which the official gazette names norms, those of the communities among them."""

import re

BOE_ID = r"[A-Z]{3,6}-[A-Za-z]-\d{4}-\d{1,6}"
"""Pattern of an identifier: BOE-A-2015-11430; regional norms have the gazette of theirs, as DOGC-f-2015-90448."""

_WHOLE = re.compile(BOE_ID, re.ASCII)


def is_boe_id(text: str) -> bool:
    """Tell whether a text is such an identifier and nothing else; case counts, as the BOE's addresses know it."""
    return _WHOLE.fullmatch(text) is not None
