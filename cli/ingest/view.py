"""What an ingest has done, on screen."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from cli.render import clean, print_warnings
from language.formats import figure

if TYPE_CHECKING:
    from services.profile.profile import Profile
    from state.ingest import IngestReport

CAUSES = {
    "unknown law": "norma desconocida",
    "law not held": "norma no incluida",
    "no such provision": "precepto inexistente",
}
MAX_NAMED = 5
"""Documents that are named of each kind of change; ``--json`` names all."""


def print_report(out: Console, report: "IngestReport", profile: "Profile") -> None:
    """Print a report for a person: a table of figures, what has changed by name, what to know, and where it is."""
    changed = bool(report["added"] or report["updated"] or report["removed"] or report["written"] or report["deleted"])
    if not changed:
        out.print("Sin cambios: el índice ya tiene todo esto, al día.")
    out.print(_table(_rows(report, profile, changed), piped=out.soft_wrap))
    for label, names in (
        ("Añadidos", report["added"]),
        ("Actualizados", report["updated"]),
        ("Retirados", report["removed"]),
        ("Resúmenes desactualizados", [f"{summary['provision']} ({summary['law']})" for summary in report["stale"]]),
    ):
        if names:
            out.print(clean(f"{label}: {_listed(names)}."), markup=False)
    print_warnings(out, report["warnings"])
    out.print(clean(f"Índice: {report['index']}"), markup=False)
    if report["failures"]:
        out.print(f"Omitidos: {len(report['failures'])}", style="red")


def _listed(names: Sequence[str]) -> str:
    more = f" y {figure(len(names) - MAX_NAMED)} más" if len(names) > MAX_NAMED else ""
    return f"{', '.join(names[:MAX_NAMED])}{more}"


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
            "Preceptos con resumen en lenguaje claro": report["summaries"],
            "Resúmenes desactualizados, que no se muestran": len(report["stale"]),
        }
    )
    yield "Segundos", figure(sum(report["seconds"].values()), 1)


def _counts(counts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield what there is any of."""
    return ((label, figure(count)) for label, count in counts.items() if count)
