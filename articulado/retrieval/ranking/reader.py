"""Reranker that asks the reader chat model to score all passages from 0 to 10 in one call.

relevance = score / 10. ``parse_scores`` reads the JSON of the prompt and common deviations from it. A
passage without a score stays unscored and ranks behind the scored ones.
"""

import json
import math
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress

from articulado.config.profile import Profile
from articulado.language.languages import Language, language
from articulado.language.translation import translate
from articulado.models.failures import late
from articulado.models.tokens import token_counter
from articulado.prompting.citation_markers import write_marker
from articulado.prompting.fragments import SEPARATOR, neutralise
from articulado.prompting.prompts import load_prompt
from articulado.values.errors import ModelError, ModelTimeout
from articulado.values.protocols import ChatModel, Reranked, TokenCounter

MAX_SCORE = 10.0
"""The best score that the prompt knows."""

MAX_ATTEMPTS = 3
"""Brackets at which JSON is looked for: a marker before it ("[C1]") opens one, too."""

_OPENING = re.compile(r"[{\[]")
_PAIR = re.compile(
    r"[\"'{,\[\s]C?(\d{1,4})[\"'\]]*\s*:\s*[\"']?(-?\d{1,4}(?:[.,]\d{1,4})?)(?=[\s\"',}/])", re.IGNORECASE
)
"""Of a reply that was cut, its last number does not count: it may be half of one."""
_LINE = re.compile(r"^\W*C?(\d{1,4})\W*[:=]\W*?(-?\d{1,4}(?:[.,]\d{1,4})?)", re.IGNORECASE | re.MULTILINE)
_NAME = re.compile(r"\W*C?(\d{1,4})\W*", re.IGNORECASE)
_NUMBER = re.compile(r"\s*-?\d{1,4}(?:[.,]\d{1,4})?")
_SCORE_NAME = re.compile(r"punt|score|relev|nota|califica", re.IGNORECASE)


class ReaderScorer:
    """Satisfies ``PassageScorer`` with a chat model: relevance = score ÷ 10.

    A passage that the reply leaves out is unjudged, not irrelevant: it stays unscored, behind those that were scored,
    in the order of the search.
    """

    def __init__(self, reader: ChatModel, profile: Profile, counter: TokenCounter | None = None) -> None:
        """Score as the prompt ``score`` of the profile says, in its language.

        Raises:
            ConfigurationError: the profile's own prompt cannot be read, or is empty.
        """
        self._reader = reader
        self._prompt = load_prompt("score", profile)
        self._language = language(profile.language)
        self._counter = counter or token_counter()

    @property
    def name(self) -> str:
        """Strategy and model."""
        return f"llm:{self._reader.name}"

    async def open(self, deadline: float) -> TokenCounter:
        """Return the counter of the model's tokens."""
        return self._counter

    async def score(self, question: str, passages: Sequence[str], *, deadline: float) -> Reranked:
        """Ask for all scores at once.

        Raises:
            ModelTimeout: the reader was late.
            ModelError: the reader failed for good or refused, or what it wrote has no scores.
        """
        try:
            reply = await self._reader.complete(
                self._prompt,
                [{"role": "user", "content": message(question, passages, self._language)}],
                deadline=deadline,
            )
        except ModelTimeout as error:
            # Another stage than the one that the reader is configured for.
            failure = late(self._reader.name, "rerank")
            failure.attempts = error.attempts
            raise failure from error
        scores = parse_scores(reply.text, len(passages))
        if not any(score is not None for score in scores):
            unreadable = ModelError(translate("rerank.not_scored", name=self._reader.name))
            unreadable.attempts = reply.requests
            raise unreadable
        return Reranked(scores, reply.requests, reply.input_tokens, reply.output_tokens)

    async def close(self) -> None:
        """Do nothing: the reader is closed by its owner."""


def message(question: str, passages: Sequence[str], language: Language) -> str:
    """Return the user message; no text of it can pass for a marker or a separator."""
    fragments = f"\n{SEPARATOR}\n".join(
        f"{write_marker(number)} {neutralise(passage)}" for number, passage in enumerate(passages, start=1)
    )
    fragments_label, question_label = language.translate("prompt_fragments"), language.translate("prompt_question")
    return f"{fragments_label}:\n\n{fragments}\n\n{question_label}:\n{neutralise(question)}"


def parse_scores(text: str, passages: int) -> list[float | None]:
    """Read the scores of a reply, ÷ 10 and within [0, 1]; ``None`` for a passage without one.

    Besides the object that the prompt asks for, ``{"1": 7, …}``, it reads what models write instead: fences and talk
    around it, scores as text ("7", "7/10", "7,5"), an array of as many scores as passages, an array of objects that
    name the score, the beginning of a reply that was cut, and a line for each passage ("[C1]: 7").

    >>> parse_scores('{"1": 7, "3": "9/10"}', 3)
    [0.7, None, 0.9]
    """
    scores: list[float | None] = [None] * passages
    for number, score in _pairs(text, passages):
        if 1 <= number <= passages and math.isfinite(score):
            scores[number - 1] = min(max(score / MAX_SCORE, 0.0), 1.0)
    return scores


def _pairs(text: str, passages: int) -> Iterable[tuple[int, float]]:
    opening = _OPENING.search(text)
    for start in [match.start() for match in _OPENING.finditer(text)][:MAX_ATTEMPTS]:
        with suppress(ValueError, RecursionError):
            return list(_of_json(json.JSONDecoder().raw_decode(text, start)[0], passages))
    cut = text[opening.start() :] if opening and opening[0] == "{" else ""
    return [(int(number), _score(score)) for number, score in (_PAIR.findall(cut) or _LINE.findall(text))]


def _of_json(parsed: object, passages: int) -> Iterable[tuple[int, float]]:
    if isinstance(parsed, dict) and len(parsed) == 1 and isinstance(inner := next(iter(parsed.values())), dict | list):
        parsed = inner
    if isinstance(parsed, dict):
        return [(_number(key), _score(value)) for key, value in parsed.items()]
    rows = parsed if isinstance(parsed, list) else []
    if rows and all(isinstance(row, dict) for row in rows):
        return [pair for row in rows if (pair := _of_row(row))]
    return enumerate(map(_score, rows), start=1) if len(rows) == passages else []


def _of_row(row: dict[str, object]) -> tuple[int, float] | None:
    """Read ``{"fragmento": 1, "puntuación": 7}``: the name of the score is known, the other value is the number."""
    named = next((key for key in row if _SCORE_NAME.search(key)), None)
    others = [value for key, value in row.items() if key != named]
    return (_number(others[0]), _score(row[named])) if named and others else None


def _number(value: object) -> int:
    """Return the number of a passage (3, "3", "C3", "[C3]"); 0, which no passage has, for anything else."""
    digits = _NAME.fullmatch(str(value))
    return int(digits[1]) if digits else 0


def _score(value: object) -> float:
    """Return a score; not a number for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if abs(value) < sys.maxsize else math.nan
    number = _NUMBER.match(value) if isinstance(value, str) else None
    return float(number[0].replace(",", ".")) if number else math.nan
