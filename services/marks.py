"""Marks: ``[C1]`` in an answer points to the first fragment of the context."""

import re

_MARK = re.compile(r"\[\s*C\s*\d{1,6}(?:\s*[,;y]\s*C?\s*\d{1,6})*\s*\]", re.IGNORECASE | re.ASCII)
_NUMBER = re.compile(r"\d+")


def marks_in(text: str) -> list[int]:
    """Return the numbers of all marks in order of first appearance, each once (1-based)."""
    numbers = (int(n) for mark in _MARK.findall(text) for n in _NUMBER.findall(mark))
    return list(dict.fromkeys(numbers))


def keep_marks(text: str, known: set[int]) -> tuple[str, list[int]]:
    """Write every mark as ``[C1]`` and drop the numbers that are not known.

    Returns:
        The text, and the dropped numbers in order of first appearance. White space that a dropped mark leaves
        before punctuation goes with it.
    """
    dropped: list[int] = []

    def rewrite(match: re.Match[str]) -> str:
        numbers = [int(n) for n in _NUMBER.findall(match.group())]
        dropped.extend(n for n in numbers if n not in known)
        return "".join(f"[C{n}]" for n in numbers if n in known) or "\0"

    # \0 stands for a mark that vanished, so that only the space before it is touched.
    marked = _MARK.sub(rewrite, text.replace("\0", ""))
    return re.sub(r"[ \t]*\0", "", marked), list(dict.fromkeys(dropped))
