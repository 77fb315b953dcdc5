"""What a provider's failure means: the error for the user, and whether asking again may help."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    "reader": "La búsqueda de términos (lector) no ha llegado",
    "principal": "La respuesta no ha llegado",
    "embedder": "Los vectores no han llegado",
    "rerank": "La reordenación no ha llegado",
}
"""What is late in a question, by the role of the model."""
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
        message = f"La respuesta de {endpoint.name} se ha cortado antes de terminar. Repita la pregunta."
        return Failure(ModelError(message), transient=True)
    if isinstance(error, MalformedReplyError):
        return Failure(
            ModelError(
                f"{endpoint.name} ha enviado una respuesta que no se puede leer ({_brief(error)}). Compruebe que "
                f"{endpoint.variable('BASE_URL')} es la dirección de una API compatible con la de OpenAI."
            ),
            transient=True,
        )
    if isinstance(error, openai.APIConnectionError):
        return Failure(
            ModelError(
                f"No se puede conectar con {endpoint.name}, o la conexión se ha cortado. Compruebe la red y "
                f"{endpoint.variable('BASE_URL')}, y repita la pregunta."
            ),
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
        return Failure(
            ModelRateLimited(
                f"La cuota de {endpoint.name} está agotada. Amplíela en la cuenta del proveedor, o ponga la clave "
                f"de otra cuenta en {endpoint.variable('API_KEY')}."
            )
        )
    if isinstance(error, ContextOverflowError):
        message = f"La petición no cabe en {endpoint.name}. Reduzca ARTICULADO_CONTEXT_TOKENS y repita la pregunta."
        return Failure(ModelError(message))
    if status in (401, 403):
        # The provider's own text is left out: it quotes a part of the key.
        return Failure(
            ConfigurationError(
                f"El proveedor no acepta la clave de {endpoint.name} (HTTP {status}). "
                f"Corrija {endpoint.variable('API_KEY')}."
            )
        )
    if status == 404:
        return Failure(
            ConfigurationError(
                f"El proveedor no conoce el modelo de {endpoint.name} (HTTP 404). Corrija "
                f"{endpoint.variable('MODEL')} (en Azure, {endpoint.variable('DEPLOYMENT')}) o "
                f"{endpoint.variable('BASE_URL')}."
            )
        )
    if status in (400, 422) and "response_format" in str(error):
        return Failure(structure_unsupported(endpoint, f" (HTTP {status}: {_brief(error)})"))
    if status == 429 or error.code == "rate_limit_exceeded":
        limited = f"El proveedor limita las peticiones a {endpoint.name}. Repita la pregunta en unos minutos."
        return Failure(ModelRateLimited(limited), transient=True)
    if status is None or status >= 500 or status in _TRANSIENT_STATUS:
        cause = _brief(error) if status is None else f"HTTP {status}"
        failed = ModelError(f"El proveedor de {endpoint.name} falla ({cause}). Repita la pregunta en unos minutos.")
        return Failure(failed, transient=True)
    return Failure(
        ModelError(
            f"El proveedor rechaza la petición a {endpoint.name} (HTTP {status}: {_brief(error)}). Compruebe "
            f"{endpoint.variable('MODEL')} y {endpoint.variable('BASE_URL')}."
        )
    )


def content_filtered(endpoint: Endpoint) -> ContentFiltered:
    """Return the error for an answer that the content filter stopped."""
    return ContentFiltered(
        f"El filtro de contenido del proveedor ha detenido la respuesta de {endpoint.name}. "
        "Formule la pregunta de otro modo."
    )


def refused(endpoint: Endpoint) -> ContentFiltered:
    """Return the error for a model that declines to answer."""
    return ContentFiltered(f"{endpoint.name} se ha negado a responder. Formule la petición de otro modo.")


def structure_unsupported(endpoint: Endpoint, detail: str = "") -> ConfigurationError:
    """Return the error for a model that cannot fill in a schema."""
    return ConfigurationError(
        f"{endpoint.name} no puede dar respuestas con una estructura fijada{detail}. Elija con "
        f"{endpoint.variable('PROVIDER')} y {endpoint.variable('MODEL')} un modelo que admita «structured outputs», "
        f"por ejemplo gpt-4o-mini (en Azure, con una {endpoint.variable('API_VERSION')} desde 2024-10-21)."
    )


def schema_violated(endpoint: Endpoint, cause: str, attempts: int) -> ModelError:
    """Return the error for a reply that did not satisfy its schema even when the model was shown what was wrong."""
    error = ModelError(
        f"La respuesta de {endpoint.name} no tiene la estructura pedida, tampoco tras pedirle que la corrija "
        f"({cause[:_DETAIL_CHARACTERS]}). Repita la petición, o elija otro modelo en {endpoint.variable('MODEL')}."
    )
    error.attempts = attempts
    return error


def late(name: str, role: Role) -> ModelTimeout:
    """Return the error for what a model was to do in a question, by its role, and has not done by the deadline."""
    return ModelTimeout(f"{_LATE[role]} a tiempo ({name}). Repita la pregunta, o amplíe ARTICULADO_QUESTION_TIMEOUT.")


def silent(name: str, seconds: float) -> ModelTimeout:
    """Return the error for a model that has not replied in the seconds of a call without a deadline."""
    return ModelTimeout(f"{name} no ha respondido en {seconds:.0f} segundos. Repita la orden.")


def _brief(error: Exception) -> str:
    """Return the beginning of an error's text, on one line."""
    return " ".join(str(error).split())[:_DETAIL_CHARACTERS]
