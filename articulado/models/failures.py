"""Classify a provider's failures: error for the user, and if a retry may help.

The provider's own text is left out, because it may quote the key or the question.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from articulado.config.settings import Role
from articulado.language.translation import translate
from articulado.values.errors import (
    ArticuladoError,
    ContentFiltered,
    ModelError,
    ModelMisconfigured,
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
    "checker": "models.late_checker",
    "sentences": "models.late_sentences",
}
"""Messages by role: the late part of a question, and the setting that gives it more time."""
_ROLES: Mapping[Role, str] = {
    "reader": "models.role_reader",
    "principal": "models.role_principal",
    "embedder": "models.role_embedder",
    "rerank": "models.role_rerank",
    "checker": "models.role_checker",
    "sentences": "models.role_sentences",
}
_TRANSIENT_STATUS = frozenset({408, 409, 425})
_SIZE_STATUS = frozenset({400, 422, 500})
_SIZE = re.compile(r"too (?:large|long|many)|context (?:length|size)|batch size|exceed\w* (?:the|max)", re.IGNORECASE)
"""Wordings of llama.cpp, Ollama, vLLM, TEI and OpenAI for a request that is too large."""
_DETAIL_CHARACTERS = 300

_CODES = frozenset(
    (
        "bad_request",
        "context_length_exceeded",
        "invalid_api_key",
        "invalid_request_error",
        "invalid_type",
        "invalid_value",
        "model_not_found",
        "null_value",
        "server_error",
        "string_above_max_length",
        "unknown_parameter",
        "unsupported_parameter",
        "unsupported_value",
    )
)
"""Codes of OpenAI's API that messages may repeat."""
_PARAMETERS = frozenset(
    (
        "dimensions",
        "encoding_format",
        "input",
        "max_completion_tokens",
        "max_tokens",
        "messages",
        "model",
        "reasoning_effort",
        "response_format",
        "stream",
        "stream_options",
        "temperature",
        "tool_choice",
        "tools",
        "top_p",
        "verbosity",
    )
)
"""Parameters of our requests, which messages may repeat."""
_STATUSES = frozenset([*range(300, 600), *map(str, range(300, 600))])


@dataclass(frozen=True)
class Endpoint:
    """Model that receives a request: its name, as shown to a person, and its role."""

    name: str
    role: Role = "principal"

    @property
    def title(self) -> str:
        """Name with the role, since a model may have several."""
        return f"{self.name} [{translate(_ROLES[self.role])}]"

    def variable(self, suffix: str) -> str:
        """Return the name of an environment variable of the role: "ARTICULADO_READER_MODEL" for the suffix "MODEL"."""
        return f"ARTICULADO_{self.role.upper()}_{suffix}"


class TruncatedReplyError(Exception):
    """The stream ended without a finish reason."""


class MalformedReplyError(Exception):
    """The provider's data is no reply; the text, ours, says why."""


class ProviderFailure(Exception):
    """Loggable kind and status of an SDK error, whose own text may quote the key or the question."""


def withheld(error: BaseException) -> ProviderFailure:
    """Replace an SDK error by its class and HTTP status, without its text, so that it can be logged."""
    status = _status_of(error)
    return ProviderFailure(type(error).__qualname__ if status is None else f"{type(error).__qualname__}, HTTP {status}")


@dataclass(frozen=True)
class Failure:
    """Error for the user, and if a retry may help."""

    error: ArticuladoError
    transient: bool = False
    divisible: bool = False  # a smaller request may be accepted
    unreachable: bool = False  # the connection failed


def explain(error: BaseException, endpoint: Endpoint) -> Failure | None:
    """Return the meaning of an exception for the user; ``None`` if the provider is not the cause."""
    import openai

    name, address = endpoint.title, endpoint.variable("BASE_URL")
    if isinstance(error, TruncatedReplyError):
        return Failure(ModelError(translate("models.truncated", name=name)), transient=True)
    if isinstance(error, MalformedReplyError):
        # The next reply of what is no such API would be none either.
        return Failure(ModelError(translate("models.malformed", name=name, error=_brief(error), variable=address)))
    if isinstance(error, openai.APIConnectionError):
        lost = ModelError(translate("models.no_connection", name=name, variable=address))
        # A batch that takes all memory of a server ends its process, and with it the connection.
        return Failure(lost, transient=True, divisible=True, unreachable=True)
    return _explain_api_error(error, endpoint) if isinstance(error, openai.APIError) else None


def _explain_api_error(error: "openai.APIError", endpoint: Endpoint) -> Failure:
    from langchain_core.exceptions import ContextOverflowError

    name, variable, status = endpoint.title, endpoint.variable, _status_of(error)
    if error.code == "content_filter":
        return Failure(content_filtered(endpoint))
    if "insufficient_quota" in (error.code, error.type):
        return Failure(ModelRateLimited(translate("models.quota", name=name, variable=variable("API_KEY"))))
    if isinstance(error, ContextOverflowError) or _is_too_large(error, status):
        if endpoint.role in ("embedder", "sentences"):
            return _rejected(error, endpoint)
        return Failure(ModelError(translate("models.too_long", name=name)), divisible=True)
    if status in (401, 403):
        refused_key = translate("models.key_refused", name=name, status=status, variable=variable("API_KEY"))
        return Failure(ModelMisconfigured(refused_key))
    if status == 404:
        unknown = translate(
            "models.model_unknown",
            name=name,
            model=variable("MODEL"),
            deployment=variable("DEPLOYMENT"),
            base_url=variable("BASE_URL"),
        )
        return Failure(ModelMisconfigured(unknown))
    if status is not None and 300 <= status < 400:
        place = _place_of_redirect(error)
        return Failure(
            ModelMisconfigured(translate("models.redirected", name=name, place=place, base_url=variable("BASE_URL")))
        )
    if status == 429 or error.code == "rate_limit_exceeded":
        return Failure(ModelRateLimited(translate("models.rate_limited", name=name)), transient=True)
    if status is None or status >= 500 or status in _TRANSIENT_STATUS:
        failing = ModelError(translate("models.failing", name=name, cause=_cause(error)))
        return Failure(failing, transient=True, divisible=status != 503)
    return _rejected(error, endpoint)


def _rejected(error: "openai.APIError", endpoint: Endpoint) -> Failure:
    model, base_url = endpoint.variable("MODEL"), endpoint.variable("BASE_URL")
    rejected = translate("models.rejected", name=endpoint.title, cause=_cause(error), model=model, base_url=base_url)
    return Failure(ModelError(rejected), divisible=True)


def _is_too_large(error: "openai.APIError", status: int | None) -> bool:
    """Return True if a server refuses a request for its size, even with status 500."""
    return status == 413 or (status in _SIZE_STATUS and _SIZE.search(str(error.message)) is not None)


def _place_of_redirect(error: "openai.APIError") -> str:
    """Return scheme, host and port of a redirect; path and query may hold a secret."""
    location = urlsplit(getattr(error, "response").headers.get("location", ""))  # noqa: B009
    return (
        f"{location.scheme}://{location.netloc.rpartition('@')[2]}" if location.netloc else translate("models.nowhere")
    )


def _status_of(error: BaseException) -> int | None:
    """Return the HTTP status of an SDK error; in a stream it may be the code, or missing."""
    status: object = getattr(error, "status_code", None) or getattr(error, "code", None)
    if getattr(error, "type", None) == "invalid_request_error" and status not in _STATUSES:
        return 400
    return int(str(status)) if status in _STATUSES else None


def _cause(error: "openai.APIError") -> str:
    """Return status, and code and parameter if they are known words."""
    status = _status_of(error)
    parts = [f"HTTP {status}" if status else translate("models.in_stream")]
    parts += [word for word in (error.code, error.type) if word in _CODES][:1]
    parts += [f"«{error.param}»"] if error.param in _PARAMETERS else []
    return ", ".join(parts)


def content_filtered(endpoint: Endpoint) -> ContentFiltered:
    return ContentFiltered(translate("models.filtered", name=endpoint.title))


def refused(endpoint: Endpoint) -> ContentFiltered:
    return ContentFiltered(translate("models.refused", name=endpoint.title))


def structure_unsupported(endpoint: Endpoint) -> ModelMisconfigured:
    return ModelMisconfigured(
        translate(
            "models.no_structure",
            name=endpoint.title,
            provider=endpoint.variable("PROVIDER"),
            model=endpoint.variable("MODEL"),
            api_version=endpoint.variable("API_VERSION"),
        )
    )


def schema_violated(endpoint: Endpoint, cause: str, attempts: int) -> ModelError:
    """Return the error for a reply that violates its schema even after repair."""
    error = ModelError(
        translate(
            "models.schema_violated",
            name=endpoint.title,
            cause=cause[:_DETAIL_CHARACTERS],
            variable=endpoint.variable("MODEL"),
        )
    )
    error.attempts = attempts
    return error


def late(name: str, role: Role) -> ModelTimeout:
    return ModelTimeout(translate(_LATE[role], name=name))


def silent(name: str, seconds: float) -> ModelTimeout:
    return ModelTimeout(translate("models.silent", name=name, seconds=seconds))


def silent_for_documents(endpoint: Endpoint, seconds: float) -> ModelTimeout:
    variable = endpoint.variable("TIMEOUT")
    return ModelTimeout(translate("models.silent_documents", name=endpoint.title, seconds=seconds, timeout=variable))


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:_DETAIL_CHARACTERS]
