"""Chunks of law, their wordings, and the candidates made of them.

All values are plain dictionaries: a checkpointer can store them, LangGraph Studio can edit them and a
stream can print them, without a custom serialiser. Days are ISO 8601; ``None`` is an open end. Scores are
in [0, 1]. The functions derive values of a chunk: its status on a day, its order, its page and its indexed
text.
"""

from datetime import date
from typing import Any, Literal, NotRequired, cast
from urllib.parse import unquote

from typing_extensions import TypedDict

_FILE = "file:"

NAMED_SCORE = 1.0
"""Score of a provision that the question or the model named: beyond doubt."""

LOWEST_RANK = 5
"""Rank of what has no place in a hierarchy: orders, rulings, criteria, documents."""

MAX_CHUNK_ID = 2**53 - 1
"""Largest id that JavaScript keeps exact."""

ProvisionRef = tuple[str, str]
"""Law id and provision key: what all parts and wordings of one provision share."""

CARDS = "fichas"
"""Collection of the answer cards, and in place of a law the law id of each."""

CARD_TYPE = "card"
"""Type of the chunk of an answer card."""

OWN_TYPE = "own_text"
"""Type of the chunk of a document that a question comes with: it is in no index, and lives for one turn."""

HEADING_REPEATS = 3
"""How often the heading stands in what is indexed: it says in few words what many words below it are about."""

Origin = Literal["hybrid", "direct", "carryover", "reference", "need", "records", "card", "value", "phrasing", "own"]
"""Way in which a candidate was found; a ``phrasing`` answers a known question that is near, a ``card`` is a chosen
answer card or a provision that bears it, a ``value`` states a dated reference value
(``articulado.calculations.parameters``) and is in no index, nor is an ``own`` passage of a document that the question
comes with.
"""

Purpose = Literal["card", "caveat", "decisive", "value", "calculation", "missing_data", "community", "own"]
"""Use of a fragment in the context: a ``card`` answers, a ``caveat`` says for whom or for which day the law
that is shown may not be the one, of a provision with the ``decisive`` sentence of the law
that is quoted below it; a ``value`` is a dated reference value, a ``calculation`` a worked result, ``missing_data``
what a calculation lacks; a ``community`` has law of its own, which is told beside the general rule; ``own`` is of a
document that the question comes with.
"""

Status = Literal["vigente", "modificada", "parcialmente_derogada", "derogada", "agotada"]

REPEALED = frozenset[Status](("derogada", "agotada"))
"""The states of a text that is law no longer."""

DayCertainty = Literal["exact", "deduced", "unknown"]
"""How sure a day is: the source gives it, it follows from that of a publication, or nobody tells it."""

Act = Literal["amends", "replaces", "repeals"]
"""What a norm does to a wording: it changes it so that others follow, writes it anew, or leaves nothing of it."""


TextState = Literal["consolidated", "as_enacted"]
"""Whether a text has the later amendments of its norm in it, or is the one that was first published."""


class WordingChange(TypedDict):
    """What one norm did to a wording.

    ``norm`` is its name ("Ley 11/2023, de 8 de mayo") and ``law_id`` its identifier, empty where unknown. ``day`` is
    the first day of its effect; where the source does not give that, it is ``deduced_from`` the publication of the
    norm, or failing that from its enactment, on the day ``published``. Days are ISO 8601.
    """

    norm: str
    law_id: str
    act: Act
    day: str
    deduced_from: Literal["publication", "enactment"] | None
    published: str | None


class WordingDates(TypedDict, total=False):
    """What is known of the days of a wording; a field that is missing is not known.

    ``tracked`` tells that the source has every wording of the provision with its days. ``first_day`` and ``last_day``
    say how sure ``valid_from`` and ``valid_to`` are: the first is missing where a wording only seems to be as old as
    its law, the last while it has not ended, and where it ended with its law. ``last_seen`` is the last day on which
    one of several dated texts has the wording. ``brought_by`` is the change that it came by. ``ended_by`` are those
    since, in the order of their days, to the one that brought the next wording known: of several, those between are
    not known; without any nothing took its place, or nobody tells what did. ``tables_lost`` tells that it may have had
    tables that the source has not kept.
    """

    tracked: bool
    first_day: DayCertainty
    last_day: DayCertainty
    last_seen: str
    brought_by: WordingChange
    ended_by: list[WordingChange]
    tables_lost: bool


class LawDays(TypedDict):
    """Days of the whole law of a chunk, ISO 8601.

    ``begins`` is the first day of the law, ``None`` where no source says it for certain. ``changed`` is the day on
    which its last amendment was published (that of the law where it has none), ``None`` where no source says it.
    """

    published: str
    begins: str | None
    changed: str | None


class Emptied(TypedDict):
    """Loss of the object of a provision that is not repealed: its first day, the norm that caused it, and the reason.

    ``law_id`` is the BOE identifier of the norm ``by``; ``reason`` is the rest of a Spanish sentence about it.
    """

    since: str
    by: str
    law_id: str
    reason: str


NO_DAYS: LawDays = {"published": "", "begins": None, "changed": None}
"""Days of a law of which no source says any."""


class Agreement(TypedDict):
    """For whom, where and when a collective agreement was agreed; what is not said is empty or ``None``.

    ``sector`` is its functional scope in a few words ("hostelería"), ``company`` the name of the company that it is of.
    ``community`` and ``province`` are canonical (``legal.territory``); ``statewide`` tells that it is of the whole
    state. ``first_day`` and ``last_day`` (ISO 8601) bound the validity that was agreed: an agreement may go on applying
    after it (art. 86.3 ET), so that they never decide whether it is found.
    """

    sector: str
    company: str
    community: str | None
    province: str | None
    statewide: bool
    first_day: str | None
    last_day: str | None


class Chunk(TypedDict):
    """A provision, or a numbered part of a long one, or a ruling, or a criterion.

    ``id`` is a 53-bit integer that depends only on what the chunk is, so it is the same in every build.
    ``rank`` goes from 1 (Constitution) to 5 (orders, rulings, criteria). Dates are ISO 8601, ``None`` is open.
    ``status_note`` is for people to read: what it says of the days of a wording was written from ``wording``
    (``articulado.legal.wordings``). ``refs`` are ids of chunks that the text cites. ``notes`` are the source's notes on
    amendments, the last one first. ``source`` tells official text from our summaries, and from questions of people,
    which a child alone may be: it is searched and never shown. ``details`` is the structured content of a chunk of an
    article (``articulado.values.cases.Details``), ``agreement`` the scope of a collective agreement. ``law_days`` are
    the days of its law. ``law_notes`` are the source's notes on how the whole law is to be read, if they bear on the
    text; packaged records have neither. ``emptied`` tells that the text has lost its object. ``text_state`` is missing
    from a text that is consolidated, or of which that cannot be said.
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
    """Return a chunk with nothing in it but its id and its collection: one whole part, open in time, in our words."""
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

    ``score`` is in [0, 1]: weighted fusion score, 1.0 for a provision that was named, 0.5 and less for carryover,
    parent × 0.8 for a reference. ``similarity`` is the cosine of the dense side, where that found it. The rerank stage
    sets ``rerank_score``, the relevance in [0, 1], and ``final_score``, which has the legal signals in it and decides
    the order. Some have the ``purpose`` that they are in the context for, the words that each ``says`` on it, and a
    ``gloss`` of these words in the language of the question. A card in another language than that of the index has
    that ``language``.
    ``closeness`` in [0, 1] is how near the question is to a text that a sentence encoder read, whichever encoder.
    ``shares_mark`` is set on a part of a provision that an answer cites by the marker of the candidate before it.
    ``changed`` are the fields of the chunk that are not as the index has them (``with_changed``).
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
    """Return a candidate with other values in some fields of its chunk, which its store does not have."""
    chunk = cast(Chunk, {**candidate["chunk"], **fields})
    return {**candidate, "chunk": chunk, "changed": [*candidate.get("changed", ()), *fields]}


def ended_with_law(chunk: Chunk, today: date) -> bool:
    """Tell whether a chunk has ended without another wording in its place: the whole law has.

    A source that was written before that day says "in force", and the day on which it would be repealed.
    """
    return (chunk["valid_to"] or "9999") <= today.isoformat() and "last_day" not in chunk["wording"]


def with_status_of(chunk: Chunk, today: date) -> Chunk:
    """Return a chunk with the status of a day: a law whose end has come since it was indexed is repealed."""
    if chunk["status"] in REPEALED or not ended_with_law(chunk, today):
        return chunk
    return {**chunk, "status": "derogada"}


def relevance(candidate: Candidate) -> float:
    """Return how well a candidate fits: the reranked score where there is one, else the search score."""
    return candidate.get("rerank_score", candidate["score"])


def ordering_score(candidate: Candidate) -> float:
    """Return the score that decides the order: the final one where legal signals were added, else the relevance."""
    return candidate.get("final_score", relevance(candidate))


def provision_of(chunk: Chunk) -> ProvisionRef:
    """Return what all parts of one provision share: law and provision key."""
    return chunk["law_id"], chunk["provision_key"]


def is_card(chunk: Chunk) -> bool:
    """Tell whether a chunk is an answer card (``articulado.guides.cards``) and no law."""
    return chunk["chunk_type"] == CARD_TYPE


def bearing_of(chunk: Chunk) -> list[ProvisionRef]:
    """Return the provisions that bear the answer of a card; of a provision itself."""
    if not is_card(chunk):
        return [provision_of(chunk)]
    return [(law_id, key) for law_id, key in chunk.get("details", {}).get("bears", ())]


def page_of(chunk: Chunk) -> str:
    """Return the page of its source on which a provision begins; empty where there is none, or its name says it."""
    return chunk["attributes"].get("page", "") if chunk["chunk_type"] in ("provision", OWN_TYPE) else ""


def own_document(chunk: Chunk) -> str:
    """Return the name of the file of a document that a user added; empty for law and for our own texts.

    >>> own_document({**blank_chunk(1, "documentos"), "source": "official", "url": "file:///home/ana/pacto%20a.docx#page=2"})
    'pacto a.docx'
    """
    url = chunk["url"].partition("#")[0]
    is_own = chunk["source"] == "official" and url.lower().startswith(_FILE)
    return unquote(url.removeprefix(_FILE).rpartition("/")[2]) if is_own else ""


def is_official(chunk: Chunk) -> bool:
    """Tell if a text is that of a norm, a ruling or a criterion: no summary of ours, and no document of a user."""
    return chunk["source"] == "official" and not own_document(chunk)


def status_said(chunk: Chunk) -> Status | None:
    """Return the status of a text; ``None`` for a document of a user, of which nobody says that it is in force."""
    return None if own_document(chunk) and chunk["status"] not in REPEALED else chunk["status"]


def portable_url(url: str) -> str:
    """Return an address that says nothing of the machine: of a file its name, and the page in it.

    >>> portable_url("file:///home/ana/convenio%20metal.pdf#page=3"), portable_url("https://www.boe.es/x")
    ('file:convenio%20metal.pdf#page=3', 'https://www.boe.es/x')
    """
    path, hash_sign, page = url.partition("#")
    return f"{_FILE}{path.rpartition('/')[2]}{hash_sign}{page}" if url.lower().startswith(f"{_FILE}/") else url


def indexed_text(chunk: Chunk) -> str:
    """Return the text of a chunk that searches are compared with: law, breadcrumb, heading (three times) and text.

    The summary is not in it: that is for people to read (docs/plain-language.md).
    """
    heading = f"{chunk['provision']}. {chunk['title']}"
    parts = [chunk["law_name"], chunk["breadcrumb"], *[heading] * HEADING_REPEATS, chunk["text"]]
    return "\n".join(part for part in parts if part)
