"""Shorten a sentence to a word limit, and read the plain-language summary of a provision.

``shorten`` keeps the clauses that match a pattern and marks each gap with ``[…]``. It never cuts inside a
number with its unit, a citation, brackets or quotation marks, so the result may exceed the limit.
``plain_words`` returns the summary and the points of the packaged record of a provision. ``read_point``
parses a point such as "3.b) Por muerte de un familiar hay 2 días.".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from articulado.language.folding import fold
from articulado.language.numerals import read_number, read_words
from articulado.language.spanish import sentences
from articulado.legal.citations.parser import parse_citations
from articulado.legal.labels import provision_key
from articulado.legal.laws.mentions import find_law, law_mentions
from articulado.prompting.fragments import Fragment, neutralise
from articulado.store.records.chunks import records_of_law
from articulado.store.records.schema import ProvisionRecord

LEFT_OUT = "[…]"
"""What stands where text is left out."""

MAX_TEXTS = 512
"""Passages of which it is kept what stays together: one is shortened around one thing after another."""

Span = tuple[int, int]

_CLAUSES = (
    re.compile(r"(?<=[;:]) +"),
    re.compile(r"(?<=,) +"),
    re.compile(r"(?i) +(?=(?:pero|sino|aunque|salvo|cuando|siempre|si|así|but|although|unless|when|if)\b)"),
    re.compile(r"(?i) +(?=(?:y|e|o|u|ni|and|or|nor)\b)"),
)
"""Where a sentence is cut into clauses, from the best place to the worst, which only serves inside what is too long."""
_PHRASES = (
    re.compile(
        r"(?i)(?<!\b[aeouy])(?<!\b(?:de|en)) +"
        r"(?=(?:que|a|al|ante|con|contra|desde|durante|en|hasta|para|por|sin|sobre|tras)\b"
        r"|(?:that|which|who|to|for|with|in|on|at|from|until|by)\b)"
    ),
    re.compile(r"\s+"),
)
"""Where a clause too long is cut that must stay in part, from the best place to the worst."""

_BRACKETS = {"(": ")", "[": "]", "«": "»", "“": "”"}
_DETAIL = re.compile(
    # What goes on with a citation or a row of numbers: "…, de 26 de diciembre", "…, apartado 2", "a), b)", "38 y 40".
    r"(?i)(?:, +|(?<=[\d)ºª]) +(?:[yeo]|a|and|or) +)(?:[yeo] +)?(?:(?:de|del|el|los|la|las|al) +)?"
    r"(?:\d|[a-zñ]\)|(?:apartado|letra|párrafo|número|inciso|regla|punto|disposición|artículo)(?:s|es)? +[\w.]+\)?)"
)
_LIST_MARK = re.compile(r"\s*(?:\d{1,3}|[a-zñ])(?: \w+)?(?:\.?[ºª])?[.)]+\s+\S+")
_COUNTED = re.compile(r" +(?:por +|de +)?[\w%€]+")

_NAME = r"[A-ZÁÉÍÓÚÑ]\w+(?: +(?:(?:y|e|a|en|de|del|el|la|los|las|para|sobre) +)*[A-ZÁÉÍÓÚÑ]\w+)*"
_TITLE = re.compile(
    # "Ley 39/2015, de 1 de octubre, del Procedimiento Administrativo Común", "…, por la que se regula".
    r"\d+/\d{4}(?:, +de +\d{1,2}\.?º? +de +[a-z]+(?: +de +\d{4})?)?, +"
    rf"(?:de(?:l| +la| +los| +las)? +{_NAME}|{_NAME}|(?:reguladora?|sobre|para|por +(?:el|la) +que +se) +\w+)"
)
_FIRST_WORD = re.compile(r"\S+")
_BETWEEN_CITATIONS = re.compile(r"[\s,]*(?:(?:de|del|la|el|los|las|y) +){0,3}")


def shorten(text: str, limit_words: int, keep: str | re.Pattern[str] | Sequence[Span] | None = None) -> str:
    """Return a text of ``limit_words`` words at most, those of its marks not counted; ``[…]`` stands for what is cut.

    The clauses with a match of ``keep``, a pattern or spans, stay as far as they fit, the first of them in any case,
    together with what stands around them; without a match the beginning stays. It is cut behind a stop inside the
    sentence or before a conjunction, only in a longer clause between words, and never in a number, a citation, brackets
    or quotation marks: what may not be cut may go beyond the limit.

    >>> shorten("El plazo será de un mes, salvo pacto; corre desde el día siguiente.", 6)
    'El plazo será de un mes […]'
    >>> shorten("El plazo será de un mes, salvo pacto; corre desde el día siguiente.", 6, keep="día")
    '[…] corre desde el día siguiente.'
    """
    if len(text.split()) <= limit_words:
        return text
    if isinstance(keep, str | re.Pattern):
        keep = [match.span() for match in re.finditer(keep, text)]
    wanted = keep or [(0, 1)]
    clauses = _clauses(text, limit_words, wanted)
    matching = [index for index, clause in enumerate(clauses) if _meets(clause, wanted)]
    # A match may lie between two clauses.
    chosen = _chosen([len(text[start:end].split()) for start, end in clauses], matching or [0], limit_words)
    return " ".join(_written(text, clauses, chosen))


def spans_of(parts: Sequence[str], text: str, *, with_first_word: bool = False) -> list[Span]:
    """Return where parts stand in a text, and its first word, in order; none overlaps with one before.

    They are those that a pattern of the parts matches, without compiling one for each text.

    >>> spans_of(["mes", "un"], "Un mes, salvo un año.", with_first_word=True)
    [(0, 2), (3, 6), (14, 16)]
    """
    first = _FIRST_WORD.match(text) if with_first_word else None
    spans = [first.span()] if first else []
    place = first.end() if first else 0
    while places := [(start, order) for order, part in enumerate(parts) if (start := text.find(part, place)) >= 0]:
        start, order = min(places)
        place = start + len(parts[order])
        spans.append((start, place))
    return spans


def _clauses(text: str, limit: int, wanted: Sequence[Span]) -> list[Span]:
    """Return the spans of the pieces of a text, without the blanks between them.

    Clauses of more words than ``limit`` are parted only where something in them is wanted: of others nothing can stay.
    """
    whole = _inseparable(text)
    pieces = [(len(text) - len(text.lstrip()), len(text.rstrip()))]
    for cut in (*_CLAUSES, *_PHRASES):
        split: list[Span] = []
        for start, end in pieces:
            is_parted = _exceeds(text[start:end], limit) and (cut in _CLAUSES or _meets((start, end), wanted))
            split += _split(text, start, end, cut, whole) if is_parted else [(start, end)]
        pieces = split
    return pieces


def _meets(span: Span, others: Sequence[Span]) -> bool:
    return any(first < span[1] and span[0] < last for first, last in others)


def _exceeds(text: str, limit: int) -> bool:
    return len(text.split()) > limit


def _split(text: str, start: int, end: int, cut: re.Pattern[str], whole: Sequence[Span]) -> Iterator[Span]:
    for blank in cut.finditer(text, start, end):
        if not _meets(blank.span(), whole):
            yield start, blank.start()
            start = blank.end()
    yield start, end


@lru_cache(MAX_TEXTS)
def _inseparable(text: str) -> Sequence[Span]:
    """Return what no cut may part: the mark of an item and its text, brackets, numbers with what they count, citations.

    The spans are in no order and may overlap.
    """
    return tuple(_found_whole(text))


def _found_whole(text: str) -> Iterator[Span]:
    if mark := _LIST_MARK.match(text):
        yield mark.span()
    yield from _bracketed(text)
    yield from (match.span() for pattern in (_DETAIL, _TITLE) for match in pattern.finditer(text))
    yield from _cited(text)
    folded = fold(text)
    number = read_number(folded)
    while number:
        counted = _COUNTED.match(folded, number[1])
        yield number[0], counted.end() if counted else number[1]
        number = read_number(folded, number[1])


def _cited(text: str) -> Iterator[Span]:
    """Find citations and names of laws, as one where only a word or two stand between them ("art. 98 del CC")."""
    spans = [(citation.start, citation.end) for citation in parse_citations(text)]
    spans += [(mention.start, mention.end) for mention in law_mentions(text)]
    previous: Span | None = None
    for start, end in sorted(spans):
        if previous and (start <= previous[1] or _BETWEEN_CITATIONS.fullmatch(text, previous[1], start)):
            previous = (previous[0], max(previous[1], end))
            continue
        if previous:
            yield previous
        previous = (start, end)
    if previous:
        yield previous


def _bracketed(text: str) -> Iterator[Span]:
    """Find what stands in brackets or quotation marks; one that is not closed, like the ``)`` of "a)", counts not."""
    opened: list[int] = []
    for position, character in enumerate(text):
        if character in _BRACKETS:
            opened.append(position)
        elif opened and character == _BRACKETS[text[opened[-1]]]:
            yield opened.pop(), position + 1


def _chosen(lengths: Sequence[int], wanted: Sequence[int], limit: int) -> set[int]:
    """Choose the wanted pieces that fit, then of their neighbours the earliest that do."""
    chosen = {wanted[0]}
    room = limit - lengths[wanted[0]]
    for index in wanted[1:]:
        if lengths[index] <= room:
            chosen.add(index)
            room -= lengths[index]
    while neighbours := [index for index in _neighbours(chosen, len(lengths)) if lengths[index] <= room]:
        chosen.add(neighbours[0])
        room -= lengths[neighbours[0]]
    return chosen


def _neighbours(chosen: set[int], count: int) -> list[int]:
    """Return the pieces beside those that are chosen, in their order."""
    return sorted({beside for index in chosen for beside in (index - 1, index + 1) if 0 <= beside < count} - chosen)


def _written(text: str, clauses: Sequence[Span], chosen: set[int]) -> Iterator[str]:
    """Give the chosen pieces, those that touch as one, and a mark for each gap."""
    start: int | None = None
    for index, (first, last) in enumerate(clauses):
        if index not in chosen:
            if index == 0 or index - 1 in chosen:
                yield LEFT_OUT
            continue
        start = first if start is None else start
        if index + 1 not in chosen:
            piece = text[start:last]
            yield piece if index + 1 == len(clauses) else piece.rstrip(" ,;")
            start = None


_LETTER = r"[A-Za-zñ](?: bis| ter)?\)"
_LETTERS = rf"{_LETTER}(?:, {_LETTER})*(?: [ye] {_LETTER})?"
_LABEL = re.compile(
    r"(?:(?P<apartado>\d{1,3}|[A-Z][a-zé]*)(?:(?:, \d+)* [ye] \d+)?\.(?:\d+\.?)?[ºª]?)?"
    rf"(?P<letters>{_LETTERS})?(?:\d+\.[ºª])? +(?=\S)"
)


@dataclass(frozen=True)
class Point:
    """A sentence of ours; ``apartado`` and ``letters`` are what of the provision it is about, empty: all of it."""

    text: str
    apartado: str = ""
    letters: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlainWords:
    """What a record says of a provision: the sentences of its summary, and its points."""

    summary: tuple[str, ...]
    points: tuple[Point, ...]


def plain_words(fragments: Sequence[Fragment]) -> PlainWords | None:
    """Return our words on a provision of official text, ``None`` where there are none on the wording in the prompt."""
    first = fragments[0]
    law = find_law(first.law_name)
    if law is None or not first.summary:
        return None
    record = records_of_law(law.id).get((law.id, provision_key(first.provision) or ""))
    # The summary is hidden where the record was written against another wording.
    if not isinstance(record, ProvisionRecord) or neutralise(" ".join(record.summary.split())) != first.summary:
        return None
    return PlainWords(tuple(sentences(record.summary)), tuple(map(read_point, record.points)))


def read_point(line: str) -> Point:
    """Read a point as records write it.

    >>> read_point("3.b bis) Por muerte de un familiar hay 2 días.")
    Point(text='Por muerte de un familiar hay 2 días.', apartado='3', letters=('b',))
    >>> read_point("Dos. Durante la huelga no se cobra.")
    Point(text='Durante la huelga no se cobra.', apartado='2', letters=())
    """
    label = _LABEL.match(line)
    if label is None or not label[0].strip():
        return Point(line)
    apartado = label["apartado"] or ""
    if apartado.isalpha() and len(apartado) > 1:
        words = read_words(fold(apartado))
        if words is None:
            return Point(line)
        apartado = str(words[0])
    letters = tuple(re.findall(r"([A-Za-zñ])(?: bis| ter)?\)", label["letters"] or ""))
    return Point(line[label.end() :], apartado, letters)
