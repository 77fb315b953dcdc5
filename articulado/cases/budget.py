"""Token budgets of a case: fit whole chunks into the context and whole items into the answer."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, islice
from typing import get_args

from articulado.cases.author import Answer, AnswerSection, assembled, calculated_sections, render
from articulado.language.languages import Language
from articulado.values.cases import AnswerPart, Shortfall, WorkedCalculation, details_of
from articulado.values.chunks import Chunk
from articulado.values.errors import InsufficientContext
from articulado.values.protocols import TokenCounter

CONTEXT_SHARE = 0.7


def budget_shares(max_tokens: int) -> tuple[int, int]:
    """Return the tokens of the context and of the answer; their sum is ``max_tokens``."""
    context = int(max_tokens * CONTEXT_SHARE)
    return context, max_tokens - context


def least_max_tokens(context: int, answer: int) -> int:
    """Return the smallest ``max_tokens`` whose two shares suffice for this many tokens of context and of answer."""
    return next(
        tokens
        for tokens in count(context + answer)
        if all(share >= needed for share, needed in zip(budget_shares(tokens), (context, answer), strict=True))
    )


def fit_chunks(
    always: Sequence[Chunk], others: Sequence[Chunk], budget: int, counter: TokenCounter
) -> tuple[list[Chunk], int]:
    """Return ``always`` plus the others, in their order, that fit the budget, and the tokens of the whole text."""
    chosen = list(always)
    spent = counter.count(render(chosen))
    for chunk in others:
        if (tokens := counter.count(render([*chosen, chunk]))) <= budget:
            chosen.append(chunk)
            spent = tokens
    return chosen, spent


def tokens_up_to(
    always: Sequence[Chunk], others: Sequence[Chunk], wanted: Sequence[Chunk], counter: TokenCounter
) -> int:
    """Return the tokens of ``always`` and of the others up to the last wanted one."""
    wanted_ids = {chunk["id"] for chunk in wanted}
    end = max((place for place, chunk in enumerate(others, start=1) if chunk["id"] in wanted_ids), default=0)
    return counter.count(render([*always, *others[:end]]))


def check_critical(critical: Sequence[Chunk], max_tokens: int, counter: TokenCounter, language: Language) -> None:
    """Raise ``InsufficientContext`` if the critical chunks exceed the share of the context."""
    budget, _ = budget_shares(max_tokens)
    needed = counter.count(render(critical))
    if needed > budget:
        least = least_max_tokens(needed, 0)
        raise InsufficientContext(
            language.translate(
                "case_critical_does_not_fit", needed=needed, budget=budget, maximum=max_tokens, least=least
            )
        )


def check_enough(tokens: int, minimum: int, language: Language) -> None:
    """Raise ``InsufficientContext``, which names the ``minimum``, if the tokens are fewer."""
    if tokens < minimum:
        raise InsufficientContext(language.translate("case_insufficient_context", tokens=tokens, minimum=minimum))


def without_items(answer: Answer, is_bad: Callable[[str], bool], *, neutral_topic: str) -> Answer:
    """Return an answer without bad items and empty sections; ``neutral_topic`` replaces a bad topic."""
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
    return answer.model_dump_json()


def shorten_answer(answer: Answer, budget: int, counter: TokenCounter) -> tuple[Answer, list[str]]:
    """Drop whole items until an answer has at most ``budget`` tokens; return it, and the dropped items in order.

    Sentences go first, from the last one; then whole lists of steps (half a procedure misleads); then warnings.
    """
    if counter.count(answer_json(answer)) <= budget:
        return answer, []
    droppable = len(list(_drops(_copies(answer))))
    drops = bisect_left(
        range(droppable), True, key=lambda number: counter.count(answer_json(_without(answer, number)[0])) <= budget
    )
    return _without(answer, drops)


def fit_calculations(
    calculations: Sequence[WorkedCalculation], written: Answer, budget: int, counter: TokenCounter
) -> tuple[Answer, list[str]]:
    """Put the calculations before an answer; return it, and the dropped lines; results are never dropped."""
    places = sorted(
        ((line, number) for number, each in enumerate(calculations) for line in range(1, len(each["lines"]))),
        reverse=True,
    )

    def joined(dropped: int) -> Answer:
        gone = set(places[:dropped])
        shortened: list[WorkedCalculation] = [
            {**each, "lines": [text for line, text in enumerate(each["lines"]) if (line, number) not in gone]}
            for number, each in enumerate(calculations)
        ]
        return Answer(sections=[*calculated_sections(shortened), *written.sections])

    drops = bisect_left(
        range(len(places)), True, key=lambda number: counter.count(answer_json(joined(number))) <= budget
    )
    return joined(drops), [calculations[number]["lines"][line] for line, number in places[:drops]]


def least_tokens(answer: Answer, is_enough: Callable[[Answer], bool], counter: TokenCounter) -> int:
    """Return the tokens of the shortest answer of ``shorten_answer`` that still satisfies ``is_enough``."""
    droppable = len(list(_drops(_copies(answer))))
    too_many = bisect_left(range(1, droppable + 1), True, key=lambda number: not is_enough(_without(answer, number)[0]))
    return counter.count(answer_json(_without(answer, too_many)[0]))


def _without(answer: Answer, number: int) -> tuple[Answer, list[str]]:
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
    """Remove the items in dropping order from the sections, and yield each; a list of steps is one item."""
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


PARTS: tuple[AnswerPart, ...] = get_args(AnswerPart)

EMPTY = Answer(sections=[])


def essential_chunks(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return the first chunk with steps and the first with warnings, if any."""
    firsts = (next((chunk for chunk in chunks if details_of(chunk).get(part)), None) for part in PARTS)
    return [chunk for chunk in firsts if chunk]


def find_shortfall(
    draft: Answer,
    answer: Answer,
    article: Sequence[Chunk],
    shown: Sequence[Chunk],
    essential_tokens: int,
    counter: TokenCounter,
) -> Shortfall:
    """Return the parts that an answer lacks although its article has them, and the smallest ``max_tokens`` for them.

    ``draft`` is the answer before shortening, ``shown`` are the chunks of the article that the author read.
    """
    expected, seen, drafted, kept = _of_chunks(article), _of_chunks(shown), _of_answer(draft), _of_answer(answer)
    lacking = [part for part in PARTS if part in expected and not (part in seen and part in kept)]
    if not any(part not in seen or part in drafted for part in lacking):
        return {"parts": lacking, "max_tokens": 0}
    return {"parts": lacking, "max_tokens": least_for_answer(article, essential_tokens, counter, draft)}


def least_for_answer(
    article: Sequence[Chunk], essential_tokens: int, counter: TokenCounter, draft: Answer = EMPTY
) -> int:
    """Return the smallest ``max_tokens`` for an answer with the steps and all warnings of the article or of a draft."""
    answer_tokens = max(_least_with_parts(whole, counter) for whole in (draft, assembled(article)))
    return least_max_tokens(essential_tokens, answer_tokens)


def _of_chunks(chunks: Iterable[Chunk]) -> set[AnswerPart]:
    return {part for chunk in chunks for part in PARTS if details_of(chunk).get(part)}


def _of_answer(answer: Answer) -> set[AnswerPart]:
    return {part for section in answer.sections for part in PARTS if getattr(section, part)}


def _least_with_parts(whole: Answer, counter: TokenCounter) -> int:
    parts = _of_answer(whole)
    return least_tokens(whole, lambda shorter: _of_answer(shorter) >= parts, counter)
