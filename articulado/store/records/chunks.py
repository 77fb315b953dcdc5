"""Convert packaged records to chunks, with the same ids, texts and references as in an index."""

from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import blake2b

from articulado.legal.ids import chunk_id
from articulado.legal.labels import provision_key, provision_url
from articulado.legal.laws.registry import emptied_by, known_laws
from articulado.legal.wordings import emptied_note
from articulado.store.records.schema import (
    Corpus,
    Decision,
    EmptyRecord,
    LawRecord,
    ProvisionRecord,
    Record,
    RulingRecord,
    load_corpus,
    load_decisions,
    load_law,
)
from articulado.values.chunks import Chunk, ProvisionRef, Status, blank_chunk
from articulado.values.errors import ConfigurationError

DECISION_RANK = 5

RECORD = "record"  # strategy of chunks that are packaged records, not cut texts

_NO_LONGER_LAW: Mapping[str, tuple[Status, str]] = {
    "derogada": ("derogada", "Precepto derogado."),
    "agotada": ("agotada", "Precepto de vigencia agotada."),
}
"""Status and note of a repealed or exhausted provision, by reason."""

_cached_key = cache(provision_key)

ProvisionIds = Mapping[ProvisionRef, int]  # chunk id by law and provision key


@cache
def packaged_records() -> tuple[tuple[Record, Chunk], ...]:
    return with_chunks(load_corpus())


def with_chunks(corpus: Corpus) -> tuple[tuple[Record, Chunk], ...]:
    """Return each record with its linked chunk; raise ``ConfigurationError`` for an unknown or duplicate provision."""
    ids = {provision: _provision_id(*provision) for provision in law_records_of(corpus)}
    return (
        *((record, provision_chunk(record, ids)) for record in corpus.provisions),
        *((record, empty_chunk(record, ids)) for record in corpus.empty),
        *((record, decision_chunk(record, ids)) for record in corpus.decisions),
    )


def provision_chunk(record: ProvisionRecord, ids: ProvisionIds) -> Chunk:
    """Return the chunk of a provision's record; references missing from ``ids`` are left out."""
    return {
        **_law_chunk(record, record.refs, ids),
        "topic": record.topics[0],
        "summary": record.summary,
        "text": "\n".join(record.points),
        "status_note": note_on_force(record),
        "content_hash": _content_hash(record.status_note, record.summary, *record.points),
    }


def empty_chunk(record: EmptyRecord, ids: ProvisionIds) -> Chunk:
    """Return the chunk of a provision without rules, with the reason and references to the rules.

    As in official texts, a repealed provision has a note, and a text without further content.
    """
    chunk: Chunk = {**_law_chunk(record, record.replaced_by, ids), "content_hash": _content_hash(record.note)}
    if not record.repealed:
        return {**chunk, "text": record.note}
    status, note = _NO_LONGER_LAW[record.reason]
    return {**chunk, "text": f"({note.rstrip('.')})", "status": status, "status_note": note_on_force(record)}


def note_on_force(record: LawRecord) -> str:
    """Return a record's note on the force of its provision, or ""."""
    if isinstance(record, ProvisionRecord):
        key = _cached_key(record.provision)
        emptied = emptied_by(record.law_id, key) if key else None
        return record.status_note or (emptied_note(emptied) if emptied else "")
    return f"{_NO_LONGER_LAW[record.reason][1]} {record.note}" if record.repealed else ""


def decision_chunk(record: Decision, ids: ProvisionIds) -> Chunk:
    """Return the chunk of a ruling or criterion: doctrine as text, author as law."""
    ruling = isinstance(record, RulingRecord)
    collection = "sentencias" if ruling else "criterios_inss"
    day = record.date.isoformat()
    return {
        **_common(collection, chunk_id(collection, record.id, record.id, day, 1), record.title, record.refs, ids),
        "law_id": record.official_id,
        "law_name": record.author,
        "rank": DECISION_RANK,
        "kind": "sentencia" if ruling else "criterio",
        "provision": record.number,
        "provision_key": record.id,
        "topic": record.topics[0],
        "text": record.doctrine,
        "valid_from": day,
        "status_note": record.status_note,
        "chunk_type": "doctrine",
        "url": record.url,
        "content_hash": _content_hash(record.doctrine),
    }


def search_text(record: Record) -> str:
    """Return hidden search text: questions, keywords, and the law's official name."""
    if isinstance(record, EmptyRecord):
        return ""
    law = known_laws().get(record.law_id) if isinstance(record, ProvisionRecord) else None
    names = [law.title, law.abbreviation] if law else []
    case = [record.case] if isinstance(record, RulingRecord) else []
    return "\n".join([*record.questions, ", ".join(record.keywords), *names, *case])


@cache
def packaged_law_records() -> Mapping[ProvisionRef, LawRecord]:
    return law_records_of(load_corpus())


@cache
def records_of_law(law_id: str) -> Mapping[ProvisionRef, LawRecord]:
    """Return the packaged records of one law, by law and provision key."""
    return law_records_of(load_law(law_id))


def law_records_of(corpus: Corpus) -> dict[ProvisionRef, LawRecord]:
    """Return the records by law and key; raise ``ConfigurationError`` for an unknown or duplicate provision."""
    records: dict[ProvisionRef, LawRecord] = {}
    for record in corpus.law_records:
        if record.law_id not in known_laws():
            raise ConfigurationError(
                f"El corpus incluido tiene registros de {record.law_id}, que no está en laws.toml. Añádala."
            )
        provision = record.law_id, _key(record)
        if provision in records:
            raise ConfigurationError(
                f"El corpus incluido tiene dos veces «{record.provision}» de {record.law_id}. Deje una sola."
            )
        records[provision] = record
    return records


def parse_refs(refs: Iterable[str]) -> list[ProvisionRef]:
    """Return law and provision key ("" for other labels) of references.

    >>> parse_refs(["BOE-A-2015-11430#Artículo 38", "BOE-A-2000-15060#Disposición adicional tercera"])
    [('BOE-A-2015-11430', 'art:38'), ('BOE-A-2000-15060', 'da:3')]
    """
    return [(law_id, _cached_key(label) or "") for law_id, _, label in (ref.partition("#") for ref in refs)]


def refs_of(record: Record) -> list[ProvisionRef]:
    """Return the provisions that a record cites or, if it is without rules, those that replace it."""
    return parse_refs(record.replaced_by if isinstance(record, EmptyRecord) else record.refs)


def lay_phrasings(chunk: Chunk) -> str:
    """Return the hidden search text of the chunk's packaged record, or ""."""
    record = _record_of(chunk)
    return search_text(record) if record else ""


def record_questions(chunk: Chunk) -> tuple[str, ...]:
    """Return the questions of the chunk's packaged record, if any."""
    record = _record_of(chunk)
    return record.questions if record else ()


def _record_of(chunk: Chunk) -> Record | None:
    ref = chunk["law_id"], chunk["provision_key"]
    return records_of_law(chunk["law_id"]).get(ref) if chunk["law_id"] in known_laws() else _decisions().get(ref)


@cache
def _decisions() -> Mapping[ProvisionRef, Decision]:
    return {(record.official_id, record.id): record for record in load_decisions()}


def _law_chunk(record: LawRecord, refs: Iterable[str], ids: ProvisionIds) -> Chunk:
    law, key = known_laws()[record.law_id], _key(record)
    chunk = _common("normativa", _provision_id(law.id, key), record.title, refs, ids)
    if emptied := emptied_by(law.id, key):
        chunk = {**chunk, "emptied": emptied}
    return {
        **chunk,
        "law_id": law.id,
        "law_name": law.short,
        "rank": law.rank,
        "kind": "resumen",
        "provision": record.provision,
        "provision_key": key,
        # The first day of the law itself: a record gives the wording of today, and of no day before the law.
        "valid_from": (law.begins or law.published).isoformat(),
        "chunk_type": "provision",
        "url": provision_url(law.id, record.provision),
    }


def _common(collection: str, number: int, title: str, refs: Iterable[str], ids: ProvisionIds) -> Chunk:
    return {
        **blank_chunk(number, collection),
        "title": title,
        "strategy": RECORD,
        "refs": _resolved(refs, ids),
    }


def _resolved(refs: Iterable[str], ids: ProvisionIds) -> list[int]:
    return list(dict.fromkeys(ids[provision] for provision in parse_refs(refs) if provision in ids))


def _provision_id(law_id: str, key: str) -> int:
    # A name of its own: the official text of the same provision is another chunk.
    return chunk_id("normativa", law_id, f"{key} resumen", None, 1)


def _key(record: LawRecord) -> str:
    key = _cached_key(record.provision)
    if key is None:
        raise ConfigurationError(
            f"El corpus incluido llama «{record.provision}» a un precepto de {record.law_id}: "
            "escriba la etiqueta de la norma, como «Artículo 38»."
        )
    return key


def _content_hash(*texts: str) -> str:
    return blake2b("\n".join(texts).encode(), digest_size=16).hexdigest()
