"""Passages of a brief (an introduction and its quotation), parts of a provision, and the types of the report.

``passages`` assigns every paragraph to exactly one passage. A quotation may span at most 14 paragraphs.
``division_of`` splits a provision into apartados and letters. Paragraph numbers count from 0 in ``Passage`` and from
1 in ``CheckedParagraph``. ``BriefReport`` is the result of the check.
"""

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
from articulado.values.findings import Check, Finding
from articulado.verification.quoted_text import Quotation, quotation_at, quotations_in

CitationStatus = Literal["in_force", "repealed", "not_yet", "unknown_provision", "no_wording", "not_indexed"]
"""State of a provision on the day of the brief. ``no_wording``: the index has later wordings only. ``not_indexed``: its
law is not in the index, or is not named, so that nothing can be said.
"""

Basis = Literal["text", "existence", "ended", ""]

RulingStatus = Literal["confirmed", "differs", "not_found"]

Outcome = Literal["confirmed", "differs", "not_found", "unchecked"]
"""The result of a citation: it stands and nothing speaks against it; something said of it does not agree; it does not
exist, or the index has none such; nothing can be said.
"""

DayOrigin = Literal["option", "brief", "today"]


@dataclass(frozen=True)
class BriefParagraph:
    """A paragraph of a brief. ``place`` is its number in the document that it was read from, counted from 0.

    ``page`` is ``None`` in a format without pages. ``italics`` are the spans in italics; ``is_set_off`` tells that it
    is indented, or in the style of a quotation.
    """

    text: str
    place: int
    page: int | None = None
    italics: tuple[tuple[int, int], ...] = ()
    is_set_off: bool = False


class BriefCitation(TypedDict):
    """A provision that a brief names. ``text`` is what the law says there, on that day; empty where that is unknown.

    ``wording`` is how sure it is that this was its wording then. Dates are ISO 8601. ``basis`` tells what a confirmed
    citation rests on: a figure or quotation of the brief that stands there (``text``), no more than that the provision
    exists and is in force (``existence``), or that it is law no longer, as the brief says (``ended``).
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
    """A ruling that a brief names in a paragraph (from 1), and what the index has of it.

    ``status``: its number, date and ECLI agree as far as the brief gives them, one of them does not, or the index has
    no such ruling. ``message`` says which. ``name``, ``court``, ``date`` (ISO 8601), ``ecli``, ``title`` and ``text``
    (what it decided, as the index tells it) are empty where the index has none.
    """

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
    """A paragraph that names provisions or is at fault; ``number`` counts from 1, findings have offsets into it."""

    number: int
    place: int
    page: int | None
    text: str
    citations: list[BriefCitation]
    findings: list[Finding]


class IncompletePlace(TypedDict):
    """A paragraph (from 1) with content that could not be read, and the marks of it; nothing in it is confirmed."""

    paragraph: int
    page: int | None
    marks: list[str]


class Counts(TypedDict):
    """Citations of provisions and rulings in a brief, by their outcome.

    ``existing`` are the confirmed ones of which no more is known than that they exist and are in force.
    """

    citations: int
    confirmed: int
    existing: int
    differs: int
    not_found: int
    unchecked: int


class BriefReport(TypedDict):
    """The check of a brief as of a day. ``title`` is its first heading, empty without one.

    ``unchecked`` are the provisions of which nothing can be said; ``without_wording`` those of which the index has
    later wordings only, so that what the brief quotes of them cannot be checked. ``warnings`` tell of text of the brief
    that was not read, ``incomplete`` are the paragraphs with content that could not be read.
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


def made(
    check: Check, kind: str, text: str, span: tuple[int, int], message: str, evidence: str = "", *, offset: int = 0
) -> Finding:
    """Return the finding on ``text[start:end]``; ``offset`` is where the text begins in that of the passage."""
    start, end = span
    return {
        "check": check,
        "kind": kind,
        "severity": "error",
        "where": text[start:end],
        "start": offset + start,
        "end": offset + end,
        "message": message,
        "mark": "",
        "evidence": evidence,
    }


_MAX_PARAGRAPHS = 14
"""Paragraphs that one quotation may have."""

_MIN_ITALICS = 25
"""Characters in italics from which on they are a quotation."""

_OPENS = ("«", "“", '"', ">")
_SAYS = re.compile(
    r"\b(?:dispon|establec|senal|dic[ei]|prev[ei]|regul|tenor|literal|textual|reza|preceptu|redaccion|transcri|recog)"
)

_BREAK = "\n\n"


@dataclass(frozen=True)
class Passage:
    """Paragraphs that belong together, with blank lines between them, and what is quoted in them.

    ``numbers`` are those of the paragraphs, from 0, and ``starts`` where they begin in ``text``. ``doubtful`` are the
    quotations that no mark, italics or indentation show, but only the colon before them.
    """

    text: str
    numbers: tuple[int, ...]
    starts: tuple[int, ...]
    quotations: tuple[Quotation, ...]
    doubtful: tuple[Quotation, ...] = ()

    def paragraph_at(self, offset: int) -> tuple[int, int]:
        """Return the number of the paragraph at an offset, and where it begins."""
        return next(pair for pair in reversed(list(zip(self.numbers, self.starts, strict=True))) if pair[1] <= offset)


def passages(paragraphs: Sequence[BriefParagraph]) -> list[Passage]:
    """Return the passages of a brief, in order; every paragraph is in exactly one.

    >>> texts = ("Dice el art. 1 ET:", "«Uno.", "Dos»", "Otro.")
    >>> [passage.numbers for passage in passages([BriefParagraph(text, 0) for text in texts])]
    [(0, 1, 2), (3,)]
    """
    read: list[Passage] = []
    number = 0
    while number < len(paragraphs):
        after = _end(paragraphs, number)
        read.append(_passage(paragraphs, number, after))
        number = after
    return read


def _end(paragraphs: Sequence[BriefParagraph], first: int) -> int:
    """Return the number of the first paragraph that does not belong to the passage of one."""
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
    """Tell whether a paragraph is set as a quotation: indented, all in italics, or with the mark of Markdown."""
    italic = sum(end - start for start, end in paragraph.italics)
    whole = len(paragraph.text.strip())
    return paragraph.text.lstrip().startswith(">") or (whole > 0 and (paragraph.is_set_off or italic > 0.9 * whole))


def _is_open(paragraphs: Sequence[BriefParagraph]) -> bool:
    """Tell whether a quotation begins in paragraphs that does not end there."""
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
    """Add what stands in a span, unless that has a quotation in it."""
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
    """A paragraph of a provision with the apartado and the letter that it stands under; both may be empty.

    ``is_loose``: it has no mark of its own and follows a letter, so that it may belong to the whole apartado.
    """

    apartado: str
    letter: str
    text: str
    is_loose: bool = False


@dataclass(frozen=True)
class Division:
    """A provision as its marked paragraphs."""

    parts: tuple[Part, ...]

    def own(self, apartado: str, letter: str, *, marked: bool = False) -> str:
        """Return the text of an apartado or letter; of the whole provision without either.

        ``marked``: without the paragraphs behind a letter that may belong to the whole apartado.
        """
        within = (part for part in self.parts if _is_in(part, apartado, letter))
        return "\n".join(part.text for part in within if not (marked and part.is_loose))

    def scope(self, apartado: str, letter: str) -> str:
        """Return the text of an apartado or letter with what holds for it: the lead, and unmarked paragraphs behind."""
        return "\n".join(
            part.text
            for part in self.parts
            if _is_in(part, apartado, letter)
            or (letter and part.apartado in ("", apartado or part.apartado) and (not part.letter or part.is_loose))
        )

    def place_of(self, citation: Citation) -> tuple[str, str]:
        """Return the apartado and letter that a citation names, as far as the provision has them."""
        apartado, letter = citation.apartado or "", citation.letter or ""
        places = [(apartado, letter), (apartado, "")]
        return next((place for place in places if self.own(*place)), ("", ""))

    def letters(self, apartado: str) -> list[str]:
        """Return the letters of an apartado, or of the provision, in order."""
        within = (part.letter for part in self.parts if not apartado or part.apartado == apartado)
        return list(dict.fromkeys(letter for letter in within if letter))


@lru_cache(maxsize=512)
def division_of(text: str) -> Division:
    r"""Divide the text of a provision.

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
