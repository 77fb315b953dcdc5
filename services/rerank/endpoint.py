"""Where a rerank endpoint is and the form of its requests, by provider and settings."""

from dataclasses import dataclass

from services.settings import RerankProvider, RerankSettings
from state.errors import ConfigurationError


@dataclass(frozen=True)
class RerankEndpoint:
    """``texts`` is the provider's name for the passages; an empty ``url`` or ``model`` must be set by the user."""

    url: str = ""
    model: str = ""
    texts: str = "documents"
    needs_key: bool = False


PROVIDERS: dict[RerankProvider, RerankEndpoint] = {
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
    default = PROVIDERS[settings.provider]
    endpoint = RerankEndpoint(
        settings.base_url or default.url, settings.model or default.model, default.texts, default.needs_key
    )
    for value, variable, what in (
        (endpoint.url, "BASE_URL", "la dirección de la API, por ejemplo http://localhost:8000/v1"),
        (endpoint.model, "MODEL", "el modelo de la API"),
        (settings.api_key or not endpoint.needs_key, "API_KEY", "la clave del proveedor"),
    ):
        if not value:
            raise ConfigurationError(
                f"Falta ARTICULADO_RERANK_{variable} ({what}), que la reordenación «api» necesita. Defínala en el "
                "entorno o en .env, o use otro modo de reordenación."
            )
    return endpoint
