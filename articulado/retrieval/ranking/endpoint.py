"""Address and request form of a rerank endpoint, by provider and settings."""

from dataclasses import dataclass

from articulado.config.settings import RerankProvider, RerankSettings
from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError


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
        (endpoint.url, "BASE_URL", "rerank.what_base_url"),
        (endpoint.model, "MODEL", "rerank.what_model"),
        (settings.api_key or not endpoint.needs_key, "API_KEY", "models.what_key"),
    ):
        if not value:
            raise ConfigurationError(translate("rerank.setting_missing", variable=variable, what=translate(what)))
    return endpoint
