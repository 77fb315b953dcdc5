"""All exceptions of articulado, grouped by who can act on them, and the cost of model calls."""

from collections.abc import Sequence
from typing import Any, Protocol

from typing_extensions import TypedDict


class ArticuladoError(RuntimeError):
    """Base of all deliberate errors; a ``RuntimeError``, since LangGraph's server hides messages of unknown types.

    ``citations``: sources found before an answer failed; ``chunks``: look-up results of the collections that answered.
    """

    citations: Sequence[Any] = ()
    chunks: Sequence[Any] = ()


class InvalidInput(ArticuladoError):
    """The question or an option cannot be used."""


class CostNotAllowed(ArticuladoError):
    """The request costs money that nobody has allowed."""


class ConfigurationError(ArticuladoError):
    """The settings are incomplete or contradictory."""


class IndexMissing(ArticuladoError):
    """There is no index at the configured place."""


class IndexMismatch(ArticuladoError):
    """The index was built with another embedder, sparse encoder or chunker."""


class StoreUnavailable(ArticuladoError):
    """The chunk store does not answer."""


class SourceUnavailable(ArticuladoError):
    """A source of official law does not answer, or not readably."""


class UnreadableAnswer(SourceUnavailable):
    """A source's answer about this law cannot be read; other laws may work."""


class NoResultsFound(ArticuladoError):
    """The search returned nothing."""


class InsufficientContext(ArticuladoError):
    """The search results cannot answer the question."""


class ModelError(ArticuladoError):
    """A model provider failed; ``attempts`` counts its requests for the usage report."""

    attempts: int = 0


class ModelMisconfigured(ModelError, ConfigurationError):
    """A provider rejects the configured key or model; the message names the setting to correct.

    If the model only improves answers, they are given without it.
    """


class EmptyReply(ModelError):
    """The model's reply contains no answer."""


class ModelTimeout(ModelError):
    """The provider did not answer within the question's deadline."""


class ModelRateLimited(ModelError):
    """The provider limits the rate, or the quota is used up."""


class ContentFiltered(ModelError):
    """The provider's content filter stopped the answer."""


class ConversationUnknown(InvalidInput):
    """The named conversation is not stored."""


class ConversationBusy(ArticuladoError):
    """Another run of the conversation is in progress."""


class Cost(TypedDict):
    """HTTP requests to models, and their tokens."""

    requests: int
    input_tokens: int
    output_tokens: int


class HasUsage(Protocol):
    """Result of a service with its cost."""

    @property
    def requests(self) -> int: ...

    @property
    def input_tokens(self) -> int: ...

    @property
    def output_tokens(self) -> int: ...


NO_COST: Cost = {"requests": 0, "input_tokens": 0, "output_tokens": 0}


def cost_of(reply: HasUsage) -> Cost:
    return {"requests": reply.requests, "input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens}


def cost_of_failure(error: ModelError) -> Cost:
    return {"requests": error.attempts, "input_tokens": 0, "output_tokens": 0}
