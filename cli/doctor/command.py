"""Command ``articulado doctor``: diagnose configuration and index without changing them."""

import asyncio
from typing import Annotated

import typer
from rich.console import Console

from articulado.language.formats import figure
from cli.doctor.diagnosis import ROLES, Diagnosis, IndexDiagnosis
from cli.failures import FAILED, failure_beside
from cli.ingest.run import progress_bar
from cli.options import IndexFolder, Json, ProfileOption
from cli.render import clean, console, print_json


def print_diagnosis(out: Console, diagnosis: Diagnosis) -> None:
    """Print a diagnosis for a person."""
    lines = []
    for role, name in ROLES.items():
        if settings := diagnosis["roles"].get(role):
            model = " ".join(part for part in (settings["provider"], settings["model"], settings["base_url"]) if part)
            is_off = role == "checker" and settings["provider"] == "offline"
            described = "ninguno: no se hace" if is_off else f"{model} · clave: {settings['key']}"
            lines.append((f"Modelo {name}", described))
    if diagnosis["profile"]:
        lines.append(("Perfil", diagnosis["profile"]))
    if diagnosis["store"]:
        lines.append(("Almacén", diagnosis["store"]))
    if diagnosis["rerank"]:
        lines.append(("Reordenación", diagnosis["rerank"]))
    lines.append(("Trazas", f"se envían a {diagnosis['traces']}" if diagnosis["traces"] else "no se envían"))
    present = ", ".join(extra for extra, is_installed in diagnosis["extras"].items() if is_installed)
    absent = ", ".join(extra for extra, is_installed in diagnosis["extras"].items() if not is_installed)
    lines.append(("Complementos", "; ".join((present or "ninguno", *([f"sin instalar: {absent}"] if absent else [])))))
    if index := diagnosis["index"]:
        lines += [
            ("Índice", index["folder"] + (" (inicial)" if index["demo"] else "")),
            ("Contenido", f"{figure(index['points'])} puntos: fragmentos y sus piezas de búsqueda"),
            *((f"  {name}", _point_count(index, name)) for name in index["collections"]),
            ("Procede de", index["source"]),
            ("Construido", f"{index['created']} (UTC)"),
            *((f"Huella {part}", value) for part, value in index["fingerprints"].items()),
        ]
    if (deep := diagnosis["deep"]) is not None:
        looked_at = f"{figure(deep['points'])} puntos y {figure(deep['references'])} fragmentos citados"
        lines.append(
            ("Revisión a fondo", f"{looked_at}; " + ("hay daños" if deep["findings"] else "todo está como se escribió"))
        )
    for label, value in lines:
        out.print(f"{label:<18} {clean(value)}", markup=False)
    for note in diagnosis["notes"]:
        out.print(f"\n{clean(note)}", markup=False)
    for problem in diagnosis["problems"]:
        out.print(f"\nProblema: {clean(problem)}", style="red", markup=False)
    if diagnosis["ready"]:
        can = "se puede preguntar" if diagnosis["questions"] else "se pueden tratar casos, y no preguntas libres"
        out.print(f"\nTodo listo: {can}. (No se ha llamado a ningún modelo.)", style="green")


def _point_count(index: IndexDiagnosis, name: str) -> str:
    documents = index["documents"].get(name)
    one, several = ("norma", "normas") if name == "normativa" else ("documento", "documentos")
    summarised = index["record_laws"] if name == "normativa" else 0
    ours = f" (de {figure(summarised)}, solo nuestro resumen)" if summarised else ""
    return (
        f"{figure(index['collections'][name])} puntos de {documents or '?'} {one if documents == 1 else several}{ours}"
    )


Deep = Annotated[
    bool, typer.Option("--deep", metavar="", help="Revisa además todo lo que el índice contiene, punto por punto.")
]


def doctor(index: IndexFolder = None, profile: ProfileOption = None, deep: Deep = False, as_json: Json = False) -> None:
    """Check the configuration and the index and print what is wrong."""
    from cli.doctor.diagnosis import diagnose

    with progress_bar() as progress:
        diagnosis = asyncio.run(diagnose(index, profile, deep=deep, progress=progress))
    if as_json:
        print_json({**failure_beside("NotReady", diagnosis["problems"]), **diagnosis})
    else:
        print_diagnosis(console(), diagnosis)
    if not diagnosis["ready"]:
        raise typer.Exit(FAILED)
