"""Command ``articulado eval``: measure retrieval and answers on questions with known provisions."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

import typer
from rich.console import Console

from articulado.config.extras import require
from articulado.language.formats import figure
from articulado.values.answers import RerankStrategy
from articulado.values.errors import InvalidInput
from cli.failures import FAILED, failure_beside
from cli.options import IndexFolder, Json, Rerank, read_configuration, run_context
from cli.render import console, number, percent, print_json, print_text, signed, table
from cli.session import opened_services
from evaluation.gold.sets import check_index, read_sets
from evaluation.retrieval.compare import (
    MAX_RERANK_MS,
    MAX_TOTAL_MS,
    METRIC,
    MIN_GAIN,
    MIN_MOVABLE,
    MIN_RISEN,
    MIN_TOP_SCORE,
    Comparison,
    Side,
    compare_strategies,
)
from evaluation.retrieval.evaluate import Percentiles

if TYPE_CHECKING:
    from articulado.config.profile import Profile
    from articulado.config.settings import Settings


NOT_MEASURED = "no medido"


async def measure(
    gold: Sequence[Path], settings: "Settings", profile: "Profile", strategies: tuple[str, str]
) -> list[Comparison]:
    """Compare two rerank strategies on every gold set."""
    available = get_args(RerankStrategy)
    for strategy in strategies:
        if strategy not in available:
            raise InvalidInput(f"--compare no admite «{strategy}». Valores posibles: {', '.join(available)}.")
    check_index(settings)
    if strategies[0] == strategies[1]:
        raise InvalidInput("--compare necesita dos modos distintos, por ejemplo: --compare heuristic cross_encoder.")
    first, second = cast(tuple[RerankStrategy, RerankStrategy], strategies)
    sets = read_sets(gold, profile)
    if sets.conversations:
        raise InvalidInput(
            f"{sets.conversations[0].path} tiene conversaciones, y --compare mide preguntas sueltas. Indique otro "
            "fichero en --gold."
        )
    async with opened_services(settings, profile) as services:
        with console(stderr=True).status("Evaluando…") as status:
            return [
                await compare_strategies(
                    gold_set, services, (first, second), on_strategy=lambda name: status.update(name)
                )
                for gold_set in sets.questions
            ]


def comparisons_as_dict(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    return {"sets": [_as_dict(comparison) for comparison in comparisons]}


def _as_dict(comparison: Comparison) -> dict[str, Any]:
    return {
        "name": comparison.gold.name,
        "gold": str(comparison.gold.path),
        "questions": len(comparison.gold.questions),
        "before": _side_as_dict(comparison.before),
        "after": _side_as_dict(comparison.after),
        "gain": comparison.gain,
        METRIC: comparison.ndcg and {**asdict(comparison.ndcg), "interval": comparison.ndcg.interval._asdict()},
        "moved": comparison.moved and {**asdict(comparison.moved), "share": comparison.moved.share},
    }


def _side_as_dict(side: Side) -> dict[str, Any]:
    return {
        "strategy": side.strategy,
        "not_measured": side.why or None,
        "failed": side.failed,
        METRIC: side.outcome.measured.means.get(METRIC) if side.outcome else None,
        "top_score": side.top_score,
        "rerank_ms": side.rerank and asdict(side.rerank),
        "total_ms": side.total and asdict(side.total),
    }


def print_comparisons(out: Console, comparisons: Sequence[Comparison]) -> None:
    """Print a table with goals for each gold set, and the reasons of missing measurements."""
    for position, comparison in enumerate(comparisons):
        if position:
            out.print()
        print_text(out, f"{comparison.gold.name}: {len(comparison.gold.questions)} preguntas", style="bold")
        before, after = comparison.before, comparison.after
        rows = [
            (METRIC, _mean(before), _mean(after), ""),
            (f"Cambio de {METRIC}", "", _gain(comparison), f"≥ +{percent(MIN_GAIN)}"),
            ("Suben de las que pueden", "", _risen(comparison), f"≥ {percent(MIN_RISEN)}"),
            ("Puntuación del primero", _top(before), _top(after), f"> {figure(MIN_TOP_SCORE, 1)}"),
            ("Reordenación p50/p95, ms", _times(before.rerank), _times(after.rerank), f"< {figure(MAX_RERANK_MS)}"),
            ("Total sin modelos p50/p95, ms", _times(before.total), _times(after.total), f"< {figure(MAX_TOTAL_MS)}"),
        ]
        table(out, ("", before.strategy, after.strategy, "Objetivo"), rows)
        if comparison.ndcg:
            low, high = comparison.ndcg.interval
            sentence = f"\nDiferencia de {METRIC}: {signed(comparison.ndcg.difference)} [{signed(low)}; {signed(high)}]"
            print_text(out, f"{sentence}, p = {number(comparison.ndcg.p)}.")
        for side in (before, after):
            _print_shortfall(out, side)


def _print_shortfall(out: Console, side: Side) -> None:
    if side.why:
        print_text(out, f"{side.strategy}: {NOT_MEASURED}: {side.why}", style="yellow")
    if side.failed:
        sentence = f"{side.strategy}: el modelo falló en {side.failed} preguntas, que ordenó la heurística"
        print_text(out, f"{sentence}: sus cifras no son las del modelo solo.", style="yellow")


def _mean(side: Side) -> str:
    mean = side.outcome.measured.means.get(METRIC) if side.outcome else None
    return NOT_MEASURED if mean is None else number(mean)


def _gain(comparison: Comparison) -> str:
    return NOT_MEASURED if comparison.gain is None else f"{signed(100 * comparison.gain, 1)} %"


def _risen(comparison: Comparison) -> str:
    if comparison.moved is None:
        return NOT_MEASURED
    counted = f"{comparison.moved.risen}/{comparison.moved.movable}"
    return (
        f"{counted} (menos de {MIN_MOVABLE})"
        if comparison.moved.share is None
        else f"{counted} ({percent(comparison.moved.share)})"
    )


def _top(side: Side) -> str:
    return NOT_MEASURED if side.top_score is None else number(side.top_score)


def _times(percentiles: Percentiles | None) -> str:
    return NOT_MEASURED if percentiles is None else f"{figure(percentiles.p50)}/{figure(percentiles.p95)}"


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
        _compare(gold or [], index, compare, as_json)
        return

    from cli.eval.view import Terminal, print_measurement, write_report
    from evaluation.as_json import as_dict
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
        lacking = [measurement.waiting] if measurement.unfinished else []
        print_json(
            {
                **failure_beside("Unfinished", lacking),
                **as_dict(measurement),
                "written": [str(path) for path in written],
            }
        )
    else:
        print_measurement(Terminal(console()), measurement)
        for path in written:
            print_text(console(), f"Escrito: {path}")
    if measurement.unfinished:
        raise typer.Exit(FAILED)


def _compare(gold: list[Path], index: Path | None, strategies: tuple[str, str], as_json: bool) -> None:

    comparisons = asyncio.run(measure(gold, *read_configuration(index), strategies))
    if as_json:
        print_json(comparisons_as_dict(comparisons))
    else:
        print_comparisons(console(), comparisons)
