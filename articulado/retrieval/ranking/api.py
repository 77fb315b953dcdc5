"""Reranker over HTTP: ``POST {base_url}/rerank``, as in the APIs of Cohere, Jina, vLLM and TEI."""

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Any

import openai

from articulado.config.settings import RerankEndpoint, RerankSettings, endpoint_of
from articulado.language.translation import translate
from articulado.models.failures import Endpoint
from articulado.models.http import PerLoopClient
from articulado.models.openai import CONNECT_TIMEOUT, NO_KEY
from articulado.models.retry import Retrier
from articulado.models.tokens import token_counter
from articulado.retrieval.ranking.cross_encoder import relevances
from articulado.values.errors import ModelError
from articulado.values.protocols import AsyncClose, Reranked, TokenCounter

MAX_CONCURRENT = 5


def read_reply(reply: object, passages: int) -> tuple[list[float | None], int]:
    """Return the score of each passage, ``None`` without one, and the reported tokens; skip invalid entries.

    >>> read_reply({"results": [{"index": 1, "relevance_score": 0.9}], "usage": {"total_tokens": 12}}, 2)
    ([None, 0.9], 12)
    """
    fields = reply if isinstance(reply, dict) else {"results": reply}
    rows = fields.get("results", fields.get("data"))
    scores: list[float | None] = [None] * passages
    for row in rows if isinstance(rows, list) else []:
        index, score = _row(row)
        if 0 <= index < passages and math.isfinite(score):
            scores[index] = score
    usage = fields.get("usage")
    tokens = usage.get("total_tokens") if isinstance(usage, dict) else 0
    return scores, tokens if isinstance(tokens, int) else 0


def _row(row: object) -> tuple[int, float]:
    if not isinstance(row, dict):
        return -1, math.nan
    index, score = row.get("index"), row.get("relevance_score", row.get("score"))
    if isinstance(index, bool) or not isinstance(index, int) or not isinstance(score, int | float):
        return -1, math.nan
    try:
        return index, float(score)
    except OverflowError:
        return -1, math.nan


class RerankApi:
    """Satisfies ``PassageScorer``: relevance as returned, or through a sigmoid if the scores are logits."""

    def __init__(
        self,
        client: openai.AsyncOpenAI,
        endpoint: RerankEndpoint,
        *,
        batch: int,
        retrier: Retrier,
        close: AsyncClose,
    ) -> None:
        self._client = client
        self._endpoint = endpoint
        self._batch = batch
        self._retrier = retrier
        self._close = close

    @property
    def name(self) -> str:
        return f"api:{self._endpoint.url}:{self._endpoint.model}"

    async def open(self, deadline: float) -> TokenCounter:
        """Return a counter that slightly overestimates the tokens of most models."""
        return token_counter()

    async def score(self, question: str, passages: Sequence[str], *, deadline: float) -> Reranked:
        """Score the passages in as few requests as allowed; raise ``ModelError`` with ``attempts`` of all requests."""
        batches = [passages[start : start + self._batch] for start in range(0, len(passages), self._batch)]
        slots = asyncio.Semaphore(MAX_CONCURRENT)
        requests_sent = 0

        async def score_batch(batch: Sequence[str]) -> tuple[list[float | None], int]:
            async def attempt() -> tuple[list[float | None], int]:
                nonlocal requests_sent
                requests_sent += 1
                return self._read(await self._post(question, batch), len(batch))

            async with slots:
                return (await self._retrier.run(attempt, deadline))[0]

        requests = [asyncio.ensure_future(score_batch(batch)) for batch in batches]
        try:
            replies = await asyncio.gather(*requests)
        except ModelError as error:
            error.attempts = requests_sent
            raise
        finally:
            for request in requests:
                request.cancel()
            await asyncio.gather(*requests, return_exceptions=True)
        scores, squashed = relevances([score for reply, _ in replies for score in reply])
        return Reranked(scores, requests_sent, sum(tokens for _, tokens in replies), squashed=squashed)

    async def close(self) -> None:
        await self._close()

    async def _post(self, question: str, passages: Sequence[str]) -> object:
        body = {
            "model": self._endpoint.model,
            "query": question,
            self._endpoint.texts: list(passages),
            "top_n": len(passages),
        }
        try:
            return await self._client.post("/rerank", body=body, cast_to=object)
        except ValueError as error:  # a body that is no JSON
            raise self._unreadable(translate("rerank.not_json")) from error

    def _read(self, reply: object, passages: int) -> tuple[list[float | None], int]:
        scores, tokens = read_reply(reply, passages)
        if all(score is None for score in scores):
            raise self._unreadable(translate("rerank.no_scores"))
        return scores, tokens

    def _unreadable(self, why: str) -> ModelError:
        endpoint = self._retrier.endpoint
        return ModelError(
            translate("rerank.not_an_api", name=endpoint.name, why=why, variable=endpoint.variable("BASE_URL"))
        )


def rerank_api(settings: RerankSettings, retrier: Callable[[Endpoint], Retrier] = Retrier) -> RerankApi:
    """Return the scorer at the endpoint of the settings; raise ``ConfigurationError`` if one is missing."""
    endpoint = endpoint_of(settings)
    timeout = openai.Timeout(None, connect=CONNECT_TIMEOUT)
    http = PerLoopClient(timeout=timeout)
    # Of another provider: nothing that identifies the account at OpenAI goes there.
    headers: dict[str, Any] = {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}
    client = openai.AsyncOpenAI(
        api_key=settings.api_key.get_secret_value() if settings.api_key else NO_KEY,
        base_url=endpoint.url,
        default_headers=headers,
        max_retries=0,
        timeout=timeout,
        http_client=http,
    )
    return RerankApi(
        client,
        endpoint,
        batch=settings.batch,
        retrier=retrier(Endpoint(f"{endpoint.model} ({settings.provider})", "rerank")),
        close=http.aclose,
    )
