"""Command ``articulado calculate``: work out an amount or a last day, with each step and its provision."""

import asyncio
import re
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from articulado.answering.footnotes import named
from articulado.calculations.deadlines import calendar_event
from articulado.calculations.engine import calculate as work_out_with
from articulado.calculations.fields import FIELDS
from articulado.calculations.question import QuestionReader, Request, work_out
from articulado.calculations.question_model import packaged_questions
from articulado.calculations.values import Missing, Outcome, Refused, Result, Wanted
from articulado.calculations.wordings import CALCULATIONS, compare_wordings, confirm, listed
from articulado.calculations.written import Worked, as_document, cited
from articulado.config.settings import Settings
from articulado.encoders.dual import packaged_encoder
from articulado.encoders.sentences import sentence_encoder
from articulado.language.folding import fold
from articulado.language.languages import Language, language
from articulado.language.translation import translate
from articulado.legal.dates.forms import read_day
from articulado.values.errors import ArticuladoError, IndexMissing, InvalidInput
from cli.options import IndexFolder, Json, a_date
from cli.render import console, notice, print_indented, print_json

SPANISH = language("es")


def calculate(
    kind: Annotated[str, typer.Argument(metavar="CÁLCULO", help="Qué se calcula; «--list» los enumera.")] = "",
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", metavar="DATO=VALOR", help="Un dato; se repite. Fechas como 2026-02-28."),
    ] = None,
    show_list: Annotated[
        bool, typer.Option("--list", metavar="", help="Enumera los cálculos y los datos de cada uno.")
    ] = False,
    ics: Annotated[
        Path | None,
        typer.Option("--ics", metavar="FICHERO", help="Guarda el último día de un plazo como cita de calendario."),
    ] = None,
    question: Annotated[
        str, typer.Option("--question", metavar="PREGUNTA", help="Lee el cálculo y los datos de una pregunta.")
    ] = "",
    law_day: Annotated[
        date | None,
        typer.Option(
            "--date",
            "--as-of",
            metavar="FECHA",
            parser=a_date,
            help="Ley de ese día (AAAA-MM-DD), y no la del día del hecho.",
        ),
    ] = None,
    index: IndexFolder = None,
    as_json: Json = False,
) -> None:
    """Calcula una cantidad o un plazo paso a paso, con el precepto de cada paso."""
    if show_list or not (kind or question):
        _list(as_json)
        return
    reader = _reader() if question.strip() else None
    worked = work_out(reader, kind, _inputs(inputs or []), question, date.today(), law_day)
    if worked.calculation:
        worked = replace(worked, outcome=asyncio.run(_confirmed(worked.outcome, index)))
    if ics and isinstance(worked.outcome, Result):
        try:
            ics.write_text(calendar_event(worked), encoding="utf-8", newline="")
        except OSError as error:
            raise InvalidInput(translate("calculation.not_written", file=ics, reason=error.strerror)) from error
    if as_json:
        print_json(worked.document)
    else:
        _print(console(), worked.document)
    if ics and not isinstance(worked.outcome, Result):
        raise InvalidInput(translate("calculation.no_result", file=ics))


Read = Callable[[], str]


def calculate_at_prompt(
    out: Console,
    spoken: Language,
    index: Path | None,
    wait: Callable[[Coroutine[Any, Any, Outcome]], Outcome],
    asked: str,
    read: Read,
    law_day: date | None,
) -> None:
    """List the calculations, or ask for the missing data of ``asked`` (a number, a kind, or the case in words)."""
    kinds = list(CALCULATIONS)
    if not asked:
        out.print(spoken.translate("chat_calculations"), markup=False)
        for number, kind in enumerate(kinds, start=1):
            print_indented(out, f"{number:>2}. {CALCULATIONS[kind].title}", indent=2, hang=4)
        return
    if asked.isdecimal() and 1 <= int(asked) <= len(kinds):
        asked = kinds[int(asked) - 1]
    words = _words(asked)
    titled = [kind for kind in kinds if words <= _words(CALCULATIONS[kind].title)]
    titled = [kind for kind in titled if words == _words(CALCULATIONS[kind].title)] or titled
    if asked in CALCULATIONS or len(titled) == 1:
        request: Request | None = Request(asked if asked in CALCULATIONS else titled[0], {}, 1.0)
    else:
        request = None if titled else _reader().asked(asked, today=date.today())
    if request is None:
        key = "chat_calculations" if titled else "chat_no_calculation"
        out.print(spoken.translate(key, asked=asked), markup=False)
        for kind in titled:
            print_indented(out, f"{kinds.index(kind) + 1:>2}. {CALCULATIONS[kind].title}", indent=2, hang=4)
        return
    calculation = CALCULATIONS[request.kind]
    given, outcome = dict(request.inputs), request.outcome(law_day)
    print_indented(out, calculation.title, indent=0, style="bold")
    out.print(spoken.translate("chat_blank_leaves"), style="dim")
    while wanted := _wanted(outcome):
        if isinstance(outcome, Refused):
            print_indented(out, outcome.reason, indent=0, style="yellow")
            given.pop(wanted.field, None)
        choices = FIELDS[wanted.field].choices
        print_indented(out, " ".join((wanted.question, *(f"({choice})" for choice in choices))), indent=0, hang=2)
        reply = read().strip()
        if not reply:
            return
        # Kept as a day: "ayer" would be another one tomorrow.
        day = read_day(reply, date.today()) if FIELDS[wanted.field].type == "date" else None
        given[wanted.field] = day.isoformat() if day else reply
        outcome = work_out_with(calculation, given, law_day)
    _print(out, as_document(calculation, given, wait(_confirmed(outcome, index)), request.read))


def _words(title: str) -> set[str]:
    return set(re.findall(r"\w+", fold(title)))


def _wanted(outcome: Outcome) -> Wanted | None:
    if isinstance(outcome, Missing):
        return next((wanted for wanted in outcome.fields if wanted.field), None)
    if isinstance(outcome, Refused) and outcome.field in FIELDS:
        return FIELDS[outcome.field].wanted()
    return None


def _reader() -> QuestionReader:
    return QuestionReader(packaged_questions(), packaged_encoder(), sentence_encoder(Settings.read()))


async def _confirmed(outcome: Outcome, folder: Path | None) -> Outcome:
    """Compare the wordings behind an outcome with the law in the index, if there is one; no model is loaded."""
    from articulado.store.opening import open_served

    today = date.today()
    try:
        settings = Settings.read(index=folder)
        _, store = await asyncio.to_thread(open_served, settings)
    except ArticuladoError as error:
        if folder:
            raise
        reported = compare_wordings(outcome, {}, today)
        if isinstance(error, IndexMissing) or not isinstance(reported, Result):
            return reported
        return replace(reported, warnings=(*reported.warnings, translate("calculation.unreadable", error=error)))
    try:
        return await confirm(outcome, store, today)
    finally:
        await store.close()


def _inputs(pairs: list[str]) -> dict[str, object]:
    given: dict[str, object] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name.strip():
            raise InvalidInput(translate("calculation.no_datum", pair=pair))
        given[name.strip()] = value.strip()
    return given


def _list(as_json: bool) -> None:
    if as_json:
        print_json([listed(each) for each in CALCULATIONS.values()])
        return
    for each in CALCULATIONS.values():
        typer.echo(f"{each.kind}: {each.title}")
        for name in each.fields:
            typer.echo(f"  {name}: {FIELDS[name].label}")


def _print(out: Console, worked: Worked) -> None:
    if worked["understood"]:
        print_indented(out, f"{worked['understood']}\n", indent=0)
    match worked["status"]:
        case "missing":
            print_indented(out, f"{worked['text']}\n\nPara calcularlo me falta:", indent=0)
            for each in worked["missing"]:
                name = f" ({each['field']})" if each["field"] else ""
                print_indented(out, f"- {each['question']}{name} {each['why']}", indent=0, hang=2)
            out.print("\nCada dato se da con su nombre, por ejemplo: --input start=2019-03-01", markup=False)
        case "result":
            print_indented(out, worked["text"], indent=0, style="bold")
            out.print()
            for place, step in enumerate(worked["steps"], start=1):
                print_indented(out, f"{place}. {step['text']} ({cited(step['provision'])})", indent=0, hang=3)
            out.print()
            for note in worked["notes"]:
                print_indented(out, note, indent=0, hang=2)
        case _:
            print_indented(out, worked["reason"], indent=0)
    applied = {worked["provision"], *(step["provision"] for step in worked["steps"])}
    provisions = [each for each in worked["provisions"] if each["provision"] in applied]
    if provisions:
        out.print(f"\n{SPANISH.translate('view_sources')}", style="bold", markup=False)
    for provision in provisions:
        print_indented(out, named(provision["law"], provision["label"], ""), indent=2)
        print_indented(out, provision["url"], indent=4, style="cyan")
    out.print(f"\n{notice(SPANISH, law=True)}", style="dim", markup=False)
