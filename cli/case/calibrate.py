"""Command ``articulado case calibrate``: measure the decisions of labelled cases, and fit their confidence."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from articulado.cases.confidence import Calibration, CaseGraph, Curve, write_calibration
from articulado.config.extras import require
from articulado.language.formats import NONE, figure, format_share
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from cli.options import IndexFolder, Json, read_configuration
from cli.render import clean, console, print_json, print_text, table
from cli.session import opened_services
from evaluation.case_desk.measure import (
    GRAPHS,
    CaseResult,
    LabelledCase,
    Measured,
    cases_of_profile,
    fit,
    measure,
    own_test,
    read_cases,
    run_cases,
)

if TYPE_CHECKING:
    from articulado.config.profile import Profile
    from articulado.config.settings import Settings
    from graph.services import Services


@dataclass(frozen=True)
class Request:
    """Options of the command line; by default the profile of the settings and the packaged cases."""

    profiles: Sequence[str] = ()
    gold: Path | None = None
    index: Path | None = None
    stored: bool = True
    fitted: bool = True


@dataclass(frozen=True)
class ProfileFindings:
    """Results of a profile by graph, and its curves; ``written`` is the file they were stored in."""

    profile: str
    results: Mapping[CaseGraph, Sequence[CaseResult]]
    curves: Mapping[CaseGraph, Curve]
    written: Path | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "profile": self.profile,
            "written": str(self.written) if self.written else None,
            "graphs": {
                graph: {
                    "curve": self.curves[graph].model_dump(),
                    **measure(graph, results).as_json(),
                    "results": [
                        {
                            "id": each.case.id,
                            "verdict": each.verdict,
                            "article": each.article,
                            "confidence": each.confidence,
                            "bad": list(each.bad),
                        }
                        for each in results
                    ],
                }
                for graph, results in self.results.items()
            },
        }


async def measure_profiles(request: Request) -> list[ProfileFindings]:
    """Run the cases of each profile through its graphs, and store the fitted curves at the end."""
    if request.index and len(request.profiles) > 1:
        raise InvalidInput(translate("command.one_profile"))
    cases = read_cases(request.gold) if request.gold else own_test()
    configurations = [read_configuration(request.index, name) for name in dict.fromkeys(request.profiles) or [None]]
    source = str(request.gold) if request.gold else "El fichero de casos incluido"
    cases_by_profile = [cases_of_profile(cases, settings, profile, source) for settings, profile in configurations]
    findings = [
        await _measure_profile(request, settings, profile, profile_cases)
        for (settings, profile), profile_cases in zip(configurations, cases_by_profile, strict=True)
    ]
    if not (request.gold and request.fitted and request.stored):
        return [each for each, _ in findings]
    files = [
        write_calibration(profile.own_folder, Calibration(model=weights, curves=dict(each.curves)))
        for (each, weights), (_, profile) in zip(findings, configurations, strict=True)
    ]
    return [replace(each, written=file) for (each, _), file in zip(findings, files, strict=True)]


async def _measure_profile(
    request: Request, settings: "Settings", profile: "Profile", cases: Sequence[LabelledCase]
) -> tuple[ProfileFindings, str]:
    async with opened_services(settings, profile) as services:
        with console(stderr=True).status(f"Perfil «{services.profile.name}»…") as status:

            def on_case(graph: CaseGraph, done: int) -> None:
                status.update(f"Perfil «{services.profile.name}», {graph}: {done} casos…")

            results = await run_cases(services, cases, on_case)
            model = services.matcher.model
            curves = {graph: model.estimator(graph, services.profile).curve for graph in GRAPHS}
            if request.gold and request.fitted:
                curves = _fitted(services, results)
                # Each half of the cases is served with a curve of the other half.
                halves = [
                    await run_cases(
                        services,
                        cases[start::2],
                        on_case,
                        _fitted(services, {graph: of_graph[1 - start :: 2] for graph, of_graph in results.items()}),
                    )
                    for start in (0, 1)
                ]
                results = {graph: [*halves[0][graph], *halves[1][graph]] for graph in GRAPHS}
        return ProfileFindings(services.profile.name, results, curves), model.fingerprint()


def _fitted(services: "Services", results: Mapping[CaseGraph, Sequence[CaseResult]]) -> dict[CaseGraph, Curve]:
    try:
        return {graph: fit(of_graph) for graph, of_graph in results.items()}
    except ValueError as error:
        raise InvalidInput(translate("case.nothing_to_fit", name=services.profile.name)) from error


HEAD = ("Clase", "Casos", "Bien decididos", "Siguen", "Siguen sin deber", "Datos vistos")
KIND_NAMES = {
    "complete": "completo",
    "rule": "lo para regla",
    "bad_value": "dato no válido",
    "missing": "faltan datos",
    "other_matter": "otra materia",
    "other_article": "otro artículo",
    "wrong_keeper": "otro valor",
}
LEGEND = (
    "Bien decidido: con el veredicto que debe, y con su artículo si sigue. Otro valor: la consulta nombra otro que el "
    "filtro. Datos vistos: de los que faltan o no valen, los que nombra. ECE: distancia media entre confianza y "
    "aciertos. Brier: media de (confianza − acierto)²."
)


def print_findings(out: Console, findings: Sequence[ProfileFindings]) -> None:
    """Print the measures of each profile, and the written files."""
    for position, each in enumerate(findings):
        if position:
            out.print()
        count = len(next(iter(each.results.values())))
        out.print(clean(f"{each.profile}: {count} casos"), style="bold", markup=False)
        for graph, results in each.results.items():
            print_text(out, f"\n{graph}", style="bold")
            _print_measured(out, measure(graph, results))
    print_text(out, f"\n{LEGEND}", style="dim")
    for written in filter(None, (each.written for each in findings)):
        print_text(out, f"Escrito: {written}")


def _print_measured(out: Console, measured: Measured) -> None:
    precision = NONE if measured.precision is None else figure(measured.precision, 2)
    print_text(
        out,
        f"ECE {figure(measured.ece, 3)}, Brier {figure(measured.brier, 3)}. De los que tienen artículo llegan a 0,70: "
        f"{figure(measured.accepted, 2)}; de los que llegan, aciertan: {precision}.",
    )
    rows = [(KIND_NAMES[kind], counts) for kind, counts in measured.kinds.items()]
    if rows:
        table(
            out,
            HEAD,
            [
                (
                    name,
                    str(counts.cases),
                    format_share(counts.right, counts.cases),
                    str(counts.on),
                    str(counts.wrongly_on),
                    format_share(counts.fields_named, counts.fields),
                )
                for name, counts in [*rows, ("todos", measured.total)]
            ],
        )


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
        "--gold", metavar="FICHERO", help="Casos con su artículo, en JSONL. Sin ella, se miden los de articulado."
    ),
]
NoFit = Annotated[
    bool, typer.Option("--no-fit", metavar="", help="Ni ajusta ni guarda nada: mide la calibración que hay.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", metavar="", help="Ajusta y mide sin guardar nada en el perfil.")]


def calibrate(
    profile: Profiles = None,
    gold: Gold = None,
    index: IndexFolder = None,
    as_json: Json = False,
    dry_run: DryRun = False,
    no_fit: NoFit = False,
) -> None:
    """Mide cuántos casos se deciden bien y cuánto vale su confianza, y la ajusta con casos cuyo artículo se conoce."""
    require("training")
    request = Request(profile or [], gold, index, stored=not dry_run, fitted=not no_fit)
    findings = asyncio.run(measure_profiles(request))
    if as_json:
        print_json({"profiles": [each.as_json() for each in findings]})
    else:
        print_findings(console(), findings)
