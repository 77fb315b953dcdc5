"""Estimate what the context sentences of the reader model will cost, before the first is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache as memoize

from articulado.config.settings import ModelSettings
from articulado.language.formats import written
from articulado.language.translation import translate
from articulado.values.protocols import TokenCounter
from ingestion.context.paid_cache import ContextCache
from ingestion.context.request import ContextPrompt, ParentChild

SENTENCE_TOKENS = 60
"""Tokens of a reply at most: 40 words at one and a half tokens a word."""

MILLION = 1_000_000
MESSAGE_TOKENS = 4
"""What a provider adds to each message of a request: role and separators."""


@dataclass(frozen=True)
class ContextCost:
    """How many requests there are to send, their tokens, and how many sentences are in the cache already."""

    requests: int
    input_tokens: int
    output_tokens: int
    cached: int

    def __add__(self, other: "ContextCost") -> "ContextCost":
        return ContextCost(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached + other.cached,
        )


NO_COST = ContextCost(0, 0, 0, 0)


def estimate(
    children: Sequence[ParentChild], cache: ContextCache, reader_name: str, counter: TokenCounter, prompt: ContextPrompt
) -> ContextCost:
    """Estimate the cost of ``ingestion.context.situate``; ``reader_name`` is that of its ``ModelSettings``.

    Raises:
        ConfigurationError: the cache cannot be read.
    """
    requests = dict(prompt.keyed(children, reader_name))
    cached = cache.get_many(list(requests))
    count = memoize(counter.count)  # the children of a parent share most of their request
    fixed = count(prompt.instructions) + 2 * MESSAGE_TOKENS
    missing = [pair for key, pair in requests.items() if key not in cached]
    tokens = sum(
        fixed + count(prompt.quoted_parent(parent)) + count(prompt.quoted_child(child)) for parent, child in missing
    )
    return ContextCost(len(missing), tokens, len(missing) * SENTENCE_TOKENS, len(cached))


def explain(cost: ContextCost, reader: ModelSettings) -> str:
    """Return what will be asked for and what it costs, as far as the reader's prices are configured."""
    if not cost.requests:
        return translate("ingest.cost_none", cached=written(cost.cached))
    key = "ingest.cost_one" if cost.requests == 1 else "ingest.cost_many"
    asked = translate(key, requests=written(cost.requests), model=reader.model)
    cached = translate("ingest.cost_cached", cached=written(cost.cached)) if cost.cached else ""
    millions = cost.output_tokens >= MILLION
    output = (
        translate("ingest.cost_millions_more", count=_millions(cost.output_tokens))
        if millions
        else written(cost.output_tokens)
    )
    return translate(
        "ingest.cost",
        asked=asked + cached,
        input=_tokens(cost.input_tokens),
        output=output,
        price=_price(cost, reader),
        warning=_reasoning_warning(reader),
    )


def _tokens(count: int) -> str:
    if count < MILLION:
        return translate("ingest.cost_tokens", count=written(count))
    return translate("ingest.cost_millions", count=_millions(count))


def _millions(count: int) -> str:
    return written(count / MILLION, 1)


def _price(cost: ContextCost, reader: ModelSettings) -> str:
    """Return the price in brackets; empty where the reader's prices are not configured."""
    if reader.input_price is None or reader.output_price is None:
        return ""
    price = (cost.input_tokens * reader.input_price + cost.output_tokens * reader.output_price) / MILLION
    told = price >= 0.005 or not price
    amount = translate("ingest.cost_about", price=written(price, 2)) if told else translate("ingest.cost_less")
    return translate("ingest.cost_price", amount=amount)


def _reasoning_warning(reader: ModelSettings) -> str:
    """Return the warning that a reasoning model calls for: nobody knows beforehand how long it will think."""
    from articulado.models.openai import refuses_sampling

    return translate("ingest.cost_reasons") if refuses_sampling(reader.model) else ""
