"""``articulado check``: the provisions, quotations and figures of a brief, against the law of its day."""

import asyncio
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from articulado.language.translation import translate
from articulado.values.errors import IndexMissing, InvalidInput
from cli.check.view import print_report
from cli.failures import FAILED
from cli.options import IndexFolder, Json, ProfileOption, a_date, read_configuration
from cli.render import console, print_json
from cli.session import announce_first_index

if TYPE_CHECKING:
    from articulado.config.profile import Profile as KnowledgeProfile
    from articulado.config.settings import Settings
    from articulado.verification.briefs.passages import BriefParagraph, BriefReport

Brief = Annotated[
    Path, typer.Argument(metavar="ESCRITO", help="Demanda, recurso, informe…: PDF, DOCX, Markdown o texto (.txt).")
]
Day = Annotated[
    date | None,
    typer.Option(
        "--date", metavar="FECHA", parser=a_date, help="Fecha del escrito (AAAA-MM-DD). Sin ella, la que lleve, u hoy."
    ),
]
WordOut = Annotated[
    Path | None,
    typer.Option("--docx", metavar="SALIDA.docx", help="Escribe el escrito en Word con comentarios en los hallazgos."),
]


def check(
    brief: Brief,
    index: IndexFolder = None,
    profile: ProfileOption = None,
    day: Day = None,
    docx: WordOut = None,
    as_json: Json = False,
) -> None:
    """Check the citations of a brief and print the report."""
    from cli.check.annotated import write_annotated

    _check_output(brief, docx)
    settings, knowledge = read_configuration(index, profile)
    paragraphs = asyncio.run(_read(brief.absolute(), settings))
    report = asyncio.run(_check(paragraphs, settings, knowledge, day))
    if not (report["paragraphs"] or report["rulings"]):
        raise InvalidInput(translate("brief.no_citations", file=brief))
    if docx:
        write_annotated(brief, docx, paragraphs, report)
    if as_json:
        print_json({"brief": str(brief), **report})
    else:
        print_report(console(), report)
    if not report["ok"]:
        raise typer.Exit(FAILED)


def _check_output(brief: Path, docx: Path | None) -> None:
    if docx and docx.suffix.lower() != ".docx":
        raise InvalidInput(translate("brief.not_docx", file=docx))
    if docx and docx.exists() and brief.exists() and docx.samefile(brief):
        raise InvalidInput(translate("brief.same_file", file=brief))


async def _read(brief: Path, settings: "Settings") -> "tuple[BriefParagraph, ...]":
    """Read a brief in a process with limits."""
    from articulado.ingestion.files.brief import read_brief
    from articulado.ingestion.worker import workers

    return await workers(settings.read_limits).call(read_brief, brief)


async def _check(
    paragraphs: "tuple[BriefParagraph, ...]", settings: "Settings", knowledge: "KnowledgeProfile", day: date | None
) -> "BriefReport":
    from articulado.ingestion.incremental.base import IndexBase
    from articulado.ingestion.incremental.indexed_laws import indexed_law
    from articulado.verification.briefs.checker import check_brief, cited_laws
    from graph.compose import open_services

    try:
        services = await open_services(settings, knowledge, announce=announce_first_index)
    except IndexMissing as error:  # Status 1 tells of findings.
        raise InvalidInput(str(error)) from error
    try:
        base = IndexBase(settings, knowledge)
        held = {law_id: indexed_law(base, law_id) for law_id in cited_laws(paragraphs)}
        official = [law_id for law_id, law in held.items() if law and law.official]
        return await check_brief(paragraphs, services.store, official, date.today(), day)
    finally:
        await services.close()
