"""Find the provisions that a text cites, in questions ("art. 48 bis del ET", "LGSS 205") and in the prose of laws."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from legal.citation_anaphora import Antecedents
from legal.citation_assignment import owners_of
from legal.citation_items import HEAD, Item, Listed, read_list, read_listed
from legal.citation_owners import CitationContext, Owner, named_by, owner_after
from legal.citation_places import before, place
from legal.folding import fold
from legal.laws import Mention, mentions_in


@dataclass(frozen=True)
class Citation:
    """A provision cited in ``text[start:end]``; all provisions of a range "44 a 47" but the first share a span.

    ``law_id`` is ``None`` where the text names no law (in a question), and where it names one that the registry does
    not know; ``law_named`` tells the two apart. ``current_id`` is the law in which the same article is read today: the
    successor where the law that the text names was replaced by one that kept the numbers, else that law.
    """

    start: int
    end: int
    law_id: str | None
    provision_key: str
    apartado: str | None = None
    letter: str | None = None
    law_named: bool = False
    current_id: str | None = None


_KINDS = {"a": "da", "t": "dt", "d": "dd", "f": "df"}
_CONTINUED = re.compile(r"\s*,?\s+(?:y|e|o|u)\s+(?:(?:en|de|a)\s+)?(?:(?:el|los|del|al)\s+)?(?=\d)")
# "… 9.2 de la Ley 42/1997, de 14 de noviembre, ordenadora de la Inspección de Trabajo, y 79 del texto refundido…"
_CONTINUED_AFTER_TITLE = re.compile(r",\s+[^.,;:()\d]{3,150},\s+(?:y|e)\s+(?=\d)")
_NEIGHBOUR = re.compile(
    r"(?<![\w.])(?:articulo|disposicion (?:adicional|transitoria|final))\s+(?:inmediato\s+|inmediatamente\s+)?"
    r"(?:(?P<previous>anterior|precedente)|(?P<following>siguiente|posterior))\b"
)
# "En la disposición transitoria y …": there is only one.
_SOLE = re.compile(r"\s*[,;.)]|\s+[yo]\s|\s+(?:del|de\s+(?:la|esta|este))\s")
_BARE = re.compile(r"[\s,:]*(?=\d)")
_THE_NUMBER = re.compile(r"(?:^|(?<!\w)(?:el|del|los|al)\s+)(?=\d)")


def parse_citations(text: str, context: CitationContext | None = None) -> list[Citation]:
    """Find all provisions that a text cites, in order of appearance.

    In prose of a law an article without a law is of that law; in a question it is of none. "Apartado anterior" and
    "párrafo anterior" are the same provision and no citation.
    """
    context = context or CitationContext()
    folded = fold(text)
    mentions = mentions_in(text, folded, context.day, literal=not context.is_question)
    named = Antecedents(folded, mentions, context.law_id)
    listed = [found for head in HEAD.finditer(folded) if (found := _read(text, folded, head, context))]
    owners = owners_of(folded, listed, mentions, context, named)
    read = zip(listed, owners, strict=True)
    citations = [_citation(item, one.kind, owner) for one, owner in read for item in one.items]
    citations += _continued(folded, owners, mentions, context, named)
    if context.previous or context.following:
        citations += _neighbours(folded, context)
    if context.is_question:
        citations += _bare(folded, mentions, citations, context, named)
    return sorted(citations, key=lambda citation: (citation.start, citation.end))


def _read(text: str, folded: str, head: re.Match[str], context: CitationContext) -> Listed | None:
    if head["art"]:
        return read_listed(folded, head, "art")
    letters = (head["disp"] or head["short"] or head["initials"].replace("d", "", 1).strip(". ") or "d")[0]
    listed = read_listed(folded, head, _KINDS[letters])
    if listed is None:
        return None if context.is_question else _sole(folded, head, _KINDS[letters])
    if not head["initials"]:
        return listed
    # "da" is also a verb: small initials count only before a number written "7ª".
    ordinal = "ª" in folded[head.end() : listed.end]
    return listed if text[head.start() : head.end()].strip().isupper() or ordinal else None


def _sole(folded: str, head: re.Match[str], kind: str) -> Listed | None:
    """Read "la disposición transitoria", of which there is only one."""
    if not head["disp"] or not head[0].endswith(head["disp"]) or not folded.endswith("la ", 0, head.start()):
        return None
    sole = Item("unica", head.start(), head.end())
    return Listed(kind, head.start(), (sole,), head.end()) if _SOLE.match(folded, head.end()) else None


def _citation(item: Item, kind: str, owner: Owner) -> Citation:
    return Citation(
        item.start,
        item.end,
        owner.law_id,
        f"{kind}:{item.number}",
        item.apartado,
        item.letter,
        law_named=owner.named,
        current_id=owner.current_id,
    )


def _continued(
    folded: str, owners: list[Owner], mentions: list[Mention], context: CitationContext, named: Antecedents
) -> Iterator[Citation]:
    """Read "… 6 y 7 de esta ley y 75.7 del Estatuto": numbers after a law that have a law of their own."""
    for owner in owners:
        position = owner.end
        while (joined := _CONTINUED.match(folded, position) or _CONTINUED_AFTER_TITLE.match(folded, position)) and (
            read := read_list(folded, joined.end(), "art", plural=True)
        ):
            items, end = read
            following = owner_after(folded, end, mentions, context, named, only_acronym_beside=True)
            if following is None:
                break
            yield from (_citation(item, "art", following) for item in items)
            position = following.end


def _neighbours(folded: str, context: CitationContext) -> Iterator[Citation]:
    for match in _NEIGHBOUR.finditer(folded):
        key = context.previous if match["previous"] else context.following
        if key and context.law_id:
            words = before(folded, match.start())
            apartado, letter = place(words[0]) if words else (None, None)
            yield Citation(match.start(), match.end(), context.law_id, key, apartado, letter, current_id=context.law_id)


def _bare(
    folded: str, mentions: list[Mention], citations: list[Citation], context: CitationContext, named: Antecedents
) -> Iterator[Citation]:
    """Read "LGSS 205" and "el 38 del ET": a number beside the name of a law."""
    taken = {position for citation in citations for position in range(citation.start, citation.end)}
    for number in _THE_NUMBER.finditer(folded):
        read = read_list(folded, number.end(), "art", plural=True) if number.end() not in taken else None
        owner = owner_after(folded, read[1], mentions, context, named, only_acronym_beside=True) if read else None
        if read and owner and owner.law_id:
            yield from (_citation(item, "art", owner) for item in read[0])
            taken.update(range(number.end(), owner.end))
    for mention in mentions:
        beside = _BARE.match(folded, mention.end)
        if beside is None or beside.end() in taken or "/" in folded[mention.start : mention.end]:
            continue
        read = read_list(folded, beside.end(), "art", plural=True)
        owner = named_by(mention)
        yield from (_citation(item, "art", owner) for item in (read[0] if read else []))
