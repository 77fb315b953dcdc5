"""``articulado doctor``: what is configured, what index is open, what is missing. It only looks."""

import asyncio

import typer

from cli.failures import FAILED
from cli.options import IndexFolder, Json, Profile


def doctor(index: IndexFolder = None, profile: Profile = None, as_json: Json = False) -> None:
    """Comprueba la configuración y el índice, y dice qué falta."""
    from cli.diagnosis import diagnose
    from cli.diagnosis_view import print_diagnosis
    from cli.render import console, print_json

    found = asyncio.run(diagnose(index, profile))
    if as_json:
        print_json(found)
    else:
        print_diagnosis(console(), found)
    if not found["ready"]:
        raise typer.Exit(FAILED)
