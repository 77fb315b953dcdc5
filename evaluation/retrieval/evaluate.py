"""Evaluation of retrieval on a gold set: rankings, metrics, latency in milliseconds, and failures."""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, cast

import numpy as np

from articulado.config.sections import Caps
from articulado.retrieval.fusion import preference, with_cards
from articulado.retrieval.search import search_filter
from articulado.values.chunks import Candidate, Origin, relevance
from articulado.values.errors import ArticuladoError
from articulado.values.protocols import SearchFilter
from evaluation.gold.questions import GoldSet, Key, Provision, Question, key_of, make_provision
from evaluation.retrieval.run import PerQuestion, Ranked, Run, means, per_question
from evaluation.statistics import Interval, intervals
from graph.rag import build_context
from graph.services import Services
from nodes.stage import default_options
from state.context import RunContext
from state.rag import RagState
from state.run import days_of

LAW = "normativa"  # collection whose chunks are provisions of laws; rulings and criteria have no row in a run

MIN_ROWS = 20  # least number of rows of a ranking, for recall@20; shorter ones are filled by deeper searches
MAX_ROWS = 100
DEEPER, ATTEMPTS = 4, 3

RERANKED, MERGED, FILLED = 2.0, 1.0, 0.0  # offsets that order the three groups of rows

_STATE = [
    *("searches", "lexical_only", "turn_question", "as_of", "today"),
    *("candidates", "cards", "abstained", "warnings", "usage"),
]


@dataclass(frozen=True)
class Row(Ranked):
    """Provision of a ranking; ``score`` falls from row to row and is no relevance (see ``RERANKED``)."""

    law: str
    origins: tuple[Origin | Literal["fill"], ...]


@dataclass(frozen=True)
class Retrieved:
    """Retrieval of one question; ``top_score`` in [0, 1] is ``None`` if no candidate was reranked."""

    rows: tuple[Row, ...]
    queries: tuple[str, ...]
    abstained: bool
    top_score: float | None
    stages: Mapping[str, float]
    milliseconds: float
    warnings: tuple[str, ...] = ()


class Retriever:
    """Runs the retrieval graph, and fills its ranking beyond the caps with the same search."""

    def __init__(self, services: Services, context: RunContext | None = None) -> None:
        self._graph = build_context(services)
        self._search = services.search
        self._context = context
        self._profile = services.profile
        resolved = default_options(services.settings).overridden_by(context)
        self._searches_law = LAW in (resolved.collections or services.profile.names)
        self._law_alone = resolved.model_copy(update={"collections": (LAW,)})

    async def retrieve(self, question: str) -> Retrieved:
        """Run the stages up to the selected context; abstentions have a ranking, too."""
        started = time.perf_counter()
        result = await self._graph.ainvoke({"question": question}, context=self._context, output_keys=_STATE)
        milliseconds = (time.perf_counter() - started) * 1000
        state = cast(RagState, result)
        candidates = sorted(with_cards(state["candidates"], state["cards"]), key=preference)
        return Retrieved(
            rows=tuple(await self._filled(_each_once(map(_row, _of_laws(candidates))), state)),
            queries=tuple(state["searches"]),
            abstained=state["abstained"],
            top_score=max(
                (relevance(candidate) for candidate in candidates if "rerank_score" in candidate), default=None
            ),
            stages=state["usage"]["stages"],
            milliseconds=round(milliseconds, 3),
            warnings=tuple(state["warnings"]),
        )

    async def _filled(self, merged: dict[Key, Row], state: RagState) -> list[Row]:
        rows, reached, searches = merged, -1, state["searches"]
        attempts = range(1, ATTEMPTS + 1) if searches and self._searches_law else ()
        for depth in (self._profile.search.caps.prefetch * DEEPER**attempt for attempt in attempts):
            candidates, _ = await self._search.run(
                searches,
                self._filter(state),
                collections=self._law_alone.collections,
                lexical_only=state["lexical_only"],
                caps=_caps(depth, len(searches)),
            )
            rows = _each_once([*merged.values(), *map(_filling_row, _of_laws(candidates))])
            if len(rows) >= MIN_ROWS or len(candidates) == reached:
                break
            reached = len(candidates)
        if len(rows) < MIN_ROWS and self._searches_law:
            # Words that no provision has find nothing: what the field is about stands in, so that no run lacks rows.
            rows = _each_once([*rows.values(), *map(_filling_row, _of_laws(await self._of_the_field(state)))])
        return list(rows.values())[: max(len(merged), MAX_ROWS)]

    def _filter(self, state: RagState) -> SearchFilter:
        return search_filter(state["turn_question"], days_of(state).as_of, self._law_alone.territory)

    async def _of_the_field(self, state: RagState) -> list[Candidate]:
        title = [self._profile.title]
        where = self._filter(state)
        candidates, _ = await self._search.run(title, where, collections=self._law_alone.collections)
        return [{**candidate, "score": candidate["score"] - 1} for candidate in candidates]


def _caps(depth: int, searches: int) -> Caps:
    return Caps.model_construct(prefetch=depth, per_collection=depth, per_query=depth, overall=depth * searches)


def _of_laws(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    return (candidate for candidate in candidates if candidate["chunk"]["collection"] == LAW)


def _each_once(rows: Iterable[Row]) -> dict[Key, Row]:
    kept: dict[Key, Row] = {}
    for row in rows:
        kept.setdefault(key_of(row.provision), row)
    return kept


def _row(candidate: Candidate) -> Row:
    above = RERANKED if "rerank_score" in candidate else MERGED
    return _row_of(candidate, above + relevance(candidate), tuple(candidate["origins"]))


def _filling_row(candidate: Candidate) -> Row:
    return _row_of(candidate, FILLED + candidate["score"], ("fill",))


def _row_of(candidate: Candidate, score: float, origins: tuple[Origin | Literal["fill"], ...]) -> Row:
    chunk = candidate["chunk"]
    return Row(make_provision(chunk["law_id"], chunk["provision"]), round(score, 6), chunk["law_name"], origins)


WARM_UP = "¿Cuántos días de vacaciones corresponden cada año?"  # asked first and not counted: lazy loading


@dataclass(frozen=True)
class Configuration:
    """Named way of retrieving: its run, the metrics by question, their means and intervals."""

    name: str
    run: Run
    per_question: PerQuestion
    means: dict[str, float]
    intervals: dict[str, Interval]


class Retrieves(Protocol):
    """Protocol of a retriever."""

    async def retrieve(self, question: str) -> Retrieved: ...


@dataclass(frozen=True)
class Outcome:
    """Gold set and the retrieval of each question, by id."""

    gold: GoldSet
    retrieved: Mapping[str, Retrieved]

    @cached_property
    def measured(self) -> Configuration:
        return self._measured(self.gold.name, self.gold.questions)

    @cached_property
    def by_category(self) -> dict[str, Configuration]:
        names = dict.fromkeys(question.category for question in self.positives if question.category)
        return {
            name: self._measured(name, [question for question in self.positives if question.category == name])
            for name in names
        }

    @property
    def positives(self) -> list[Question]:
        return [question for question in self.gold.questions if not question.is_negative]

    @property
    def negatives(self) -> list[Question]:
        return [question for question in self.gold.questions if question.is_negative]

    @property
    def wrongly_refused(self) -> list[Question]:
        return [question for question in self.positives if self.retrieved[question.id].abstained]

    @property
    def rightly_declined(self) -> list[Question]:
        return [question for question in self.negatives if self.retrieved[question.id].abstained]

    @property
    def latency(self) -> dict[str, float]:
        return percentiles([retrieved.milliseconds for retrieved in self.retrieved.values()])

    @property
    def stage_latency(self) -> dict[str, dict[str, float]]:
        names = dict.fromkeys(stage for retrieved in self.retrieved.values() for stage in retrieved.stages)
        return {
            name: percentiles(
                [retrieved.stages[name] for retrieved in self.retrieved.values() if name in retrieved.stages]
            )
            for name in names
        }

    def _measured(self, name: str, questions: Sequence[Question]) -> Configuration:
        run = {question.id: self.retrieved[question.id].rows for question in questions}
        return measure_run(name, questions, run)


async def evaluate(gold: GoldSet, retriever: Retrieves, *, warm_up: bool = True) -> Outcome:
    """Ask every question, one after the other; errors name the question. ``warm_up`` asks another one first."""
    if warm_up:
        await retriever.retrieve(WARM_UP)
    retrieved = {}
    for question in gold.questions:
        try:
            retrieved[question.id] = await retriever.retrieve(question.question)
        except ArticuladoError as error:
            raise type(error)(f"Pregunta «{question.id}» de {gold.path}: {error}") from error
    return Outcome(gold, retrieved)


def measure_run(name: str, questions: Sequence[Question], run: Run) -> Configuration:
    values = per_question(questions, run)
    return Configuration(name, run, values, means(values), intervals(values))


def percentiles(milliseconds: Sequence[float]) -> dict[str, float]:
    """Return median and 95th percentile (``p50``, ``p95``) of at least one value, interpolated."""
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return {"p50": round(float(p50), 3), "p95": round(float(p95), 3)}


FOUND_WITHIN = 20
FIRST = 3

Kind = Literal["retrieval", "ranking", "answer"]


@dataclass(frozen=True)
class Failure:
    """Question without the right provision among the first 20, the first three, or the citations; ``rank`` from 1."""

    kind: Kind | None
    rank: int | None
    instead: tuple[Provision, ...]


def diagnose(
    question: Question, ranking: Sequence[Ranked], cited: Mapping[str, Collection[Provision]] | None = None
) -> Failure:
    """Return the failure of a question; its ``kind`` is ``None`` without one. ``cited``: provisions of each answer."""
    instead = tuple(ranked.provision for ranked in ranking[:FIRST])
    answering = answering_keys(question)
    ranks = (rank for rank, ranked in enumerate(ranking, start=1) if key_of(ranked.provision) in answering)
    rank = next(ranks, None)
    kind: Kind | None = None
    if rank is None or rank > FOUND_WITHIN:
        kind = "retrieval" if answering else None
    elif cited is not None and answering.isdisjoint(map(key_of, cited.get(question.id, ()))):
        kind = "answer" if rank <= FIRST else "ranking"
    elif cited is None and rank > FIRST:
        kind = "ranking"
    return Failure(kind, rank, instead)


def answering_keys(question: Question) -> set[Key]:
    highest = max(question.relevant.values(), default=0)
    return {key_of(provision) for provision, grade in question.relevant.items() if grade == highest}
