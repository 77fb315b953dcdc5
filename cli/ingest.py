"""``articulado ingest``: law files in, an index out."""

import asyncio
import time
from pathlib import Path
from typing import Annotated

import typer

from cli.failures import FAILED, complain
from cli.options import IndexFolder, read_settings

Paths = Annotated[list[Path], typer.Argument(metavar="RUTA", help="Ficheros de normas y carpetas que los contienen.")]


def ingest(paths: Paths, index: IndexFolder = None) -> None:
    """Construye el índice con sus normas. Lo que no se puede leer se nombra y se omite."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    from cli.render import clean, console
    from ingestion.pipeline import ingest as build

    settings = read_settings(index)
    errors, began = console(stderr=True), time.perf_counter()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, disable=not errors.is_terminal) as bar:
        tasks: dict[str, TaskID] = {}

        def progress(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = bar.add_task(step)
            bar.update(tasks[step], completed=done, total=total)

        report = asyncio.run(build(paths, settings, progress=progress))
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
