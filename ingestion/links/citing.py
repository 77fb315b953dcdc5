"""Read what chunks cite: each text as the law, the day and the neighbours that it stands in make it read."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import Citation, parse_citations
from articulado.legal.laws.mentions import law_mentions
from articulado.legal.laws.registry import known_laws
from articulado.values.chunks import Chunk
from ingestion.links.provision_index import OwnProvisions, ProvisionIndex

_REWORDING = re.compile(r"(?:redactad[oa]s?|redacción|siguientes? términos?|tenor literal)\b[^.«\"]{0,60}:?\s*[«\"]")
_AMENDING = re.compile(r"(?:Modificaci[óo]n(?:es)?|Reforma)\b", re.IGNORECASE)


def cited_by(parts: Sequence[Chunk], own: OwnProvisions, index: ProvisionIndex) -> dict[int, list[Citation]]:
    """Return what each part of a wording cites (by chunk id), in order; spans are those of the part.

    Names of laws are read as of the day of the wording, and the parts as one text, so that "dicha Ley" may have been
    named in an earlier part.
    """
    quotes = any(_REWORDING.search(part["text"]) for part in parts)
    texts = [[part] for part in parts] if quotes else [list(parts)]
    return {part_id: citations for text in texts for part_id, citations in _cited_by_text(text, own, index).items()}


def _cited_by_text(parts: Sequence[Chunk], own: OwnProvisions, index: ProvisionIndex) -> dict[int, list[Citation]]:
    """Read parts as one text.

    An old regulation that was amended lately cites the new law by the name of the old one: where only the new one has
    a provision of that number, the whole part is read as of today.
    """
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
    """Tell whether a cited law lacks a provision that the law which has superseded it has."""
    law = known_laws().get(citation.law_id or "")
    if law is None or law.superseded_by is None or index.has(law.id, citation.provision_key):
        return False
    return index.has(law.superseded_by, citation.provision_key)


def _attributed(citation: Citation, chunk: Chunk, day: date | None, index: ProvisionIndex) -> Citation:
    """Give a citation without a law, in a law that lacks it or in a document, to the law named nearest that has it."""
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
    """Return where a text of a chunk's wording stands: in its law, or in the one that it amends and quotes."""
    day = date.fromisoformat(chunk["valid_from"]) if chunk["valid_from"] else None
    if _is_document(chunk):
        return CitationContext(day=day, prose=True)
    if _AMENDING.match(chunk["title"]):
        amended = {mention.law_id for mention in law_mentions(chunk["title"], day, literal=True)}
        return CitationContext(law_id=amended.pop() if len(amended) == 1 else None, day=day, prose=True)
    if _REWORDING.search(text):
        # What an untitled amendment quotes is of other laws unless it names its own.
        return CitationContext(day=day, prose=True)
    previous, following = own.neighbours(chunk)
    return CitationContext(chunk["law_id"], previous, following, day)


def _is_document(chunk: Chunk) -> bool:
    """Tell a ruling, a criterion or a guide, which has no articles of its own, from a law."""
    return chunk["chunk_type"] != "provision"
