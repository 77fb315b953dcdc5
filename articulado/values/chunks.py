"""Chunks of law, their wordings, and search candidates, all plain JSON-like dictionaries.

Days are ISO 8601, ``None`` is an open end; scores are in [0, 1].
"""

from datetime import date
from typing import Any, Literal, NotRequired, cast
from urllib.parse import unquote

from typing_extensions import TypedDict

_FILE = "file:"

NAMED_SCORE = 1.0  # score of a provision named by the question or the model

LOWEST_RANK = 5  # rank outside the hierarchy: orders, rulings, criteria, documents

MAX_CHUNK_ID = 2**53 - 1  # largest integer that JavaScript represents exactly

ProvisionRef = tuple[str, str]  # law id and provision key, shared by all parts and wordings of a provision

CARDS = "fichas"  # collection of the answer cards, and their law id

CARD_TYPE = "card"

OWN_TYPE = "own_text"  # type of chunks of a document sent with a question; they live for one turn

HEADING_REPEATS = 3  # repetitions of the heading in indexed text: it is dense in meaning

Origin = Literal["hybrid", "direct", "carryover", "reference", "need", "records", "card", "value", "phrasing", "own"]
"""Source of a candidate: ``phrasing`` is a similar known question, ``card`` an answer card or its provision, ``value``
a dated reference value (``articulado.calculations.parameters``), ``own`` a document sent with the question."""

Purpose = Literal["card", "caveat", "decisive", "value", "calculation", "missing_data", "community", "own"]
"""Use of a fragment in the context: ``card`` answers, ``caveat`` warns for whom or when the shown law may not apply,
``decisive`` is quoted below, ``value`` is a dated reference value, ``missing_data`` asks for data of a calculation,
``community`` is regional law beside the general rule, ``own`` is from a document sent with the question.
"""

Status = Literal["vigente", "modificada", "parcialmente_derogada", "derogada", "agotada"]

REPEALED = frozenset[Status](("derogada", "agotada"))

DayCertainty = Literal["exact", "deduced", "unknown"]  # given by the source, deduced from a publication, or unknown

Act = Literal["amends", "replaces", "repeals"]  # effect of a norm on a wording: changes it, rewrites it, or removes it


TextState = Literal["consolidated", "as_enacted"]  # with later amendments, or as first published


class WordingChange(TypedDict):
    """Effect of one norm on a wording.

    ``norm``: name ("Ley 11/2023, de 8 de mayo"); ``law_id``: empty if unknown. ``day``: first day of effect, or, if the
    source lacks it, deduced from publication or enactment on ``published``.
    """

    norm: str
    law_id: str
    act: Act
    day: str
    deduced_from: Literal["publication", "enactment"] | None
    published: str | None


class WordingDates(TypedDict, total=False):
    """Known facts about the days of a wording; missing fields are unknown.

    ``tracked``: the source lists all wordings with days. ``first_day`` and ``last_day``: certainty of ``valid_from``
    and ``valid_to``; ``first_day`` is missing if the wording only seems as old as its law, ``last_day`` while in force
    or if it ended with its law. ``last_seen``: last dated text with the wording. ``ended_by``: changes up to the next
    known wording, in order; none: nothing replaced it, or unknown. ``tables_lost``: the source may have lost tables.
    """

    tracked: bool
    first_day: DayCertainty
    last_day: DayCertainty
    last_seen: str
    brought_by: WordingChange
    ended_by: list[WordingChange]
    tables_lost: bool


class LawDays(TypedDict):
    """Days of the whole law; ``begins``: first day, ``changed``: publication of the last amendment (or of the law);
    ``None``: unknown.
    """

    published: str
    begins: str | None
    changed: str | None


class Emptied(TypedDict):
    """Loss of a provision's object without repeal: first day, causing norm (``law_id``: BOE id), and the rest of a
    Spanish sentence.
    """

    since: str
    by: str
    law_id: str
    reason: str


NO_DAYS: LawDays = {"published": "", "begins": None, "changed": None}  # days of a law without dated sources


class Agreement(TypedDict):
    """Scope of a collective agreement; unstated fields are empty or ``None``.

    ``sector``: a few words ("hostelería"). ``community`` and ``province``: canonical names. ``first_day`` and
    ``last_day``: agreed validity, which does not decide the search: an agreement may apply longer (art. 86.3 ET).
    """

    sector: str
    company: str
    community: str | None
    province: str | None
    statewide: bool
    first_day: str | None
    last_day: str | None


class Chunk(TypedDict):
    """A provision or a numbered part of a long one, a ruling, or a criterion.

    ``id``: 53-bit integer derived from the chunk's identity, equal in every build. ``rank``: 1 (Constitution) to 5
    (orders, rulings, criteria). ``status_note``: for readers, written from ``wording`` (``articulado.legal.wordings``).
    ``refs``: ids of cited chunks. ``notes``: the source's notes on amendments, the last one first. ``source``: official
    text, our summary, or people's questions (children only, never shown). ``details``:
    ``articulado.values.cases.Details``. ``law_notes``: the source's notes on how to read the whole law. ``emptied``:
    lost object. ``text_state``: absent from consolidated or undetermined text.
    """

    id: int
    collection: str
    law_id: str
    law_name: str
    rank: int
    kind: str
    provision: str
    provision_key: str
    title: str
    breadcrumb: str
    summary: str
    text: str
    part: int
    parts: int
    parent_id: int | None
    parent_content: str
    strategy: str
    refs: list[int]
    valid_from: str | None
    valid_to: str | None
    status: Status
    status_note: str
    wording: WordingDates
    notes: list[str]
    territory_ccaa: str | None
    territory_municipio: str | None
    chunk_type: str
    tier: str
    topic: str
    attributes: dict[str, str]
    url: str
    content_hash: str
    source: Literal["official", "plain_language", "lay_phrasings"]
    text_state: NotRequired[TextState]
    law_days: NotRequired[LawDays]
    law_notes: NotRequired[list[str]]
    emptied: NotRequired[Emptied]
    details: NotRequired[dict[str, Any]]
    agreement: NotRequired[Agreement]


def blank_chunk(id_: int, collection: str) -> Chunk:
    return {
        "id": id_,
        "collection": collection,
        "law_id": "",
        "law_name": "",
        "rank": LOWEST_RANK,
        "kind": "",
        "provision": "",
        "provision_key": "",
        "title": "",
        "breadcrumb": "",
        "summary": "",
        "text": "",
        "part": 1,
        "parts": 1,
        "parent_id": None,
        "parent_content": "",
        "strategy": "",
        "refs": [],
        "valid_from": None,
        "valid_to": None,
        "status": "vigente",
        "status_note": "",
        "wording": {},
        "notes": [],
        "territory_ccaa": None,
        "territory_municipio": None,
        "chunk_type": "",
        "tier": "",
        "topic": "",
        "attributes": {},
        "url": "",
        "content_hash": "",
        "source": "plain_language",
    }


class Candidate(TypedDict):
    """A chunk that may go into the prompt.

    ``score``: fusion score, 1.0 for a named provision, at most 0.5 for carryover, parent * 0.8 for a reference.
    ``similarity``: cosine of the dense search. ``rerank_score``: relevance; ``final_score``: with legal signals,
    decides the order. ``closeness``: nearness of the question to a text by a sentence encoder, comparable between
    encoders. ``purpose``, ``says`` and ``gloss``: use in the context, words to show, and their translation.
    ``language``: of a card in another language than the index. ``shares_mark``: part of a provision cited by the
    previous candidate's marker. ``changed``: chunk fields that differ from the index.
    """

    chunk: Chunk
    score: float
    origins: list[Origin]
    found_by: list[str]
    purpose: NotRequired[Purpose]
    says: NotRequired[str]
    gloss: NotRequired[str]
    language: NotRequired[str]
    similarity: NotRequired[float]
    closeness: NotRequired[float]
    rerank_score: NotRequired[float]
    final_score: NotRequired[float]
    shares_mark: NotRequired[bool]
    changed: NotRequired[list[str]]


def with_changed(candidate: Candidate, **fields: str) -> Candidate:
    """Return a candidate with replaced chunk fields, listed in ``changed``."""
    chunk = cast(Chunk, {**candidate["chunk"], **fields})
    return {**candidate, "chunk": chunk, "changed": [*candidate.get("changed", ()), *fields]}


def ended_with_law(chunk: Chunk, today: date) -> bool:
    """Return True if a chunk ended with its whole law, without a newer wording.

    Older sources call it in force and give the day of the future repeal.
    """
    return (chunk["valid_to"] or "9999") <= today.isoformat() and "last_day" not in chunk["wording"]


def with_status_of(chunk: Chunk, today: date) -> Chunk:
    """Return the chunk with its status on ``today``: repealed if its law has ended since indexing."""
    if chunk["status"] in REPEALED or not ended_with_law(chunk, today):
        return chunk
    return {**chunk, "status": "derogada"}


def relevance(candidate: Candidate) -> float:
    """Return the reranker's score, else the fusion score, in [0, 1]."""
    return candidate.get("rerank_score", candidate["score"])


def ordering_score(candidate: Candidate) -> float:
    """Return the score that decides the order: with legal signals if rated, else the relevance."""
    return candidate.get("final_score", relevance(candidate))


def provision_of(chunk: Chunk) -> ProvisionRef:
    return chunk["law_id"], chunk["provision_key"]


def is_card(chunk: Chunk) -> bool:
    return chunk["chunk_type"] == CARD_TYPE


def bearing_of(chunk: Chunk) -> list[ProvisionRef]:
    """Return the provisions that an answer card is based on; for a provision, the provision itself."""
    if not is_card(chunk):
        return [provision_of(chunk)]
    return [(law_id, key) for law_id, key in chunk.get("details", {}).get("bears", ())]


def page_of(chunk: Chunk) -> str:
    """Return the page of the source, or "" if unknown or part of the provision's name."""
    return chunk["attributes"].get("page", "") if chunk["chunk_type"] in ("provision", OWN_TYPE) else ""


def own_document(chunk: Chunk) -> str:
    """Return the file name of a user's document ("pacto a.docx"); "" for law and our own texts."""
    url = chunk["url"].partition("#")[0]
    is_own = chunk["source"] == "official" and url.lower().startswith(_FILE)
    return unquote(url.removeprefix(_FILE).rpartition("/")[2]) if is_own else ""


def is_official(chunk: Chunk) -> bool:
    """Return True for norms, rulings and criteria: no summaries, no users' documents."""
    return chunk["source"] == "official" and not own_document(chunk)


def status_said(chunk: Chunk) -> Status | None:
    """Return the status to show; ``None`` for a user's document, unless its text says that it is repealed."""
    return None if own_document(chunk) and chunk["status"] not in REPEALED else chunk["status"]


def portable_url(url: str) -> str:
    """Return an address without machine paths: of a file, name and page.

    >>> portable_url("file:///home/ana/convenio%20metal.pdf#page=3"), portable_url("https://www.boe.es/x")
    ('file:convenio%20metal.pdf#page=3', 'https://www.boe.es/x')
    """
    path, hash_sign, page = url.partition("#")
    return f"{_FILE}{path.rpartition('/')[2]}{hash_sign}{page}" if url.lower().startswith(f"{_FILE}/") else url


def indexed_text(chunk: Chunk) -> str:
    """Return the searched text: law, breadcrumb, heading (three times) and text, without our summary."""
    heading = f"{chunk['provision']}. {chunk['title']}"
    parts = [chunk["law_name"], chunk["breadcrumb"], *[heading] * HEADING_REPEATS, chunk["text"]]
    return "\n".join(part for part in parts if part)
