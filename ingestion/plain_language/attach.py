"""Attach the packaged plain-language records to the official text of their provisions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from articulado.language.table_text import without_heads
from articulado.legal.validity import in_force, is_of_day
from articulado.legal.wordings import wording_hash
from articulado.store.records.chunks import note_on_force, packaged_law_records, parse_refs
from articulado.store.records.schema import EmptyRecord, LawRecord, ProvisionRecord
from articulado.values.chunks import Chunk, provision_of
from ingestion.links.provision_index import ProvisionIndex
from ingestion.links.references import current_chunk_ids

OURS = "(nota en lenguaje claro, no oficial)."
"""What follows a note of ours beside an official text."""


@dataclass(frozen=True)
class Attached:
    """Chunks with what the records say of them, how many provisions have a summary, and the stale records."""

    chunks: list[Chunk]
    summaries: int
    stale: list[LawRecord]


def attach_records(chunks: Sequence[Chunk], today: date, index: ProvisionIndex) -> Attached:
    """Return the chunks with what their record says, where the wording is the one that it was written from.

    Every part of such a wording gets summary, topic and note; a provision without rules of its own gets references to
    where they are now, and if it is law no longer, a note on it. A record is stale where its provision is here and has
    no such wording, or none in force on ``today``; how people ask about it is searched all the same. ``index`` has all
    that references may lead to.
    """
    records = packaged_law_records()
    indexed = dict.fromkeys(ref for chunk in chunks if (ref := provision_of(chunk)) in records)
    successors = current_chunk_ids(_replacing([records[ref] for ref in indexed]), index)
    summarised, current = set(), set()
    attached: list[Chunk] = []
    for _, group in groupby(chunks, lambda chunk: (*provision_of(chunk), chunk["valid_from"])):
        parts = list(group)
        ref = provision_of(parts[0])
        record = records.get(ref)
        if record is None or _hash(parts) != record.written_against.content_hash:
            attached += parts
        elif isinstance(record, EmptyRecord):
            # A text that only says that it is gone has no force, but a time.
            current |= {ref} if is_of_day(parts[0], today) else set()
            attached += [_redirected(part, record, successors) for part in parts]
        else:
            summarised.add(ref)
            current |= {ref} if in_force(parts[0], None, today) else set()
            attached += [_summarised(part, record) for part in parts]
    return Attached(attached, len(summarised), [records[ref] for ref in indexed if ref not in current])


def _hash(parts: Sequence[Chunk]) -> str:
    return wording_hash("\n".join(without_heads(part["text"] for part in parts)))


def _summarised(chunk: Chunk, record: ProvisionRecord) -> Chunk:
    return {**_noted(chunk, record), "summary": record.summary, "topic": record.topics[0]}


def _noted(chunk: Chunk, record: LawRecord) -> Chunk:
    """Put our note before the one of the source: it begins with what has become of the provision."""
    note = note_on_force(record)
    return {**chunk, "status_note": f"{note.rstrip('.')} {OURS} {chunk['status_note']}".rstrip()} if note else chunk


def _redirected(chunk: Chunk, record: EmptyRecord, successors: Mapping[tuple[str, str], int]) -> Chunk:
    ids = [successors[ref] for ref in _replacing([record]) if ref in successors]
    return {**_noted(chunk, record), "refs": list(dict.fromkeys([*chunk["refs"], *ids]))}


def _replacing(records: Sequence[LawRecord]) -> list[tuple[str, str]]:
    """Return law and key of the provisions that hold the rules which those of the records no longer do."""
    return parse_refs(ref for record in records if isinstance(record, EmptyRecord) for ref in record.replaced_by)
