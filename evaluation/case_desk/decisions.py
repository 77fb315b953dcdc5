"""What is decided on labelled cases, by their class: how many verdicts are right, and which cases go on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from articulado.cases.confidence import CaseGraph
from evaluation.case_desk.cases import KINDS, Kind
from evaluation.case_desk.run import CaseResult

GOES_ON = ("found", "can_proceed")
"""Verdicts that let a case go on."""


@dataclass(frozen=True)
class KindCounts:
    """What becomes of the cases of a class, in numbers of cases.

    ``right`` have the verdict that they should have; one that goes on must go on by the right article, and one of
    another article than its data are of must be told which. ``on`` go on; ``must_stop`` should not, and ``let_on``
    do all the same. ``fields`` counts the labelled data that are bad or missing, ``fields_named`` those that the
    result names.
    """

    cases: int
    right: int
    on: int
    must_stop: int
    let_on: int
    fields: int
    fields_named: int


Decisions = Mapping[Kind, KindCounts]


def by_kind(graph: CaseGraph, results: Sequence[CaseResult]) -> dict[Kind, KindCounts]:
    """Count by class, in the order of ``KINDS``, the cases that are labelled with a class and a verdict."""
    labelled = [result for result in results if label_of(graph, result)]
    of_kinds = {kind: [result for result in labelled if result.case.kind == kind] for kind in KINDS}
    return {kind: _counts(graph, of_kind) for kind, of_kind in of_kinds.items() if of_kind}


def total(decisions: Decisions) -> KindCounts:
    """Add the counts of all classes."""
    every = decisions.values()
    return KindCounts(
        cases=sum(counts.cases for counts in every),
        right=sum(counts.right for counts in every),
        on=sum(counts.on for counts in every),
        must_stop=sum(counts.must_stop for counts in every),
        let_on=sum(counts.let_on for counts in every),
        fields=sum(counts.fields for counts in every),
        fields_named=sum(counts.fields_named for counts in every),
    )


def label_of(graph: CaseGraph, result: CaseResult) -> str:
    """Return the verdict that is right in a step; empty where the case is labelled with none."""
    return (result.case.outcome if graph == "required_data" else result.case.decision) or ""


def is_right(graph: CaseGraph, result: CaseResult) -> bool:
    """Whether a case has the verdict of its label, and its article where the verdict rests on one."""
    label = label_of(graph, result)
    rests_on_article = label in GOES_ON or result.case.kind == "other_article"
    return result.verdict == label and (not rests_on_article or result.article == result.case.article)


def _counts(graph: CaseGraph, results: Sequence[CaseResult]) -> KindCounts:
    stopping = [result for result in results if label_of(graph, result) not in GOES_ON]
    # The first step is sent no data: there is nothing bad in it.
    with_data = results if graph == "generate_response" else []
    return KindCounts(
        cases=len(results),
        right=sum(is_right(graph, result) for result in results),
        on=sum(result.verdict in GOES_ON for result in results),
        must_stop=len(stopping),
        let_on=sum(result.verdict in GOES_ON for result in stopping),
        fields=sum(len(result.case.fields) for result in with_data),
        fields_named=sum(len(set(result.case.fields) & set(result.bad)) for result in with_data),
    )
