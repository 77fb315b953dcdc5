"""Estimate what the context sentences of the reader model will cost, before the first is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache as memoize

from ingestion.context.paid_cache import ContextCache
from ingestion.context.request import ParentChild, keyed_requests, quoted_child, quoted_parent, system_prompt
from language.formats import figure
from services.protocols import TokenCounter
from services.settings import ModelSettings

SENTENCE_TOKENS = 60
"""Tokens of a reply at most: 40 words at one and a half tokens a Spanish word."""

MESSAGE_TOKENS = 4
"""What a provider adds to each message of a request: role and separators."""


@dataclass(frozen=True)
class ContextCost:
    """How many requests there are to send, their tokens, and how many sentences are in the cache already."""

    requests: int
    input_tokens: int
    output_tokens: int
    cached: int


def estimate(
    children: Sequence[ParentChild], cache: ContextCache, reader_name: str, counter: TokenCounter
) -> ContextCost:
    """Return what ``ingestion.context.situate`` would cost now; ``reader_name`` is that of its ``ModelSettings``.

    Raises:
        ConfigurationError: the cache cannot be read.
    """
    requests = dict(keyed_requests(children, reader_name))
    cached = cache.get_many(list(requests))
    count = memoize(counter.count)  # the children of a parent share most of their request
    fixed = count(system_prompt()) + 2 * MESSAGE_TOKENS
    missing = [pair for key, pair in requests.items() if key not in cached]
    tokens = sum(fixed + count(quoted_parent(parent)) + count(quoted_child(child)) for parent, child in missing)
    return ContextCost(len(missing), tokens, len(missing) * SENTENCE_TOKENS, len(cached))


def explain(cost: ContextCost, reader: ModelSettings) -> str:
    """Return in Spanish what will be asked for and what it costs, as far as the reader's prices are configured."""
    if not cost.requests:
        return f"Las frases de contexto ya están guardadas ({figure(cost.cached)}): no se pedirá ninguna."
    single = cost.requests == 1
    asked = f"Se pedirá{'' if single else 'n'} {figure(cost.requests)} frase{'' if single else 's'} a {reader.model}"
    cached = f" (otras {figure(cost.cached)} ya están guardadas)" if cost.cached else ""
    tokens = f"unos {_tokens(cost.input_tokens)} de entrada y {_tokens(cost.output_tokens, '')} de salida"
    warning = _reasoning_warning(reader)
    return f"{asked}{cached}: {tokens}{_price(cost, reader)}.{warning} Para seguir, repita la orden con --yes."


def _tokens(count: int, unit: str = " tokens") -> str:
    if count < 1_000_000:
        return figure(count) + unit
    return f"{figure(count / 1e6, 1)} M{' de' + unit if unit else ''}"


def _price(cost: ContextCost, reader: ModelSettings) -> str:
    """Return the price in brackets; empty where the reader's prices are not configured."""
    if reader.input_price is None or reader.output_price is None:
        return ""
    price = (cost.input_tokens * reader.input_price + cost.output_tokens * reader.output_price) / 1e6
    amount = f"aprox. {figure(price, 2)}" if price >= 0.005 or not price else "menos de 0,01"
    return f" ({amount} según los precios configurados)"


def _reasoning_warning(reader: ModelSettings) -> str:
    """Return the warning that a reasoning model calls for: nobody knows beforehand how long it will think."""
    from services.models.openai import refuses_sampling

    if not refuses_sampling(reader.model):
        return ""
    return " El modelo razona antes de escribir; esos tokens se cobran también como salida y no están en la cuenta."
