"""Two wordings of a provision side by side: which paragraphs are the same, and in the others which words are not."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

from typing_extensions import TypedDict

PieceKind = Literal["same", "added", "removed"]
ParagraphKind = Literal["same", "changed", "added", "removed"]

_ALIKE = 0.35
"""Share of words that two paragraphs have in common, from which on one is the other with changes."""

_WORDS = re.compile(r"\s+|[^\s]+")


class Piece(TypedDict):
    """Some words, in both wordings or in one of them."""

    kind: PieceKind
    text: str


class Paragraph(TypedDict):
    """A paragraph of one wording or of both; its ``pieces`` one after the other are both texts."""

    kind: ParagraphKind
    pieces: list[Piece]


def compare(before: str, after: str) -> list[Paragraph]:
    """Compare two texts, by paragraphs and within those that differ by words.

    >>> compare("Son 30 días.", "Son 32 días.")[0]["pieces"][1:3]
    [{'kind': 'removed', 'text': '30'}, {'kind': 'added', 'text': '32'}]
    """
    old, new = _paragraphs(before), _paragraphs(after)
    found: list[Paragraph] = []
    for tag, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            found += [_whole("same", text) for text in old[i:i_end]]
        else:
            found += _changed(old[i:i_end], new[j:j_end])
    return found


def _paragraphs(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _changed(old: Sequence[str], new: Sequence[str]) -> Iterator[Paragraph]:
    """Pair the paragraphs of two passages that differ, in their order; what has no counterpart stands alone."""
    rest = list(old)
    for text in new:
        alike = next((one for one in rest if _share(one, text) >= _ALIKE), None)
        if alike is None:
            yield _whole("added", text)
            continue
        gone = rest.index(alike)
        yield from (_whole("removed", one) for one in rest[:gone])
        rest = rest[gone + 1 :]
        yield {"kind": "changed", "pieces": list(_pieces(alike, text))}
    yield from (_whole("removed", one) for one in rest)


def _whole(kind: Literal["same", "added", "removed"], text: str) -> Paragraph:
    return {"kind": kind, "pieces": [{"kind": kind, "text": text}]}


def _share(one: str, other: str) -> float:
    return SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()


def _pieces(before: str, after: str) -> Iterator[Piece]:
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    for tag, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield {"kind": "same", "text": "".join(old[i:i_end])}
            continue
        if i < i_end:
            yield {"kind": "removed", "text": "".join(old[i:i_end])}
        if j < j_end:
            yield {"kind": "added", "text": "".join(new[j:j_end])}
