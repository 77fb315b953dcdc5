"""What a provider's failure means: the error for the user, and whether asking again may help."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from language.current import say
from services.settings import Role
from state.errors import (
    ArticuladoError,
    ConfigurationError,
    ContentFiltered,
    ModelError,
    ModelRateLimited,
    ModelTimeout,
)

if TYPE_CHECKING:
    import openai

_LATE: Mapping[Role, str] = {
    "reader": "models.late_reader",
    "principal": "models.late_principal",
    "embedder": "models.late_embedder",
    "rerank": "models.late_rerank",
}
"""What is late in a question, by the role of the model, and the setting that gives it more time."""
_TRANSIENT_STATUS = frozenset({408, 409, 425})
_DETAIL_CHARACTERS = 300


@dataclass(frozen=True)
class Endpoint:
    """The model that a request goes to: its name for a person, and the role whose variables configure it."""

    name: str
    role: Role = "principal"

    def variable(self, suffix: str) -> str:
        """Return the name of an environment variable of this role."""
        return f"ARTICULADO_{self.role.upper()}_{suffix}"


class TruncatedReplyError(Exception):
    """The stream ended without a finish reason."""


class MalformedReplyError(Exception):
    """The provider sent something that the client cannot read as a reply."""


@dataclass(frozen=True)
class Failure:
    """The error that the user gets, and whether asking again may spare the user that error."""

    error: ArticuladoError
    transient: bool = False


def explain(error: BaseException, endpoint: Endpoint) -> Failure | None:
    """Return what an exception means for the user; ``None`` where it is not of the provider's making."""
    import openai

    if isinstance(error, TruncatedReplyError):
        message = say("models.truncated", name=endpoint.name)
        return Failure(ModelError(message), transient=True)
    if isinstance(error, MalformedReplyError):
        return Failure(
            ModelError(
                say("models.malformed", name=endpoint.name, error=_brief(error), variable=endpoint.variable("BASE_URL"))
            ),
            transient=True,
        )
    if isinstance(error, openai.APIConnectionError):
        return Failure(
            ModelError(say("models.no_connection", name=endpoint.name, variable=endpoint.variable("BASE_URL"))),
            transient=True,
        )
    return _explain_api_error(error, endpoint) if isinstance(error, openai.APIError) else None


def _explain_api_error(error: "openai.APIError", endpoint: Endpoint) -> Failure:
    """Return what an error of the SDK means; one inside a stream has a code but no HTTP status."""
    from langchain_core.exceptions import ContextOverflowError

    status: int | None = getattr(error, "status_code", None)
    if error.code == "content_filter":
        return Failure(content_filtered(endpoint))
    if "insufficient_quota" in (error.code, error.type):
        return Failure(ModelRateLimited(say("models.quota", name=endpoint.name, variable=endpoint.variable("API_KEY"))))
    if isinstance(error, ContextOverflowError):
        message = say("models.too_long", name=endpoint.name)
        return Failure(ModelError(message))
    if status in (401, 403):
        # The provider's own text is left out: it quotes a part of the key.
        return Failure(
            ConfigurationError(
                say("models.key_refused", name=endpoint.name, status=status, variable=endpoint.variable("API_KEY"))
            )
        )
    if status == 404:
        return Failure(
            ConfigurationError(
                say(
                    "models.model_unknown",
                    name=endpoint.name,
                    model=endpoint.variable("MODEL"),
                    deployment=endpoint.variable("DEPLOYMENT"),
                    base_url=endpoint.variable("BASE_URL"),
                )
            )
        )
    if status == 429 or error.code == "rate_limit_exceeded":
        limited = say("models.rate_limited", name=endpoint.name)
        return Failure(ModelRateLimited(limited), transient=True)
    if status is None or status >= 500 or status in _TRANSIENT_STATUS:
        cause = _brief(error) if status is None else f"HTTP {status}"
        failed = ModelError(say("models.failing", name=endpoint.name, cause=cause))
        return Failure(failed, transient=True)
    return Failure(
        ModelError(
            say(
                "models.rejected",
                name=endpoint.name,
                status=status,
                error=_brief(error),
                model=endpoint.variable("MODEL"),
                base_url=endpoint.variable("BASE_URL"),
            )
        )
    )


def content_filtered(endpoint: Endpoint) -> ContentFiltered:
    """Return the error for an answer that the content filter stopped."""
    return ContentFiltered(say("models.filtered", name=endpoint.name))


def refused(endpoint: Endpoint) -> ContentFiltered:
    """Return the error for a model that declines to answer."""
    return ContentFiltered(say("models.refused", name=endpoint.name))


def structure_unsupported(endpoint: Endpoint) -> ConfigurationError:
    """Return the error for a model that cannot fill in a schema."""
    return ConfigurationError(
        say(
            "models.no_structure",
            name=endpoint.name,
            provider=endpoint.variable("PROVIDER"),
            model=endpoint.variable("MODEL"),
            api_version=endpoint.variable("API_VERSION"),
        )
    )


def schema_violated(endpoint: Endpoint, cause: str, attempts: int) -> ModelError:
    """Return the error for a reply that did not satisfy its schema even when the model was shown what was wrong."""
    error = ModelError(
        say(
            "models.schema_violated",
            name=endpoint.name,
            cause=cause[:_DETAIL_CHARACTERS],
            variable=endpoint.variable("MODEL"),
        )
    )
    error.attempts = attempts
    return error


def late(name: str, role: Role) -> ModelTimeout:
    """Return the error for what a model was to do in a question, by its role, and has not done by the deadline."""
    return ModelTimeout(say(_LATE[role], name=name))


def silent(name: str, seconds: float) -> ModelTimeout:
    """Return the error for a model that has not replied in the seconds of a call without a deadline."""
    return ModelTimeout(say("models.silent", name=name, seconds=seconds))


def _brief(error: Exception) -> str:
    """Return the beginning of an error's text, on one line."""
    return " ".join(str(error).split())[:_DETAIL_CHARACTERS]
