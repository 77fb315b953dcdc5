"""What is read of a brief, and what its check says: typed values that the screen, JSON and Word all show."""

from dataclasses import dataclass
from typing import Literal

from typing_extensions import TypedDict

from articulado.legal.wordings import Certainty
from articulado.values.findings import Finding

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
    later wordings only, so that what the brief quotes of them cannot be checked.
    """

    day: str
    day_origin: DayOrigin
    paragraphs: list[CheckedParagraph]
    rulings: list[BriefRuling]
    unchecked: list[str]
    without_wording: list[str]
    ok: bool
