"""What one way of retrieving gave on a gold set: a row of an ablation, or a peer."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.bootstrap import Interval, intervals
from evaluation.gold import Question
from evaluation.metrics import PerQuestion, means, per_question
from evaluation.run import Run


@dataclass(frozen=True)
class Configuration:
    """A named way of retrieving, its run, and its metrics: by question, their means, and the intervals of these."""

    name: str
    run: Run
    per_question: PerQuestion
    means: dict[str, float]
    intervals: dict[str, Interval]


def measured(name: str, questions: Sequence[Question], run: Run) -> Configuration:
    """Measure a run."""
    values = per_question(questions, run)
    return Configuration(name, run, values, means(values), intervals(values))
