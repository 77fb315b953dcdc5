"""Where a rerank endpoint is and how it wants to be asked, from the settings."""

from dataclasses import dataclass

from services.models.failures import Endpoint
from services.settings import RerankProvider, RerankSettings
from state.errors import ConfigurationError


@dataclass(frozen=True)
class RerankEndpoint:
    """``texts`` is the endpoint's name for the passages; an empty ``url`` or ``model`` must be set by the user."""

    url: str = ""
    model: str = ""
    texts: str = "documents"
    needs_key: bool = False


KNOWN: dict[RerankProvider, RerankEndpoint] = {
    "compatible": RerankEndpoint(),
    "cohere": RerankEndpoint("https://api.cohere.com/v2", "rerank-v3.5", needs_key=True),
    "jina": RerankEndpoint("https://api.jina.ai/v1", "jina-reranker-v2-base-multilingual", needs_key=True),
    # Serves one model, and ignores its name.
    "tei": RerankEndpoint(model="tei", texts="texts"),
}


def endpoint_of(settings: RerankSettings) -> RerankEndpoint:
    """Return the endpoint that the settings name.

    Raises:
        ConfigurationError: a setting that it needs is missing; the message names it.
    """
    known = KNOWN[settings.provider]
    found = RerankEndpoint(settings.base_url or known.url, settings.model or known.model, known.texts, known.needs_key)
    for value, variable, what in (
        (found.url, "BASE_URL", "la dirección de la API, por ejemplo http://localhost:8000/v1"),
        (found.model, "MODEL", "el modelo de la API"),
        (settings.api_key or not found.needs_key, "API_KEY", "la clave del proveedor"),
    ):
        if not value:
            raise ConfigurationError(
                f"Falta ARTICULADO_RERANK_{variable} ({what}), que la reordenación «api» necesita. Defínala en el "
                "entorno o en .env, o use otro modo de reordenación."
            )
    return found


def asked_for(endpoint: RerankEndpoint, settings: RerankSettings) -> Endpoint:
    """Return who is asked, as messages name it."""
    return Endpoint(f"{endpoint.model} ({settings.provider})", "rerank")
