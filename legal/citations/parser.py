"""Find the provisions that a text cites, in questions ("art. 48 bis del ET", "LGSS 205") and in the prose of laws."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from language.folding import fold
from legal.citations.anaphora import Antecedents
from legal.citations.assignment import owners_of
from legal.citations.items import Item, Listed, read_list, read_listed
from legal.citations.owners import CitationContext, Owner, named_by, owner_after
from legal.citations.places import before, place
from legal.labels import ADJECTIVES, CUT_ADJECTIVES, INITIALS, disposition
from legal.laws.mentions import Mention, mentions_in

_NUMERO = r"(?:\s*(?:numero|num\.?|n\.?\s?º)(?=\s*\d))?"


def _head(bare: str, annex: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w.])(?:(?P<art>(?:articulos?(?=\s)|art\.?º\s?|arti?c?\.\s?|arts\.\s?|arts?\s|art(?=\d)){_NUMERO})"
        rf"|disposicion(?:es)?\s+(?P<disp>{ADJECTIVES})(?:e?s)?"
        rf"|disp(?:osic)?(?:\.\s?|\s)(?P<short>{CUT_ADJECTIVES})[a-z]*\.?"
        rf"|(?P<bare>{bare})|(?P<annex>{annex})"
        rf"|(?P<initials>d\.?\s?[{INITIALS}][.ªº]*)(?=\s?(?:\d{{1,2}}(?!\d)|[ivxl]+\b|[a-z]+a\b)))"
    )


HEAD = _head("(?!)", "(?!)")
QUESTION_HEAD = _head(rf"(?:(?<!\w )|(?<=\bla ))(?!final)(?:{ADJECTIVES})(?=\s)", r"anexos?\b")
"""People leave out the word "disposición" ("la adicional 23 del ET"), and ask for annexes, which laws do not cite; but
"final" alone says nothing."""


def kind_of(head: re.Match[str]) -> str:
    """Return the kind of what a head announces as provision keys write it, such as ``art`` or ``da``."""
    if head["art"]:
        return "art"
    if head["annex"]:
        return "anexo"
    named = head["disp"] or head["short"] or head["bare"]
    return disposition(named or head["initials"].replace("d", "", 1).strip(". ªº") or "d")


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


_CONTINUED = re.compile(r"\s*,?\s+(?:y|e|o|u)\s+(?:(?:en|de|a)\s+)?(?:(?:el|los|del|al)\s+)?(?=\d)")
# "… 9.2 de la Ley 42/1997, de 14 de noviembre, ordenadora de la Inspección de Trabajo, y 79 del texto refundido…"
_CONTINUED_AFTER_TITLE = re.compile(r",\s+[^.,;:()\d]{3,150},\s+(?:y|e)\s+(?=\d)")
_NEIGHBOUR = re.compile(
    rf"(?<![\w.])(?:articulo|disposicion (?:{ADJECTIVES}))\s+(?:inmediato\s+|inmediatamente\s+)?"
    r"(?:(?P<previous>anterior|precedente)|(?P<following>siguiente|posterior))\b"
)
# "En la disposición transitoria y …": there is only one.
_SOLE = re.compile(r"\s*[,;.)]|\s+[yo]\s|\s+(?:del|de\s+(?:la|esta|este))\s")
_BARE = re.compile(r"[\s,:-]*(?=\d)")
_THE_NUMBER = re.compile(r"(?:^|(?<!\w)(?:el|del|los|al|y|e|o)\s+|,\s+)(?=\d)")


def parse_citations(text: str, context: CitationContext | None = None) -> list[Citation]:
    """Find all provisions that a text cites, in order of appearance.

    In prose of a law an article without a law is of that law; in a question it is of none. "Apartado anterior" and
    "párrafo anterior" are the same provision and no citation.
    """
    context = context or CitationContext()
    folded = fold(text)
    mentions = mentions_in(text, folded, context.day, literal=not context.is_question)
    named = Antecedents(folded, mentions, context.law_id)
    heads = (QUESTION_HEAD if context.is_question else HEAD).finditer(folded)
    listed = [found for head in heads if (found := _read(text, folded, head, context))]
    owners = owners_of(folded, listed, mentions, context, named)
    # An annex counts only where its law is named: "anexo I" alone may be that of a form.
    read = [pair for pair in zip(listed, owners, strict=True) if pair[0].kind != "anexo" or pair[1].named]
    citations = [_citation(item, one.kind, owner) for one, owner in read for item in one.items]
    citations += _continued(folded, owners, mentions, context, named)
    if context.previous or context.following:
        citations += _neighbours(folded, context)
    if context.is_question:
        spans = [(one.start, one.end) for one in listed] + [(one.start, one.end) for one in citations]
        citations += _bare(folded, mentions, spans, context, named)
    return sorted(citations, key=lambda citation: (citation.start, citation.end))


def _read(text: str, folded: str, head: re.Match[str], context: CitationContext) -> Listed | None:
    kind = kind_of(head)
    listed = read_listed(folded, head, kind)
    if listed is None:
        return _sole(folded, head, kind, context)
    if not head["initials"]:
        return listed
    # "da" is also a verb: small initials count only before a number written "7ª".
    ordinal = "ª" in folded[head.start() : listed.end]
    return listed if text[head.start() : head.end()].strip().isupper() or ordinal else None


def _sole(folded: str, head: re.Match[str], kind: str, context: CitationContext) -> Listed | None:
    """Read "la disposición transitoria" of a law's prose, or "el anexo" of a question: there is only one."""
    if context.is_question:
        number, alone = "unico", head[0] == "anexo"
    else:
        number = "unica"
        alone = bool(head["disp"]) and head[0].endswith(head["disp"]) and folded.endswith("la ", 0, head.start())
    if not alone or not _SOLE.match(folded, head.end()):
        return None
    return Listed(kind, head.start(), (Item(number, head.start(), head.end()),), head.end())


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
    folded: str, mentions: list[Mention], spans: list[tuple[int, int]], context: CitationContext, named: Antecedents
) -> Iterator[Citation]:
    """Read "LGSS 205" and "el 38 del ET": a number beside the name of a law, outside of the spans already read."""
    taken = {position for start, end in spans for position in range(start, end)}
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
