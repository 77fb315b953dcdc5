"""``articulado show``: a provision as the index holds it, with its wordings and links; or a document whole."""

import asyncio
from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from cli.failures import FAILED, complain
from cli.options import AsOf, IndexFolder, Json, Profile, read_configuration, read_question
from state.errors import NoResultsFound

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
    from cli.show.document import find_document, print_document
    from cli.show.view import print_law, print_provision
    from ingestion.incremental.base import IndexBase
    from language.languages import language
    from services.search.reference import read_reference

    settings, knowledge = read_configuration(index, profile)
    base, today, text = IndexBase(settings, knowledge), date.today(), read_question(provision)
    document_id = find_document(base, text)
    if document_id and (document := asyncio.run(_document(base, document_id))):
        if as_json:
            print_json({"asked": text, "documents": [document]})
        else:
            print_document(console(), document)
        return
    default_law, spanish_law = knowledge.default_law, knowledge.features.spanish_law
    reference = read_reference(text, default_law, today, as_of or settings.as_of, spanish_law=spanish_law)
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
