"""Evaluation of retrieval on a gold set: rankings, metrics, latency and failures.

Questions are asked one after the other, so that their times are comparable. Times are in milliseconds.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from articulado.values.errors import ArticuladoError
from evaluation.gold.questions import GoldSet, Key, Provision, Question, key_of
from evaluation.retrieval.retrieve import Retrieved
from evaluation.retrieval.run import MAIN, PerQuestion, Ranked, Run, means, per_question
from evaluation.statistics import Interval, intervals

WARM_UP = "¿Cuántos días de vacaciones corresponden cada año?"
"""Asked before any question, and not counted: it pays for what is loaded on first use."""


@dataclass(frozen=True)
class Configuration:
    """A named way of retrieving: its run, and its metrics by question, their means, and the intervals of these."""

    name: str
    run: Run
    per_question: PerQuestion
    means: dict[str, float]
    intervals: dict[str, Interval]


class Retrieves(Protocol):
    """What finds provisions for a question."""

    async def retrieve(self, question: str) -> Retrieved:
        """Return the ranking of one question."""
        ...


@dataclass(frozen=True)
class Percentiles:
    """Median and 95th percentile, in milliseconds."""

    p50: float
    p95: float


@dataclass(frozen=True)
class Outcome:
    """A gold set and, by the id of each of its questions, what was found."""

    gold: GoldSet
    retrieved: Mapping[str, Retrieved]

    @cached_property
    def measured(self) -> Configuration:
        """The metrics of the whole set."""
        return self._measured(self.gold.name, self.gold.questions)

    @cached_property
    def by_category(self) -> dict[str, Configuration]:
        """The metrics of the questions of each category, in the order of the gold set; none without categories."""
        names = dict.fromkeys(question.category for question in self.positives if question.category)
        return {
            name: self._measured(name, [question for question in self.positives if question.category == name])
            for name in names
        }

    @property
    def positives(self) -> list[Question]:
        """The questions that the law at hand answers."""
        return [question for question in self.gold.questions if not question.is_negative]

    @property
    def negatives(self) -> list[Question]:
        """The questions that it does not answer."""
        return [question for question in self.gold.questions if question.is_negative]

    @property
    def wrongly_refused(self) -> list[Question]:
        """Questions with an answer that the graph abstains from."""
        return [question for question in self.positives if self.retrieved[question.id].abstained]

    @property
    def rightly_declined(self) -> list[Question]:
        """Questions without an answer that the graph abstains from."""
        return [question for question in self.negatives if self.retrieved[question.id].abstained]

    @property
    def latency(self) -> Percentiles:
        """Time of a question from analysis to context, without an answer."""
        return percentiles([retrieved.milliseconds for retrieved in self.retrieved.values()])

    @property
    def stage_latency(self) -> dict[str, Percentiles]:
        """Time of each stage, in the order in which stages first ran."""
        names = dict.fromkeys(stage for retrieved in self.retrieved.values() for stage in retrieved.stages)
        return {
            name: percentiles(
                [retrieved.stages[name] for retrieved in self.retrieved.values() if name in retrieved.stages]
            )
            for name in names
        }

    def _measured(self, name: str, questions: Sequence[Question]) -> Configuration:
        run = {question.id: self.retrieved[question.id].ranking for question in questions}
        return measure_run(name, questions, run)


async def evaluate(
    gold: GoldSet, retriever: Retrieves, on_question: Callable[[], None] = lambda: None, *, warm_up: bool = True
) -> Outcome:
    """Ask every question, one after the other, so that each has the machine to itself while it is timed.

    ``warm_up`` asks one before them, where nothing has been asked yet.

    Raises:
        ArticuladoError: a question cannot be asked, or a service does not work; the message names the question.
    """
    if warm_up:
        await retriever.retrieve(WARM_UP)
    retrieved = {}
    for question in gold.questions:
        try:
            retrieved[question.id] = await retriever.retrieve(question.question)
        except ArticuladoError as error:
            raise type(error)(f"Pregunta «{question.id}» de {gold.path}: {error}") from error
        on_question()
    return Outcome(gold, retrieved)


def measure_run(name: str, questions: Sequence[Question], run: Run) -> Configuration:
    """Return the metrics of a run: by question, their means, and the intervals of these."""
    values = per_question(questions, run)
    return Configuration(name, run, values, means(values), intervals(values))


def percentiles(milliseconds: Sequence[float]) -> Percentiles:
    """Return median and 95th percentile, interpolated between neighbours.

    Raises:
        ValueError: there is nothing to rank.
    """
    if not len(milliseconds):
        raise ValueError("no times")
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return Percentiles(round(float(p50), 3), round(float(p95), 3))


FOUND_WITHIN = 20
FIRST = 3

Kind = Literal["retrieval", "ranking", "answer"]


@dataclass(frozen=True)
class Failure:
    """A question without the right provision where it should be.

    ``retrieval``: none among the first 20. ``ranking``: among these, but not among the first three. ``answer``: found,
    but not cited. ``rank`` is the place of the first right one, from 1; ``None`` where the ranking has none.
    ``instead`` are the first three that were found.
    """

    question: Question
    kind: Kind | None
    rank: int | None
    instead: tuple[Provision, ...]


def failures(
    questions: Sequence[Question],
    run: Mapping[str, Sequence[Ranked]],
    cited: Mapping[str, Collection[Provision]] | None = None,
) -> list[Failure]:
    """Return the questions that failed, in the order of the gold set; negatives have nothing to find.

    ``cited`` are the provisions of the answer to each question; without it only retrieval and ranking can fail. An
    answer that cites what was only in the twentieth place is no failure of the answer, but of the ranking.
    """
    diagnoses = [diagnose(question, run.get(question.id, ()), cited) for question in questions if question.relevant]
    return [failure for failure in diagnoses if failure.kind]


def diagnose(
    question: Question, ranking: Sequence[Ranked], cited: Mapping[str, Collection[Provision]] | None = None
) -> Failure:
    """Say where a question went wrong; ``kind`` is ``None`` where it did not."""
    answering = answering_keys(question)
    ranks = (rank for rank, ranked in enumerate(ranking, start=1) if key_of(ranked.provision) in answering)
    rank = next(ranks, None)
    kind: Kind | None = None
    if rank is None or rank > FOUND_WITHIN:
        kind = "retrieval"
    elif cited is not None and answering.isdisjoint(map(key_of, cited.get(question.id, ()))):
        kind = "answer" if rank <= FIRST else "ranking"
    elif cited is None and rank > FIRST:
        kind = "ranking"
    return Failure(question, kind, rank, tuple(ranked.provision for ranked in ranking[:FIRST]))


def answering_keys(question: Question) -> set[Key]:
    """Return the provisions of the highest grade."""
    highest = max(question.relevant.values(), default=0)
    return {key_of(provision) for provision, grade in question.relevant.items() if grade == highest}


def worst(
    questions: Sequence[Question], values: PerQuestion, run: Mapping[str, Sequence[Ranked]], limit: int
) -> list[Failure]:
    """Return the questions of the lowest nDCG@10, lowest first and none that is perfect; ties as in the gold set."""
    imperfect = [question for question in questions if values.get(question.id, {}).get(MAIN, 1.0) < 1.0]
    lowest = sorted(imperfect, key=lambda question: values[question.id][MAIN])[:limit]
    return [diagnose(question, run.get(question.id, ())) for question in lowest]
