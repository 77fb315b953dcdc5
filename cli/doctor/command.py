"""``articulado doctor``: what is configured, what index is open, what is missing. It only looks."""

import asyncio
from typing import Annotated

import typer

from cli.failures import FAILED, failure_beside
from cli.ingest.run import progress_bar
from cli.options import IndexFolder, Json, ProfileOption
from cli.render import console, print_json

Deep = Annotated[
    bool, typer.Option("--deep", metavar="", help="Revisa además todo lo que el índice contiene, punto por punto.")
]


def doctor(index: IndexFolder = None, profile: ProfileOption = None, deep: Deep = False, as_json: Json = False) -> None:
    """Check the configuration and the index and print what is wrong."""
    from cli.doctor.diagnosis import diagnose
    from cli.doctor.view import print_diagnosis

    with progress_bar() as progress:
        diagnosis = asyncio.run(diagnose(index, profile, deep=deep, progress=progress))
    if as_json:
        print_json({**failure_beside("NotReady", diagnosis["problems"]), **diagnosis})
    else:
        print_diagnosis(console(), diagnosis)
    if not diagnosis["ready"]:
        raise typer.Exit(FAILED)
