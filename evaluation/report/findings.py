"""Everything that was measured in one run of the harness, and what follows from it; reports are views of this."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from evaluation.answers.answers import AnswerResult, cited_by_question
from evaluation.answers.relevance import RelevanceReport, report_relevance
from evaluation.answers.tally import Tally, tally
from evaluation.gold.questions import Question
from evaluation.peers.measure import PeerFindings
from evaluation.retrieval.evaluate import Configuration, Outcome, measure_run
from evaluation.retrieval.failures import Failure, failures, worst
from evaluation.retrieval.metrics import MAIN
from evaluation.statistics.bootstrap import Interval, Paired, compare, interval
from evaluation.statistics.reliability import Prediction, Reliability, reliability

WORST = 15
RIGHT = "hit@3"
"""What counts as right for the confidence: a provision that answers among the first three."""


@dataclass(frozen=True)
class Step:
    """A configuration, and what it gives against the one before it (``None`` for the first)."""

    configuration: Configuration
    against: Paired | None


@dataclass(frozen=True)
class Findings:
    """``outcome`` is the retrieval that is in use; ``configurations`` those of an ablation, in their order.

    ``answers``, ``peers`` and ``configurations`` are empty where they were not asked for.
    """

    outcome: Outcome
    environment: Mapping[str, str]
    configurations: Sequence[Configuration] = ()
    answers: Sequence[AnswerResult] = ()
    peers: PeerFindings = field(default_factory=lambda: PeerFindings((), {}, 0))

    @property
    def questions(self) -> Sequence[Question]:
        """All questions of the gold set."""
        return self.outcome.gold.questions

    @cached_property
    def steps(self) -> list[Step]:
        """The configurations, each compared with the one before on nDCG@10; without an ablation the one in use."""
        configurations = [*(self.configurations or [self.outcome.measured])]
        return [
            Step(configuration, compare_configurations(configurations[index - 1], configuration) if index else None)
            for index, configuration in enumerate(configurations)
        ]

    @cached_property
    def rivals(self) -> list[Step]:
        """The peers, each with what the retrieval in use gives against it."""
        ours = self.outcome.measured
        rivals = [measure_run(run.name, list(self.questions), run.run) for run in self.peers.runs]
        return [Step(run, compare_configurations(run, ours)) for run in rivals]

    @cached_property
    def voices(self) -> dict[str, list[str]]:
        """The ids of the positive questions by voice (lay, professional), in the order of the gold set."""
        names = dict.fromkeys(question.voice for question in self.outcome.positives if question.voice)
        return {name: [question.id for question in self.outcome.positives if question.voice == name] for name in names}

    @cached_property
    def failures(self) -> list[Failure]:
        """The questions that failed, in the order of the gold set; answers count where they were written."""
        cited = cited_by_question(self.answers) if self.answers else None
        return failures(self.questions, self.outcome.measured.run, cited)

    @cached_property
    def worst(self) -> list[Failure]:
        """The questions of the lowest nDCG@10."""
        measured = self.outcome.measured
        return worst(self.questions, measured.per_question, measured.run, WORST)

    @cached_property
    def tally(self) -> Tally:
        """What became of the questions, as their answers have it."""
        return tally(self.answers)

    @cached_property
    def relevance(self) -> RelevanceReport | None:
        """What the relevance of the questions is worth; ``None`` where no answer has one."""
        return report_relevance(self.answers)

    @cached_property
    def confidence(self) -> Reliability:
        """How the relevance of the best candidate (0 where nothing was found) relates to being right.

        Nothing that is said of a negative is right.
        """
        values = self.outcome.measured.per_question
        return reliability(
            [
                Prediction(
                    self.outcome.retrieved[question.id].top_score or 0.0,
                    values[question.id][RIGHT] if question.relevant else 0.0,
                )
                for question in self.questions
            ]
        )


def compare_configurations(before: Configuration, after: Configuration) -> Paired | None:
    """Compare two configurations on nDCG@10, question by question; ``None`` where no question has an answer."""
    ids = list(before.per_question)
    if not ids:
        return None
    return compare([before.per_question[id_][MAIN] for id_ in ids], [after.per_question[id_][MAIN] for id_ in ids])


def mean_of(configuration: Configuration, ids: Sequence[str]) -> tuple[float, Interval]:
    """Return the mean nDCG@10 over some questions (by id; at least one) and its interval.

    The mean is NumPy's, as those are that the interval is drawn from: ``sum`` rounds otherwise, and where all values
    are the same its mean would lie a last digit outside of the interval.
    """
    values = [configuration.per_question[id_][MAIN] for id_ in ids]
    return float(np.mean(values)), interval(values)
