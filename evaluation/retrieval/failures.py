"""Where a question went wrong: in retrieval, in ranking or in the answer; and the worst questions of a run.

What answers a question is its provisions of the highest grade: grade 2, or grade 1 where it has no other.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluation.gold.provisions import Key, Provision, key_of
from evaluation.gold.questions import Question
from evaluation.retrieval.metrics import MAIN, PerQuestion
from evaluation.retrieval.run import Ranked

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
