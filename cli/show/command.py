"""``articulado show``: a provision as the index holds it, with its wordings and links; or a document whole."""

import asyncio
import re
from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from articulado.legal.labels import cited_as
from articulado.values.errors import InvalidInput, NoResultsFound
from cli.failures import FAILED, complain, failure_beside
from cli.options import AsOf, IndexFolder, Json, ProfileOption, read_configuration, read_question
from cli.render import console, print_json
from cli.session import opened_services

if TYPE_CHECKING:
    from collections.abc import Sequence

    from articulado.ingestion.incremental.base import IndexBase
    from articulado.ingestion.incremental.indexed_laws import IndexedLaw
    from articulado.retrieval.references import ProvisionDetail, Reference
    from articulado.values.chunks import ProvisionRef
    from cli.show.document import DocumentDetail

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
    from cli.show.document import find_documents, print_document
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
    """Read what names provisions or a law; what does not is told with what there is.

    Raises:
        InvalidInput: it names neither a provision nor a law, nor any document of the index.
    """
    from articulado.ingestion.incremental.indexed_laws import indexed_laws, named_documents
    from articulado.legal.laws.indexed import IndexedLaws
    from articulado.retrieval.references import read_reference
    from cli.show.document import find_provision

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
    from articulado.retrieval.references import ProvisionRequest, Reference

    return Reference(tuple(ProvisionRequest(*ref) for ref in refs), day)


async def _decisions(base: "IndexBase", text: str) -> "tuple[list[ProvisionRef], list[str]]":
    """Return the decisions of which a text has the numbers and nothing else, and what to say of those missing."""
    from articulado.legal.domain.spanish_law import topic_of
    from articulado.retrieval.named import decisions_missing, decisions_named, look_up_decisions
    from articulado.values.chunks import provision_of

    decisions = decisions_named(text)
    if not decisions or topic_of(text):
        return [], []
    async with opened_services(base.settings, base.profile) as services:
        found = await look_up_decisions(decisions, services.store)
    return list(dict.fromkeys(provision_of(one["chunk"]) for one in found)), decisions_missing(decisions, found)


def _example(base: "IndexBase", law: "IndexedLaw", text: str, today: date) -> str:
    """Return what asks for the first provision of a law: by the name that was typed, where it is understood so.

    Empty where the provisions of the law are not known.
    """
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
    from cli.show.document import document_detail

    async with opened_services(base.settings, base.profile) as services:
        return await document_detail(services.store, document_id)


async def _look_up(
    base: "IndexBase", reference: "Reference", today: date
) -> tuple[list["ProvisionDetail"], list["IndexedLaw"], list[str]]:
    """Return the provisions and laws that are there, and why the others are not."""
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
