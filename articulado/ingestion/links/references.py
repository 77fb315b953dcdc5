"""Resolve the citations in the text of chunks to chunk ids."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from articulado.ingestion.links.provision_index import OwnProvisions, ProvisionIndex
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import Citation, parse_citations
from articulado.legal.laws.mentions import law_mentions
from articulado.legal.laws.registry import known_laws
from articulado.values.chunks import Chunk, ProvisionRef

_REWORDING = re.compile(r"(?:redactad[oa]s?|redacción|siguientes? términos?|tenor literal)\b[^.«\"]{0,60}:?\s*[«\"]")
_AMENDING = re.compile(r"(?:Modificaci[óo]n(?:es)?|Reforma)\b", re.IGNORECASE)


def cited_by(parts: Sequence[Chunk], own: OwnProvisions, index: ProvisionIndex) -> dict[int, list[Citation]]:
    """Return the citations of each part of a wording by chunk id, in order, with spans in the part.

    Names of laws are those of the wording's day. Parts are read as one text: an earlier one may name "dicha Ley".
    """
    quotes = any(_REWORDING.search(part["text"]) for part in parts)
    texts = [[part] for part in parts] if quotes else [list(parts)]
    return {part_id: citations for text in texts for part_id, citations in _cited_by_text(text, own, index).items()}


def _cited_by_text(parts: Sequence[Chunk], own: OwnProvisions, index: ProvisionIndex) -> dict[int, list[Citation]]:
    """Read parts as one text; names of today's laws count if only a successor has a cited number."""
    text = "\n\n".join(part["text"] for part in parts)
    context = _context(parts[0], text, own)
    as_written = parse_citations(text, context)
    of_today: list[Citation] | None = None
    by_part, start = {}, 0
    for part in parts:
        end = start + len(part["text"])
        citations, day = [citation for citation in as_written if start <= citation.start < end], context.day
        if any(_only_in_successor(citation, index) for citation in citations):
            of_today = parse_citations(text, replace(context, day=None)) if of_today is None else of_today
            citations, day = [citation for citation in of_today if start <= citation.start < end], None
        moved = (replace(cited, start=cited.start - start, end=cited.end - start) for cited in citations)
        by_part[part["id"]] = [_attributed(citation, part, day, index) for citation in moved]
        start = end + len("\n\n")
    return by_part


def _only_in_successor(citation: Citation, index: ProvisionIndex) -> bool:
    law = known_laws().get(citation.law_id or "")
    if law is None or law.superseded_by is None or index.has(law.id, citation.provision_key):
        return False
    return index.has(law.superseded_by, citation.provision_key)


def _attributed(citation: Citation, chunk: Chunk, day: date | None, index: ProvisionIndex) -> Citation:
    """Give a citation without a law, or in a law that lacks it, to the nearest named law that has the provision."""
    stray = _is_document(chunk) if citation.law_id is None else citation.law_id == chunk["law_id"]
    if citation.law_named or not stray or index.has(citation.law_id, citation.provision_key):
        return citation
    mentions = law_mentions(chunk["text"], day, literal=True)
    before = [mention for mention in reversed(mentions) if mention.end <= citation.start]
    for mention in before + [mention for mention in mentions if mention.start >= citation.end]:
        if index.has(mention.law_id, citation.provision_key):
            return replace(citation, law_id=mention.law_id, current_id=mention.current_id, law_named=True)
    return citation


def _context(chunk: Chunk, text: str, own: OwnProvisions) -> CitationContext:
    day = date.fromisoformat(chunk["valid_from"]) if chunk["valid_from"] else None
    if _is_document(chunk):
        return CitationContext(day=day, prose=True)
    if _AMENDING.match(chunk["title"]):
        amended = {mention.law_id for mention in law_mentions(chunk["title"], day, literal=True)}
        return CitationContext(law_id=amended.pop() if len(amended) == 1 else None, day=day, prose=True)
    if _REWORDING.search(text):
        # An untitled amendment quotes other laws unless it names its own.
        return CitationContext(day=day, prose=True)
    previous, following = own.neighbours(chunk)
    return CitationContext(chunk["law_id"], previous, following, day)


def _is_document(chunk: Chunk) -> bool:
    return chunk["chunk_type"] != "provision"


@dataclass(frozen=True)
class UnresolvedCitation:
    """Citation without a chunk; ``cause`` is "unknown law", "law not held" or "no such provision"."""

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
    """Return the chunks with ``refs``: ids of the chunks that their text cites, in order of appearance.

    A citation leads to the wording in force on the last day of the citing one (today, if that is in force): to the part
    with the cited apartado, else the first. ``unresolved`` collects citations without a target.
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
    """Return the id of the chunk that each provision leads to today, in the law or its successor."""
    day = (today or date.today()).isoformat()
    wordings = {(law_id, key): index.wording_or_successor(law_id, key, day) for law_id, key in refs}
    return {ref: parts[0].id for ref, parts in wordings.items() if parts}


def _last_day(chunk: Chunk, today: date) -> str:
    """Return the day of law that a text means: today, or the last or first day of an old or future text."""
    day = today
    if chunk["valid_to"]:
        day = min(day, date.fromisoformat(chunk["valid_to"]) - timedelta(days=1))
    return max(day.isoformat(), chunk["valid_from"] or "")


def _target(index: ProvisionIndex, citation: Citation, source: Chunk, day: str) -> list[int]:
    parts = index.wording_or_successor(citation.law_id or citation.current_id or "", citation.provision_key, day)
    if not parts or (parts[0].law_id, parts[0].provision_key) == (source["law_id"], source["provision_key"]):
        return []
    holding = (part.id for part in parts if citation.apartado and part.has_apartado(citation.apartado))
    return [next(holding, parts[0].id)]


def _cause(citation: Citation, index: ProvisionIndex) -> str | None:
    laws = {law_id for law_id in (citation.law_id, citation.current_id) if law_id}
    if not laws:
        return "unknown law"
    if any(index.has(law_id, citation.provision_key) for law_id in laws):
        return None
    return "no such provision" if any(index.has_text(law_id) for law_id in laws) else "law not held"
