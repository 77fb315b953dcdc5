"""Take items (sentences, steps, warnings) out of an answer, each of them whole."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from articulado.values.protocols import TokenCounter
from services.case.schema import Answer, AnswerSection


def without_items(answer: Answer, is_bad: Callable[[str], bool], *, neutral_topic: str) -> Answer:
    """Return an answer without its bad items and without the sections that are left empty.

    ``is_bad`` is called once for each topic and item, in order; ``neutral_topic`` replaces a bad topic.
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
    return _non_empty(sections)


def answer_json(answer: Answer) -> str:
    """Return the compact JSON of an answer, whose tokens count against the budget."""
    return answer.model_dump_json()


def shorten_answer(answer: Answer, budget: int, counter: TokenCounter) -> tuple[Answer, list[str]]:
    """Drop whole items until an answer has ``budget`` tokens at most; return it, and what was dropped, in that order.

    Sentences go first, from the last one on; then lists of steps, each whole, because half a procedure misleads; then
    warnings; the first sentence last. Dropping more never leaves more tokens, so the smallest number of drops is found
    by bisection.
    """
    if counter.count(answer_json(answer)) <= budget:
        return answer, []
    droppable = len(list(_drops(_copies(answer))))
    drops = bisect_left(
        range(droppable), True, key=lambda number: counter.count(answer_json(_without(answer, number)[0])) <= budget
    )
    return _without(answer, drops)


def least_tokens(answer: Answer, is_enough: Callable[[Answer], bool], counter: TokenCounter) -> int:
    """Return the tokens of the shortest answer which ``shorten_answer`` can make of this one and that is enough.

    The answer as it is must be enough, and what is not must not become it by dropping more.
    """
    droppable = len(list(_drops(_copies(answer))))
    too_many = bisect_left(range(1, droppable + 1), True, key=lambda number: not is_enough(_without(answer, number)[0]))
    return counter.count(answer_json(_without(answer, too_many)[0]))


def _without(answer: Answer, number: int) -> tuple[Answer, list[str]]:
    """Return an answer without the first ``number`` items to drop, and these."""
    sections = _copies(answer)
    dropped = [item for items in islice(_drops(sections), number) for item in items]
    return _non_empty(sections), dropped


def _copies(answer: Answer) -> list[AnswerSection]:
    return [section.model_copy(deep=True) for section in answer.sections]


def _non_empty(sections: Iterable[AnswerSection]) -> Answer:
    return Answer.model_construct(
        sections=[section for section in sections if section.answer_components or section.steps or section.warnings]
    )


def _drops(sections: list[AnswerSection]) -> Iterator[list[str]]:
    """Take one item (a list of steps counts as one) after another out of the sections, and yield each."""
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
