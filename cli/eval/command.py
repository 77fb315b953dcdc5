"""Command ``articulado eval``: measure retrieval and answers on questions with known provisions."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from articulado.config.extras import require
from articulado.values.errors import InvalidInput
from cli.failures import FAILED, failure_beside
from cli.options import IndexFolder, Json, Rerank, read_configuration, run_context
from cli.render import console, print_json, print_text
from cli.session import opened_services

Gold = Annotated[
    list[Path] | None,
    typer.Option(
        "--gold",
        metavar="FICHERO",
        help="Preguntas o conversaciones con sus preceptos, en JSONL; se puede repetir. Sin ella, las incluidas.",
    ),
]
RunFile = Annotated[
    Path | None,
    typer.Option("--run", metavar="FICHERO", help="Escribe lo encontrado en formato TREC."),
]
CompareRun = Annotated[
    Path | None,
    typer.Option("--compare-run", metavar="FICHERO", help="Compara con lo que otro sistema encontró, en formato TREC."),
]
Compare = Annotated[
    tuple[str, str] | None,
    typer.Option("--compare", metavar="MODO MODO", help="Compara dos modos de reordenación: heuristic cross_encoder."),
]
Ablation = Annotated[
    bool, typer.Option("--ablation", metavar="", help="Mide además lo que vale cada técnica de la búsqueda.")
]
Answers = Annotated[
    bool, typer.Option("--answers", metavar="", help="Mide además las respuestas del modelo configurado.")
]
Peers = Annotated[
    bool, typer.Option("--peers", metavar="", help="Mide además otros buscadores sobre los mismos preceptos.")
]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="CARPETA", help="Escribe un informe en JSON y en Markdown."),
]

Record = Annotated[
    Path | None,
    typer.Option("--record", metavar="CARPETA", help="Mide las respuestas y graba lo que escriben los modelos."),
]
Replay = Annotated[
    Path | None,
    typer.Option("--replay", metavar="CARPETA", help="Mide las respuestas con lo grabado, sin ningún modelo."),
]


def evaluate(
    gold: Gold = None,
    index: IndexFolder = None,
    run: RunFile = None,
    rerank: Rerank = None,
    compare_run: CompareRun = None,
    compare: Compare = None,
    ablation: Ablation = False,
    answers: Answers = False,
    peers: Peers = False,
    report: Report = None,
    record: Record = None,
    replay: Replay = None,
    as_json: Json = False,
) -> None:
    """Measure retrieval and answers on questions or conversations with known provisions."""
    require("eval")
    if compare:
        if run or rerank or compare_run or ablation or answers or peers or report or record or replay:
            raise InvalidInput("--compare solo se puede combinar con --gold, --index y --json.")
        from cli.eval.comparison import print_comparison

        print_comparison(gold or [], index, compare, as_json)
        return

    from cli.eval.blocks import show
    from cli.eval.view import measurement_blocks, write_report
    from evaluation.measure import Measurement, Request, measure, read_inputs
    from evaluation.recording.run import RecordedRun

    settings, profile = read_configuration(index)
    context = run_context(profile, None, None, None, rerank)
    answers = answers or bool(record or replay)
    request = Request(gold or [], run, compare_run, ablation, answers, peers, report, record, replay)
    sets, other_run = read_inputs(request, settings, profile)
    recorded = RecordedRun.of(record, replay)
    if recorded:
        settings = recorded.settings(settings, context)

    async def run_command() -> Measurement:
        async with opened_services(settings, profile) as services:
            with console(stderr=True).status("Evaluando…") as status:
                return await measure(
                    request, sets, other_run, services, context, lambda doing: status.update(f"{doing}…"), recorded
                )

    measurement = asyncio.run(run_command())
    written = [*measurement.written, *(write_report(report, measurement) if report else [])]
    if as_json:
        failure = failure_beside("Unfinished", [measurement.waiting] if measurement.waiting else [])
        print_json({**failure, **measurement.report, "written": list(map(str, written))})
    else:
        show(console(), measurement_blocks(measurement, whole=False))
        for path in written:
            print_text(console(), f"Escrito: {path}")
    if measurement.waiting:
        raise typer.Exit(FAILED)
