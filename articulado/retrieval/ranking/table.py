"""Table of rerankers by strategy, the resolution of ``auto``, and the scorer that asks the reader chat model."""

import json
import logging
import math
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache

from articulado.config.profile import Profile
from articulado.config.settings import ModelStrategy, Settings, endpoint_of
from articulado.language.languages import Language, language
from articulado.language.translation import translate
from articulado.models.failures import late
from articulado.models.tokens import token_counter
from articulado.prompting.citation_markers import write_marker
from articulado.prompting.fragments import SEPARATOR, neutralise
from articulado.prompting.prompts import load_prompt
from articulado.retrieval.ranking.cross_encoder import CrossEncoder, ModelFiles
from articulado.retrieval.ranking.heuristic import HeuristicReranker
from articulado.retrieval.ranking.model_reranker import ModelReranker, PassageScorer
from articulado.values.answers import RerankStrategy
from articulado.values.errors import ConfigurationError, ModelError, ModelTimeout
from articulado.values.protocols import ChatModel, Reranked, Reranker, RerankerTable, TokenCounter

MAX_SCORE = 10.0

MAX_ATTEMPTS = 3

_OPENING = re.compile(r"[{\[]")
_PAIR = re.compile(
    r"[\"'{,\[\s]C?(\d{1,4})[\"'\]]*\s*:\s*[\"']?(-?\d{1,4}(?:[.,]\d{1,4})?)(?=[\s\"',}/])", re.IGNORECASE
)
"""Ignores the last number of a cut reply: it may be incomplete."""
_LINE = re.compile(r"^\W*C?(\d{1,4})\W*[:=]\W*?(-?\d{1,4}(?:[.,]\d{1,4})?)", re.IGNORECASE | re.MULTILINE)
_NAME = re.compile(r"\W*C?(\d{1,4})\W*", re.IGNORECASE)
_NUMBER = re.compile(r"\s*-?\d{1,4}(?:[.,]\d{1,4})?")
_SCORE_NAME = re.compile(r"punt|score|relev|nota|califica", re.IGNORECASE)


class ReaderScorer:
    """Satisfies ``PassageScorer`` with a chat model: relevance = score ÷ 10; omitted passages stay unscored."""

    def __init__(self, reader: ChatModel, profile: Profile, counter: TokenCounter | None = None) -> None:
        self._reader = reader
        self._prompt = load_prompt("score", profile)
        self._language = language(profile.language)
        self._counter = counter or token_counter()

    @property
    def name(self) -> str:
        return f"llm:{self._reader.name}"

    async def open(self, deadline: float) -> TokenCounter:
        return self._counter

    async def score(self, question: str, passages: Sequence[str], *, deadline: float) -> Reranked:
        """Ask for all scores at once; raise ``ModelError`` if the reader fails or writes no scores."""
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

    async def close(self) -> None: ...


def message(question: str, passages: Sequence[str], language: Language) -> str:
    """Return the user message; markers and separators inside its texts are altered."""
    fragments = f"\n{SEPARATOR}\n".join(
        f"{write_marker(number)} {neutralise(passage)}" for number, passage in enumerate(passages, start=1)
    )
    fragments_label, question_label = language.translate("prompt_fragments"), language.translate("prompt_question")
    return f"{fragments_label}:\n\n{fragments}\n\n{question_label}:\n{neutralise(question)}"


def parse_scores(text: str, passages: int) -> list[float | None]:
    """Read the scores of a reply, ÷ 10 and within [0, 1]; ``None`` for a passage without one.

    Besides ``{"1": 7, …}`` it reads talk around it, scores as text ("7/10"), arrays, cut replies, and lines ("[C1]:
    7").

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
    named = next((key for key in row if _SCORE_NAME.search(key)), None)
    others = [value for key, value in row.items() if key != named]
    return (_number(others[0]), _score(row[named])) if named and others else None


def _number(value: object) -> int:
    """Return the number of a passage (3, "3", "C3", "[C3]"), else 0, which no passage has."""
    digits = _NAME.fullmatch(str(value))
    return int(digits[1]) if digits else 0


def _score(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if abs(value) < sys.maxsize else math.nan
    number = _NUMBER.match(value) if isinstance(value, str) else None
    return float(number[0].replace(",", ".")) if number else math.nan


_log = logging.getLogger(__name__)

ASK_A_PROVIDER: tuple[RerankStrategy, ...] = ("llm", "api")
"""Strategies whose model is on another machine."""

NO_READER = "rerank.needs_reader"


class UnavailableReranker:
    """Placeholder for a strategy with incomplete settings; scoring raises ``ConfigurationError``."""

    limit = 0

    def __init__(self, error: str) -> None:
        self.error = error

    async def score(self, *_: object, **__: object) -> Reranked:
        raise ConfigurationError(self.error)

    async def close(self) -> None: ...


def rerankers(
    settings: Settings,
    reader: ChatModel | None,
    heuristic: HeuristicReranker,
    profile: Profile,
    learnt: Reranker | None = None,
) -> RerankerTable:
    """Return the rerankers by strategy, without loading a model; "auto" is included if it is not ``learnt``.

    The heuristic replaces a missing ``learnt`` ranking. Raises ``ConfigurationError`` if the chosen strategy lacks
    settings.
    """
    # Only the settings allow a download; the caller of one question does not decide over it.
    encoder = CrossEncoder(ModelFiles.of(settings), download=settings.rerank_strategy == "cross_encoder")
    table: dict[str, Reranker] = {
        "learnt": learnt or heuristic,
        "heuristic": heuristic,
        "cross_encoder": _with_model(encoder, "cross_encoder", settings),
        "llm": _reader_reranker(settings, reader, profile),
        "api": _api_reranker(settings),
    }
    configured = table.get(settings.rerank_strategy)
    if isinstance(configured, UnavailableReranker):
        raise ConfigurationError(configured.error)
    strategy, explanation = resolve_auto(settings)
    if strategy != "learnt":
        table["auto"] = table[strategy]
    if settings.rerank_strategy == "auto":
        _log_once(explanation)
    return table


def reranker_for(strategy: RerankStrategy, table: RerankerTable) -> Reranker | None:
    """Return the reranker of a strategy; "auto" is "learnt" unless the table has an entry for it."""
    return table.get("learnt" if strategy == "auto" and "auto" not in table else strategy)


def effective_strategy(strategy: RerankStrategy, table: RerankerTable) -> RerankStrategy:
    """Return the strategy that scores: "auto" resolved, and "heuristic" in place of a missing "learnt"."""
    if strategy == "auto":
        strategy = "cross_encoder" if "auto" in table else "learnt"
    return "heuristic" if strategy == "learnt" and table.get("learnt") is table.get("heuristic") else strategy


def resolve_auto(settings: Settings) -> tuple[RerankStrategy, str]:
    """Return the strategy of "auto" on this machine, and a sentence for the user with the reason."""
    files = ModelFiles.of(settings)
    try:
        files.find()
    except ConfigurationError as error:
        return "learnt", translate("rerank.automatic_learnt", error=error)
    return "cross_encoder", translate("rerank.automatic_model", name=files.name)


@cache
def _log_once(sentence: str) -> None:
    _log.info(sentence)


def _reader_reranker(settings: Settings, reader: ChatModel | None, profile: Profile) -> Reranker:
    if reader is None:
        return UnavailableReranker(translate(NO_READER))
    return _with_model(ReaderScorer(reader, profile, token_counter(settings.reader.model)), "llm", settings)


def _api_reranker(settings: Settings) -> Reranker:
    try:
        endpoint_of(settings.rerank)
    except ConfigurationError as error:
        return UnavailableReranker(str(error))
    # Imported here: it loads the OpenAI SDK, which an offline process does without.
    from articulado.retrieval.ranking.api import rerank_api

    return _with_model(rerank_api(settings.rerank), "api", settings)


def _with_model(scorer: PassageScorer, strategy: ModelStrategy, settings: Settings) -> ModelReranker:
    rerank = settings.rerank
    return ModelReranker(
        scorer, tokens=rerank.tokens_of(strategy), timeout=rerank.timeout, candidates=rerank.candidates
    )
