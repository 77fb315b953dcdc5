"""Typed results of the look-up API, and the comparison of two wordings. Dates are ISO 8601."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

from typing_extensions import TypedDict

from articulado.legal.wordings import Certainty
from articulado.prompting.notes import state_note, whole_note
from articulado.retrieval.references import Link, NamedProvision, ProvisionDetail, named_provision
from articulado.values.chunks import (
    REPEALED,
    Candidate,
    Origin,
    Status,
    is_official,
    ordering_score,
    own_document,
    status_said,
)
from articulado.values.findings import Finding
from articulado.verification.dossier import Recheck

PieceKind = Literal["same", "added", "removed"]
ParagraphKind = Literal["same", "changed", "added", "removed"]

_ALIKE = 0.35  # share of common words from which on a paragraph counts as a changed version of another

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
    """Compare two texts by paragraphs, and changed paragraphs by words."""
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


class Holdings(TypedDict):
    """The content of an index: the title of its profile, its language (ISO 639-1), its day, and its number of laws."""

    title: str
    language: str
    index_day: str | None
    laws: int


class OnDay(TypedDict):
    """The day whose law a result states, and the day of the index."""

    as_of: str
    index_day: str | None


class Validity(TypedDict):
    """The days of a wording, how sure it is that it was that of a day, and if it is law on that day."""

    valid_from: str | None
    valid_to: str | None
    certainty: Certainty
    in_force: bool | None


class SearchHit(NamedProvision, Validity):
    """A fragment that a search found; ``score`` in [0, 1] decides the order. Dates are ISO 8601, ``None`` is open.

    A user's document is not ``official``: ``document`` is the name of its file, and ``in_force`` is ``None``.
    ``found_by`` has the searches behind ``origins``; ``note`` says that the text is repealed or lacks amendments.
    """

    rank: int
    chunk_id: int
    part: int
    parts: int
    collection: str
    score: float
    status: Status | None
    official: bool
    document: str
    origins: list[Origin]
    found_by: list[str]
    note: str
    excerpt: str


class SearchResult(OnDay):
    """The hits of a question, in order; ``answers`` is false if none of them answers the question.

    ``absent`` tells which named provisions do not exist; the ``warnings`` begin with it.
    """

    query: str
    answers: bool
    hits: list[SearchHit]
    absent: list[str]
    warnings: list[str]


class ProvisionOnDay(OnDay):
    """A provision in its wording of a day.

    ``certainty`` tells how sure it is that the wording was that of the day; ``in_force``, if it is law on that day (of
    today: if it still is).
    """

    certainty: Certainty
    in_force: bool | None
    provision: ProvisionDetail


class DatedLink(Link, Validity):
    """A provision that is referred to, or that refers, in the wording of a day.

    ``in_force`` tells if that is law on the day.
    """


class References(OnDay, NamedProvision, Validity):
    """The provisions that a provision refers to (``cites``) and those that refer to it (``cited_by``), on a day."""

    cites: list[DatedLink]
    cited_by: list[DatedLink]


class WordingOnDay(Validity):
    """The wording of a day, as a comparison names it; ``text`` is empty if the provision was not there.

    ``in_force`` is also false if the text only says that the provision is repealed.
    """

    day: str
    status: Status | None
    status_note: str
    text: str


class Comparison(NamedProvision):
    """The changes in a provision between two days; ``summary`` says them in a sentence."""

    index_day: str | None
    before: WordingOnDay
    after: WordingOnDay
    same: bool
    summary: str
    paragraphs: list[Paragraph]


class CitationCheck(OnDay, Validity):
    """The check of a citation: it ``exists`` in the index, is ``in_force`` on the day, and ``says`` what is claimed.

    ``exists`` is ``None`` if the index does not hold the law, so that nothing can be said; ``says`` is ``"unchecked"``
    without a claim. ``message`` says all of it.
    """

    citation: str
    exists: bool | None
    says: Literal["yes", "no", "unchecked"]
    findings: list[Finding]
    law: str
    provision: str
    title: str
    url: str
    message: str


class Verification(TypedDict):
    """The errors in an answer according to its source texts."""

    ok: bool
    index_day: str | None
    findings: list[Finding]


class DossierVerification(Recheck):
    """A dossier, checked again."""

    index_day: str | None


class BearingSentence(TypedDict):
    """The sentence of the law that bears a statement; "" if its words are no longer there, ``None`` without the law."""

    law_id: str
    provision: str
    part: str
    url: str
    sentence: str | None


class CardStatement(TypedDict):
    """A statement of a card: ``when`` is its situation, ``regime`` one that the card does not cover."""

    text: str
    when: str
    regime: str
    borne_by: list[BearingSentence]


class CardReading(OnDay):
    """An answer card; ``current``: the law of ``as_of`` bears it; ``None`` if the index lacks some of that law."""

    card: str
    need: str
    current: bool | None
    statements: list[CardStatement]
    calculations: list[str]


EXCERPT = 400


def search_hit(rank: int, candidate: Candidate, validity: Validity) -> SearchHit:
    chunk = candidate["chunk"]
    return {
        "rank": rank,
        "chunk_id": chunk["id"],
        **named_provision(chunk),
        **validity,
        "part": chunk["part"],
        "parts": chunk["parts"],
        "collection": chunk["collection"],
        "score": ordering_score(candidate),
        "status": status_said(chunk),
        "official": is_official(chunk),
        "document": own_document(chunk),
        "origins": candidate["origins"],
        "found_by": candidate["found_by"],
        "note": whole_note(chunk) or chunk["status"] if chunk["status"] in REPEALED else state_note(chunk),
        "excerpt": _shortened(chunk["text"]),
    }


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= EXCERPT else f"{flat[:EXCERPT].rpartition(' ')[0]} …"
