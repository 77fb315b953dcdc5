"""Turn the citations in the text of chunks into references between chunks."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from ingestion.links.citing import cited_by
from ingestion.links.provision_index import ProvisionIndex
from legal.citations.parser import Citation
from state.chunks import Chunk, ProvisionRef

NEAREST_PARTS = 16
"""Other parts of its own provision that a part refers to: an annex of a thousand parts would have a million links."""


@dataclass(frozen=True)
class UnresolvedCitation:
    """A citation that leads to no chunk: ``cause`` is "unknown law", "law not held" or "no such provision"."""

    chunk_id: int
    citation: Citation
    cause: str


def resolve_refs(
    chunks: Sequence[Chunk],
    unresolved: list[UnresolvedCitation] | None = None,
    *,
    records: Sequence[Chunk] = (),
    today: date | None = None,
    citations: bool = True,
) -> list[Chunk]:
    """Return the chunks with ``refs`` filled: ids of the chunks that their text cites, in order of appearance.

    The nearest other parts of a chunk's own wording come first, 16 at most. A citation leads to the wording in
    force on the last day of the citing one (today, where that is in force); of several parts to the one that holds the
    cited apartado, else the first. Citations that lead nowhere are added to ``unresolved``. ``records`` stand for the
    laws that have no text among the chunks. Without ``citations``, texts are not read for them.
    """
    index = ProvisionIndex([*chunks, *records])
    now = today or date.today()
    cited: dict[int, list[Citation]] = {}
    resolved: list[Chunk] = []
    for chunk in chunks:
        if citations and chunk["id"] not in cited:
            cited |= cited_by(index.parts(chunk), index)
        refs = dict.fromkeys(_other_parts(chunk, index))
        day = _last_day(chunk, now)
        for citation in cited.get(chunk["id"], []):
            if (cause := _cause(citation, index)) is None:
                refs |= dict.fromkeys(_target(index, citation, chunk, day))
            elif unresolved is not None:
                unresolved.append(UnresolvedCitation(chunk["id"], citation, cause))
        resolved.append({**chunk, "refs": list(refs)})
    return resolved


def current_chunk_ids(
    refs: Iterable[ProvisionRef], chunks: Sequence[Chunk], *, today: date | None = None
) -> dict[ProvisionRef, int]:
    """Return the chunk that each provision ref (law id and provision key) leads to today, by its id.

    It is the first part of the wording in force; what is not among ``chunks`` is left out. An article of a law whose
    successor kept the numbers is read in the successor.
    """
    index, day = ProvisionIndex(chunks), (today or date.today()).isoformat()
    wordings = {(law_id, key): index.wording_or_successor(law_id, key, day) for law_id, key in refs}
    return {ref: parts[0]["id"] for ref, parts in wordings.items() if parts}


def _other_parts(chunk: Chunk, index: ProvisionIndex) -> list[int]:
    """Return the ids of the nearest other parts of a chunk's wording, the nearest first."""
    others = [part for part in index.parts(chunk) if part["id"] != chunk["id"]]
    by_distance = sorted(others, key=lambda part: (abs(part["part"] - chunk["part"]), part["part"]))
    return [part["id"] for part in by_distance[:NEAREST_PARTS]]


def _last_day(chunk: Chunk, today: date) -> str:
    """Return the day whose law the text means: today, or the last or first one in force of an old or a future text."""
    day = today
    if chunk["valid_to"]:
        day = min(day, date.fromisoformat(chunk["valid_to"]) - timedelta(days=1))
    return max(day.isoformat(), chunk["valid_from"] or "")


def _target(index: ProvisionIndex, citation: Citation, source: Chunk, day: str) -> list[int]:
    """Return the id of the part that a citation leads to; empty where that is the citing provision itself."""
    parts = index.wording_or_successor(citation.law_id or citation.current_id or "", citation.provision_key, day)
    if not parts or (parts[0]["law_id"], parts[0]["provision_key"]) == (source["law_id"], source["provision_key"]):
        return []
    if citation.apartado:
        begins = re.compile(rf"(?:^|\n\n){citation.apartado}(?:\.º|\.ª|\.) ")
        return [next((part["id"] for part in parts if begins.search(part["text"])), parts[0]["id"])]
    return [parts[0]["id"]]


def _cause(citation: Citation, index: ProvisionIndex) -> str | None:
    """Return why a citation leads nowhere; ``None`` where it leads somewhere."""
    laws = {law_id for law_id in (citation.law_id, citation.current_id) if law_id}
    if not laws:
        return "unknown law"
    if any(index.has(law_id, citation.provision_key) for law_id in laws):
        return None
    return "no such provision" if any(index.has_text(law_id) for law_id in laws) else "law not held"
