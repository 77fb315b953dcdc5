"""Parent chunks of laws and of running text, and the child chunks of each parent."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b
from itertools import accumulate
from typing import cast

from articulado.ingestion.chunking.semantic import Embed, semantic_spans, spans_of, split_text
from articulado.ingestion.effects import VACATIO, Effects, effects_of
from articulado.ingestion.files.formats.lines import running_text
from articulado.ingestion.model import Document, Law, Provision
from articulado.language.folding import fold
from articulado.language.formats import long_day
from articulado.language.languages import Language, language
from articulado.language.sentences import CLAUSES, between_sentences, cut
from articulado.language.table_text import is_row, with_heads
from articulado.language.translation import translate
from articulado.legal.agreements.names import agreement_name
from articulado.legal.ids import chunk_id
from articulado.legal.labels import provision_url
from articulado.legal.laws.registry import KnownLaw, emptied_by, known_laws, norm_kinds, rank_of
from articulado.legal.wordings import emptied_note, wording_status_note
from articulado.store.records.chunks import DECISION_RANK
from articulado.values.chunks import REPEALED, Chunk, LawDays, Status, WordingDates
from articulado.values.errors import InvalidInput

_DOCTRINE = ("sentencia", "criterio")


async def document_chunks(document: Document, embed: Embed, code: str = "es") -> list[Chunk]:
    """Return the chunks of a document in order, one per subject; ``refs`` are still empty.

    A part is named, in the language ``code`` (ISO 639-1), by the number of the decision, else its pages or its own
    number. Each has its own provision key, so that a hit does not bring all other parts with it.
    """
    running = running_text(document.pages)
    spans = await semantic_spans(running.text, embed)
    chunks: list[Chunk] = []
    locale = language(code)
    texts = with_heads(running.text, spans)
    for number, ((start, end), text) in enumerate(zip(spans, texts, strict=True), 1):
        page = running.page_at(start)
        pages = _pages(page, running.page_at(end - 1), locale)
        key = f"{document.id}#{number}"
        name = document.number or pages or locale.translate("part_number", number=number)
        attributes = {"ecli": document.ecli, "page": "" if page is None else str(page)}
        chunks.append(
            {
                "id": chunk_id(document.collection, document.id, key, document.published, number),
                "collection": document.collection,
                "law_id": document.id,
                "law_name": document.author or _name(document),
                "rank": DECISION_RANK,
                "kind": document.kind,
                "provision": name,
                "provision_key": key,
                "title": document.title,
                "breadcrumb": document.title,
                "summary": "",
                "text": text,
                "part": number,
                "parts": len(spans),
                "parent_id": None,
                "parent_content": "",
                "strategy": "semantic",
                "refs": [],
                "valid_from": document.published,
                "valid_to": None,
                "status": "vigente",
                "status_note": document.status_note,
                "wording": {},
                "notes": [],
                "territory_ccaa": document.territory,
                "territory_municipio": document.municipality,
                "chunk_type": "doctrine" if document.kind in _DOCTRINE else "document",
                "tier": "",
                "topic": "",
                "attributes": {field: value for field, value in attributes.items() if value},
                "url": f"{document.url}#page={page}" if document.url and page is not None else document.url,
                "content_hash": _hash_of(name, document.title, document.author, text),
                "source": "official",
            }
        )
        if document.agreement:
            chunks[-1]["agreement"] = document.agreement
    return chunks


def _name(document: Document | Law) -> str:
    return agreement_name(document.agreement, document.title) if document.agreement else document.title


def _hash_of(*texts: str) -> str:
    return blake2b("\x1f".join(texts).encode(), digest_size=16).hexdigest()


def _pages(first: int | None, last: int | None, locale: Language) -> str:
    if first is None:
        return ""
    if last in (None, first):
        return locale.translate("part_page", page=first)
    return locale.translate("part_pages", first=first, last=last)


PAGE = "#page="  # precedes the number of a page in an address

_LAW_STATUS: dict[str, Status] = {"repealed": "derogada", "expired": "agotada"}


@dataclass(frozen=True)
class _End:
    """End of a whole law: ``status`` is ``None`` for a law in force, whose note is usually empty."""

    status: Status | None
    note: str
    valid_to: str | None


def law_chunks(law: Law) -> list[Chunk]:
    """Return the chunks of a law, one for each part of each wording, in order; ``refs`` are still empty."""
    known = known_laws().get(law.id)
    effects = effects_of(law.provisions, law.published)
    days = _law_days(law, known, effects)
    end = _end(law, known, effects)
    wordings: set[tuple[str, str]] = set()
    chunks: list[Chunk] = []
    for provision in law.provisions:
        parts = _parts(provision)
        valid_from = provision.valid_from or effects.own.get(provision.key) or days["begins"] or law.published
        if (provision.key, valid_from) in wordings:
            raise InvalidInput(translate("ingest.wordings_same_day", id=law.id, label=provision.label, day=valid_from))
        wordings.add((provision.key, valid_from))
        status, note, dates, valid_to = _validity(provision, end)
        emptied = emptied_by(law.id, provision.key) if status not in REPEALED else None
        part = effects.parts.get(provision.key)
        # A later amendment replaced effects that were still to come.
        is_told = part is not None and part.day > (law.changed or law.published)
        notes = emptied and emptied_note(emptied), note, part.note if part and is_told else ""
        note = " ".join(filter(None, notes))
        for number, (text, url) in enumerate(parts, 1):
            chunk: Chunk = {
                "id": chunk_id(law.collection, law.id, provision.key, valid_from, number),
                "collection": law.collection,
                "law_id": law.id,
                "law_name": known.short if known else _name(law),
                "rank": rank_of(law.id, law.rank),
                "kind": law.rank,
                "provision": provision.label,
                "provision_key": provision.key,
                "title": provision.title,
                "breadcrumb": provision.breadcrumb,
                "summary": "",
                "text": text,
                "part": number,
                "parts": len(parts),
                "parent_id": None,
                "parent_content": "",
                "strategy": "provision",
                "refs": [],
                "valid_from": valid_from or None,
                "valid_to": valid_to,
                "status": status,
                "status_note": note,
                "wording": dates,
                "notes": list(provision.notes),
                "territory_ccaa": law.territory,
                "territory_municipio": law.municipality,
                "chunk_type": "provision",
                "tier": "",
                "topic": "",
                "attributes": {"page": page} if (page := url.partition(PAGE)[2]) else {},
                "url": url or (provision_url(law.id, provision.label) if law.id.startswith("BOE-") else ""),
                "content_hash": _hash_of(provision.label, provision.title, provision.breadcrumb, text),
                "source": "official",
            }
            if law.published and not law.agreement:
                chunk["law_days"] = days
            if bearing := [abridged(note) for note in law.head_notes if bears_on(note, text)]:
                chunk["law_notes"] = bearing
            if emptied:
                chunk["emptied"] = emptied
            if law.text_state == "as_enacted":
                chunk["text_state"] = law.text_state
            if law.agreement:
                chunk["agreement"] = law.agreement
            chunks.append(chunk)
    return chunks


def _law_days(law: Law, known: KnownLaw | None, effects: Effects) -> LawDays:
    begins = known.begins.isoformat() if known and known.begins else effects.begins
    if effects.silent and begins is None and law.published and law.rank in norm_kinds():
        begins = (date.fromisoformat(law.published) + VACATIO).isoformat()
    return {"published": law.published, "begins": begins, "changed": law.changed}


def _parts(provision: Provision) -> list[tuple[str, str]]:
    """Return the parts of a provision with their addresses; a table at the top of a page begins a part."""
    if not provision.urls:
        return [(text, provision.url) for text in split_text(provision.text)]
    groups: list[list[tuple[str, str]]] = [[]]
    for paragraph, url in zip(provision.paragraphs, provision.urls, strict=True):
        before = groups[-1][-1:]
        if before and before[0][1] != url and is_row(paragraph.rpartition("\n")[2]):
            groups.append([])
        groups[-1].append((paragraph, url))
    return [part for group in groups for part in _paged_parts(group)]


def _paged_parts(paragraphs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    text = "\n\n".join(paragraph for paragraph, _ in paragraphs)
    starts = list(accumulate((len(paragraph) + 2 for paragraph, _ in paragraphs), initial=0))
    spans = spans_of(text)
    for (start, _), part in zip(spans, with_heads(text, spans), strict=True):
        yield part, paragraphs[bisect_right(starts, start) - 1][1]


def _validity(provision: Provision, end: _End) -> tuple[Status, str, WordingDates, str | None]:
    """Return status, note, dates and end of a wording; the end of the law applies only to open wordings."""
    dates = provision.wording
    note = wording_status_note(dates, provision.valid_from, provision.valid_to, provision.status_note)
    if provision.valid_to and provision.valid_to < (end.valid_to or "9999"):
        return provision.status, note, dates, provision.valid_to
    open_ended = dates.copy()
    open_ended.pop("last_day", None)
    open_ended.pop("ended_by", None)
    if not (end.status or end.valid_to):
        return provision.status, f"{end.note} {note}".strip(), open_ended, None
    return end.status or provision.status, end.note or note, open_ended, end.valid_to


def _end(law: Law, known: KnownLaw | None, effects: Effects) -> _End:
    valid_to = law.valid_to or (known.valid_to.isoformat() if known and known.valid_to else None) or effects.ends
    status = _LAW_STATUS.get(law.status)
    successor = known_laws().get(known.superseded_by) if known and known.superseded_by else None
    note = law.status_note if status or valid_to else ""
    if law.status == "unknown":
        note = f"{translate('ingest.status_unknown')} {note}".strip()
    if status and not note:
        note = "Norma derogada." if status == "derogada" else "Norma de vigencia agotada."
    elif valid_to and valid_to == effects.ends and not note:
        last = (date.fromisoformat(valid_to) - date.resolution).isoformat()
        note = f"Según su propio texto, surte efectos hasta el {long_day(last)}."
    elif valid_to and not note:
        note = f"Norma derogada, con efectos de {long_day(valid_to)}."
    if status and successor:
        number = re.sub(r",.*", "", successor.title)
        note = f"{note} La sustituye: {successor.short} ({number})."
    return _End(status, note, valid_to)


_RENAMED = re.compile(r"\breferencias? (?:.{0,60}?\b)?a (?:(?:los?|las?) )?(?P<body>[a-z]+)")
_SPEAKS_OF_COURT = re.compile(
    r"\b(?:juzgado|juez|jueces|demanda|organo (?:jurisdiccional|judicial)|jurisdiccion social|secretari[oa] judicial)"
)
_COURTS = frozenset(("juzgado", "tribunal"))


_ENUMERATION = re.compile(r"(?<=\ba los |\ba las )(\w+) [^;:.]*,[^;:.]*,[^;:.]*?(?= se entender| deber)")


def abridged(note: str) -> str:
    """Shorten a note: cut a long enumeration of bodies ("los Juzgados […]") and the sentences after it."""
    short = _ENUMERATION.sub(r"\1 […]", note)
    return note if short == note else f"{short.partition(';')[0].rstrip('.')}."


def bears_on(note: str, text: str) -> bool:
    """Tell if a note at the head of a law concerns a text: only notes that rename a body (or courts) it names do."""
    if (renamed := _RENAMED.search(fold(note))) is None:
        return False
    body = re.sub(r"(?<=[^aeiou])es$|s$", "", renamed["body"])
    folded = fold(text)
    if body in _COURTS and _SPEAKS_OF_COURT.search(folded):
        return True
    return re.search(rf"\b{body}", folded) is not None


STRATEGY = "small_to_big_contextual"
_OF_PARENTS = ("details", "law_days", "law_notes", "emptied")
MAX_CHILD = 300  # maximum characters of a child's own text; it is cut at sentences, so most have fewer
OVERLAP = 50  # maximum characters that a child repeats of the previous one

_CUTS = (between_sentences, *CLAUSES)


def children_of(parent: Chunk) -> Iterator[Chunk]:
    """Yield the children of a parent in text order: at least one for any text.

    Each holds whole sentences, up to ``MAX_CHILD`` characters, after the last words of the previous child, or below the
    table head for rows.
    """
    before = ""
    spans = cut(parent["text"], MAX_CHILD, _CUTS)
    for number, ((start, end), text) in enumerate(zip(spans, with_heads(parent["text"], spans), strict=True), start=1):
        own = parent["text"][start:end]
        yield child(parent, number, text if text != own else f"{_last_words(before)} {own}".strip())
        before = own


def child(parent: Chunk, number: int, text: str) -> Chunk:
    # A search yields the parent, so fields needed only there are not stored twice.
    shared = cast(Chunk, {name: value for name, value in parent.items() if name not in _OF_PARENTS})
    # ``last_day`` tells a superseded wording from one that ended with its law.
    wording: WordingDates = {"last_day": parent["wording"]["last_day"]} if "last_day" in parent["wording"] else {}
    return {
        **shared,
        "id": chunk_id(parent["collection"], str(parent["id"]), "", None, parent["part"], number),
        "text": text,
        "strategy": STRATEGY,
        "parent_id": parent["id"],
        "parent_content": parent["text"],
        "refs": [],
        "wording": wording,
        "notes": [],
    }


def _last_words(text: str) -> str:
    if len(text) <= OVERLAP:
        return text
    _, _, words = text[-OVERLAP - 1 :].partition(" ")
    return words
