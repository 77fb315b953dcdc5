"""``articulado doctor``: what is configured, what index is open, what is missing. It only looks."""

import asyncio

import typer

from cli.failures import FAILED
from cli.options import IndexFolder, Json, Profile


def doctor(index: IndexFolder = None, profile: Profile = None, as_json: Json = False) -> None:
    """Comprueba la configuración y el índice, y dice qué falta."""
    from cli.doctor.diagnosis import diagnose
    from cli.doctor.view import print_diagnosis
    from cli.render import console, print_json

    diagnosis = asyncio.run(diagnose(index, profile))
    if as_json:
        print_json(diagnosis)
    else:
        print_diagnosis(console(), diagnosis)
    if not diagnosis["ready"]:
        raise typer.Exit(FAILED)
