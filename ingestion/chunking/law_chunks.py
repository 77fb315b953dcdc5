"""Turn a law into chunks: one for each part of each wording of each of its provisions."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate

from articulado.language.formats import long_day
from articulado.language.table_text import is_row, with_heads
from articulado.language.translation import translate
from articulado.legal.agreements.names import agreement_name
from articulado.legal.ids import chunk_id
from articulado.legal.labels import provision_url
from articulado.legal.laws.registry import KnownLaw, known_laws, rank_of
from articulado.legal.wordings import wording_status_note
from articulado.values.chunks import Chunk, Status, WordingDates
from articulado.values.errors import InvalidInput
from ingestion.chunking.parts import spans_of, split_text
from ingestion.model import Law, Provision

PAGE = "#page="
"""What stands in an address before the number of a page."""

_LAW_STATUS: dict[str, Status] = {"repealed": "derogada", "expired": "agotada"}


@dataclass(frozen=True)
class _End:
    """How the whole law ended: ``status`` is ``None`` for a law in force, ``valid_to`` where the day is not known.

    The note of a law in force says that nobody is sure of that; mostly there is none.
    """

    status: Status | None
    note: str
    valid_to: str | None


def law_chunks(law: Law) -> list[Chunk]:
    """Return the chunks of a law, one for each part of each wording, in order; ``refs`` are still empty.

    Raises:
        InvalidInput: two wordings of a provision begin on the same day.
    """
    known = known_laws().get(law.id)
    end = _end(law, known)
    wordings: set[tuple[str, str]] = set()
    chunks: list[Chunk] = []
    for provision in law.provisions:
        parts = _parts(provision)
        valid_from = provision.valid_from or law.published
        if (provision.key, valid_from) in wordings:
            raise InvalidInput(translate("ingest.wordings_same_day", id=law.id, label=provision.label, day=valid_from))
        wordings.add((provision.key, valid_from))
        status, note, dates, valid_to = _validity(provision, end)
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
                "url": url or _official_url(law.id, provision.label),
                "content_hash": _content_hash(provision, text),
                "source": "official",
            }
            if law.text_state == "as_enacted":
                chunk["text_state"] = law.text_state
            if law.agreement:
                chunk["agreement"] = law.agreement
            chunks.append(chunk)
    return chunks


def _name(law: Law) -> str:
    return agreement_name(law.agreement, law.title) if law.agreement else law.title


def _parts(provision: Provision) -> list[tuple[str, str]]:
    """Return the parts of a provision, each with the address at which it begins.

    Where there are pages, a table that begins one begins a part: its rows are cited by their page.
    """
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


def _official_url(law_id: str, label: str) -> str:
    """Return the address of a provision in the gazette; what was not published there has none."""
    return provision_url(law_id, label) if law_id.startswith("BOE-") else ""


def _validity(provision: Provision, end: _End) -> tuple[Status, str, WordingDates, str | None]:
    """Return status, note, dates and end of a wording; the end of the law is only that of one that lived to see it."""
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


def _end(law: Law, known: KnownLaw | None) -> _End:
    """Return how a law ended, by its source and by what the registry of laws knows."""
    valid_to = law.valid_to or (known.valid_to.isoformat() if known and known.valid_to else None)
    status = _LAW_STATUS.get(law.status)
    successor = known_laws().get(known.superseded_by) if known and known.superseded_by else None
    note = law.status_note if status or valid_to else ""
    if law.status == "unknown":
        note = f"{translate('ingest.status_unknown')} {note}".strip()
    if status and not note:
        note = "Norma derogada." if status == "derogada" else "Norma de vigencia agotada."
    elif valid_to and not note:
        note = f"Norma derogada, con efectos de {long_day(valid_to)}."
    if status and successor:
        number = re.sub(r",.*", "", successor.title)
        note = f"{note} La sustituye: {successor.short} ({number})."
    return _End(status, note, valid_to)


def _content_hash(provision: Provision, text: str) -> str:
    content = "\x1f".join((provision.label, provision.title, provision.breadcrumb, text))
    return blake2b(content.encode(), digest_size=16).hexdigest()
