"""Command ``articulado check``: check the citations of a brief against the law of its day."""

import asyncio
from collections.abc import Sequence
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from articulado.config.extras import importing
from articulado.ingestion.files.formats.word_text import W, WordText, open_docx, paragraphs_of
from articulado.language.formats import long_day
from articulado.language.translation import reason, translate
from articulado.values.errors import IndexMissing, InvalidInput
from articulado.values.findings import Finding
from articulado.verification.briefs.passages import (
    BriefCitation,
    BriefParagraph,
    BriefReport,
    CheckedParagraph,
    DayOrigin,
)
from cli.failures import FAILED
from cli.options import IndexFolder, Json, ProfileOption, a_date, read_configuration
from cli.render import clean, console, print_indented, print_json, print_warnings
from cli.session import announce_first_index

if TYPE_CHECKING:
    from docx.document import Document

    from articulado.config.profile import Profile as KnowledgeProfile
    from articulado.config.settings import Settings
    from articulado.ingestion.files.reader import BriefText


AUTHOR = "articulado"
INITIALS = "ar"


def write_annotated(brief: Path, out: Path, paragraphs: Sequence[BriefParagraph], report: BriefReport) -> None:
    """Write a Word document with the findings as comments: a copy of a Word brief, or the paragraphs of another."""
    is_word = brief.suffix.lower() == ".docx"
    document = open_docx(brief, brief.read_bytes()) if is_word else _document_of(paragraphs)
    elements, reader = paragraphs_of(document), WordText(document, has_marks=False)
    for checked in report["paragraphs"]:
        # From the last one on: what is cut into runs before an offset would move it.
        for finding in reversed(checked["findings"]):
            _comment(document, reader, elements[checked["place"]], checked, finding)
    try:
        document.save(str(out))
    except OSError as error:
        raise InvalidInput(translate("brief.not_writable", file=out, reason=reason(error))) from error


def _document_of(paragraphs: Sequence[BriefParagraph]) -> "Document":
    with importing("documents"):
        import docx

    document = docx.Document()
    for paragraph in paragraphs:
        document.add_paragraph("".join(c for c in paragraph.text if c in "\t\n" or c >= " "))
    return document


def _comment(document: "Document", reader: WordText, element: Any, checked: CheckedParagraph, finding: Finding) -> None:
    """Comment on the text of a finding, or on the whole paragraph if the text is in a footnote."""
    from docx.text.run import Run

    text = "".join(own for _, own in reader.runs(element))
    inside = text == checked["text"]
    start, end = (finding["start"], finding["end"]) if inside else (0, len(text))
    _split(reader, element, end)
    _split(reader, element, start)
    runs, offset = [], 0
    for run, own in reader.runs(element):
        if run.tag == W + "r" and own and start <= offset and offset + len(own) <= end:
            runs.append(run)
        offset += len(own)
    runs = runs or [run for run, _ in reader.runs(element) if run.tag == W + "r"][:1]
    if runs:
        paragraph: Any = element
        said = f"{finding['message']}\n{finding['evidence']}" if finding["evidence"] else finding["message"]
        ends = [Run(runs[0], paragraph), Run(runs[-1], paragraph)]
        document.add_comment(ends, text=said, author=AUTHOR, initials=INITIALS)


def _split(reader: WordText, element: Any, offset: int) -> None:
    before = 0
    for run, own in reader.runs(element):
        if before < offset < before + len(own):
            texts = [child.text for child in run if child.tag == W + "t"]
            if texts != [own] or any(child.tag not in (W + "t", W + "rPr") for child in run):
                return
            after = deepcopy(run)
            run.addnext(after)
            _write(run, own[: offset - before])
            _write(after, own[offset - before :])
            return
        before += len(own)


def _write(run: Any, text: str) -> None:
    for child in run:
        if child.tag == W + "t":
            child.text = text
            child.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


_ORIGINS: dict[DayOrigin, str] = {
    "option": "la indicada con --date",
    "brief": "la que lleva el escrito",
    "today": "hoy: el escrito no lleva fecha",
}
_CHECKS = {"citation": "Cita", "quotation": "Texto citado", "figure": "Cifra"}

_UNSURE = "No consta con seguridad cuál era entonces la redacción: compruébela en el BOE."

_LONGEST = 500

_LINE = 140


def print_report(out: Console, name: str, report: BriefReport) -> None:
    """Print the findings by paragraph, then the citations by outcome."""
    heading = f"{name} – {report['title']}" if report["title"] and report["title"] != name else name
    out.print(clean(heading), style="bold", markup=False)
    day = long_day(date.fromisoformat(report["day"]).isoformat())
    out.print(f"Derecho vigente el {day} ({_ORIGINS[report['day_origin']]}).", style="dim", markup=False)
    faulty = [paragraph for paragraph in report["paragraphs"] if paragraph["findings"]]
    for paragraph in faulty:
        _print_paragraph(out, paragraph)
    found = sum(len(paragraph["findings"]) for paragraph in faulty)
    out.print()
    counts = report["counts"]
    untold = counts["not_found"] + counts["unchecked"]
    if found:
        out.print("1 hallazgo." if found == 1 else f"{found} hallazgos.", style="bold red", markup=False)
    elif untold:
        out.print(translate("brief.nothing_in_checked", untold=untold), style="bold yellow", markup=False)
    elif report["incomplete"]:
        out.print(translate("brief.nothing_in_read"), style="bold yellow", markup=False)
    else:
        out.print("Nada que objetar.", style="bold green", markup=False)
    existing = translate("brief.existing", existing=counts["existing"]) if counts["existing"] else ""
    out.print(translate("brief.counts", **{**counts, "existing": existing}), markup=False)
    _print_outcomes(out, report)
    print_warnings(out, report["warnings"])


def _print_paragraph(out: Console, paragraph: CheckedParagraph) -> None:
    page = f"Página {paragraph['page']}, párrafo" if paragraph["page"] else "Párrafo"
    out.print(f"\n{page} {paragraph['number']}", style="bold", markup=False)
    for finding in paragraph["findings"]:
        print_indented(out, f"{_CHECKS.get(finding['check'], 'Aviso')}: {_short(finding['where'])}", indent=2)
        print_indented(out, finding["message"], indent=4, style="red")
        if finding["severity"] == "warning":
            print_indented(out, _UNSURE, indent=4, style="yellow")
        if finding["evidence"]:
            print_indented(out, f"La ley dice: «{_short(finding['evidence'])}»", indent=4, style="green")


def _print_outcomes(out: Console, report: BriefReport) -> None:
    cited = [citation for paragraph in report["paragraphs"] for citation in paragraph["citations"]]
    rulings = report["rulings"]
    _print_list(out, "brief.by_text", [_line(each) for each in cited if each["basis"] == "text"])
    _print_list(out, "brief.by_existence", [_line(each) for each in cited if each["basis"] == "existence"])
    _print_list(out, "brief.ended", [_line(each) for each in cited if each["basis"] == "ended"])
    confirmed = [
        f"{each['name']}, de {long_day(each['date'])}: {each['title']}. {_short(each['text'], _LINE)}"
        for each in rulings
        if each["status"] == "confirmed"
    ]
    _print_list(out, "brief.rulings_confirmed", confirmed)
    absent = [f"{each['where']}. {each['message']}".rstrip() for each in rulings if each["status"] == "not_found"]
    _print_list(out, "brief.not_found", absent)
    places = [f"Párrafo {each['paragraph']}: {', '.join(each['marks'])}" for each in report["incomplete"]]
    _print_list(out, "brief.incomplete", places)
    unsure = [
        each for each in cited if each["outcome"] == "unchecked" and each["wording"] == "unknown" and each["text"]
    ]
    _print_list(out, "brief.unsure", [_line(each) for each in unsure])
    _print_list(out, "brief.without_wording", report["without_wording"])
    _print_list(out, "brief.unchecked", report["unchecked"])


def _line(citation: BriefCitation) -> str:
    text = " ".join(citation["text"].split())
    return f"{citation['where']} ({citation['law']}): «{_short(text, _LINE)}»"


def _print_list(out: Console, heading: str, lines: Sequence[str]) -> None:
    if lines:
        out.print(f"\n{translate(heading)}", style="dim", markup=False)
        for line in dict.fromkeys(lines):
            print_indented(out, clean(line), indent=2, style="dim")


def _short(text: str, longest: int = _LONGEST) -> str:
    plain = clean(" ".join(text.split()))
    return plain if len(plain) <= longest else f"{plain[:longest].rpartition(' ')[0]}…"


Brief = Annotated[
    Path, typer.Argument(metavar="ESCRITO", help="Demanda, recurso, informe…: PDF, DOCX, ODT, HTML, Markdown o texto.")
]
Day = Annotated[
    date | None,
    typer.Option(
        "--date",
        "--as-of",
        metavar="FECHA",
        parser=a_date,
        help="Fecha del escrito (AAAA-MM-DD). Sin ella, la que lleve, u hoy.",
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
    _check_output(brief, docx)
    settings, knowledge = read_configuration(index, profile)
    text = asyncio.run(_read(brief.absolute(), settings))
    report = asyncio.run(_check(brief, text, settings, knowledge, day))
    if docx:
        write_annotated(brief, docx, text.paragraphs, report)
    if as_json:
        print_json(report)
    else:
        print_report(console(), brief.name, report)
    if not report["ok"]:
        raise typer.Exit(FAILED)


def _check_output(brief: Path, docx: Path | None) -> None:
    if docx and docx.suffix.lower() != ".docx":
        raise InvalidInput(translate("brief.not_docx", file=docx))
    if docx and docx.exists() and brief.exists() and docx.samefile(brief):
        raise InvalidInput(translate("brief.same_file", file=brief))


async def _read(brief: Path, settings: "Settings") -> "BriefText":
    from articulado.ingestion.files.reader import read_brief
    from articulado.ingestion.worker import workers

    return await workers(settings.read_limits).call(read_brief, brief)


async def _check(
    brief: Path, text: "BriefText", settings: "Settings", knowledge: "KnowledgeProfile", day: date | None
) -> "BriefReport":
    from graph.compose import open_services
    from graph.open_graphs import OpenGraphs
    from server.lookup.law import LawDesk

    try:
        services = await open_services(settings, knowledge, announce=announce_first_index)
    except IndexMissing as error:  # Status 1 tells of findings.
        raise InvalidInput(str(error)) from error
    try:
        return await LawDesk(OpenGraphs.over(services, portable=False)).check_text(str(brief), text, day)
    finally:
        await services.close()
