"""Command ``articulado calculate``: work out an amount, with each step and the provision that it follows."""

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console

from articulado.calculations.compensation import CALCULATIONS
from articulado.calculations.engine import calculate as work_out
from articulado.calculations.fields import FIELDS
from articulado.calculations.values import Missing, NotEntitled, Outcome, Refused, Result, Value, plain, written_value
from articulado.language.languages import language
from articulado.language.translation import translate
from articulado.legal.labels import provision_url
from articulado.legal.laws.registry import known_laws
from articulado.values.errors import InvalidInput
from cli.names import named
from cli.options import Json
from cli.render import console, notice, print_indented, print_json

SPANISH = language("es")
"""Language of the steps."""

_STATUS = {Result: "result", Missing: "missing", NotEntitled: "not_entitled", Refused: "none"}


def calculate(
    kind: Annotated[str, typer.Argument(metavar="CÁLCULO", help="Qué se calcula; «--list» los enumera.")] = "",
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", metavar="DATO=VALOR", help="Un dato; se repite. Fechas como 2026-02-28."),
    ] = None,
    show_list: Annotated[
        bool, typer.Option("--list", metavar="", help="Enumera los cálculos y los datos de cada uno.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Calcula una cantidad paso a paso, con el precepto de cada paso."""
    if show_list or not kind:
        _list(as_json)
        return
    if kind not in CALCULATIONS:
        raise InvalidInput(translate("calculation.unknown", kind=kind))
    given = _inputs(inputs or [])
    outcome = work_out(CALCULATIONS[kind], given)
    if as_json:
        print_json(as_document(kind, given, outcome))
        return
    _print(console(), outcome)


def _inputs(pairs: list[str]) -> dict[str, object]:
    """Return the inputs by their names.

    Raises:
        InvalidInput: one of them is not of the form NAME=VALUE.
    """
    given: dict[str, object] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name.strip():
            raise InvalidInput(translate("calculation.no_datum", pair=pair))
        given[name.strip()] = value.strip()
    return given


def _list(as_json: bool) -> None:
    if as_json:
        print_json(
            [
                {
                    "calculation": each.kind,
                    "title": each.title,
                    "inputs": {name: FIELDS[name].json_schema() for name in each.fields},
                }
                for each in CALCULATIONS.values()
            ]
        )
        return
    for each in CALCULATIONS.values():
        typer.echo(f"{each.kind}: {each.title}")
        for name in each.fields:
            typer.echo(f"  {name}: {FIELDS[name].label}")


def as_document(kind: str, inputs: dict[str, object], outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as JSON has it, with every key in each; amounts and days are strings."""
    result = outcome if isinstance(outcome, Result) else None
    missing = outcome if isinstance(outcome, Missing) else None
    steps = outcome.steps if isinstance(outcome, Result | NotEntitled) else ()
    return {
        "calculation": kind,
        "status": _STATUS[type(outcome)],
        "inputs": inputs,
        "text": result.lead if result else missing.rule if missing else "",
        "reason": outcome.reason if isinstance(outcome, NotEntitled | Refused) else "",
        "provision": "" if isinstance(outcome, Result) else outcome.provision,
        "values": [_value(each) for each in result.values] if result else [],
        "steps": [asdict(each) | {"value": plain(each.value)} for each in steps],
        "not_applied": [asdict(each) for each in result.not_applied] if result else [],
        "assumptions": list(result.assumptions) if result else [],
        "warnings": list(result.warnings) if result else [],
        "missing": [asdict(each) for each in missing.fields] if missing else [],
        "alternatives": [{"rule": each.rule, **_value(each.value)} for each in result.alternatives] if result else [],
        "sensitive": result.sensitive if result else "",
    }


def _value(value: Value) -> dict[str, Any]:
    return {"name": value.name, "value": plain(value.value), "unit": value.unit}


def _print(out: Console, outcome: Outcome) -> None:
    """Print an outcome: its result or what it lacks first, the pages of its provisions last."""
    match outcome:
        case Missing():
            print_indented(out, f"{outcome.rule}\n\nPara calcularlo me falta:", indent=0)
            for each in outcome.fields:
                print_indented(out, f"- {each.question} ({each.field}) {each.why}", indent=0, hang=2)
            out.print("\nCada dato se da con su nombre, por ejemplo: --input start=2019-03-01", markup=False)
        case NotEntitled() | Refused():
            print_indented(out, outcome.reason, indent=0)
        case Result():
            print_indented(out, outcome.lead, indent=0, style="bold")
            out.print()
            for place, step in enumerate(outcome.steps, start=1):
                print_indented(out, f"{place}. {step.text} ({_cited(step.provision)})", indent=0, hang=3)
            out.print()
            for note in _notes(outcome):
                print_indented(out, note, indent=0, hang=2)
    steps = outcome.steps if isinstance(outcome, Result | NotEntitled) else ()
    provisions = dict.fromkeys(each.provision for each in steps)
    if not isinstance(outcome, Result) and outcome.provision:
        provisions |= {outcome.provision: None}
    if provisions:
        out.print(f"\n{SPANISH.translate('view_sources')}", style="bold", markup=False)
    for provision in provisions:
        law_id, label = _parts(provision)
        print_indented(out, named(known_laws()[law_id].short, label, ""), indent=2)
        print_indented(out, provision_url(law_id, label), indent=4, style="cyan")
    out.print(f"\n{notice(SPANISH, law=True)}", style="dim", markup=False)


def _notes(result: Result) -> list[str]:
    others = [
        f"Otra lectura, {each.rule}: {written_value(each.value.value, each.value.unit)}."
        for each in result.alternatives
    ]
    authorities = dict.fromkeys(each.authority for each in result.steps if each.authority)
    return [
        *others,
        *(f"Se supone: {each}" for each in result.assumptions),
        *(f"Criterio: {each}." for each in authorities),
        *(f"Aviso: {each}" for each in result.warnings),
        *([result.sensitive] if result.sensitive else []),
    ]


def _cited(provision: str) -> str:
    law_id, label = _parts(provision)
    return f"{label[0].lower()}{label[1:]} {known_laws()[law_id].abbreviation}"


def _parts(provision: str) -> tuple[str, str]:
    """Return the law and the label of a provision ("BOE-A-2015-11430#Artículo 53")."""
    law_id, _, label = provision.partition("#")
    return law_id, label
