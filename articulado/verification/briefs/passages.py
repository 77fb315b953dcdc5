"""Passages of a brief (an introduction and its quotation), and the types of the brief report.

``passages`` assigns every paragraph to exactly one passage. A quotation may span at most 14 paragraphs.
Paragraph numbers count from 0 in ``Passage`` and from 1 in ``CheckedParagraph``. ``BriefReport`` is the
result of the check.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from typing_extensions import TypedDict

from articulado.language.folding import fold
from articulado.legal.wordings import Certainty
from articulado.values.findings import Finding
from articulado.verification.quoted_text import Quotation, quotation_at, quotations_in

CitationStatus = Literal["in_force", "repealed", "not_yet", "unknown_provision", "no_wording", "not_indexed"]
"""What a provision was on the day of the brief. ``no_wording``: the index has later wordings only. ``not_indexed``: its
law is not in the index, or is not named, so that nothing can be said.
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

    ``wording`` is how sure it is that this was its wording then. Dates are ISO 8601.
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


class BriefRuling(TypedDict):
    """A ruling that a brief names; ``indexed`` tells that the index has it."""

    where: str
    paragraph: int
    indexed: bool


class CheckedParagraph(TypedDict):
    """A paragraph that names provisions or is at fault; ``number`` counts from 1, findings have offsets into it."""

    number: int
    place: int
    page: int | None
    text: str
    citations: list[BriefCitation]
    findings: list[Finding]


class BriefReport(TypedDict):
    """The check of a brief as of a day.

    ``unchecked`` are the provisions of which nothing can be said; ``without_wording`` those of which the index has
    later wordings only, so that what the brief quotes of them cannot be checked. ``warnings`` tell of text of the brief
    that was not read.
    """

    day: str
    day_origin: DayOrigin
    paragraphs: list[CheckedParagraph]
    rulings: list[BriefRuling]
    unchecked: list[str]
    without_wording: list[str]
    warnings: list[str]
    ok: bool


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
