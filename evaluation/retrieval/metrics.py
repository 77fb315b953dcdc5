"""Rank metrics of a run, by ir-measures: for each question first, then their means.

A provision counts as relevant from grade 1; ``hit@k`` asks for grade 2, one that answers. Negatives have no right
provision and take no part. A question that a run leaves out scores 0.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from evaluation.gold.provisions import Provision, key_of
from evaluation.gold.questions import MAX_GRADE, Question
from evaluation.retrieval.run import Ranked

if TYPE_CHECKING:
    from ir_measures import Measure

PerQuestion = Mapping[str, Mapping[str, float]]
"""By the id of the question and the name of the metric, a value in [0, 1]."""

P_3 = "P@3"
P_3_NORMALISED = "P@3/min(3,R)"
MAIN = "nDCG@10"
METRICS = (
    "nDCG@5", MAIN, "RR", P_3, P_3_NORMALISED, "R@5", "R@20", "hit@1", "hit@3", "success@1", "success@3",
)  # fmt: skip
"""In the order in which they are shown."""


@cache
def _measures() -> "Mapping[str, Measure]":
    # Imported here: the command line must start without it.
    from ir_measures import RR, P, R, Success, nDCG

    # Gains 2^grade - 1, discounts log2(rank + 1) (Burges et al., 2005); ir-measures' own "exp-log2" asks for Perl.
    gains = {grade: 2**grade - 1 for grade in range(MAX_GRADE + 1)}
    return {
        "nDCG@5": nDCG(gains=gains) @ 5,
        MAIN: nDCG(gains=gains) @ 10,
        "RR": RR,
        P_3: P @ 3,
        "R@5": R @ 5,
        "R@20": R @ 20,
        "hit@1": Success(rel=2) @ 1,
        "hit@3": Success(rel=2) @ 3,
        "success@1": Success @ 1,
        "success@3": Success @ 3,
    }


def per_question(questions: Sequence[Question], run: Mapping[str, Sequence[Ranked]]) -> dict[str, dict[str, float]]:
    """Return every metric of every question that has a right provision, in the order of the gold set.

    nDCG@k = DCG@k / ideal DCG@k with gains 2^grade - 1 (Järvelin and Kekäläinen, 2002); P@3/min(3,R) is the P@3 that a
    question with R right provisions can reach at most, as 1.

    >>> article_38, article_40 = ("BOE-A-2015-11430", "Artículo 38"), ("BOE-A-2015-11430", "Artículo 40")
    >>> questions = [Question("first", "¿?", {article_38: 2}), Question("second", "¿?", {article_40: 2})]
    >>> ranking = [Ranked(article_38, 0.9), Ranked(article_40, 0.8)]
    >>> values = per_question(questions, {"first": ranking, "second": ranking})
    >>> values["first"]["nDCG@10"], values["first"]["RR"]
    (1.0, 1.0)
    >>> round(values["second"]["nDCG@10"], 4), values["second"]["RR"]  # 1 / log2(2 + 1), 1 / 2
    (0.6309, 0.5)
    """
    import ir_measures

    positive = [question for question in questions if not question.is_negative]
    if not positive:
        return {}
    qrels = {question.id: _graded(question.relevant) for question in positive}
    ranked = {question.id: _scored(run.get(question.id, ())) for question in positive}
    names = {measure: name for name, measure in _measures().items()}
    values: dict[str, dict[str, float]] = {question.id: {} for question in positive}
    for result in ir_measures.iter_calc(list(names), qrels, ranked):
        values[result.query_id][names[result.measure]] = float(result.value)
    for question_id, relevant in qrels.items():
        values[question_id][P_3_NORMALISED] = values[question_id][P_3] * 3 / min(3, len(relevant))
    return {question_id: {name: metrics[name] for name in METRICS} for question_id, metrics in values.items()}


def means(values: PerQuestion) -> dict[str, float]:
    """Return the mean of each metric over the questions; none without questions."""
    return {name: sum(metrics[name] for metrics in values.values()) / len(values) for name in METRICS} if values else {}


def _graded(relevant: Mapping[Provision, int]) -> dict[str, int]:
    """Return the grades by key: of two spellings of one provision the higher."""
    grades: dict[str, int] = {}
    for provision, grade in relevant.items():
        grades[_document(provision)] = max(grade, grades.get(_document(provision), 0))
    return grades


def _scored(ranking: Sequence[Ranked]) -> dict[str, float]:
    """Return ranks as scores, so that no evaluator breaks a tie in its own way; each provision at its best rank."""
    documents = dict.fromkeys(_document(ranked.provision) for ranked in ranking)
    return {document: float(len(documents) - place) for place, document in enumerate(documents)}


def _document(provision: Provision) -> str:
    return "#".join(key_of(provision))
