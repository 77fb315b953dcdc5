"""``articulado ingest``: documents in, an index out."""

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.failures import FAILED, complain
from cli.ingest_group import PATHS, IngestCommands
from cli.options import IndexFolder, Json, Profile, a_date, read_configuration, whole
from cli.spanish import Command

if TYPE_CHECKING:
    from state.ingest import IngestRequest, Listing

MAX_LAWS = 20_000

app = typer.Typer(
    cls=IngestCommands,
    help="Construye el índice con sus documentos: normas en Markdown o en el XML del BOE, PDF, texto, HTML y Word, y "
    "artículos de una base de conocimiento (.article.yaml). "
    "Solo se procesa lo que ha cambiado; lo que no se puede leer se nombra y se omite.",
    epilog="Una carpeta que se llame boe o remove se escribe ./boe o ./remove.",
)

Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="RUTA",
        help="Ficheros y carpetas. Lo que desaparece de una carpeta ya indexada sale del índice cuando se repite. Sin "
        "rutas, el índice se pone al día con los artículos del perfil.",
    ),
]
Laws = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NORMA", help="Identificadores del BOE, como BOE-A-2015-11430. Sin nada, se actualizan las que hay."
    ),
]
Documents = Annotated[
    list[str],
    typer.Argument(metavar="DOCUMENTO", help="Identificador del BOE, nombre de la norma (ET) o fichero."),
]
Rebuild = Annotated[
    bool, typer.Option("--rebuild", metavar="", help="Rehace todo el índice; sin rutas, con sus mismos documentos.")
]
Yes = Annotated[
    bool, typer.Option("--yes", metavar="", help="Acepta sin preguntar lo que cueste el modelo lector, si se usa.")
]
Materia = Annotated[
    str | None,
    typer.Option("--materia", metavar="CÓDIGO", help="Normas de esta materia del BOE, por ejemplo 6909."),
]
Query = Annotated[
    str | None,
    typer.Option(
        "--query", metavar="CONSULTA", help='Palabras del título, o condiciones como "rango@codigo:1340 and titulo:x".'
    ),
]
Since = Annotated[
    date | None,
    typer.Option("--since", metavar="FECHA", parser=a_date, help="Actualizadas desde ese día (AAAA-MM-DD)."),
]
Until = Annotated[
    date | None,
    typer.Option("--until", metavar="FECHA", parser=a_date, help="Actualizadas hasta ese día (AAAA-MM-DD)."),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit", metavar="N", parser=whole("--limit", 1, MAX_LAWS), help="Normas como máximo, las últimas publicadas."
    ),
]


@app.command(PATHS, cls=Command, hidden=True)
def ingest_paths(
    paths: Paths = None,
    index: IndexFolder = None,
    profile: Profile = None,
    rebuild: Rebuild = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Indexa ficheros y carpetas."""
    request: IngestRequest = {"paths": [str(path) for path in paths or []], "rebuild": rebuild, "confirmed": yes}
    _ingest(request, index, profile, as_json)


@app.command("boe", cls=Command)
def ingest_boe(
    laws: Laws = None,
    materia: Materia = None,
    query: Query = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = None,
    index: IndexFolder = None,
    profile: Profile = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Descarga normas consolidadas del BOE y las indexa."""
    days = {"since": since.isoformat() if since else "", "until": until.isoformat() if until else ""}
    given = {"materia": materia, "query": query, **days, "limit": limit}
    listing: Listing = {name: value for name, value in given.items() if value}  # type: ignore[assignment]
    request: IngestRequest = {"boe": laws or [], "listing": listing, "confirmed": yes}
    _ingest({**request, "refresh": not (laws or listing)}, index, profile, as_json)


@app.command("remove", cls=Command)
def ingest_remove(
    documents: Documents,
    index: IndexFolder = None,
    profile: Profile = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Quita documentos del índice."""
    _ingest({"remove": documents, "confirmed": yes}, index, profile, as_json)


def _ingest(request: "IngestRequest", index: Path | None, profile: str | None, as_json: bool) -> None:
    from cli.ingest_run import run_ingest
    from cli.ingest_view import print_report
    from cli.render import console, print_json

    settings, knowledge = read_configuration(index, profile)
    report = run_ingest(settings, knowledge, request)
    for failure in report["failures"]:
        complain(f"omitido {failure['source']}: {failure['reason']}")
    if as_json:
        print_json(report)
    else:
        print_report(console(), report, knowledge)
        if index is not None or profile is not None:
            options = [f"--index {index}"] * (index is not None) + [f"--profile {profile}"] * (profile is not None)
            console().print(f'Para preguntar: articulado ask {" ".join(options)} "…"', markup=False)
    if report["failures"]:
        raise typer.Exit(FAILED)
