"""When two ways to write the value of a filter field are the same."""

import re

from services.text import fold


def filter_key(written: str) -> str:
    """Return what is compared of a value: its letters and digits, whatever their case and accents."""
    return re.sub(r"[\W_]+", "", fold(written).casefold())
