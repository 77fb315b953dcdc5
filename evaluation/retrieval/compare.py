"""Comparison of two rerank strategies on the same questions: gain in nDCG@5 and cost in milliseconds."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from articulado.config.settings import Settings
from articulado.values.answers import RerankStrategy
from evaluation.gold.questions import GoldSet, Question
from evaluation.retrieval.ablation import reason_unavailable, watch_reranker
from evaluation.retrieval.evaluate import WARM_UP, Outcome, Retrieved, Retriever, diagnose, evaluate, percentiles
from evaluation.statistics import compare
from graph.services import Services
from state.context import RunContext

METRIC = "nDCG@5"
STAGE = "rerank"
MIN_MOVABLE = 20


@dataclass(frozen=True)
class Side:
    """One of the two strategies; without an outcome, ``why`` it was not measured.

    ``failed`` counts the questions in which the heuristic replaced a failed model.
    """

    strategy: RerankStrategy
    outcome: Outcome | None = None
    why: str = ""
    failed: int = 0
    model_stages: Collection[str] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the mean of the metric, of the best candidates' relevance, and times without those of providers."""
        values = {"strategy": self.strategy, "not_measured": self.why or None, "failed": self.failed}
        if self.outcome is None:
            return values | dict.fromkeys((METRIC, "top_score", "rerank_ms", "total_ms"))
        retrieved = self.outcome.retrieved
        scores = [retrieved[question.id].top_score or 0.0 for question in self.outcome.positives]
        return {
            **values,
            METRIC: self.outcome.measured.means.get(METRIC),
            "top_score": sum(scores) / len(scores) if scores else None,
            "rerank_ms": percentiles([each.stages.get(STAGE, 0.0) for each in retrieved.values()]),
            "total_ms": percentiles([self._own_time(each) for each in retrieved.values()]),
        }

    def _own_time(self, retrieved: Retrieved) -> float:
        return retrieved.milliseconds - sum(retrieved.stages.get(stage, 0.0) for stage in self.model_stages)


def comparison(gold: GoldSet, before: Side, after: Side) -> dict[str, Any]:
    """Return the second side against the first; comparisons are ``None`` if a side was not measured."""
    sides = {"before": before.as_json(), "after": after.as_json()}
    report = {"name": gold.name, "gold": str(gold.path), "questions": len(gold.questions), **sides}
    if before.outcome is None or after.outcome is None:
        return report | dict.fromkeys(("gain", METRIC, "moved"))
    first, second = before.outcome.measured, after.outcome.measured
    paired = None
    if after.outcome.positives:
        values = asdict(compare(*([each[METRIC] for each in side.per_question.values()] for side in (first, second))))
        paired = {"interval": {"low": values.pop("low"), "high": values.pop("high")}, **values}
    ranks = [
        (_rank(question, before.outcome.retrieved), _rank(question, after.outcome.retrieved))
        for question in after.outcome.positives
    ]
    movable = sum(old > 1 and min(old, new) < math.inf for old, new in ranks)
    risen = sum(new < old for old, new in ranks)
    return {
        **report,
        "gain": paired["difference"] / paired["first"] if paired and paired["first"] else None,
        METRIC: paired,
        # Questions whose first right provision rose or fell; ``movable``: it could rise.
        "moved": {
            "movable": movable,
            "risen": risen,
            "fallen": sum(new > old for old, new in ranks),
            "share": risen / movable if movable >= MIN_MOVABLE else None,
        },
    }


def _rank(question: Question, retrieved: Mapping[str, Retrieved]) -> float:
    return diagnose(question, retrieved[question.id].rows).rank or math.inf


async def compare_strategies(
    gold: GoldSet,
    services: Services,
    strategies: tuple[RerankStrategy, RerankStrategy],
    context: RunContext | None = None,
    on_strategy: Callable[[str], None] = lambda name: None,
) -> dict[str, Any]:
    """Measure two strategies; a strategy that this machine cannot run has the reason instead."""
    sides = []
    for strategy in strategies:
        on_strategy(strategy)
        sides.append(await _side(gold, services, strategy, context or RunContext()))
    return comparison(gold, *sides)


async def _side(gold: GoldSet, services: Services, strategy: RerankStrategy, context: RunContext) -> Side:
    if why := reason_unavailable(strategy, services):
        return Side(strategy, why=why)
    observed, failures = watch_reranker(strategy, services)
    retriever = Retriever(observed, context.model_copy(update={"rerank_strategy": strategy}))
    outcome = await evaluate(gold, retriever)
    failed = len(failures.keys() - {WARM_UP})
    return Side(strategy, outcome, "", failed, model_stages(services.settings, strategy))


def model_stages(settings: Settings, strategy: RerankStrategy) -> set[str]:
    waits = {
        "decompose": settings.reader.provider != "offline",
        "embed_queries": settings.embedder.provider != "offline",
        STAGE: strategy in ("llm", "api"),
    }
    return {stage for stage, is_remote in waits.items() if is_remote}
