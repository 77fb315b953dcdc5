"""All exceptions of articulado, grouped by the person who can act on them, and the cost of model calls.

``ArticuladoError`` is the base class. ``cost_of`` and ``cost_of_failure`` count the model requests of a call, including
a call that failed.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from typing_extensions import TypedDict


class ArticuladoError(RuntimeError):
    """Base of all errors that articulado raises on purpose.

    A ``RuntimeError``, because LangGraph's server hides the message of every type that it does not know. ``citations``
    are the sources (``articulado.values.answers.Citation``) that had been found before an answer failed, empty where
    none had;
    ``chunks`` what the other collections hold of what is looked up, where one does not answer.
    """

    citations: Sequence[Any] = ()
    chunks: Sequence[Any] = ()


class InvalidInput(ArticuladoError):
    """The question or an option of the call cannot be used."""


class CostNotAllowed(ArticuladoError):
    """What was asked for costs something, and nobody has allowed that."""


class ConfigurationError(ArticuladoError):
    """The settings are incomplete or contradict each other."""


class IndexMissing(ArticuladoError):
    """There is no index where the settings point."""


class IndexMismatch(ArticuladoError):
    """The index was built with another embedder, sparse encoder or chunker than the settings name."""


class StoreUnavailable(ArticuladoError):
    """The chunk store does not answer."""


class SourceUnavailable(ArticuladoError):
    """A source of official law does not answer, or answers what cannot be read."""


class UnreadableAnswer(SourceUnavailable):
    """A source of official law answers, and what it says of this law cannot be read; others may be asked for."""


class NoResultsFound(ArticuladoError):
    """The search found nothing."""


class InsufficientContext(ArticuladoError):
    """What was found cannot answer the question."""


class ModelError(ArticuladoError):
    """A model provider failed. ``attempts`` says how often it was asked, so that usage can count the requests."""

    attempts: int = 0


class ModelMisconfigured(ModelError, ConfigurationError):
    """A provider does not accept the key, or does not know the model, that the settings name.

    Like any failure of a model that only helps an answer, it costs the answer nothing but quality; the message says
    what the operator has to set.
    """


class EmptyReply(ModelError):
    """The model replied, and nothing in its reply is an answer."""


class ModelTimeout(ModelError):
    """The provider did not answer within the deadline of the question."""


class ModelRateLimited(ModelError):
    """The provider asks to slow down, or the quota is used up."""


class ContentFiltered(ModelError):
    """The provider's content filter stopped the answer."""


class ConversationUnknown(InvalidInput):
    """Nothing is kept of the conversation that is named."""


class ConversationBusy(ArticuladoError):
    """A run of the conversation goes on: another one would not know of it."""


class Cost(TypedDict):
    """HTTP requests to models, and their tokens."""

    requests: int
    input_tokens: int
    output_tokens: int


class HasUsage(Protocol):
    """What a service gives back beside what was asked for: what it cost."""

    @property
    def requests(self) -> int:
        """HTTP requests."""
        ...

    @property
    def input_tokens(self) -> int:
        """Tokens sent."""
        ...

    @property
    def output_tokens(self) -> int:
        """Tokens received."""
        ...


NO_COST: Cost = {"requests": 0, "input_tokens": 0, "output_tokens": 0}


def cost_of(reply: HasUsage) -> Cost:
    """Return what a reply cost."""
    return {"requests": reply.requests, "input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens}


def cost_of_failure(error: ModelError) -> Cost:
    """Return the cost of a call that failed: its requests were made all the same."""
    return {"requests": error.attempts, "input_tokens": 0, "output_tokens": 0}
