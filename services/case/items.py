"""The items of an answer: sentences, steps, warnings. What is taken out is taken out whole."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from services.case.schema import Answer, AnswerSection
from services.protocols import TokenCounter


def kept(answer: Answer, is_bad: Callable[[str], bool], *, neutral_topic: str) -> Answer:
    """Return an answer without its bad items and without the sections that are left empty.

    Each topic and each item is asked about once, in order; ``neutral_topic`` takes the place of a bad one.
    """
    sections = [
        AnswerSection.model_construct(
            topic=neutral_topic if is_bad(section.topic) else section.topic,
            answer_components=[item for item in section.answer_components if not is_bad(item)],
            steps=[item for item in section.steps if not is_bad(item)],
            warnings=[item for item in section.warnings if not is_bad(item)],
        )
        for section in answer.sections
    ]
    return _of(sections)


def written(answer: Answer) -> str:
    """Return an answer as it counts against the budget: compact JSON."""
    return answer.model_dump_json()


def shortened(answer: Answer, budget: int, counter: TokenCounter) -> tuple[Answer, list[str]]:
    """Drop whole items until an answer has ``budget`` tokens at most; return it, and what was dropped, in that order.

    Sentences go first, from the last one on; then lists of steps, each whole, because half a procedure misleads; then
    warnings; the first sentence last. What remains of an answer never takes more tokens than more of it, so the least
    that must go is found by halving.
    """
    if counter.count(written(answer)) <= budget:
        return answer, []
    most = len(list(_drops(_copied(answer))))
    drops = bisect_left(
        range(most), True, key=lambda number: counter.count(written(_without(answer, number)[0])) <= budget
    )
    return _without(answer, drops)


def _without(answer: Answer, number: int) -> tuple[Answer, list[str]]:
    """Return an answer without the first ``number`` items that go, and these."""
    sections = _copied(answer)
    dropped = [item for items in islice(_drops(sections), number) for item in items]
    return _of(sections), dropped


def _copied(answer: Answer) -> list[AnswerSection]:
    return [section.model_copy(deep=True) for section in answer.sections]


def _of(sections: Iterable[AnswerSection]) -> Answer:
    return Answer.model_construct(
        sections=[one for one in sections if one.answer_components or one.steps or one.warnings]
    )


def _drops(sections: list[AnswerSection]) -> Iterator[list[str]]:
    """Take one item after another out of the sections, and yield what each was."""
    first = next((section for section in sections if section.answer_components), None)
    for section in reversed(sections):
        while len(section.answer_components) > (section is first):
            yield [section.answer_components.pop()]
    for section in reversed(sections):
        if section.steps:
            steps, section.steps = section.steps, []
            yield steps
    for section in reversed(sections):
        while section.warnings:
            yield [section.warnings.pop()]
    if first:
        yield [first.answer_components.pop()]
