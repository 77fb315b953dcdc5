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
    from cli.show.document import ShownDocument
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
    from cli.show.document import document_named, print_document
    from cli.show.view import print_held, print_shown
    from ingestion.incremental.base import IndexBase
    from language.languages import language
    from services.search.reference import read_reference

    settings, knowledge = read_configuration(index, profile)
    base, today, text = IndexBase(settings, knowledge), date.today(), read_question(provision)
    named = document_named(base, text)
    if named and (document := asyncio.run(_document(base, named))):
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
        held = [asdict(law) for law in laws]
        print_json({"asked": text, "as_of": day, "provisions": provisions, "laws": held, "missing": missing})
    else:
        out, spoken = console(), language(knowledge.language)
        for number, found in enumerate(provisions):
            out.print("\n" * bool(number), end="")
            print_shown(out, found, today, spoken)
        for law in laws:
            print_held(out, law, spoken)
    for message in missing:
        complain(message)
    if missing:
        raise typer.Exit(FAILED)


async def _document(base: "IndexBase", named: str) -> "ShownDocument | None":
    from cli.session import opened
    from cli.show.document import shown_document

    async with opened(base.settings, base.profile) as services:
        return await shown_document(services.store, named)


async def _look_up(
    base: "IndexBase", reference: "Reference", today: date
) -> tuple[list["ProvisionDetail"], list["IndexedLaw"], list[str]]:
    """Return the provisions and laws that are there, and why the others are not."""
    from cli.session import opened
    from ingestion.incremental.indexed_laws import held, why_missing
    from services.search.provision_detail import provision_detail

    provisions: list[ProvisionDetail] = []
    laws: list[IndexedLaw] = []
    missing: list[str] = []
    async with opened(base.settings, base.profile) as services:
        for asked in reference.provisions:
            try:
                provision = (
                    await provision_detail(services.store, asked, reference.day, today) if asked.provision_key else None
                )
            except NoResultsFound as error:
                missing.append(str(error))
                continue
            law = None if asked.provision_key else held(base, asked.law_id)
            if provision:
                provisions.append(provision)
            elif law:
                laws.append(law)
            else:
                missing.append(why_missing(base, asked))
    return provisions, laws, missing
