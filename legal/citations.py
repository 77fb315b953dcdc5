"""Find the provisions that a text cites, in questions ("art. 48 bis del ET", "LGSS 205") and in the prose of laws."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from legal.citation_items import HEAD, Item, Listed, read_list, read_listed
from legal.citation_owners import CitationContext, Owner, owner_after, owners_of
from legal.folding import fold
from legal.laws import Mention, law_mentions


@dataclass(frozen=True)
class Citation:
    """A provision cited in ``text[start:end]``; all provisions of a range "44 a 47" but the first share a span.

    ``law_id`` is ``None`` where the text names no law (in a question), and where it names one that the registry does
    not know; ``law_named`` tells the two apart.
    """

    start: int
    end: int
    law_id: str | None
    provision_key: str
    apartado: str | None = None
    letter: str | None = None
    law_named: bool = False


_KINDS = {"a": "da", "t": "dt", "d": "dd", "f": "df"}
_CONTINUED = re.compile(r"\s*,?\s+(?:y|e|o|u)\s+(?:(?:en|de|a)\s+)?(?:(?:el|los|del|al)\s+)?(?=\d)")
_NEIGHBOUR = re.compile(
    r"(?<![\w.])(?:articulo|disposicion (?:adicional|transitoria|final))\s+(?:inmediato\s+|inmediatamente\s+)?"
    r"(?:(?P<previous>anterior|precedente)|(?P<following>siguiente|posterior))\b"
)
_BARE = re.compile(r"[\s,:]*(?=\d)")
_THE_NUMBER = re.compile(r"(?:^|(?<!\w)(?:el|del|los|al)\s+)(?=\d)")


def parse_citations(text: str, context: CitationContext | None = None) -> list[Citation]:
    """Find all provisions that a text cites, in order of appearance.

    In prose of a law an article without a law is of that law; in a question it is of none. "Apartado anterior" and
    "párrafo anterior" are the same provision and no citation.
    """
    context = context or CitationContext()
    folded = fold(text)
    mentions = law_mentions(text, context.day) if folded else []
    listed = [found for head in HEAD.finditer(folded) if (found := _read(text, folded, head))]
    owners = owners_of(folded, listed, mentions, context)
    citations = [citation for one, owner in zip(listed, owners, strict=True) for citation in _cited(one, owner)]
    citations += _continued(folded, owners, mentions, context)
    citations += _neighbours(folded, context)
    if context.is_question:
        citations += _bare(folded, mentions, citations, context)
    return sorted(citations, key=lambda citation: (citation.start, citation.end))


def _read(text: str, folded: str, head: re.Match[str]) -> Listed | None:
    if head["art"]:
        return read_listed(folded, head, "art")
    letters = (head["disp"] or head["short"] or head["initials"].replace("d", "", 1).strip(". ") or "d")[0]
    listed = read_listed(folded, head, _KINDS[letters])
    if listed is None or not head["initials"]:
        return listed
    # "da" is also a verb: small initials count only before a number written "7ª".
    ordinal = "ª" in folded[head.end() : listed.end]
    return listed if text[head.start() : head.end()].strip().isupper() or ordinal else None


def _cited(listed: Listed, owner: Owner) -> Iterator[Citation]:
    for item in listed.items:
        yield _citation(item, listed.kind, owner)


def _citation(item: Item, kind: str, owner: Owner) -> Citation:
    return Citation(
        item.start, item.end, owner.law_id, f"{kind}:{item.number}", item.apartado, item.letter, law_named=owner.named
    )


def _continued(
    folded: str, owners: list[Owner], mentions: list[Mention], context: CitationContext
) -> Iterator[Citation]:
    """Read "… 6 y 7 de esta ley y 75.7 del Estatuto": numbers after a law that have a law of their own."""
    for owner in owners:
        position = owner.end
        while (joined := _CONTINUED.match(folded, position)) and (
            read := read_list(folded, joined.end(), "art", plural=True)
        ):
            items, end = read
            following = owner_after(folded, end, mentions, context, only_acronym_beside=True)
            if following is None:
                break
            yield from (_citation(item, "art", following) for item in items)
            position = following.end


def _neighbours(folded: str, context: CitationContext) -> Iterator[Citation]:
    for match in _NEIGHBOUR.finditer(folded):
        key = context.previous if match["previous"] else context.following
        if key and context.law_id:
            yield Citation(match.start(), match.end(), context.law_id, key)


def _bare(
    folded: str, mentions: list[Mention], citations: list[Citation], context: CitationContext
) -> Iterator[Citation]:
    """Read "LGSS 205" and "el 38 del ET": a number beside the name of a law."""
    taken = {position for citation in citations for position in range(citation.start, citation.end)}
    for number in _THE_NUMBER.finditer(folded):
        read = read_list(folded, number.end(), "art", plural=True) if number.end() not in taken else None
        owner = owner_after(folded, read[1], mentions, context, only_acronym_beside=True) if read else None
        if read and owner and owner.law_id:
            yield from (_citation(item, "art", owner) for item in read[0])
            taken.update(range(number.end(), owner.end))
    for mention in mentions:
        beside = _BARE.match(folded, mention.end)
        if beside is None or beside.end() in taken or "/" in folded[mention.start : mention.end]:
            continue
        read = read_list(folded, beside.end(), "art", plural=True)
        owner = Owner(mention.law_id, True, mention.end)
        yield from (_citation(item, "art", owner) for item in (read[0] if read else []))
