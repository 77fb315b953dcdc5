"""Command ``articulado show``: print provisions with wordings and links, laws, or whole documents of the index."""

import asyncio
import re
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text
from typing_extensions import TypedDict

from articulado.legal.labels import cited_as, provision_key
from articulado.prompting.notes import whole_note
from articulado.values.cases import WRITERS_PARTS, details_of
from articulado.values.chunks import Agreement, Chunk
from articulado.values.errors import InvalidInput, NoResultsFound
from articulado.values.protocols import ChunkStore
from cli.failures import FAILED, complain, failure_beside
from cli.options import AsOf, IndexFolder, Json, ProfileOption, read_configuration, read_question
from cli.render import clean, console, print_indented, print_json
from cli.session import opened_services
from cli.show.view import print_scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from articulado.ingestion.incremental.base import IndexBase
    from articulado.ingestion.incremental.indexed_laws import IndexedLaw
    from articulado.retrieval.references import ProvisionDetail, Reference
    from articulado.values.chunks import ProvisionRef


class DocumentDetail(TypedDict):
    """A whole document; ``text`` joins its parts with blank lines, those of an article below their titles."""

    law_id: str
    name: str
    title: str
    collection: str
    published: str | None
    status_note: str
    text: str
    url: str
    agreement: Agreement | None
    chunk_ids: list[int]


def find_documents(base: "IndexBase", text: str) -> list[str]:
    """Return the ids of documents with this id (an ECLI), title, path, file name or name of an agreement."""
    from articulado.ingestion.bundled import article_named

    named = [law_id for name, law_id in _document_names(base) if name == text.strip().casefold()]
    if named:
        return list(dict.fromkeys(named))
    article = article_named(base.profile, text)
    return [article.id] if article else []


def find_provision(base: "IndexBase", text: str) -> tuple[list[str], str]:
    """Return the documents, and the key or "", of a reference like "art. 5 convenio.txt"."""
    from articulado.ingestion.incremental.indexed_laws import indexed_law
    from articulado.language.folding import fold
    from articulado.legal.ids import BOE_ID_TYPED, boe_id
    from articulado.retrieval.agreements import applicable, without_agreement_names
    from articulado.store.layout import load_agreements

    written = text.strip()
    endings = [(name, law_id) for name, law_id in _document_names(base) if written.casefold().endswith(f" {name}")]
    longest = max((len(name) for name, _ in endings), default=0)
    if endings:
        ids = [law_id for name, law_id in endings if len(name) == longest]
        return list(dict.fromkeys(ids)), provision_key(written[:-longest].strip(" ,").removesuffix(" de")) or ""
    if (identifier := BOE_ID_TYPED.search(written)) and (law := indexed_law(base, boe_id(identifier[0]))):
        # What has no number goes by its name: "Preámbulo BOE-A-2019-1".
        label = fold(BOE_ID_TYPED.sub(" ", written)).strip(" ,")
        if keys := [key for key, own in law.labels.items() if fold(own) == label]:
            return [law.law_id], keys[0]
    index = base.open() if base.settings.rag_enabled else None
    applying = applicable(text, [], load_agreements(index.folder), None) if index else None
    if applying is None or not applying.named:
        return [], ""
    rest = without_agreement_names(text, applying.names)
    return list(applying.named), provision_key(rest) or ""


def _document_names(base: "IndexBase") -> list[tuple[str, str]]:
    from articulado.ingestion.incremental.catalog import Catalog, read_catalog
    from articulado.store.layout import load_agreements

    index = base.open() if base.settings.rag_enabled else None
    names: list[tuple[str, str]] = []
    with read_catalog(index.folder) if index else Catalog.empty() as catalog:
        for source in catalog.sources():
            files = [file["path"] for file in source["files"]]
            # What goes by its path is no law: those have provisions, and are read as references.
            if source["identity"] in files:
                own = (source["law_id"], source["title"], *files, *(Path(file).name for file in files))
                names += [(name.casefold(), source["law_id"]) for name in own]
    if index:
        names += [(agreement.name.casefold(), agreement.law_id) for agreement in load_agreements(index.folder)]
    return names


async def document_detail(store: ChunkStore, document: str) -> DocumentDetail | None:
    """Join a document from its parts; ``None`` if the store does not have it."""
    # Each part has a key of its own (``document_chunks``).
    first = await store.find(document, f"{document}#1")
    if not first:
        return None
    numbers = range(2, first[0]["parts"] + 1)
    others = await asyncio.gather(*(store.find(document, f"{document}#{number}") for number in numbers))
    parts = [first[0], *(part for chunks in others for part in chunks[:1])]
    head = first[0]
    # Each part of an article has a title of its own, and that of the article is its name.
    article = "article_title" in details_of(head)
    return {
        "law_id": document,
        "name": head["law_name"],
        "title": head["law_name"] if article else head["title"],
        "collection": head["collection"],
        "published": head["valid_from"],
        "status_note": whole_note(head),
        "text": "\n\n".join(_titled(part) if article else part["text"] for part in parts),
        "url": head["url"].partition("#page=")[0],
        "agreement": head.get("agreement"),
        "chunk_ids": [part["id"] for part in parts],
    }


def _titled(part: "Chunk") -> str:
    return part["text"] if part["chunk_type"] in WRITERS_PARTS else f"{part['title']}\n{part['text']}"


def print_document(out: Console, detail: DocumentDetail) -> None:
    """Print a document: heading, date, text, link."""
    out.print(clean(f"{detail['name']} ({detail['law_id']})"), style="bold", markup=False)
    if detail["title"] not in ("", detail["name"]):
        out.print(clean(detail["title"]), style="bold", markup=False)
    if detail["agreement"]:
        print_scope(out, detail["agreement"])
    if detail["published"]:
        out.print(f"Publicado el {detail['published']}.", style="dim")
    if detail["status_note"]:
        out.print(clean(f"Nota: {detail['status_note']}"), style="yellow", markup=False)
    out.print()
    print_indented(out, detail["text"], indent=2)
    if detail["url"]:
        out.print(Text(f"\n{clean(detail['url'])}", style="cyan"), soft_wrap=True)


_NUMBERED_ARTICLE = re.compile(r"art:\d")

Provision = Annotated[
    list[str],
    typer.Argument(
        metavar="PRECEPTO",
        help='Preceptos con su norma ("art. 48.4 ET", "DA 3ª LGSS"), una norma (ET), una sentencia o un criterio '
        "por su número (STC 140/2024), o un documento del índice por su ECLI, su título o su fichero.",
    ),
]


def show(
    provision: Provision,
    index: IndexFolder = None,
    profile: ProfileOption = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Print provisions, laws or decisions, or one document of the index."""
    from articulado.ingestion.incremental.base import IndexBase
    from articulado.language.languages import language
    from cli.show.view import print_law, print_provision

    settings, knowledge = read_configuration(index, profile)
    base, today, text = IndexBase(settings, knowledge), date.today(), read_question(provision)
    if settings.rag_enabled:
        asyncio.run(base.bring_up_to_date(or_go_on=True))
    named = find_documents(base, text)
    decided, unknown = ([], []) if named else asyncio.run(_decisions(base, text))
    if decided and not unknown and all(key.startswith(f"{law_id}#") for law_id, key in decided):
        # A ruling of one's own, of which each part has a key.
        named = list(dict.fromkeys(law_id for law_id, _ in decided))
    if documents := [document for law_id in named if (document := asyncio.run(_document(base, law_id)))]:
        if as_json:
            print_json({"asked": text, "documents": documents})
        for document in [] if as_json else documents:
            print_document(console(), document)
        return
    if decided or unknown:
        reference = _request(decided, as_of or settings.as_of)
    else:
        # Documents that were cut by articles go by their own names, as laws go by theirs.
        reference = _request_of(named, "", as_of or settings.as_of) if named else _read(base, text, today, as_of)
    provisions, laws, missing = asyncio.run(_look_up(base, reference, today))
    missing += unknown
    if as_json:
        day = reference.day.isoformat() if reference.day else None
        indexed = [asdict(law) for law in laws]
        result = {"asked": text, "as_of": day, "provisions": provisions, "laws": indexed, "missing": missing}
        print_json({**failure_beside(NoResultsFound.__name__, missing), **result})
    else:
        out, profile_language = console(), language(knowledge.language)
        for position, detail in enumerate(provisions):
            out.print("\n" * bool(position), end="")
            print_provision(out, detail, today, profile_language)
        for law in laws:
            print_law(out, law, _example(base, law, text, today), profile_language)
    for message in missing:
        complain(message)
    if missing:
        raise typer.Exit(FAILED)


def _read(base: "IndexBase", text: str, today: date, as_of: date | None = None) -> "Reference":
    from articulado.ingestion.incremental.indexed_laws import indexed_laws, named_documents
    from articulado.legal.laws.indexed import IndexedLaws
    from articulado.retrieval.references import read_reference

    profile, day = base.profile, as_of or base.settings.as_of
    named, key = find_provision(base, text)
    if named:
        return _request_of(named, key, day)
    try:
        laws_of_index, spanish_law = IndexedLaws(lambda: indexed_laws(base)), profile.features.spanish_law
        return read_reference(text, profile.default_law, today, day, spanish_law=spanish_law, indexed=laws_of_index)
    except InvalidInput as error:
        documents = named_documents(base)
        raise InvalidInput(f"{error} {documents}".strip()) from error


def _request_of(law_ids: list[str], key: str, day: date | None) -> "Reference":
    return _request([(law_id, key) for law_id in law_ids], day)


def _request(refs: "Sequence[ProvisionRef]", day: date | None) -> "Reference":
    from articulado.legal.citations.parser import ProvisionRequest
    from articulado.retrieval.references import Reference

    return Reference(tuple(ProvisionRequest(*ref) for ref in refs), day)


async def _decisions(base: "IndexBase", text: str) -> "tuple[list[ProvisionRef], list[str]]":
    from articulado.legal.reading import read
    from articulado.retrieval.question import decisions_missing, decisions_named, look_up_decisions
    from articulado.values.chunks import provision_of

    reading = read(text, date.today())
    decisions = decisions_named(reading)
    if not decisions or reading.topic:
        return [], []
    async with opened_services(base.settings, base.profile) as services:
        found = await look_up_decisions(decisions, services.store)
    return list(dict.fromkeys(provision_of(one["chunk"]) for one in found)), decisions_missing(decisions, found)


def _example(base: "IndexBase", law: "IndexedLaw", text: str, today: date) -> str:
    """Return an example reference to the first provision of a law, with its typed name if that is understood."""
    from articulado.legal.laws.mentions import law_mentions

    own = [key for key in law.labels if "~" not in key]
    # The "Artículo único" of a decree only approves the law.
    key = next((key for key in own if _NUMBERED_ARTICLE.match(key)), own[0] if own else "")
    if not key:
        return ""
    label, mentions = cited_as(key, law.labels[key]), law_mentions(text)
    name = next((text[one.start : one.end] for one in mentions if one.law_id == law.law_id), text.strip())
    typed, plain = f"{label} {name}", f"{label} {law.law_id}"
    try:
        asked = [(ref.law_id, ref.provision_key) for ref in _read(base, typed, today).provisions]
    except InvalidInput:
        return plain
    return typed if asked == [(law.law_id, key)] and '"' not in typed else plain


async def _document(base: "IndexBase", document_id: str) -> "DocumentDetail | None":

    async with opened_services(base.settings, base.profile) as services:
        return await document_detail(services.store, document_id)


async def _look_up(
    base: "IndexBase", reference: "Reference", today: date
) -> tuple[list["ProvisionDetail"], list["IndexedLaw"], list[str]]:
    from articulado.ingestion.incremental.indexed_laws import indexed_law, why_missing
    from articulado.retrieval.references import provision_detail

    provisions: list[ProvisionDetail] = []
    laws: list[IndexedLaw] = []
    missing: list[str] = []
    async with opened_services(base.settings, base.profile) as services:
        for provision_ref in reference.provisions:
            try:
                detail = (
                    await provision_detail(services.store, provision_ref, reference.day, today)
                    if provision_ref.provision_key
                    else None
                )
            except NoResultsFound as error:
                missing.append(str(error))
                continue
            law = None if provision_ref.provision_key else indexed_law(base, provision_ref.law_id)
            if detail:
                provisions.append(detail)
            elif law:
                laws.append(law)
            else:
                missing.append(why_missing(base, provision_ref))
    return provisions, laws, missing
