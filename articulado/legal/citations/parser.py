"""Parser of the provisions cited in questions ("art. 48 bis del ET", "LGSS 205") and in the prose of laws."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from articulado.language.folding import fold
from articulado.legal.citations.items import (
    QUALIFIER,
    Item,
    Place,
    ProvisionList,
    read_items,
    read_places,
    read_provision_list,
    words_before,
)
from articulado.legal.citations.owners import (
    CitationContext,
    CitingText,
    Owner,
    owner_after,
    owner_of_mention,
    owners_of,
)
from articulado.legal.citations.typed import as_printed
from articulado.legal.labels import ADJECTIVES, CUT_ADJECTIVES, INITIALS, disposition_kind, units_in
from articulado.legal.laws.indexed import IndexedLaws
from articulado.legal.laws.mentions import LawMention, mentions_in
from articulado.legal.vocabulary.synonyms import find_acronyms

_NUMERO = r"(?:\s*(?:numero|num\.?|n\.?\s?º)(?=\s*\d))?"


def _head_pattern(bare: str, annex: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w.])(?:(?P<art>(?:articulos?(?=\s)|articles?(?=\s)|art\.?º\s?|arti?c?\.\s?|arts\.\s?|arts?\s|art(?=\d)){_NUMERO})"
        rf"|disposicion(?:es)?\s+(?P<disp>{ADJECTIVES})(?:e?s)?"
        rf"|disp(?:osic)?(?:\.\s?|\s)(?P<short>{CUT_ADJECTIVES}|ad|tr|fin|der)[a-z]*\.?"
        rf"|(?P<bare>{bare})|(?P<annex>{annex})"
        rf"|(?P<initials>dd(?:aa|tt|ff)|d\.?\s?[{INITIALS}][.ªº]*)(?=\s?(?:\d{{1,2}}(?!\d)|[ivxl]+\b|[a-z]+a\b)))"
    )


_HEAD = _head_pattern("(?!)", "(?!)")
_QUESTION_HEAD = _head_pattern(rf"(?:(?<!\w )|(?<=\bla ))(?!final)(?:{ADJECTIVES})(?=\s)", r"anexos?\b")
"""People omit "disposición" ("la adicional 23 del ET") and ask for annexes; "final" alone means nothing."""

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
_THE_NUMBER = re.compile(
    r"(?:^|(?<!\w)(?:el|del|los|al|y|e|o|segun|vid\.?|ex|cfr?\.?|por|con)\s+|[,:;]\s+|\(|§{1,2}\s*)(?=[1-9])"
)
_ALONE = re.compile(r"[\s¿¡(]*(?:(?:el|los|la|del)\s+|§{1,2}\s*)?(?=\d)")
_END = re.compile(r"[\s?!.)]*$")


@dataclass(frozen=True)
class Citation:
    """A provision cited in ``text[start:end]``; the later provisions of a range "44 a 47" share a span."""

    start: int
    end: int
    law_id: str | None  # ``None`` without a law, and for an unknown one (``law_named``)
    provision_key: str
    places: tuple[Place, ...] = ()
    law_named: bool = False
    current_id: str | None = None  # law of the article today: a successor with the same numbers, or the same law
    unread: tuple[str, ...] = ()  # words on parts that are not looked up ("párrafo segundo")
    following: bool = False  # "y siguientes"
    law_span: tuple[int, int] = (0, 0)  # name of the law

    @property
    def apartado(self) -> str | None:
        return (self.places[0].apartado or None) if self.places else None

    @property
    def letter(self) -> str | None:
        return (self.places[0].letter or None) if self.places else None


def parse_citations(text: str, context: CitationContext | None = None) -> list[Citation]:
    """Find all provisions that a text cites, in order.

    An article without a law belongs to the law in its prose, and to none in a question.

    >>> [(citation.law_id, citation.provision_key) for citation in parse_citations("arts. 38 y 48 bis del ET")]
    [('BOE-A-2015-11430', 'art:38'), ('BOE-A-2015-11430', 'art:48 bis')]
    """
    context = context or CitationContext()
    if not context.is_question:
        return _parsed(text, context)
    printed = as_printed(text)
    return [
        replace(
            citation,
            start=printed.span(citation.start, citation.end)[0],
            end=printed.span(citation.start, citation.end)[1],
            law_span=printed.span(*citation.law_span) if any(citation.law_span) else (0, 0),
        )
        for citation in _parsed(printed.text, context)
    ]


def _parsed(text: str, context: CitationContext) -> list[Citation]:
    folded = _folded(text)
    mentions = mentions_in(text, folded, context.day, literal=not context.is_question)
    if context.is_question:
        mentions = sorted([*mentions, *_acronyms(text, mentions)], key=lambda mention: mention.start)
    citing = CitingText(text, folded, mentions, context)
    heads = (_QUESTION_HEAD if context.is_question else _HEAD).finditer(folded)
    lists = [provisions for head in heads if (provisions := _provisions_after(citing, head))]
    owners = owners_of(citing, lists)
    # An annex counts only where its law is named: "anexo I" alone may be that of a form.
    owned = [pair for pair in zip(lists, owners, strict=True) if pair[0].kind != "anexo" or pair[1].named]
    citations = [
        citation
        for listed, owner in owned
        for citation in _citations(citing, listed.items, owner, listed.end, kind=listed.kind)
    ]
    citations += _continued(citing, owners)
    if context.previous or context.following:
        citations += _neighbours(folded, context)
    if context.is_question:
        spans = [(provisions.start, provisions.end) for provisions in lists]
        spans += [(citation.start, citation.end) for citation in citations]
        citations += _bare(citing, spans)
        citations += _units(citing, owners)
    if context.alone and not citations:
        citations = list(_alone(citing))
    return sorted(citations, key=lambda citation: (citation.start, citation.end))


_ENYE = re.compile(r"(?<![^\W\d_])ñ(?![^\W\d_])", re.IGNORECASE)


def _folded(text: str) -> str:
    """Fold a text except "ñ" as the letter of a list, which comes after "n"."""
    folded = fold(text)
    for letter in _ENYE.finditer(text):
        folded = f"{folded[: letter.start()]}ñ{folded[letter.end() :]}"
    return folded


_ACRONYM = re.compile(r"(?<![\w.:])[A-ZÁÉÍÓÚÑ]{2,8}(?![\w:])")
_NO_LAW = re.compile(rf"D[{INITIALS.upper()}]|ARTS?|RDLEG|RDL|RD|LO|SS|CEE?|UE|[IVXL]+")
"""Capitals that name no law: kinds of provisions and norms, the European Union, Roman numerals."""


def _acronyms(text: str, mentions: Sequence[LawMention]) -> Iterator[LawMention]:
    """Yield acronyms of a question that may be unknown laws; they count beside a provision."""
    if text.isupper():
        return
    taken = {position for mention in mentions for position in range(mention.start, mention.end)}
    for acronym in _ACRONYM.finditer(text):
        if acronym.start() not in taken and not _NO_LAW.fullmatch(acronym[0]) and not find_acronyms(acronym[0]):
            yield LawMention(*acronym.span(), None, weak=True)


def _alone(citing: CitingText) -> Iterator[Citation]:
    folded = citing.folded
    begin = _ALONE.match(folded)
    listed = read_items(folded, begin.end(), "art", plural=True, asked=True) if begin else None
    if listed is None:
        return
    end = listed[1]
    while more := QUALIFIER.match(folded, end) or _AND_FOLLOWING.match(folded, end):
        end = more.end()
    if _END.match(folded, end):
        yield from _citations(citing, listed[0], Owner(None, False, listed[1]), listed[1])


def _kind_of(head: re.Match[str]) -> str:
    if head["art"]:
        return "art"
    if head["annex"]:
        return "anexo"
    adjective = head["disp"] or head["short"] or head["bare"]
    return disposition_kind(adjective or head["initials"].lstrip("d").strip(". ªº") or "d")


def _provisions_after(citing: CitingText, head: re.Match[str]) -> ProvisionList | None:
    folded, context, kind = citing.folded, citing.context, _kind_of(head)
    provisions = read_provision_list(folded, head, kind, asked=context.is_question)
    if provisions is None:
        return _sole(folded, head, kind, context)
    if not head["initials"]:
        return provisions
    # "da" is also a verb: small initials count only before a number written "7ª".
    ordinal = "ª" in folded[head.start() : provisions.end] or "." in head["initials"].strip(". ")
    return provisions if citing.text[head.start() : head.end()].strip().isupper() or ordinal else None


def _sole(folded: str, head: re.Match[str], kind: str, context: CitationContext) -> ProvisionList | None:
    """Read "la disposición transitoria" of a law's prose, or "el anexo" of a question: the only one of its kind."""
    if context.is_question:
        number, alone = "unico", head[0] == "anexo"
    else:
        number = "unica"
        alone = bool(head["disp"]) and head[0].endswith(head["disp"]) and folded.endswith("la ", 0, head.start())
    if not alone or not _SOLE.match(folded, head.end()):
        return None
    return ProvisionList(kind, head.start(), (Item(number, head.start(), head.end()),), head.end())


_CLOSING = re.compile(r"\s*\)(?=\s*,)")
_AND_FOLLOWING = re.compile(
    r"\s*,?\s*(?:[ye]\s+)?(?P<following>(?<=[ye]\s)(?:siguientes|ss|sigs?|sgtes?)\b\.?|(?:ss|sigs?|sgtes?)\b\.?)"
    r"|\s*,?\s*(?P<related>y\s+concordantes)"
)


def _citations(
    citing: CitingText, items: Sequence[Item], owner: Owner, end: int, *, kind: str = "art"
) -> Iterator[Citation]:
    """Yield the provisions of a list that ends at a position, the last with its places behind the law."""
    text, folded = citing.text, citing.folded
    behind = max(end, owner.end, owner.span[1])
    if bracket := _CLOSING.match(folded, behind):
        behind = bracket.end()
    places_start, following = behind, False
    unread = [owner.gap] if any(owner.gap) else []
    for position in dict.fromkeys((end, behind)):
        while more := _AND_FOLLOWING.match(folded, position):
            # "SS" is the Seguridad Social.
            following = following or (bool(more["following"]) and not text[more.start() : more.end()].strip().isupper())
            unread += [more.span("related")] if more["related"] else []
            position = more.end()
    while more := QUALIFIER.match(folded, behind):
        behind = more.end()
    for item in items:
        is_last, places = item is items[-1], item.places
        if is_last and behind > places_start:
            places = read_places(folded, places_start, behind).after(places)
        spans = (*places.unread, *filter(None, [item.skipped]), *(unread if is_last else ()))
        yield Citation(
            item.start,
            item.end,
            owner.law_id,
            f"{kind}:{item.number}",
            places.read,
            law_named=owner.named,
            current_id=owner.current_id,
            unread=tuple(text[start:end] for start, end in spans),
            following=is_last and following,
            law_span=owner.span,
        )


def _continued(citing: CitingText, owners: list[Owner]) -> Iterator[Citation]:
    """Read "… 6 y 7 de esta ley y 75.7 del Estatuto": numbers after a law that have another law."""
    folded = citing.folded
    for owner in owners:
        position = owner.end
        while (joined := _CONTINUED.match(folded, position) or _CONTINUED_AFTER_TITLE.match(folded, position)) and (
            listed := read_items(folded, joined.end(), "art", plural=True)
        ):
            items, end = listed
            following = owner_after(citing, end)
            if following is None:
                break
            yield from _citations(citing, items, following, end)
            position = following.end


def _neighbours(folded: str, context: CitationContext) -> Iterator[Citation]:
    for match in _NEIGHBOUR.finditer(folded):
        key = context.previous if match["previous"] else context.following
        if key and context.law_id:
            words = words_before(folded, match.start())
            places = read_places(folded, *words.span()).read if words else ()
            yield Citation(match.start(), match.end(), context.law_id, key, places, current_id=context.law_id)


def _units(citing: CitingText, owners: list[Owner]) -> Iterator[Citation]:
    """Read "el apartado segundo de la Resolución de…": the registry has no norms without articles."""
    ends = {owner.end for owner in owners if owner.named}
    for start, end, key in units_in(citing.folded):
        owner = owner_after(citing, end)
        if owner and owner.named and owner.law_id is None and owner.end not in ends:
            yield Citation(start, end, None, key, law_named=True, law_span=owner.span)


def _bare(citing: CitingText, spans: list[tuple[int, int]]) -> Iterator[Citation]:
    """Read "LGSS 205" and "el 38 del ET": a number beside the name of a law, outside of the spans read."""
    folded = citing.folded
    taken = {position for start, end in spans for position in range(start, end)}
    for number in _THE_NUMBER.finditer(folded):
        asked = number.end() not in taken
        listed = read_items(folded, number.end(), "art", plural=True, asked=True) if asked else None
        owner = owner_after(citing, listed[1]) if listed else None
        # "Los 30 del convenio" are no provisions.
        if listed and owner and (owner.law_id or any(item.places.read for item in listed[0])):
            if words := words_before(folded, number.end()):
                first = listed[0][0]
                listed[0][0] = replace(first, places=first.places.after(read_places(folded, *words.span())))
            yield from _citations(citing, listed[0], owner, listed[1])
            taken.update(range(number.end(), owner.end))
    for mention in citing.mentions:
        beside = _BARE.match(folded, mention.end)
        if beside is None or beside.end() in taken:
            continue
        listed = read_items(folded, beside.end(), "art", plural=True, asked=True)
        # "COVID 19" is no law, and what follows "Ley 3/2012" need not be an article.
        is_law = (mention.law_id or not mention.weak) and "/" not in folded[mention.start : mention.end]
        if listed and (is_law or any(item.places.read for item in listed[0])):
            yield from _citations(citing, listed[0], owner_of_mention(mention), listed[1])


@dataclass(frozen=True)
class ProvisionRequest:
    """A requested provision, or subdivisions of it."""

    law_id: str  # empty for an unknown law, named ``law_words``
    provision_key: str = ""  # empty for a law alone
    subdivisions: tuple[Place, ...] = ()
    law_words: str = ""
    assumed: bool = False  # the law is a default
    unread: tuple[str, ...] = ()
    following: bool = False


_ANY_LAW = ("ley", "la ley", "norma", "normativa")


def requests_of(
    citations: Iterable[Citation], text: str, default_law: str, indexed: IndexedLaws, *, written_id: str = ""
) -> list[ProvisionRequest]:
    """Return the distinct provisions cited, each with all its named parts.

    Without a known law a citation belongs to ``written_id``, else to the law of the index that it names, else to
    ``default_law`` if it names none.
    """
    requests: dict[tuple[str, str, str], ProvisionRequest] = {}
    for citation in citations:
        words = " ".join(text[slice(*citation.law_span)].split())
        is_named = citation.law_named and fold(words) not in _ANY_LAW
        of_law = (
            citation.law_id or written_id or (indexed.law_cited(text, citation.end) if is_named else default_law) or ""
        )
        key = (of_law, "" if of_law else words, citation.provision_key)
        new = ProvisionRequest(of_law, citation.provision_key, citation.places, key[1])
        before = requests.get(key, new)
        # "Arts. 37 y 37.3": the whole has the part.
        places = (*before.subdivisions, *citation.places) if before.subdivisions and citation.places else ()
        requests[key] = replace(
            new,
            subdivisions=tuple(dict.fromkeys(places)),
            assumed=not (citation.law_id or written_id or is_named) and bool(default_law),
            unread=tuple(dict.fromkeys((*before.unread, *citation.unread))),
            following=before.following or citation.following,
        )
    return list(requests.values())
