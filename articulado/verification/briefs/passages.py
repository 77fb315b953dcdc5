"""Passages of a brief (an introduction and its quotation), parts of a provision, and the types of the report."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from typing_extensions import TypedDict

from articulado.language.folding import fold
from articulado.language.numerals import CARDINALS
from articulado.legal.citations.parser import Citation
from articulado.legal.wordings import Certainty
from articulado.values.findings import Finding
from articulado.verification.quoted_text import Quotation, quotation_at, quotations_in

CitationStatus = Literal["in_force", "repealed", "not_yet", "unknown_provision", "no_wording", "not_indexed"]
"""``no_wording``: the index has later wordings only; ``not_indexed``: it lacks the law, or none is named."""

Basis = Literal["text", "existence", "ended", ""]

RulingStatus = Literal["confirmed", "differs", "not_found"]

Outcome = Literal["confirmed", "differs", "not_found", "unchecked"]

DayOrigin = Literal["option", "brief", "today"]


@dataclass(frozen=True)
class BriefParagraph:
    """A paragraph; ``place`` is its number in its document, from 0, ``page`` is ``None`` without pages."""

    text: str
    place: int
    page: int | None = None
    italics: tuple[tuple[int, int], ...] = ()
    is_set_off: bool = False


class BriefCitation(TypedDict):
    """A provision named in a brief, with its text on that day, empty if unknown. Dates are ISO 8601.

    A confirmed citation rests on a figure or quotation (``basis`` ``text``), on mere ``existence`` in force, or on
    having ``ended``, as the brief says.
    """

    where: str
    law_id: str
    law: str
    provision: str
    status: CitationStatus
    wording: Certainty
    valid_from: str | None
    valid_to: str | None
    text: str
    url: str
    outcome: Outcome
    basis: Basis


class BriefRuling(TypedDict):
    """A ruling named in a brief (``paragraph`` from 1), with the record of the index, empty if there is none."""

    where: str
    paragraph: int
    status: RulingStatus
    indexed: bool
    name: str
    court: str
    date: str
    ecli: str
    title: str
    text: str
    url: str
    message: str


class CheckedParagraph(TypedDict):
    """A paragraph with citations or findings; ``number`` counts from 1, findings have offsets into it."""

    number: int
    place: int
    page: int | None
    text: str
    citations: list[BriefCitation]
    findings: list[Finding]


class IncompletePlace(TypedDict):
    """A paragraph (from 1) with content that could not be read, and its marks; nothing in it is confirmed."""

    paragraph: int
    page: int | None
    marks: list[str]


class Counts(TypedDict):
    """Citations of provisions and rulings by outcome; ``existing``: confirmed, but known only to exist in force."""

    citations: int
    confirmed: int
    existing: int
    differs: int
    not_found: int
    unchecked: int


class BriefReport(TypedDict):
    """The check of a brief as of a day; ``title`` is its first heading, empty without one.

    ``unchecked`` lists citations that cannot be checked, ``without_wording`` those with later wordings only.
    """

    title: str
    day: str
    day_origin: DayOrigin
    counts: Counts
    paragraphs: list[CheckedParagraph]
    rulings: list[BriefRuling]
    unchecked: list[str]
    without_wording: list[str]
    warnings: list[str]
    incomplete: list[IncompletePlace]
    ok: bool


_MAX_PARAGRAPHS = 14

_MIN_ITALICS = 25

_OPENS = ("«", "“", '"', ">")
_SAYS = re.compile(
    r"\b(?:dispon|establec|senal|dic[ei]|prev[ei]|regul|tenor|literal|textual|reza|preceptu|redaccion|transcri|recog)"
)

_BREAK = "\n\n"


@dataclass(frozen=True)
class Passage:
    """Paragraphs joined by blank lines, with their numbers from 0; a ``doubtful`` quotation only follows a colon."""

    text: str
    numbers: tuple[int, ...]
    starts: tuple[int, ...]
    quotations: tuple[Quotation, ...]
    doubtful: tuple[Quotation, ...] = ()

    def paragraph_at(self, offset: int) -> tuple[int, int]:
        return next(pair for pair in reversed(list(zip(self.numbers, self.starts, strict=True))) if pair[1] <= offset)


def passages(paragraphs: Sequence[BriefParagraph]) -> list[Passage]:
    """Return the passages of a brief in order; each paragraph is in exactly one."""
    read: list[Passage] = []
    number = 0
    while number < len(paragraphs):
        after = _end(paragraphs, number)
        read.append(_passage(paragraphs, number, after))
        number = after
    return read


def _end(paragraphs: Sequence[BriefParagraph], first: int) -> int:
    after = first + 1
    introduces = paragraphs[first].text.rstrip(" *_").endswith(":")
    if introduces and after < len(paragraphs) and _may_be_quoted(paragraphs[first], paragraphs[after]):
        is_shown = _is_shown(paragraphs[after])
        after += 1
        while is_shown and after < len(paragraphs) and after - first < _MAX_PARAGRAPHS and _is_shown(paragraphs[after]):
            after += 1
    limit = min(len(paragraphs), first + _MAX_PARAGRAPHS)
    joined = after
    while joined <= limit and _is_open(paragraphs[first:joined]):
        joined += 1
    return joined if after < joined <= limit else after


def _may_be_quoted(before: BriefParagraph, paragraph: BriefParagraph) -> bool:
    return paragraph.text.lstrip().startswith(_OPENS) or _is_shown(paragraph) or bool(_SAYS.search(fold(before.text)))


def _is_shown(paragraph: BriefParagraph) -> bool:
    italic = sum(end - start for start, end in paragraph.italics)
    whole = len(paragraph.text.strip())
    return paragraph.text.lstrip().startswith(">") or (whole > 0 and (paragraph.is_set_off or italic > 0.9 * whole))


def _is_open(paragraphs: Sequence[BriefParagraph]) -> bool:
    text = _BREAK.join(paragraph.text for paragraph in paragraphs)
    return any(
        text.count(opens) > text.count(closes) and text.rfind(opens) > text.rfind(closes)
        for opens, closes in (("«", "»"), ("“", "”"))
    )


def _passage(paragraphs: Sequence[BriefParagraph], first: int, after: int) -> Passage:
    starts: list[int] = []
    text = ""
    for paragraph in paragraphs[first:after]:
        text += _BREAK if starts else ""
        starts.append(len(text))
        text += paragraph.text
    quoted = quotations_in(text)
    italics = [
        (start + begin, start + end)
        for start, paragraph in zip(starts, paragraphs[first:after], strict=True)
        for begin, end in paragraph.italics
        if end - begin >= _MIN_ITALICS
    ]
    shown: list[Quotation] = list(quoted)
    doubtful: list[Quotation] = []
    for start, end in italics:
        _add(shown, text, start, end)
    for number in range(first + 1, after):
        start = starts[number - first]
        span = (start, start + len(paragraphs[number].text))
        _add(shown if _is_shown(paragraphs[number]) else doubtful, text, *span, beside=shown)
    in_order = sorted(shown, key=lambda quotation: quotation.start)
    return Passage(text, tuple(range(first, after)), tuple(starts), tuple(in_order), tuple(doubtful))


def _add(
    quotations: list[Quotation], text: str, start: int, end: int, *, beside: Sequence[Quotation] | None = None
) -> None:
    if any(start < other.end and other.start < end for other in (*quotations, *(beside or ()))):
        return
    if quotation := quotation_at(text, start, end, is_block=True):
        quotations.append(quotation)


_SUFFIXES = "bis|ter|quater|quáter|quinquies"
_APARTADO = re.compile(rf"(?P<number>\d{{1,2}})(?: (?P<suffix>{_SUFFIXES}))?\.(?:[ªº])?(?=\s|[A-ZÁÉÍÓÚÑ«(])")
_WORD = re.compile(rf"(?P<word>{'|'.join(word.capitalize() for word in CARDINALS[:20])})\.\s")
_LETTER = re.compile(rf"(?P<letter>[a-zñ])(?: (?P<suffix>{_SUFFIXES}))?\)\s")


@dataclass(frozen=True)
class Part:
    """A paragraph with its apartado and letter, if any; a loose one behind a letter has no mark of its own."""

    apartado: str
    letter: str
    text: str
    is_loose: bool = False


@dataclass(frozen=True)
class Division:
    """A provision as its marked paragraphs."""

    parts: tuple[Part, ...]

    def own(self, apartado: str, letter: str, *, marked: bool = False) -> str:
        """Return the text of an apartado or letter, or all; ``marked`` omits loose paragraphs behind a letter."""
        within = (part for part in self.parts if _is_in(part, apartado, letter))
        return "\n".join(part.text for part in within if not (marked and part.is_loose))

    def scope(self, apartado: str, letter: str) -> str:
        """Return the text of an apartado or letter, with the lead and the unmarked paragraphs that apply to it."""
        return "\n".join(
            part.text
            for part in self.parts
            if _is_in(part, apartado, letter)
            or (letter and part.apartado in ("", apartado or part.apartado) and (not part.letter or part.is_loose))
        )

    def place_of(self, citation: Citation) -> tuple[str, str]:
        """Return the apartado and letter of a citation, as far as the provision has them."""
        apartado, letter = citation.apartado or "", citation.letter or ""
        places = [(apartado, letter), (apartado, "")]
        return next((place for place in places if self.own(*place)), ("", ""))

    def letters(self, apartado: str) -> list[str]:
        within = (part.letter for part in self.parts if not apartado or part.apartado == apartado)
        return list(dict.fromkeys(letter for letter in within if letter))


@lru_cache(maxsize=512)
def division_of(text: str) -> Division:
    r"""Split the text of a provision into apartados and letters.

    >>> [(part.apartado, part.letter) for part in division_of("1. Uno:\na) Letra.\nSigue.\n2. Dos.").parts]
    [('1', ''), ('1', 'a'), ('1', 'a'), ('2', '')]
    """
    parts: list[Part] = []
    apartado = letter = ""
    inner = 0  # The last number of a list inside an apartado or letter.
    for line in filter(None, (line.strip() for line in text.splitlines())):
        is_marked = True
        if match := _APARTADO.match(line) or _WORD.match(line):
            groups = match.groupdict()
            number = int(groups["number"]) if groups.get("number") else _cardinal(groups["word"])
            last = int(re.match(r"\d+", apartado)[0]) if apartado else 0  # type: ignore[index]
            if inner and number == inner + 1:
                inner = number
            elif number == 1 and (apartado or letter):
                inner = 1
            elif number > last or groups.get("suffix"):
                apartado, letter, inner = _label(str(number), groups.get("suffix")), "", 0
        elif match := _LETTER.match(line):
            letter, inner = _label(match["letter"], match["suffix"]), 0
        else:
            is_marked = False
        parts.append(Part(apartado, letter, line, bool(letter) and not is_marked))
    return Division(tuple(parts))


def _cardinal(word: str) -> int:
    return CARDINALS.index(word.lower()) + 1


def _label(mark: str, suffix: str | None) -> str:
    return f"{mark} {suffix}" if suffix else mark


def _is_in(part: Part, apartado: str, letter: str) -> bool:
    return (not apartado or part.apartado == apartado) and (not letter or part.letter == letter)
