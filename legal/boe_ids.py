"""Identifiers by which the official gazette names norms, those of the communities among them."""

import re

BOE_ID = r"[A-Z]{3,6}-[A-Za-z]-\d{4}-\d{1,6}"
"""Pattern of an identifier: BOE-A-2015-11430; regional norms have the gazette of theirs, as DOGC-f-2015-90448."""

BOE_ID_TYPED = re.compile(rf"(?<![\w-]){BOE_ID}(?![\w-])", re.ASCII | re.IGNORECASE)
"""An identifier in what a person types: in whatever case."""

_WHOLE = re.compile(BOE_ID, re.ASCII)
_CAPITAL_SERIES = ("BOE", "BORME", "DOUE")
"""Gazettes whose series have capital letters; those of the communities have small ones."""


def is_boe_id(text: str) -> bool:
    """Tell whether a text is such an identifier and nothing else; case counts, as the BOE's addresses know it.

    >>> is_boe_id("BOE-A-2015-11430"), is_boe_id("boe-a-2015-11430")
    (True, False)
    """
    return _WHOLE.fullmatch(text) is not None


def boe_id(typed: str) -> str:
    """Return an identifier in the case in which the BOE writes it; empty where a text is none.

    >>> boe_id("boe-a-2015-11430"), boe_id("dogc-f-2015-90448"), boe_id("ET")
    ('BOE-A-2015-11430', 'DOGC-f-2015-90448', '')
    """
    if not BOE_ID_TYPED.fullmatch(typed):
        return ""
    gazette, series, number = typed.upper().split("-", 2)
    return f"{gazette}-{series if gazette in _CAPITAL_SERIES else series.lower()}-{number}"
