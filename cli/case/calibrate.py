"""``articulado case calibrate``: what the confidence of cases is worth, measured on labelled inquiries."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from cli.options import IndexFolder, Json

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
        "--gold", metavar="FICHERO", help="Consultas con su artículo, en JSONL. Sin ella, las incluidas en articulado."
    ),
]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="CARPETA", help="Escribe un informe: JSON, Markdown y gráficos."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", metavar="", help="Mide sin guardar la calibración en el perfil.")]


def calibrate(
    profile: Profiles = None,
    gold: Gold = None,
    index: IndexFolder = None,
    report: Report = None,
    as_json: Json = False,
    dry_run: DryRun = False,
) -> None:
    """Calibra la confianza de los casos, con consultas cuyo artículo se conoce."""
    from cli.case.calibrate_run import Request, measure
    from cli.case.calibrate_view import print_calibrations
    from cli.render import console, print_json
    from evaluation.case_desk.report_json import report_json

    result = asyncio.run(measure(Request(profile or [], gold, index, report, dry_run)))
    if as_json:
        print_json({**report_json(result.profiles), "written": [str(path) for path in result.written]})
    else:
        print_calibrations(console(), result)
