"""Comparison of two rerank strategies on the same questions: gain in nDCG@5 and cost in milliseconds."""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from articulado.config.settings import Settings
from articulado.values.answers import RerankStrategy
from evaluation.gold.questions import GoldSet, Question
from evaluation.retrieval.ablation import reason_unavailable, watch_reranker
from evaluation.retrieval.evaluate import (
    WARM_UP,
    Outcome,
    Percentiles,
    Retrieved,
    Retriever,
    diagnose,
    evaluate,
    percentiles,
)
from evaluation.retrieval.run import Ranked
from evaluation.statistics import Paired, compare
from graph.services import Services
from state.context import RunContext

METRIC = "nDCG@5"
STAGE = "rerank"
MIN_MOVABLE = 20

NOT_FOUND = math.inf

MIN_GAIN = 0.15
MIN_RISEN = 0.70
MIN_TOP_SCORE = 0.5
MAX_RERANK_MS = 1_000.0
MAX_TOTAL_MS = 5_000.0


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

    @property
    def top_score(self) -> float | None:
        """Mean relevance of the best candidate of the answerable questions; ``None`` without any."""
        if self.outcome is None or not self.outcome.positives:
            return None
        scores = [self.outcome.retrieved[question.id].top_score or 0.0 for question in self.outcome.positives]
        return sum(scores) / len(scores)

    @property
    def rerank(self) -> Percentiles | None:
        return self._times(lambda retrieved: retrieved.stages.get(STAGE, 0.0))

    @property
    def total(self) -> Percentiles | None:
        return self._times(
            lambda retrieved: (
                retrieved.milliseconds - sum(retrieved.stages.get(stage, 0.0) for stage in self.model_stages)
            )
        )

    def _times(self, time_of: Callable[[Retrieved], float]) -> Percentiles | None:
        return (
            percentiles([time_of(retrieved) for retrieved in self.outcome.retrieved.values()]) if self.outcome else None
        )


@dataclass(frozen=True)
class RankChanges:
    """Numbers of questions whose first right provision rose or fell; ``movable``: it could rise."""

    movable: int
    risen: int
    fallen: int

    @property
    def share(self) -> float | None:
        return self.risen / self.movable if self.movable >= MIN_MOVABLE else None


@dataclass(frozen=True)
class Comparison:
    """Two strategies on one gold set; comparisons are ``None`` if a side was not measured."""

    gold: GoldSet
    before: Side
    after: Side

    @cached_property
    def ndcg(self) -> Paired | None:
        """Paired comparison of nDCG@5; ``None`` without answerable questions."""
        if self.before.outcome is None or self.after.outcome is None or not self.after.outcome.positives:
            return None
        first, second = self.before.outcome.measured, self.after.outcome.measured
        return compare(
            [values[METRIC] for values in first.per_question.values()],
            [values[METRIC] for values in second.per_question.values()],
        )

    @property
    def gain(self) -> float | None:
        return self.ndcg.difference / self.ndcg.first if self.ndcg and self.ndcg.first else None

    @property
    def moved(self) -> RankChanges | None:
        """Rank changes of the right provisions."""
        if self.before.outcome is None or self.after.outcome is None:
            return None
        first, second = self.before.outcome.measured.run, self.after.outcome.measured.run
        ranks = [
            (_rank(question, first[question.id]), _rank(question, second[question.id]))
            for question in self.after.outcome.positives
        ]
        return RankChanges(
            movable=sum(old > 1 and min(old, new) < NOT_FOUND for old, new in ranks),
            risen=sum(new < old for old, new in ranks),
            fallen=sum(new > old for old, new in ranks),
        )


async def compare_strategies(
    gold: GoldSet,
    services: Services,
    strategies: tuple[RerankStrategy, RerankStrategy],
    context: RunContext | None = None,
    on_strategy: Callable[[str], None] = lambda name: None,
) -> Comparison:
    """Measure two strategies; a strategy that this machine cannot run has the reason instead."""
    sides = []
    for strategy in strategies:
        on_strategy(strategy)
        sides.append(await _side(gold, services, strategy, context or RunContext()))
    return Comparison(gold, *sides)


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


def _rank(question: Question, ranking: Sequence[Ranked]) -> float:
    rank = diagnose(question, ranking).rank
    return NOT_FOUND if rank is None else rank
