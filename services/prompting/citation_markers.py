"""Citation markers: ``[C1]`` in an answer points to the first fragment of the context.

Models also write ``[C1, C2]``, ``[C1-C3]``, ``[C1 y 2]``, ``[Fragmento C1]``, ``[C1, art. 38]`` or ``【C1】``: a
bracket that begins with such a number is a marker, whatever else it says. ``(C1)`` is none: subgroups of civil servants
are called so.

``valid`` are the numbers of the fragments that there are.
"""

import re
from collections.abc import Collection

_OPEN, _CLOSE, _INNER = r"[\[【［]", r"[\]】］]", r"[^\[\]【】［］]{0,200}?"
_GAP = r"[\s*_`]*"
_FRAGMENT = r"(?:fragmentos?|fragments?|frag\.?)"
_TO = r"(?:[-‐‑–—−~…]|\.{2,3}|al?|hasta|to)"
_AND = r"(?:[,;/&+·](?:\s*(?:y|e|and)\b)?|y|e|o|u|and|or)"

_LEAD_IN = r"(?:(?:ver|v[eé]an?se|cfr?|fragmentos?|fragments?|frag)\b\.?|[\s*_`^])*"

_MARKER_START = re.compile(rf"{_OPEN}{_LEAD_IN}(?:{_FRAGMENT}\s*(?:C\s*)?|C\s*)(?=\d)", re.IGNORECASE)
_MARKER = re.compile(rf"{_MARKER_START.pattern}{_INNER}{_CLOSE}", re.IGNORECASE)
_LIST = re.compile(
    rf"(?<![^\W\d_])(?:{_FRAGMENT}\s*C?|C)\s*\d+(?:{_GAP}(?:{_TO}|{_AND}){_GAP}C?\s*\d+(?!\.?\w))*", re.IGNORECASE
)
_SPAN = re.compile(rf"(\d{{1,300}})(?:{_GAP}{_TO}{_GAP}C?\s*(\d{{1,300}}))?", re.IGNORECASE)
_LEFT_EMPTY = re.compile(
    rf"(\*{{1,3}}|_{{1,3}}|~~|`{{1,3}})\0+\1|\([ \t]*\0+[ \t]*\)|{_OPEN}[ \t]*\0+[ \t]*{_CLOSE}"
    rf"|(?:(?<=\0)|(?<=\d\]))[ \t]*{_AND}?[ \t]*\0",
    re.IGNORECASE,
)
_VANISHED = re.compile(r"^\0[ \t]*|(?<![ \t])[ \t]*\0", re.MULTILINE)


def write_marker(number: int) -> str:
    """Return the marker of a fragment (1-based) in the one form that is written."""
    return f"[C{number}]"


def markers_in(text: str, valid: Collection[int] = ()) -> list[int]:
    """Return the numbers of all markers in order of first appearance, each once; ranges as ``numbers_in`` reads them.

    >>> markers_in("Son 30 días [C2]; véanse [C1, C3] y el subgrupo (C1).")
    [2, 1, 3]
    >>> markers_in("[C1-C4]", valid={1, 2, 3})
    [1, 2, 3, 4]
    """
    return list(dict.fromkeys(n for match in _MARKER.finditer(text) for n in _numbers_of(match, valid)))


def numbers_in(text: str, valid: Collection[int] = ()) -> list[int]:
    """Return every number, once; of a range its ends and, between them, the valid ones: it cannot make thousands."""
    numbers: list[int] = []
    for first, last in _SPAN.findall(text):
        low, high = sorted((int(first), int(last or first)))
        numbers += [low, *sorted(n for n in valid if low < n < high), high]
    return list(dict.fromkeys(numbers))


def keep_markers(text: str, valid: Collection[int]) -> tuple[str, list[int]]:
    """Write every marker as ``[C1]`` and drop the numbers that are not valid.

    Returns:
        The text, and the dropped numbers in order of first appearance. With a marker that vanishes go the white space
        before it, and the emphasis, the brackets and the conjunction that it leaves without content.

    >>> keep_markers("Son 30 días [C1, C9] y no más ([C8]).", {1, 2})
    ('Son 30 días [C1] y no más.', [9, 8])
    """
    dropped: list[int] = []

    def rewrite(match: re.Match[str]) -> str:
        numbers = _numbers_of(match, valid)
        dropped.extend(n for n in numbers if n not in valid)
        return "".join(write_marker(n) for n in numbers if n in valid) or "\0"

    previous, text = "", text.replace("\0", "")
    # What a marker leaves behind may join to another one.
    while text != previous:
        # \0 stands for a marker that vanished, so that only what is around it is touched.
        previous, text = text, _MARKER.sub(rewrite, text)
        while (emptied := _LEFT_EMPTY.sub("\0", text)) != text:
            text = emptied
        text = _VANISHED.sub("", text)
    return text, list(dict.fromkeys(dropped))


def defuse_markers(text: str) -> str:
    """Return a text in which ``markers_in`` finds nothing, even once a bracket is closed: ``[C1]`` -> ``(C1)``."""
    text = _MARKER.sub(lambda match: f"({match.group()[1:-1]})", text)
    return _MARKER_START.sub(lambda match: f"({match.group()[1:]}", text)


def _numbers_of(match: re.Match[str], valid: Collection[int]) -> list[int]:
    """Return the numbers of one marker, each once."""
    return list(dict.fromkeys(n for numbers in _LIST.findall(match.group()) for n in numbers_in(numbers, valid)))
