"""Find what a text quotes: words in quotation marks, and block quotes of Markdown."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from services.verification.words import Words, words_of

_LONGEST = 40_000

_MARKED = re.compile(
    rf"«(?P<angled>[^«»]{{1,{_LONGEST}}}(?:«[^«»]*»[^«»]*)*)»"
    rf"|“(?P<curly>[^“”]{{1,{_LONGEST}}}(?:“[^“”]*”[^“”]*)*)”"
    r"|(?<![\w\"])\"(?P<straight>(?:[^\"\n]|\n(?![ \t]*\n))+)\"(?![\w\"])"
    r"|(?<![\w‘])‘(?P<single>[^‘’\n]{20,})’(?!\w)"
)
_GOES_ON = re.compile(r"(?m)(?<=\n)([ \t>]*)[»”](?=[^\s.,;:)])")
"""The mark with which each further paragraph of a quotation begins."""
_BLOCK = re.compile(r"(?m)^[ \t]*>[^\n]*(?:\n[ \t]*>[^\n]*)*")
_BLOCK_HEAD = re.compile(r"[\s>]*")
_BLOCK_TAIL = re.compile(r"(?:\s*\[C\d+\]|\s*\([^()\n]*\)|\s*\n[\s>]*[—–-]{1,2}[^\n]*|[\s>*_]+|(?<=\])\.)+$")
_REMARK = re.compile(r"[\W_]*(?:nota|aviso|ojo|importante|recuerd[ae]|atencion|atención|consejo|note|warning)\b", re.I)

_MARKER = re.compile(r"\[C\d+\]")
_INITIAL = re.compile(r"\[(\w)\](?=\w)")
_LEFT_OUT = re.compile(r"\[\s*(?:…|\.{2,})?\s*\]|\(\s*(?:…|\.{2,})\s*\)|…|\.{3,}|\[[^\]\n]{1,80}\]|(?<=\s)/{1,2}(?=\s)")


@dataclass(frozen=True)
class Quotation:
    """Words that are quoted: ``text[start:end]``, without the marks around them.

    ``pieces`` are what stands between ellipses and insertions in brackets, in order.
    """

    text: str
    start: int
    end: int
    pieces: tuple[Words, ...]
    is_block: bool = False

    @property
    def length(self) -> int:
        """The number of its words."""
        return sum(len(piece.tokens) for piece in self.pieces)

    @property
    def compact(self) -> str:
        """All of its words without blanks."""
        return "".join(piece.compact for piece in self.pieces)


def quotations_in(text: str) -> list[Quotation]:
    """Return what a text quotes, in order; of nested quotations the outer one.

    >>> [quotation.text for quotation in quotations_in('Dice «un "plazo" de diez días», no "veinte".')]
    ['un "plazo" de diez días', 'veinte']
    """
    even = _GOES_ON.sub(lambda match: match[1] + " ", text)
    marked = [(match.start(match.lastgroup or 0), match.end(match.lastgroup or 0)) for match in _MARKED.finditer(even)]
    blocks = [span for span in _blocks(text) if not any(span[0] <= start and end <= span[1] for start, end in marked)]
    found = [quotation_at(text, start, end, is_block=False) for start, end in marked]
    found += [quotation_at(text, start, end, is_block=True) for start, end in blocks]
    return sorted(filter(None, found), key=lambda quotation: quotation.start)


def pieces_of(quoted: str) -> tuple[Words, ...]:
    """Return the words of a quotation, cut where it says that it leaves words out or puts its own in.

    A link that was left out of an answer is such a place, too.

    >>> [piece.tokens for piece in pieces_of("[E]l plazo […] de [sus] días ([enlace omitido])")]
    [('el', 'plazo'), ('de',), ('dias',)]
    """
    whole = _INITIAL.sub(r"\1", _MARKER.sub(" ", quoted))
    return tuple(words for piece in _LEFT_OUT.split(whole) if (words := words_of(piece)).tokens)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of block quotes, without their marks and what says below or behind where they are from."""
    for block in _BLOCK.finditer(text):
        head = _BLOCK_HEAD.match(text, block.start(), block.end())
        start = head.end() if head else block.start()
        tail = _BLOCK_TAIL.search(text, start, block.end())
        end = tail.start() if tail else block.end()
        if end > start and not _REMARK.match(text, start, end):
            yield start, end


def quotation_at(text: str, start: int, end: int, *, is_block: bool) -> Quotation | None:
    """Return what stands in ``text[start:end]`` as a quotation; ``None`` if there is no word."""
    quoted = text[start:end]
    start += len(quoted) - len(quoted.lstrip())
    quoted = quoted.strip()
    pieces = pieces_of(quoted)
    return Quotation(quoted, start, start + len(quoted), pieces, is_block) if pieces else None
