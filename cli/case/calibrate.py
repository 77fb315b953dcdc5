"""``articulado case calibrate``: what confidence and decisions of cases are worth, by labelled ones."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from articulado.config.extras import require
from cli.options import IndexFolder, Json
from cli.render import console, print_json

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
    from cli.case.calibrate_run import Request, measure
    from cli.case.calibrate_view import print_calibrations
    from evaluation.case_desk.report_json import report_json

    result = asyncio.run(measure(Request(profile or [], gold, index, report, dry_run, not no_fit, every)))
    if as_json:
        print_json({**report_json(result.profiles), "written": [str(path) for path in result.written]})
    else:
        print_calibrations(console(), result)
