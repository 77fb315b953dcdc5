"""``articulado show``: a provision as the index holds it, with its wordings and links; or a document whole."""

import asyncio
from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from cli.failures import FAILED, complain
from cli.options import AsOf, IndexFolder, Json, Profile, read_configuration, read_question
from state.errors import InvalidInput, NoResultsFound

if TYPE_CHECKING:
    from cli.show.document import DocumentDetail
    from ingestion.incremental.base import IndexBase
    from ingestion.incremental.indexed_laws import IndexedLaw
    from services.search.provision_detail import ProvisionDetail
    from services.search.reference import Reference

Provision = Annotated[
    list[str],
    typer.Argument(
        metavar="PRECEPTO",
        help='Preceptos con su norma ("art. 48.4 ET", "DA 3ª LGSS"), una norma (ET), o un documento del índice por su '
        "ECLI, su título o su fichero.",
    ),
]


def show(
    provision: Provision,
    index: IndexFolder = None,
    profile: Profile = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Muestra un precepto: su texto, sus redacciones, qué cita y quién lo cita."""
    from cli.render import console, print_json
    from cli.show.document import find_documents, find_provision, print_document
    from cli.show.view import print_law, print_provision
    from ingestion.incremental.base import IndexBase
    from language.languages import language
    from services.search.reference import ProvisionRequest, Reference

    settings, knowledge = read_configuration(index, profile)
    base, today, text = IndexBase(settings, knowledge), date.today(), read_question(provision)
    named = find_documents(base, text)
    if documents := [document for law_id in named if (document := asyncio.run(_document(base, law_id)))]:
        if as_json:
            print_json({"asked": text, "documents": documents})
        for document in [] if as_json else documents:
            print_document(console(), document)
        return
    named, key = (named, "") if named else find_provision(base, text)
    if named:
        # What was cut by articles: it goes by its own names, as laws go by theirs.
        reference = Reference(tuple(ProvisionRequest(law_id, key) for law_id in named), as_of or settings.as_of)
    else:
        default_law, spanish_law = knowledge.default_law, knowledge.features.spanish_law
        reference = _reference(base, text, default_law, today, as_of or settings.as_of, spanish_law=spanish_law)
    provisions, laws, missing = asyncio.run(_look_up(base, reference, today))
    if as_json:
        day = reference.day.isoformat() if reference.day else None
        indexed = [asdict(law) for law in laws]
        print_json({"asked": text, "as_of": day, "provisions": provisions, "laws": indexed, "missing": missing})
    else:
        out, profile_language = console(), language(knowledge.language)
        for position, detail in enumerate(provisions):
            out.print("\n" * bool(position), end="")
            print_provision(out, detail, today, profile_language)
        for law in laws:
            print_law(out, law, profile_language)
    for message in missing:
        complain(message)
    if missing:
        raise typer.Exit(FAILED)


def _reference(
    base: "IndexBase", text: str, default_law: str, today: date, as_of: date | None, *, spanish_law: bool
) -> "Reference":
    """Read a reference; what is none is told with what there is.

    Raises:
        InvalidInput: it names neither a provision nor a law, nor any document of the index.
    """
    from ingestion.incremental.indexed_laws import indexed_laws, named_documents
    from legal.laws.indexed import IndexedLaws
    from services.search.reference import read_reference

    try:
        laws_of_index = IndexedLaws(lambda: indexed_laws(base))
        return read_reference(text, default_law, today, as_of, spanish_law=spanish_law, indexed=laws_of_index)
    except InvalidInput as error:
        documents = named_documents(base)
        raise InvalidInput(f"{error} {documents}".strip()) from error


async def _document(base: "IndexBase", document_id: str) -> "DocumentDetail | None":
    from cli.session import opened_services
    from cli.show.document import document_detail

    async with opened_services(base.settings, base.profile) as services:
        return await document_detail(services.store, document_id)


async def _look_up(
    base: "IndexBase", reference: "Reference", today: date
) -> tuple[list["ProvisionDetail"], list["IndexedLaw"], list[str]]:
    """Return the provisions and laws that are there, and why the others are not."""
    from cli.session import opened_services
    from ingestion.incremental.indexed_laws import indexed_law, why_missing
    from services.search.provision_detail import provision_detail

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
