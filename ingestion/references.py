"""Turn the citations in the text of chunks into references between chunks."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from legal.citation_owners import CitationContext
from legal.citations import Citation, parse_citations
from legal.laws import law_mentions
from legal.registry import known_laws
from state.chunks import Chunk

_REWORDING = re.compile(r"(?:redactad[oa]s?|redacción|siguientes? términos?|tenor literal)\b[^.«\"]{0,60}:?\s*[«\"]")
_AMENDING = re.compile(r"(?:Modificaci[óo]n(?:es)?|Reforma)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Unresolved:
    """A citation that leads to no chunk: ``cause`` is "unknown law", "law not held" or "no such provision"."""

    chunk_id: int
    citation: Citation
    cause: str


def resolve_refs(chunks: Sequence[Chunk], unresolved: list[Unresolved] | None = None) -> list[Chunk]:
    """Return the chunks with ``refs`` filled: ids of the chunks that their text cites, in order of appearance.

    The other parts of a chunk's own provision come first, the nearest before the rest. Of a cited provision in several
    parts the one that holds the cited apartado is meant, else the first. Citations that lead nowhere are added to
    ``unresolved``.
    """
    index: dict[tuple[str, str], list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        index[chunk["law_id"], chunk["provision_key"]].append(chunk)
    _index_ranges(index)
    held = {law_id for law_id, _ in index}
    neighbours = _neighbours(chunks)
    resolved: list[Chunk] = []
    for chunk in chunks:
        refs = dict.fromkeys(_other_parts(chunk, index[chunk["law_id"], chunk["provision_key"]]))
        for citation in _citations(chunk, _context(chunk, neighbours), index):
            target = _target(index, citation, chunk)
            if target is not None:
                refs[target] = None
            elif unresolved is not None and (cause := _cause(citation, held, index)):
                unresolved.append(Unresolved(chunk["id"], citation, cause))
        resolved.append({**chunk, "refs": list(refs)})
    return resolved


def _other_parts(chunk: Chunk, provision: Sequence[Chunk]) -> list[int]:
    """Return the ids of the other parts of a chunk's wording, the nearest first."""
    wording = [part for part in provision if part["valid_from"] == chunk["valid_from"] and part["id"] != chunk["id"]]
    return [part["id"] for part in sorted(wording, key=lambda part: (abs(part["part"] - chunk["part"]), part["part"]))]


def _index_ranges(index: dict[tuple[str, str], list[Chunk]]) -> None:
    """Let "Artículos treinta a cuarenta y cuatro" answer for each article in it that has no text of its own."""
    for (law_id, key), parts in list(index.items()):
        kind, _, number = key.partition(":")
        low, _, high = number.partition("-")
        if low.isdigit() and high.isdigit():
            for inside in range(int(low), int(high) + 1):
                index.setdefault((law_id, f"{kind}:{inside}"), parts)


def _neighbours(chunks: Sequence[Chunk]) -> dict[tuple[str, str], tuple[str | None, str | None]]:
    """Return for each provision the keys of the previous and the following one of its kind in its law."""
    rows: dict[tuple[str, str], list[str]] = defaultdict(list)
    for chunk in chunks:
        row = rows[chunk["law_id"], chunk["provision_key"].split(":")[0]]
        if not row or row[-1] != chunk["provision_key"]:
            row.append(chunk["provision_key"])
    return {
        (law_id, key): (row[at - 1] if at else None, row[at + 1] if at + 1 < len(row) else None)
        for (law_id, _), row in rows.items()
        for at, key in enumerate(row)
    }


def _context(chunk: Chunk, neighbours: dict[tuple[str, str], tuple[str | None, str | None]]) -> CitationContext:
    """Return where the text of a chunk stands: in its law, or in the one that it amends and quotes."""
    day = date.fromisoformat(chunk["valid_from"]) if chunk["valid_from"] else None
    if _AMENDING.match(chunk["title"]):
        amended = {mention.law_id for mention in law_mentions(chunk["title"], day)}
        return CitationContext(law_id=amended.pop() if len(amended) == 1 else None, day=day, prose=True)
    if chunk["provision_key"].startswith("dd:") or _REWORDING.search(chunk["text"]):
        # What a repeal lists, or an untitled amendment quotes, is of other laws unless it names its own.
        return CitationContext(day=day, prose=True)
    previous, following = neighbours[chunk["law_id"], chunk["provision_key"]]
    return CitationContext(chunk["law_id"], previous, following, day)


def _citations(chunk: Chunk, context: CitationContext, index: dict[tuple[str, str], list[Chunk]]) -> list[Citation]:
    """Return what the text of a chunk cites.

    An old regulation that was amended lately cites the new law by the name of the old one. Where only the new one
    has a provision of that number, the whole text is read as of today.
    """
    citations = parse_citations(chunk["text"], context)
    for citation in citations:
        law = known_laws().get(citation.law_id or "")
        if law is None or law.superseded_by is None or (law.id, citation.provision_key) in index:
            continue
        if (law.superseded_by, citation.provision_key) in index:
            return parse_citations(chunk["text"], replace(context, day=None))
    return citations


def _target(index: dict[tuple[str, str], list[Chunk]], citation: Citation, source: Chunk) -> int | None:
    provision = (citation.law_id or "", citation.provision_key)
    if provision == (source["law_id"], source["provision_key"]) or provision not in index:
        return None
    parts = index[provision]
    if citation.apartado:
        begins = re.compile(rf"(?:^|\n\n){citation.apartado}(?:\.º|\.ª|\.) ")
        return next((part["id"] for part in parts if begins.search(part["text"])), parts[0]["id"])
    return parts[0]["id"]


def _cause(citation: Citation, held: set[str], index: dict[tuple[str, str], list[Chunk]]) -> str | None:
    if citation.law_id is None:
        return "unknown law"
    if citation.law_id not in held:
        return "law not held"
    return None if (citation.law_id, citation.provision_key) in index else "no such provision"
