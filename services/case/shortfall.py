"""Tell what an answer lacks of its article, and how many tokens would make room for it."""

from collections.abc import Iterable, Sequence
from typing import get_args

from articulado.values.articles import details_of
from articulado.values.cases import AnswerPart, Shortfall
from articulado.values.chunks import Chunk
from articulado.values.protocols import TokenCounter
from services.case.assembly import assembled
from services.case.budget import least_max_tokens
from services.case.items import least_tokens
from services.case.schema import Answer

PARTS: tuple[AnswerPart, ...] = get_args(AnswerPart)

EMPTY = Answer(sections=[])


def essential_chunks(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return the first chunk that has steps and the first that has warnings, as far as there are any."""
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
    """Return of which parts an answer has none, though its article has some, and the least ``max_tokens`` for them.

    ``draft`` is the answer before it was shortened, ``article`` all chunks of the article, ``shown`` those of them that
    its author saw; ``essential_tokens`` are those of a context with steps and warnings. Steps of another article are no
    steps of this one: where the author was not shown these, they are lacking.
    """
    expected, seen, drafted, kept = _of_chunks(article), _of_chunks(shown), _of_answer(draft), _of_answer(answer)
    lacking = [part for part in PARTS if part in expected and not (part in seen and part in kept)]
    if not any(part not in seen or part in drafted for part in lacking):
        return {"parts": lacking, "max_tokens": 0}
    return {"parts": lacking, "max_tokens": least_for_answer(article, essential_tokens, counter, draft)}


def least_for_answer(
    article: Sequence[Chunk], essential_tokens: int, counter: TokenCounter, draft: Answer = EMPTY
) -> int:
    """Return the least ``max_tokens`` for an answer with steps and warnings, as the article or a draft words them.

    All warnings of the article are counted: a longer answer loses its steps before any of them.
    """
    answer_tokens = max(_least_with_parts(whole, counter) for whole in (draft, assembled(article)))
    return least_max_tokens(essential_tokens, answer_tokens)


def _of_chunks(chunks: Iterable[Chunk]) -> set[AnswerPart]:
    return {part for chunk in chunks for part in PARTS if details_of(chunk).get(part)}


def _of_answer(answer: Answer) -> set[AnswerPart]:
    return {part for section in answer.sections for part in PARTS if getattr(section, part)}


def _least_with_parts(whole: Answer, counter: TokenCounter) -> int:
    parts = _of_answer(whole)
    return least_tokens(whole, lambda shorter: _of_answer(shorter) >= parts, counter)
