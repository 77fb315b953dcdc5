"""``articulado eval --compare``: two rerank strategies on the same questions."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast, get_args

from articulado.language.formats import figure
from articulado.values.answers import RerankStrategy
from articulado.values.errors import InvalidInput
from cli.eval.blocks import Blocks, Line, Table, show
from cli.options import read_configuration
from cli.render import console, number, percent, print_json, signed
from cli.session import opened_services
from evaluation.gold.sets import check_index, read_sets
from evaluation.retrieval.compare import METRIC, compare_strategies

NOT_MEASURED = "no medido"


def print_comparison(gold: list[Path], index: Path | None, strategies: tuple[str, str], as_json: bool) -> None:
    """Compare two rerank strategies on every gold set."""
    settings, profile = read_configuration(index)
    available = get_args(RerankStrategy)
    for strategy in strategies:
        if strategy not in available:
            raise InvalidInput(f"--compare no admite «{strategy}». Valores posibles: {', '.join(available)}.")
    check_index(settings)
    if strategies[0] == strategies[1]:
        raise InvalidInput("--compare necesita dos modos distintos, por ejemplo: --compare heuristic cross_encoder.")
    modes = cast(tuple[RerankStrategy, RerankStrategy], strategies)
    sets = read_sets(gold, profile)
    if sets.conversations:
        raise InvalidInput(
            f"{sets.conversations[0].path} tiene conversaciones, y --compare mide preguntas sueltas. Indique otro "
            "fichero en --gold."
        )

    async def run_command() -> list[dict[str, Any]]:
        async with opened_services(settings, profile) as services:
            with console(stderr=True).status("Evaluando…") as status:
                return [await compare_strategies(each, services, modes, None, status.update) for each in sets.questions]

    comparisons = asyncio.run(run_command())
    if as_json:
        print_json({"sets": comparisons})
    else:
        show(console(), comparison_blocks(comparisons))


def comparison_blocks(comparisons: Iterable[Mapping[str, Any]]) -> Blocks:
    """Yield a table for each gold set compared, and the reasons of missing measurements."""
    for compared in comparisons:
        sides = before, after = compared["before"], compared["after"]
        yield Line(f"{compared['name']}: {compared['questions']} preguntas", "# ")
        moved, gain = compared["moved"], compared["gain"]
        risen = NOT_MEASURED
        if moved:
            part = "menos de 20" if moved["share"] is None else percent(moved["share"])
            risen = f"{moved['risen']}/{moved['movable']} ({part})"
        rows = [
            (METRIC, *(_or_not(side[METRIC]) for side in sides)),
            (f"Cambio de {METRIC}", "", NOT_MEASURED if gain is None else f"{signed(100 * gain, 1)} %"),
            ("Suben de las que pueden", "", risen),
            ("Puntuación del primero", *(_or_not(side["top_score"]) for side in sides)),
            ("Reordenación p50/p95, ms", *(_times(side["rerank_ms"]) for side in sides)),
            ("Total sin modelos p50/p95, ms", *(_times(side["total_ms"]) for side in sides)),
        ]
        yield Table(("", before["strategy"], after["strategy"]), rows)
        if paired := compared[METRIC]:
            low, high = (signed(paired["interval"][bound]) for bound in ("low", "high"))
            difference = f"{signed(paired['difference'])} [{low}; {high}], p = {number(paired['p'])}"
            yield Line(f"\nDiferencia de {METRIC}: {difference}.")
        for side in sides:
            if side["not_measured"]:
                yield Line(f"{side['strategy']}: {NOT_MEASURED}: {side['not_measured']}", style="yellow")
            if side["failed"]:
                yield Line(
                    f"{side['strategy']}: el modelo falló en {side['failed']} preguntas, que ordenó la heurística: sus "
                    "cifras no son las del modelo solo.",
                    style="yellow",
                )


def _or_not(value: float | None) -> str:
    return NOT_MEASURED if value is None else number(value)


def _times(times: Mapping[str, float] | None) -> str:
    return f"{figure(times['p50'])}/{figure(times['p95'])}" if times else NOT_MEASURED
