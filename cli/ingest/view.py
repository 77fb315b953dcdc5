"""Terminal view of an ingestion report."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from articulado.language.formats import figure
from articulado.legal.labels import law_url
from cli.render import clean, print_warnings

if TYPE_CHECKING:
    from articulado.config.profile import Profile
    from articulado.values.documents import Failure, ShrunkLaw, SkippedFiles
    from state.ingest import IngestReport

CAUSES = {
    "unknown law": "norma desconocida",
    "law not held": "norma no incluida",
    "no such provision": "precepto inexistente",
}
MAX_SKIPPED = 3
MAX_NAMED = 5  # documents named of each kind of change; ``--json`` names all


def print_report(out: Console, report: "IngestReport", profile: "Profile") -> None:
    """Print a report: a table of figures, changes by name, warnings and the folder of the index."""
    changed = bool(report["added"] or report["updated"] or report["removed"] or report["written"] or report["deleted"])
    if not changed and report["failures"]:
        out.print("Sin cambios en el índice: nada nuevo en lo que se ha podido leer.")
    elif not changed and (report["unchecked"] or report["shrunk"]):
        out.print("Sin cambios en el índice, pero no se ha comprobado que esté al día.")
    elif not changed:
        out.print("Sin cambios: el índice ya tiene todo esto, al día.")
    out.print(_table(_rows(report, profile, changed), piped=out.soft_wrap))
    for label, names in (
        ("Añadidos", report["added"]),
        ("Actualizados", report["updated"]),
        ("Retirados", report["removed"]),
        ("Resúmenes desactualizados", [f"{summary['provision']} ({summary['law']})" for summary in report["stale"]]),
    ):
        if names:
            # Titles of laws have commas.
            out.print(clean(f"{label}: {_listed(names, separator='; ')}."), markup=False)
    for shortfall in _not_taken(report):
        out.print(clean(shortfall), markup=False)
    for text in report["replaced"]:
        out.print(clean(f"{text['law']}: vale el texto de {text['kept']}, no el de {text['replaced']}."), markup=False)
    for copy in report["copies"]:
        out.print(clean(f"{copy['document']}: {copy['copy']} es lo mismo que {copy['kept']}."), markup=False)
    if report["skipped"]:
        out.print("Omitidos por su formato:")
    for skipped in report["skipped"]:
        out.print(clean(f"  {_described(skipped)}"), markup=False)
    print_warnings(out, report["warnings"])
    out.print(clean(f"Índice: {report['index']}"), markup=False)
    if report["failures"]:
        out.print(f"Omitidos: {len(report['failures'])}", style="red")


def shortfalls(report: "IngestReport") -> list[str]:
    return [*map(describe_failure, report["failures"]), *_not_taken(report)]


def describe_failure(failure: "Failure") -> str:
    return f"omitido {failure['source']}: {failure['reason']}"


def _not_taken(report: "IngestReport") -> Iterator[str]:
    if unchecked := report["unchecked"]:
        number = f"{figure(len(unchecked))} de {figure(len(unchecked) + report['checked'] + len(report['shrunk']))}"
        line = f"Sin comprobar en el BOE: {number} normas ({_listed(unchecked)}). Sigue en uso lo que había de ellas."
        yield f"{line} Repita la orden más tarde."
    yield from map(_shrunk, report["shrunk"])


def _shrunk(law: "ShrunkLaw") -> str:
    lost = f"de {figure(law['provisions'])} a {figure(law['provisions_left'])} preceptos"
    if law["provisions_left"] >= law["provisions"]:
        lost = f"de {figure(law['wordings'])} a {figure(law['wordings_left'])} redacciones"
    return (
        f"{law['law_id']} pasa {lost}: no se ha cambiado; compruébelo en {law_url(law['law_id'])} y, si es correcto, "
        f"repita con --accept-shrunk (articulado ingest boe {law['law_id']} --accept-shrunk)."
    )


def _described(skipped: "SkippedFiles") -> str:
    count, kind = len(skipped["files"]), skipped["kind"] or "sin extensión"
    names = _listed([Path(file).name for file in skipped["files"]], MAX_SKIPPED)
    return f"{figure(count)} {'fichero' if count == 1 else 'ficheros'} {kind} ({names}): {skipped['advice']}."


def _listed(names: Sequence[str], limit: int = MAX_NAMED, *, separator: str = ", ") -> str:
    more = f" y {figure(len(names) - limit)} más" if len(names) > limit else ""
    return f"{separator.join(names[:limit])}{more}"


def _table(rows: Iterable[tuple[str, str]], *, piped: bool) -> Table:
    table = Table(box=None if piped else SIMPLE_HEAD, show_header=False, pad_edge=not piped)
    table.add_column("", overflow="fold")
    table.add_column("", justify="right", no_wrap=True)
    for label, value in rows:
        table.add_row(clean(label), value)
    return table


def _rows(report: "IngestReport", profile: "Profile", changed: bool) -> Iterator[tuple[str, str]]:
    labels = {collection.name: collection.label for collection in profile.collections}
    order = {name: position for position, name in enumerate(labels)}
    documents = sorted(report["documents"].items(), key=lambda item: order.get(item[0], len(order)))
    yield "Documentos", figure(sum(report["documents"].values()))
    for name, count in documents:
        yield f"  {labels.get(name, name)}", figure(count)
    if report["record_laws"]:
        yield "Normas con su texto oficial", figure(report["official_laws"])
        yield "Normas con solo nuestro resumen", figure(report["record_laws"])
    yield "Preceptos", figure(report["provisions"])
    if changed:
        yield "Fragmentos", figure(report["parents"])
        yield "Piezas de búsqueda", figure(report["children"])
        yield from _counts(
            {
                "Documentos añadidos": len(report["added"]),
                "Documentos actualizados": len(report["updated"]),
                "Documentos retirados": len(report["removed"]),
                "Documentos sin cambios": report["unchanged"],
                "Puntos escritos en el índice": report["written"],
                "Puntos borrados del índice": report["deleted"],
            }
        )
        yield "Citas enlazadas", figure(report["resolved"])
        yield "Citas sin enlazar", figure(sum(report["unresolved"].values()))
        yield from _counts({f"  {label}": report["unresolved"].get(cause, 0) for cause, label in CAUSES.items()})
    yield from _counts(
        {
            "Normas comprobadas en el BOE": report["checked"],
            "Normas sin comprobar en el BOE": len(report["unchecked"]),
            "Preceptos con resumen en lenguaje claro": report["summaries"],
            "Resúmenes desactualizados, que no se muestran": len(report["stale"]),
        }
    )
    yield "Segundos", figure(sum(report["seconds"].values()), 1)


def _counts(counts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    return ((label, figure(count)) for label, count in counts.items() if count)
