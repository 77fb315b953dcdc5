"""Quotations in a text, and their nearest wording in a source."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from articulado.language.numerals import read_number
from articulado.verification.sources import Source, Words, words_of

MAX_TEXTS = 256
_LONGEST = 40_000

_MARKED = re.compile(
    rf"«(?P<angled>[^«»]{{1,{_LONGEST}}}(?:«[^«»]*»[^«»]*)*)»"
    rf"|“(?P<curly>[^“”]{{1,{_LONGEST}}}(?:“[^“”]*”[^“”]*)*)”"
    r"|(?<![\w\"])\"(?P<straight>(?:[^\"\n]|\n(?![ \t]*\n))+)\"(?![\w\"])"
    r"|(?<![\w‘])‘(?P<single>[^‘’\n]{20,})’(?!\w)"
)
_GOES_ON = re.compile(r"(?m)(?<=\n)([ \t>]*)[»”](?=[^\s.,;:)])")
_BLOCK = re.compile(r"(?m)^[ \t]*>[^\n]*(?:\n[ \t]*>[^\n]*)*")
_BLOCK_HEAD = re.compile(r"[\s>]*")
_BLOCK_TAIL = re.compile(r"(?:\s*\[C\d+\]|\s*\([^()\n]*\)|\s*\n[\s>]*[—–-]{1,2}[^\n]*|[\s>*_]+|(?<=\])\.)+$")
_REMARK = re.compile(r"[\W_]*(?:nota|aviso|ojo|importante|recuerd[ae]|atencion|atención|consejo|note|warning)\b", re.I)

_MARKER = re.compile(r"\[C\d+\]")
_INITIAL = re.compile(r"\[(\w)\](?=\w)")
_LEFT_OUT = re.compile(r"\[\s*(?:…|\.{2,})?\s*\]|\(\s*(?:…|\.{2,})\s*\)|…|\.{3,}|\[[^\]\n]{1,80}\]|(?<=\s)/{1,2}(?=\s)")


@dataclass(frozen=True)
class Quotation:
    """Quoted words ``text[start:end]``; ``pieces`` are the parts between ellipses and bracketed insertions."""

    text: str
    start: int
    end: int
    pieces: tuple[Words, ...]
    is_block: bool = False

    @property
    def length(self) -> int:
        return sum(len(piece.tokens) for piece in self.pieces)

    @property
    def compact(self) -> str:
        return "".join(piece.compact for piece in self.pieces)


@lru_cache(MAX_TEXTS)
def quotations_in(text: str) -> tuple[Quotation, ...]:
    """Return the quotations and Markdown block quotes of a text, in order; of nested ones the outer.

    >>> [quotation.text for quotation in quotations_in('Dice «un "plazo" de diez días», no "veinte".')]
    ['un "plazo" de diez días', 'veinte']
    """
    even = _GOES_ON.sub(lambda match: match[1] + " ", text)
    marked = [(match.start(match.lastgroup or 0), match.end(match.lastgroup or 0)) for match in _MARKED.finditer(even)]
    blocks = [span for span in _blocks(text) if not any(span[0] <= start and end <= span[1] for start, end in marked)]
    quotations = [quotation_at(text, start, end, is_block=False) for start, end in marked]
    quotations += [quotation_at(text, start, end, is_block=True) for start, end in blocks]
    return tuple(sorted(filter(None, quotations), key=lambda quotation: quotation.start))


def pieces_of(quoted: str) -> tuple[Words, ...]:
    """Cut a quotation at its ellipses, bracketed insertions and omitted links.

    >>> [piece.tokens for piece in pieces_of("[E]l plazo […] de [sus] días ([enlace omitido])")]
    [('el', 'plazo'), ('de',), ('dias',)]
    """
    whole = _INITIAL.sub(r"\1", _MARKER.sub(" ", quoted))
    return tuple(words for piece in _LEFT_OUT.split(whole) if (words := words_of(piece)).tokens)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    for block in _BLOCK.finditer(text):
        head = _BLOCK_HEAD.match(text, block.start(), block.end())
        start = head.end() if head else block.start()
        tail = _BLOCK_TAIL.search(text, start, block.end())
        end = tail.start() if tail else block.end()
        if end > start and not _REMARK.match(text, start, end):
            yield start, end


def quotation_at(text: str, start: int, end: int, *, is_block: bool) -> Quotation | None:
    """Return ``text[start:end]`` as a quotation; ``None`` if it has no word."""
    quoted = text[start:end]
    start += len(quoted) - len(quoted.lstrip())
    quoted = quoted.strip()
    pieces = pieces_of(quoted)
    return Quotation(quoted, start, start + len(quoted), pieces, is_block) if pieces else None


_ARTICLES = frozenset(("el", "la", "los", "las", "un", "una", "unos", "unas", "de", "del", "al", "a", "en", "lo"))

_VARIANTS = frozenset((frozenset("ye"), frozenset("ou")))

_BAND = 3

_COMMONEST = 60


@dataclass(frozen=True)
class Likeness:
    """The wording of a source nearest to a quotation; ``share`` is the share of the quotation's words in it."""

    source: Source
    piece: Words
    words: Words
    first: int
    after: int
    share: float

    @property
    def evidence(self) -> str:
        return self.words.written(self.first, self.after)


@dataclass(frozen=True)
class Difference:
    """The differing words of a quotation and of the law; one of them may be empty."""

    said: str
    real: str


def most_alike(quotation: Quotation, sources: Sequence[Source]) -> Likeness | None:
    """Return the wording nearest to a quotation; the first source wins a tie; ``None`` if no word matches."""
    best: Likeness | None = None
    for source in sources:
        likeness = _likeness(quotation, source)
        if likeness and (best is None or likeness.share > best.share):
            best = likeness
    return best


def difference_from(likeness: Likeness) -> Difference | None:
    """Return the first relevant difference between a quotation and its nearest wording, if any."""
    piece, words = likeness.piece, likeness.words
    real = words.tokens[likeness.first : likeness.after]
    for tag, i, i_after, j, j_after in SequenceMatcher(None, piece.tokens, real, autojunk=False).get_opcodes():
        first, after = likeness.first + j, likeness.first + j_after
        if tag == "equal" or _is_same(piece.tokens[i:i_after], words.tokens[first:after]):
            continue
        if _is_list_mark(piece, i, i_after) and first == after:
            continue
        if _is_list_mark(words, first, after) and i == i_after:
            continue
        if tag == "replace":
            # A word more tells what the figure is of.
            i_after, after = min(i_after + 1, len(piece.tokens)), min(after + 1, likeness.after)
        return Difference(piece.written(i, i_after), words.written(first, after))
    return None


def _likeness(quotation: Quotation, source: Source) -> Likeness | None:
    words = words_of(source.text)
    worst: Likeness | None = None
    matched = 0.0
    for piece in quotation.pieces:
        end = words.find(piece.compact)
        if end is not None:
            matched += len(piece.tokens)
            continue
        likeness = _nearest(piece, words, source)
        if likeness is None:
            continue
        matched += likeness.share * len(piece.tokens)
        if worst is None or likeness.share < worst.share:
            worst = likeness
    if worst is None:
        return None
    return Likeness(source, worst.piece, words, worst.first, worst.after, matched / quotation.length)


def _nearest(piece: Words, words: Words, source: Source) -> Likeness | None:
    diagonals: Counter[int] = Counter()
    for number, token in enumerate(piece.tokens):
        places = words.positions.get(token, ())
        if len(places) <= _COMMONEST:
            diagonals.update({place - number for place in places})
    if not diagonals:
        return None
    length = len(piece.tokens)
    best = max(diagonals, key=lambda d: (sum(diagonals[d + shift] for shift in range(-_BAND, _BAND + 1)), -d))
    begin = max(0, best - length - 40)
    window = words.tokens[begin : best + 2 * length + 40]
    matcher = SequenceMatcher(None, piece.tokens, window, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if not blocks:
        return None
    head, tail = blocks[0], blocks[-1]
    first = max(0, begin + head.b - head.a)
    after = min(len(words.tokens), begin + tail.b + tail.size + length - tail.a - tail.size)
    share = sum(block.size for block in blocks) / length
    return Likeness(source, piece, words, first, after, share)


def _is_same(said: Sequence[str], real: Sequence[str]) -> bool:
    if _ARTICLES.issuperset((*said, *real)):
        return True
    if "".join(said) == "".join(real):
        return True
    if len(said) == len(real) == 1 and frozenset((*said, *real)) in _VARIANTS:
        return True
    value = _value(said)
    return value is not None and value == _value(real)


def _value(tokens: Sequence[str]) -> object:
    written = " ".join(tokens)
    number = read_number(written)
    return number[2] if number and number[0] == 0 and number[1] == len(written) else None


def _is_list_mark(words: Words, first: int, after: int) -> bool:
    if after - first != 1:
        return False
    start, end = words.spans[first]
    following = words.text[end : end + 2]
    if len(words.tokens[first]) == 1 and following.startswith(")"):
        return True
    begins_line = not words.text[:start].rpartition("\n")[2].strip()
    return words.text[start:end].isdigit() and following[:1] in ".)" and begins_line
