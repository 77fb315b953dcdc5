"""Take the marks of Markdown and HTML off a line."""

import re

_TAG = re.compile(r"</?(?:small|sub|sup|em|strong|i|b)>")
_LINK = re.compile(r"\[([^\]]*)\]\(https?://[^)]*\)")
_EMPHASIS = re.compile(r"\*\*(.*?)\*\*")


def row(line: str) -> str:
    """Return the cells of a table row parted by " | "; the rule below a table's head is empty."""
    cells = [clean(cell) for cell in line.strip("|").split("|")]
    return "" if all(set(cell) <= set("-: ") for cell in cells) else " | ".join(cells)


def clean(text: str) -> str:
    """Return the text without Markdown and HTML marks."""
    text = _EMPHASIS.sub(r"\1", _LINK.sub(r"\1", _TAG.sub("", text)))
    if text.startswith("*") and text.endswith("*") and len(text) > 2:
        text = text.strip("*")
    return text.strip()
