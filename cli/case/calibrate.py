"""Command ``articulado case calibrate``: calibrate and measure the confidence and decisions of cases.

The cases are labelled with their article. The curve is stored with the profile, unless ``--dry-run`` or
``--no-fit`` is given. Every result is measured on cases on which the curve was not fitted.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from articulado.cases.matching import write_calibration
from articulado.config.extras import require
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from cli.options import IndexFolder, Json, read_configuration
from cli.render import clean, console, print_json, print_text, table
from cli.session import opened_services
from evaluation.case_desk.cases import LabelledCase, cases_of_profile, own_decisions, read_cases
from evaluation.case_desk.findings import Decisions, Measured, ProfileFindings, measure_profile, pooled
from evaluation.case_desk.report import (
    DECISIONS_HEAD,
    HEAD,
    bin_rows,
    comparison_rows,
    decision_rows,
    format_curve,
    format_found,
)

if TYPE_CHECKING:
    from articulado.config.profile import Profile
    from articulado.config.settings import Settings


@dataclass(frozen=True)
class Request:
    """What the command line asks for. Without profiles, that of the settings; without ``gold``, the own cases.

    ``fitted``: a curve is fitted, and stored but for a ``dry_run``; else the one at hand is measured on all cases.
    ``every``: also say what is decided on all cases.
    """

    profiles: Sequence[str] = ()
    gold: Path | None = None
    index: Path | None = None
    report: Path | None = None
    dry_run: bool = False
    fitted: bool = True
    every: bool = False


@dataclass(frozen=True)
class CalibrationResult:
    """What one command has measured of each profile, and the files that it has written."""

    profiles: Sequence[ProfileFindings]
    written: Sequence[Path]


async def measure(request: Request) -> CalibrationResult:
    """Run the cases of each profile through its graphs; write what is to be written, once all is measured.

    Raises:
        ArticuladoError: a file, the index or a service cannot be used.
    """
    _check_output(request)
    cases = read_cases(request.gold) if request.gold else own_decisions()
    configurations = [read_configuration(request.index, name) for name in dict.fromkeys(request.profiles) or [None]]
    source = str(request.gold) if request.gold else "El fichero de casos incluido"
    cases_by_profile = [cases_of_profile(cases, settings, profile, source) for settings, profile in configurations]
    findings = [
        await _measure_profile(request, settings, profile, profile_cases)
        for (settings, profile), profile_cases in zip(configurations, cases_by_profile, strict=True)
    ]
    written = []
    if request.fitted and not request.dry_run:
        for (_, profile), profile_findings in zip(configurations, findings, strict=True):
            written.append(write_calibration(profile.own_folder, profile_findings.calibration))
    if request.report:
        from evaluation.case_desk.report import write_report

        written += write_report(request.report, findings)
    return CalibrationResult(findings, written)


async def _measure_profile(
    request: Request, settings: "Settings", profile: "Profile", cases: Sequence[LabelledCase]
) -> ProfileFindings:
    async with opened_services(settings, profile) as services:
        with console(stderr=True).status(f"Perfil «{services.profile.name}»…") as status:
            return await measure_profile(
                services,
                cases,
                fitted=request.fitted,
                every=request.every,
                on_case=lambda graph, done: status.update(f"Perfil «{services.profile.name}», {graph}: {done} casos…"),
            )


def _check_output(request: Request) -> None:
    """Say before the work that its result could not be written."""
    if request.index and len(request.profiles) > 1:
        raise InvalidInput(translate("command.one_profile"))
    if request.report:
        from evaluation.report.write import check_report

        check_report(request.report)


BINS_HEAD = ("Casos", "Antes: conf.", "aciertos", "Después: conf.", "aciertos")
LEGEND = (
    "Acierta el caso cuyo artículo es el que mejor encaja; el que ningún artículo lleva, nunca. Todo se mide con los "
    "casos con los que no se ajustó la curva. ECE: distancia media entre confianza y aciertos; con tan pocos casos, la "
    "de una confianza exacta tampoco sería 0. Brier: media de (confianza − resultado)². AUC: con qué frecuencia lo "
    "acertado tiene más confianza que lo demás. Bien decidido: con el veredicto que debe, y con su artículo si sigue. "
    "Sin deber: de los que deben parar, los que siguen. Datos vistos: de los que faltan o no valen, los que nombra."
)


def print_calibrations(out: Console, result: CalibrationResult) -> None:
    """Print each profile, all of them together where they are several, and the files that were written."""
    for position, findings in enumerate(result.profiles):
        if position:
            out.print()
        _print_profile(out, findings)
    if len(result.profiles) > 1:
        for graph, measured in pooled(result.profiles).items():
            print_text(out, f"\nTodos los perfiles, {graph}", style="bold")
            _print_measured(out, measured)
    print_text(out, f"\n{LEGEND}", style="dim")
    for path in result.written:
        print_text(out, f"Escrito: {path}")


def _print_profile(out: Console, findings: ProfileFindings) -> None:
    answerable = sum(case.answerable for case in findings.cases)
    head = f"{findings.profile}: {len(findings.cases)} casos, {answerable} con artículo"
    out.print(clean(head), style="bold", markup=False)
    print_text(out, f"Vectores {findings.embedder}, reordenación {findings.reranker}.")
    if findings.not_indexed:
        print_text(
            out, f"Aviso: el índice no tiene estos artículos: {', '.join(findings.not_indexed)}.", style="yellow"
        )
    for graph, report in findings.reports.items():
        print_text(out, f"\n{graph}", style="bold")
        print_text(out, f"Curva: {format_curve(report.curve)}.")
        _print_measured(out, report.measured)


def _print_measured(out: Console, measured: Measured) -> None:
    confidence = measured.confidence
    print_text(out, f"Casos que se miden: {len(confidence.scored)}. Artículo acertado: {format_found(confidence)}.")
    table(out, HEAD, comparison_rows(confidence))
    table(out, BINS_HEAD, bin_rows(confidence))
    _print_decisions(out, measured.decisions)
    if measured.decisions_on_every:
        print_text(out, "\nLo que se decide en todos los casos, también los del ajuste:")
        _print_decisions(out, measured.decisions_on_every)


def _print_decisions(out: Console, decisions: Decisions) -> None:
    if decisions:
        table(out, DECISIONS_HEAD, decision_rows(decisions))


Profiles = Annotated[
    list[str] | None,
    typer.Option(
        "--profile",
        metavar="PERFIL",
        help="Perfil que se calibra: su nombre (laboral, plan_401k) o su fichero .toml; se puede repetir.",
    ),
]
Gold = Annotated[
    Path | None,
    typer.Option(
        "--gold", metavar="FICHERO", help="Casos con su artículo, en JSONL. Sin ella, los incluidos en articulado."
    ),
]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="CARPETA", help="Escribe un informe: JSON, Markdown y gráficos."),
]
NoFit = Annotated[
    bool,
    typer.Option(
        "--no-fit",
        metavar="",
        help="Ni ajusta ni guarda nada: mide con todos los casos la calibración que hay. Para casos de prueba.",
    ),
]
Every = Annotated[
    bool, typer.Option("--all", metavar="", help="Dice también lo que se decide en todos los casos, no en una mitad.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", metavar="", help="Mide sin guardar la calibración en el perfil.")]


def calibrate(
    profile: Profiles = None,
    gold: Gold = None,
    index: IndexFolder = None,
    report: Report = None,
    as_json: Json = False,
    dry_run: DryRun = False,
    no_fit: NoFit = False,
    every: Every = False,
) -> None:
    """Calibra la confianza de los casos, y dice cuántos se deciden bien, con casos cuyo artículo se conoce."""
    require("eval" if report else "training")
    from evaluation.case_desk.report import report_json

    result = asyncio.run(measure(Request(profile or [], gold, index, report, dry_run, not no_fit, every)))
    if as_json:
        print_json({**report_json(result.profiles), "written": [str(path) for path in result.written]})
    else:
        print_calibrations(console(), result)
