"""Take the marks of Markdown and HTML off a line, and tell what is quoted."""

import re
from collections.abc import Sequence
from itertools import accumulate

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


_MARK = re.compile("[«»]")


def inside_quotations(paragraphs: Sequence[str]) -> list[bool]:
    """Tell which paragraphs begin inside a quotation; one that never closes is a slip, and quotes nothing."""
    changes = [0] * (len(paragraphs) + 1)
    opened: list[int] = []
    for index, paragraph in enumerate(paragraphs):
        for mark in _MARK.findall(paragraph):
            if mark == "«":
                opened.append(index)
            elif opened:
                changes[opened.pop() + 1] += 1
                changes[index + 1] -= 1
    return [depth > 0 for depth in accumulate(changes[:-1])]
