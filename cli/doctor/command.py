"""``articulado doctor``: what is configured, what index is open, what is missing. It only looks."""

import asyncio

import typer
from rich.console import Console

from cli.doctor.diagnosis import ROLES, Diagnosis, IndexDiagnosis
from cli.failures import FAILED
from cli.options import IndexFolder, Json, Profile
from cli.render import clean
from language.formats import figure


def print_diagnosis(out: Console, found: Diagnosis) -> None:
    """Print a diagnosis for a person."""
    lines = []
    for role, name in ROLES.items():
        if settings := found["roles"].get(role):
            model = " ".join(part for part in (settings["provider"], settings["model"], settings["base_url"]) if part)
            lines.append((f"Modelo {name}", f"{model} · clave: {settings['key']}"))
    if found["profile"]:
        lines.append(("Perfil", found["profile"]))
    if found["store"]:
        lines.append(("Almacén", found["store"]))
    if found["rerank"]:
        lines.append(("Reordenación", found["rerank"]))
    if index := found["index"]:
        lines += [
            ("Índice", index["folder"] + (" (inicial)" if index["demo"] else "")),
            ("Contenido", f"{figure(index['points'])} puntos: fragmentos y sus piezas de búsqueda"),
            *((f"  {name}", _amount(index, name)) for name in index["collections"]),
            ("Procede de", index["source"]),
            ("Construido", f"{index['created']} (UTC)"),
            *((f"Huella {part}", value) for part, value in index["fingerprints"].items()),
        ]
    for name, value in lines:
        out.print(f"{name:<18} {clean(value)}", markup=False)
    for note in found["notes"]:
        out.print(f"\n{clean(note)}", markup=False)
    for problem in found["problems"]:
        out.print(f"\nProblema: {clean(problem)}", style="red", markup=False)
    if found["ready"]:
        can = "se puede preguntar" if found["questions"] else "se pueden tratar casos, y no preguntas libres"
        out.print(f"\nTodo listo: {can}. (No se ha llamado a ningún modelo.)", style="green")


def _amount(index: IndexDiagnosis, name: str) -> str:
    unit = "leyes" if name == "normativa" else "documentos"
    return f"{figure(index['collections'][name])} puntos de {index['documents'].get(name, '?')} {unit}"


def doctor(index: IndexFolder = None, profile: Profile = None, as_json: Json = False) -> None:
    """Comprueba la configuración y el índice, y dice qué falta."""
    from cli.doctor.diagnosis import diagnose
    from cli.render import console, print_json

    found = asyncio.run(diagnose(index, profile))
    if as_json:
        print_json(found)
    else:
        print_diagnosis(console(), found)
    if not found["ready"]:
        raise typer.Exit(FAILED)
