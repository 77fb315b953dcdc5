"""Marks: ``[C1]`` in an answer points to the first fragment of the context.

Models also write ``[C1, C2]``, ``[C1-C3]``, ``[C1 y 2]``, ``[Fragmento C1]``, ``[C1, art. 38]`` or ``【C1】``: a
bracket that begins with such a number is a mark, whatever else it says. ``(C1)`` is none: subgroups of civil servants
are called so.
"""

import re
from collections.abc import Collection

_OPEN, _CLOSE, _INNER = r"[\[【［]", r"[\]】］]", r"[^\[\]【】［］]{0,200}?"
_GAP = r"[\s*_`]*"
_FRAGMENT = r"(?:fragmentos?|fragments?|frag\.?)"
_TO = r"(?:[-‐‑–—−~…]|\.{2,3}|al?|hasta|to)"
_AND = r"(?:[,;/&+·](?:\s*(?:y|e|and)\b)?|y|e|o|u|and|or)"

_BEFORE = r"(?:(?:ver|v[eé]an?se|cfr?|fragmentos?|fragments?|frag)\b\.?|[\s*_`^])*"

_BEGUN = re.compile(rf"{_OPEN}{_BEFORE}(?:{_FRAGMENT}\s*(?:C\s*)?|C\s*)(?=\d)", re.IGNORECASE)
_MARK = re.compile(rf"{_BEGUN.pattern}{_INNER}{_CLOSE}", re.IGNORECASE)
_LIST = re.compile(
    rf"(?<![^\W\d_])(?:{_FRAGMENT}\s*C?|C)\s*\d+(?:{_GAP}(?:{_TO}|{_AND}){_GAP}C?\s*\d+(?!\.?\w))*", re.IGNORECASE
)
_SPAN = re.compile(rf"(\d{{1,300}})(?:{_GAP}{_TO}{_GAP}C?\s*(\d{{1,300}}))?", re.IGNORECASE)
_EMPTIED = re.compile(
    rf"(\*{{1,3}}|_{{1,3}}|~~|`{{1,3}})\0+\1|\([ \t]*\0+[ \t]*\)|{_OPEN}[ \t]*\0+[ \t]*{_CLOSE}"
    rf"|(?:(?<=\0)|(?<=\d\]))[ \t]*{_AND}?[ \t]*\0",
    re.IGNORECASE,
)
_VANISHED = re.compile(r"^\0[ \t]*|(?<![ \t])[ \t]*\0", re.MULTILINE)


def write_marker(number: int) -> str:
    """Return the mark of a fragment (1-based) in the one form that is written."""
    return f"[C{number}]"


def markers_in(text: str, known: Collection[int] = ()) -> list[int]:
    """Return the numbers of all marks in order of first appearance, each once; ranges as ``numbers_in`` reads them."""
    return list(dict.fromkeys(n for match in _MARK.finditer(text) for n in _marked(match, known)))


def numbers_in(text: str, known: Collection[int] = ()) -> list[int]:
    """Return every number; of a range its ends and, between them, what is known, so that it cannot make thousands."""
    numbers: list[int] = []
    for first, last in _SPAN.findall(text):
        low, high = sorted((int(first), int(last or first)))
        numbers += [low, *sorted(n for n in known if low < n < high), high]
    return list(dict.fromkeys(numbers))


def keep_markers(text: str, known: Collection[int]) -> tuple[str, list[int]]:
    """Write every mark as ``[C1]`` and drop the numbers that are not known.

    Returns:
        The text, and the dropped numbers in order of first appearance. With a mark that vanishes go the white space
        before it, and the emphasis, the brackets and the conjunction that it leaves without content.
    """
    dropped: list[int] = []

    def rewrite(match: re.Match[str]) -> str:
        numbers = _marked(match, known)
        dropped.extend(n for n in numbers if n not in known)
        return "".join(write_marker(n) for n in numbers if n in known) or "\0"

    before, text = "", text.replace("\0", "")
    # What a mark leaves behind may join to another one.
    while text != before:
        # \0 stands for a mark that vanished, so that only what is around it is touched.
        before, text = text, _MARK.sub(rewrite, text)
        while (emptied := _EMPTIED.sub("\0", text)) != text:
            text = emptied
        text = _VANISHED.sub("", text)
    return text, list(dict.fromkeys(dropped))


def defuse_markers(text: str) -> str:
    """Alter what ``markers_in`` would find, and what it would find once closed: ``[C1]`` -> ``(C1)``."""
    text = _MARK.sub(lambda match: f"({match.group()[1:-1]})", text)
    return _BEGUN.sub(lambda match: f"({match.group()[1:]}", text)


def _marked(match: re.Match[str], known: Collection[int]) -> list[int]:
    return list(dict.fromkeys(n for found in _LIST.findall(match.group()) for n in numbers_in(found, known)))
