"""``articulado ingest``: law files in, an index out."""

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.failures import FAILED, complain
from cli.options import IndexFolder, read_settings

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from ingestion.build import Progress as Told

Paths = Annotated[list[Path], typer.Argument(metavar="RUTA", help="Ficheros de normas y carpetas que los contienen.")]


def ingest(paths: Paths, index: IndexFolder = None) -> None:
    """Construye el índice con sus normas. Lo que no se puede leer se nombra y se omite."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from cli.render import clean, console
    from ingestion.pipeline import ingest as build

    settings = read_settings(index)
    errors, began = console(stderr=True), time.perf_counter()
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[count]}"), TimeElapsedColumn())
    with Progress(*columns, console=errors, disable=not errors.is_terminal) as bar:
        report = asyncio.run(build(paths, settings, progress=shown_on(bar)))
    for file, reason in report.failures:
        complain(f"omitido {file}: {reason}")
    out, seconds = console(), f"{time.perf_counter() - began:.1f}".replace(".", ",")
    counts = f"{report.laws} normas, {report.provisions} preceptos, {report.chunks} fragmentos"
    out.print(f"Índice construido en {seconds} s: {counts}.")
    out.print(clean(f"Está en {settings.index_folder}"), markup=False)
    if index is not None:
        out.print(clean(f'Para usarlo: articulado ask --index {index} "…"'), markup=False)
    if report.failures:
        out.print(f"Ficheros omitidos: {len(report.failures)}", style="red")
        raise typer.Exit(FAILED)


def shown_on(bar: "Progress") -> "Told":
    """Return what shows each step on a bar; ``count`` ("3/66") is empty for a step that cannot count."""
    tasks: dict[str, TaskID] = {}

    def progress(step: str, done: int, total: int) -> None:
        if step not in tasks:
            for task in bar.tasks:
                if task.total is None:  # it is over when the next step begins
                    bar.update(task.id, completed=1, total=1)
            tasks[step] = bar.add_task(step, total=total or None, count="")
        bar.update(tasks[step], completed=done, count=f"{done}/{total}" if total else "")

    return progress
