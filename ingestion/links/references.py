"""Turn the citations in the text of chunks into references between chunks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from articulado.legal.citations.parser import Citation
from articulado.values.chunks import Chunk, ProvisionRef
from ingestion.links.citing import cited_by
from ingestion.links.provision_index import OwnProvisions, ProvisionIndex


@dataclass(frozen=True)
class UnresolvedCitation:
    """A citation that leads to no chunk: ``cause`` is "unknown law", "law not held" or "no such provision"."""

    chunk_id: int
    citation: Citation
    cause: str


def resolve_refs(
    chunks: Sequence[Chunk],
    index: ProvisionIndex,
    unresolved: list[UnresolvedCitation] | None = None,
    *,
    today: date | None = None,
    citations: bool = True,
) -> list[Chunk]:
    """Return the chunks with ``refs`` filled: ids of the chunks that their text cites, in order of appearance.

    ``index`` has all that can be cited. A citation leads to the wording in force on the last day of the citing one
    (today, where that is in force); of several parts to the one that holds the cited apartado, else the first. The
    other parts of a chunk's own provision are no references: its number says which they are
    (``articulado.legal.ids.nearest_part_ids``). Citations that lead nowhere are added to ``unresolved``. Without
    ``citations``, texts are not read for them.
    """
    own, now = OwnProvisions(chunks), today or date.today()
    cited: dict[int, list[Citation]] = {}
    resolved: list[Chunk] = []
    for chunk in chunks:
        if citations and chunk["id"] not in cited:
            cited |= cited_by(own.parts(chunk), own, index)
        refs: dict[int, None] = {}
        day = _last_day(chunk, now)
        for citation in cited.get(chunk["id"], []):
            if (cause := _cause(citation, index)) is None:
                refs |= dict.fromkeys(_target(index, citation, chunk, day))
            elif unresolved is not None:
                unresolved.append(UnresolvedCitation(chunk["id"], citation, cause))
        resolved.append({**chunk, "refs": list(refs)})
    return resolved


def current_chunk_ids(
    refs: Iterable[ProvisionRef], index: ProvisionIndex, *, today: date | None = None
) -> dict[ProvisionRef, int]:
    """Return the chunk that each provision ref (law id and provision key) leads to today, by its id.

    It is the first part of the wording in force; what is not in the index is left out. An article of a law whose
    successor kept the numbers is read in the successor.
    """
    day = (today or date.today()).isoformat()
    wordings = {(law_id, key): index.wording_or_successor(law_id, key, day) for law_id, key in refs}
    return {ref: parts[0].id for ref, parts in wordings.items() if parts}


def _last_day(chunk: Chunk, today: date) -> str:
    """Return the day whose law the text means: today, or the last or first one in force of an old or a future text."""
    day = today
    if chunk["valid_to"]:
        day = min(day, date.fromisoformat(chunk["valid_to"]) - timedelta(days=1))
    return max(day.isoformat(), chunk["valid_from"] or "")


def _target(index: ProvisionIndex, citation: Citation, source: Chunk, day: str) -> list[int]:
    """Return the id of the part that a citation leads to; empty where that is the citing provision itself."""
    parts = index.wording_or_successor(citation.law_id or citation.current_id or "", citation.provision_key, day)
    if not parts or (parts[0].law_id, parts[0].provision_key) == (source["law_id"], source["provision_key"]):
        return []
    holding = (part.id for part in parts if citation.apartado and part.has_apartado(citation.apartado))
    return [next(holding, parts[0].id)]


def _cause(citation: Citation, index: ProvisionIndex) -> str | None:
    """Return why a citation leads nowhere; ``None`` where it leads somewhere."""
    laws = {law_id for law_id in (citation.law_id, citation.current_id) if law_id}
    if not laws:
        return "unknown law"
    if any(index.has(law_id, citation.provision_key) for law_id in laws):
        return None
    return "no such provision" if any(index.has_text(law_id) for law_id in laws) else "law not held"
