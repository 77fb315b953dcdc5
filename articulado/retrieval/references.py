"""Parse requests for provisions, and return their wordings, excerpts and links."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby

from typing_extensions import TypedDict

from articulado.language.folding import fold
from articulado.language.table_text import is_row, without_heads
from articulado.language.translation import current_language, translate
from articulado.legal.citations.items import Place
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import ProvisionRequest, parse_citations, requests_of
from articulado.legal.dates.finder import find_date
from articulado.legal.ids import BOE_ID_TYPED, boe_id
from articulado.legal.labels import (
    excerpt,
    order_of_kind,
    provision_key,
    provision_name,
)
from articulado.legal.laws.indexed import NO_LAWS, IndexedLaws, numbered_laws
from articulado.legal.laws.mentions import find_law, law_mentions
from articulado.legal.laws.registry import known_laws, laws_by_number
from articulado.prompting.notes import whole_note
from articulado.values.chunks import (
    Agreement,
    Chunk,
    Status,
    is_official,
    own_document,
    page_of,
    provision_of,
    status_said,
)
from articulado.values.errors import InvalidInput, NoResultsFound
from articulado.values.protocols import ChunkStore


@dataclass(frozen=True)
class Reference:
    """The requested provisions and laws, in order, and the day whose law is meant: ``None`` for today."""

    provisions: tuple[ProvisionRequest, ...]
    day: date | None


def read_reference(
    text: str,
    default_law: str,
    today: date,
    as_of: date | None = None,
    *,
    spanish_law: bool = True,
    indexed: IndexedLaws = NO_LAWS,
) -> Reference:
    """Read "art. 48.4 ET", "anexo II LISOS", "art. 1 BOE-A-2015-11430" or "ET"; raise ``InvalidInput`` for others.

    An article without a law belongs to ``default_law``; ``as_of`` precedes a date in the text.

    >>> reference = read_reference("art. 48.4 ET en 2019", "BOE-A-2015-11430", date(2026, 11, 22))
    >>> reference.provisions[0].provision_key, reference.provisions[0].subdivisions, reference.day
    ('art:48', (Place(apartado='4', letter=''),), datetime.date(2019, 12, 31))
    """
    identifier = BOE_ID_TYPED.search(text)
    if not (spanish_law or identifier):
        raise InvalidInput(translate("search.not_in_index", text=text.strip()))
    day = as_of or find_date(text, today=today)
    words = BOE_ID_TYPED.sub(" ", text)
    law_by_name = find_law(words)
    written_id = boe_id(identifier[0]) if identifier else ""
    law_id = written_id or (law_by_name.id if law_by_name else "")
    citations = parse_citations(words, CitationContext(day=day, alone=True))
    requests = requests_of(citations, words, law_id or default_law, indexed, written_id=written_id)
    provisions = [replace(asked, assumed=asked.assumed and not law_id) for asked in requests]
    # In prose "anexo II" is no citation.
    if not provisions and (key := provision_key(words.strip())) and not key.startswith("art:"):
        provisions = [ProvisionRequest(law_id or default_law, key, assumed=not law_id)]
    if not provisions and law_id and (day or not _has_number_beside_law(words)):
        provisions = [ProvisionRequest(law_id)]
    if not provisions:
        raise InvalidInput(translate("search.not_understood", text=text.strip()))
    return Reference(tuple(provisions), day)


def _has_number_beside_law(text: str) -> bool:
    spans = [(mention.start, mention.end) for mention in law_mentions(text)]
    return any(not any(start <= digit.start() < end for start, end in spans) for digit in re.finditer(r"\d", text))


@dataclass(frozen=True)
class Wording:
    """One wording of a provision; ``parts`` are its chunks, in order of the text."""

    parts: tuple[Chunk, ...]

    @property
    def head(self) -> Chunk:
        """The chunk that represents all: only text and references differ between them."""
        return self.parts[0]

    @property
    def text(self) -> str:
        """The whole text; a blank line separates parts unless a sentence or a table continues."""
        text = ""
        for own in without_heads(part["text"] for part in self.parts):
            text += (_separator_after(text) if text else "") + own
        return text

    def is_of(self, day: date) -> bool:
        """Return True for the wording of a day, whether its law is in force or not."""
        written = day.isoformat()
        return (self.head["valid_from"] or "") <= written < (self.head["valid_to"] or "9999")


class Excerpt(TypedDict):
    """A requested subdivision; without ``text``, ``missing`` says so and ``nearest`` is its apartado, if any."""

    apartado: str
    letter: str
    text: str
    missing: str
    nearest: str


class Version(TypedDict):
    """A wording; ``valid_to`` is the first day without it, ``None`` is open. Users' documents have no ``status``."""

    valid_from: str | None
    valid_to: str | None
    status: Status | None
    status_note: str


class NamedProvision(TypedDict):
    """Law, label, title and official address of a provision."""

    law_id: str
    law: str
    provision: str
    provision_key: str
    title: str
    url: str


class Link(NamedProvision):
    """A provision that is cited, or that cites."""

    status: Status | None


class ProvisionText(Version, NamedProvision):
    """A provision with its ``wordings``, oldest first, without its links.

    ``remarks`` state assumptions about the request. ``official`` is false for summaries and users' documents;
    ``document`` is the file name of the latter, and ``page`` its first page, if any.
    """

    breadcrumb: str
    collection: str
    official: bool
    document: str
    summary: str
    remarks: list[str]
    excerpts: list[Excerpt]
    text: str
    page: str
    agreement: Agreement | None
    notes: list[str]
    wordings: list[Version]


class ProvisionDetail(ProvisionText):
    """A provision with its chunks and links."""

    chunk_ids: list[int]
    cites: list[Link]
    cited_by: list[Link]


def named_provision(chunk: Chunk) -> NamedProvision:
    return {
        "law_id": chunk["law_id"],
        "law": chunk["law_name"],
        "provision": chunk["provision"],
        "provision_key": chunk["provision_key"],
        "title": chunk["title"],
        "url": chunk["url"],
    }


async def provision_detail(
    store: ChunkStore, provision: ProvisionRequest, day: date | None, today: date
) -> ProvisionDetail | None:
    """Look a provision up in its wording of a day, if it exists; raise ``NoResultsFound`` without that wording."""
    wordings = wordings_of(await store.find(provision.law_id, provision.provision_key))
    if not wordings:
        return None
    wording = wording_on(wordings, day, today)
    if wording is None:
        raise NoResultsFound(without_wording(wordings, day))
    chunk, ids = wording.head, [part["id"] for part in wording.parts]
    cited = await store.fetch(list(dict.fromkeys(ref for part in wording.parts for ref in part["refs"])))
    return {
        **_version(wording),
        **named_provision(chunk),
        "breadcrumb": chunk["breadcrumb"],
        "collection": chunk["collection"],
        "official": is_official(chunk),
        "document": own_document(chunk),
        "summary": chunk["summary"],
        "remarks": remarks_on(provision, chunk),
        "excerpts": [excerpt_of(wording, subdivision) for subdivision in provision.subdivisions],
        "text": wording.text,
        "page": page_of(chunk),
        "agreement": chunk.get("agreement"),
        "notes": chunk["notes"],
        "chunk_ids": ids,
        "wordings": [_version(other) for other in wordings],
        "cites": sorted(_links(cited, chunk), key=order_in_law),
        "cited_by": sorted(_links(await store.citing(ids), chunk), key=order_in_law),
    }


def excerpt_of(wording: Wording, subdivision: Place) -> Excerpt:
    """Return a subdivision of a wording, or the message that it is missing."""
    (apartado, letter), head = subdivision, wording.head
    text = excerpt(wording.text, apartado, letter)
    nearest = excerpt(wording.text, apartado, "") if apartado and letter and not text else ""
    missing = ""
    if not text:
        missing = translate(
            "named.no_part" if head["source"] == "official" else "named.no_part_of_summary",
            provision=f"{head['provision']}.{apartado}" if nearest else head["provision"],
            law=head["law_name"],
            part=translate("named.part_apartado", apartado=apartado)
            if apartado and not nearest
            else translate("named.part_letter", letter=letter.replace("quater", "quáter")),
            shown=translate("named.shown_apartado" if nearest else "named.shown_whole", apartado=apartado),
        )
    return {"apartado": apartado, "letter": letter, "text": text, "missing": missing, "nearest": nearest}


def remarks_on(asked: ProvisionRequest, shown: Chunk | None = None) -> list[str]:
    """Return the assumptions in reading a request: the law taken for it, and parts not looked up."""
    remarks, law = [], known_laws().get(asked.law_id)
    if asked.assumed:
        english = law.english if law and current_language() == "en" else ""
        name = shown["law_name"] if shown else law.short if law else asked.law_id
        remarks.append(translate("named.assumed", law=english or name))
    if asked.following:
        provision = shown["provision"] if shown else provision_name(asked.provision_key)
        remarks.append(translate("named.following", provision=provision))
    if asked.unread:
        remarks.append(translate("named.unread", words=", ".join(f"«{words}»" for words in asked.unread)))
    return remarks


_FEMININE = ("ley", "orden", "constitucion", "directiva", "carta", "decision", "resolucion", "norma",
             "normativa", "instruccion", "circular", "declaracion", "convencion", "l")  # fmt: skip


def unknown_law(asked: ProvisionRequest) -> str:
    """Return the message that a law is unknown, with the law of that number of another day, if any."""
    written = asked.law_words
    if not written:
        return translate("named.unnamed_law")
    first = re.split(r"[\s.]", fold(written))[0]
    # Acronyms that begin with "L" are those of laws.
    is_feminine = first in _FEMININE or (written[:1] == "L" and written[:2].isupper())
    article = "The" if current_language() == "en" else "La" if is_feminine else "El"
    said = translate("named.unknown_law", article=article, law=written)
    named = next(numbered_laws(fold(written)), None)
    same = (laws_by_number().get((kind, named.number)) for kind in named.kinds) if named else ()
    other = next(filter(None, same), None)
    return f"{said} {translate('named.other_day', title=other.title)}" if other else said


def _version(wording: Wording) -> Version:
    return {
        "valid_from": wording.head["valid_from"],
        "valid_to": wording.head["valid_to"],
        "status": status_said(wording.head),
        "status_note": whole_note(wording.head),
    }


def _links(chunks: Iterable[Chunk], linked: Chunk) -> list[Link]:
    own = provision_of(linked)
    first = {provision_of(chunk): chunk for chunk in reversed(list(chunks)) if provision_of(chunk) != own}
    return [{**named_provision(chunk), "status": status_said(chunk)} for chunk in reversed(first.values())]


def order_in_law(link: Link) -> tuple[object, ...]:
    number = link["provision_key"].partition(":")[2]
    digits = re.match(r"\d{1,6}", number)
    return link["law"], link["law_id"], order_of_kind(link["provision_key"]), int(digits[0]) if digits else 0, number


def without_wording(wordings: Sequence[Wording], day: date | None) -> str:
    """Return the message that a day has no wording, with the first and last day of the others."""
    first, last = wordings[0].head, wordings[-1].head
    until = translate("search.until", day=last["valid_to"]) if last["valid_to"] else ""
    return translate(
        "search.no_wording",
        day=day,
        law=first["law_name"],
        provision=first["provision"],
        since=first["valid_from"],
        until=until,
    )


def _separator_after(text: str) -> str:
    if is_row(text.rpartition("\n")[2]):
        return "\n"
    return "\n\n" if text[-1:] in ".:;»)" else " "


def wordings_of(chunks: Iterable[Chunk]) -> list[Wording]:
    """Return the wordings of one provision, the oldest first."""

    def begins(chunk: Chunk) -> str:
        return chunk["valid_from"] or ""

    in_order = sorted(chunks, key=lambda chunk: (begins(chunk), chunk["part"]))
    return [Wording(tuple(parts)) for _, parts in groupby(in_order, begins)]


def wording_on(wordings: Sequence[Wording], day: date | None, today: date) -> Wording | None:
    """Return the wording of a day, if any; without a day today's, else the last."""
    of_day = next((wording for wording in wordings if wording.is_of(day or today)), None)
    return of_day or (wordings[-1] if wordings and day is None else None)
