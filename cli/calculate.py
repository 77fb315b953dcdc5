"""Command ``articulado calculate``: work out an amount, with each step and the provision that it follows."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from articulado.calculations.compensation import CALCULATIONS
from articulado.calculations.engine import calculate as work_out
from articulado.calculations.fields import FIELDS
from articulado.calculations.values import Missing, NotEntitled, Outcome, Refused, Result, Value, plain, written_value
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from cli.options import Json
from cli.render import print_json

_STATUS = {Result: "result", Missing: "missing", NotEntitled: "not_entitled", Refused: "none"}


def calculate(
    kind: Annotated[str, typer.Argument(metavar="CÁLCULO", help="Qué se calcula; «--list» los enumera.")] = "",
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", metavar="DATO=VALOR", help="Un dato; se repite. Fechas como 2026-02-28."),
    ] = None,
    show_list: Annotated[bool, typer.Option("--list", help="Enumera los cálculos y los datos de cada uno.")] = False,
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
    for line in _lines(outcome):
        typer.echo(line)


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
        typer.echo(f"{each.kind}\n  {each.title}\n  Datos: {', '.join(each.fields)}")


def as_document(kind: str, inputs: dict[str, object], outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as JSON has it; amounts and days are strings."""
    document: dict[str, Any] = {"calculation": kind, "status": _STATUS[type(outcome)], "inputs": inputs}
    if isinstance(outcome, Result):
        return document | {
            "text": outcome.lead,
            "values": [_value(each) for each in outcome.values],
            "steps": [asdict(each) | {"value": plain(each.value)} for each in outcome.steps],
            "not_applied": [asdict(each) for each in outcome.not_applied],
            "assumptions": list(outcome.assumptions),
            "warnings": list(outcome.warnings),
            "missing": [],
            "alternatives": [{"rule": each.rule, **_value(each.value)} for each in outcome.alternatives],
            "sensitive": outcome.sensitive,
        }
    if isinstance(outcome, Missing):
        return document | {
            "missing": [asdict(each) for each in outcome.fields],
            "rule": outcome.rule,
            "provision": outcome.provision,
        }
    return document | {"reason": outcome.reason, "provision": outcome.provision}


def _value(value: Value) -> dict[str, Any]:
    return {"name": value.name, "value": plain(value.value), "unit": value.unit}


def _lines(outcome: Outcome) -> list[str]:
    match outcome:
        case Missing():
            asked = [line for each in outcome.fields for line in (f"- {each.question}", f"  {each.why}")]
            return [outcome.rule, "", "Para calcularlo me falta:", *asked]
        case NotEntitled() | Refused():
            return [outcome.reason, *([f"[{outcome.provision}]"] if outcome.provision else [])]
        case Result():
            steps = [f"{place}. {each.text} [{each.provision}]" for place, each in enumerate(outcome.steps, start=1)]
            others = [
                f"Otra lectura, {each.rule}: {written_value(each.value.value, each.value.unit)}."
                for each in outcome.alternatives
            ]
            authorities = dict.fromkeys(each.authority for each in outcome.steps if each.authority)
            notes = [
                *others,
                *(f"Se supone: {each}" for each in outcome.assumptions),
                *(f"Criterio: {each}." for each in authorities),
                *(f"Aviso: {each}" for each in outcome.warnings),
                *([outcome.sensitive] if outcome.sensitive else []),
            ]
            return [outcome.lead, "", *steps, "", *notes]
