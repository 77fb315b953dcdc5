"""Build chat models and embedders for OpenAI, Azure OpenAI, or any server with their API.

All options that the SDKs would read from the environment are set here, so requests go only to the configured address.
SDKs are imported when a client is built.
"""

import re
import warnings
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from articulado.config.settings import ModelSettings, Role
from articulado.language.translation import translate
from articulado.models.chat import LangChainChat
from articulado.models.document_batches import DocumentBatches, Pace
from articulado.models.embeddings import OpenAIEmbedder
from articulado.models.failures import Endpoint
from articulado.models.habits import TextKinds, kinds_of
from articulado.models.retry import Retrier
from articulado.models.tokens import token_counter
from articulado.values.errors import ConfigurationError

OPENAI_URL = "https://api.openai.com/v1"

CONNECT_TIMEOUT = 10.0  # seconds to connect; the question's deadline limits the reply

NO_KEY = "sin-clave"  # key for a server without keys, because the SDK insists on one

EXAMPLE_URLS = {"azure": "https://<recurso>.openai.azure.com", "compatible": "http://localhost:8000/v1"}

NATIVE_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}

_REASONING_MODEL = re.compile(r"(?:^|[/:])(?:gpt-[5-9]|o\d)", re.IGNORECASE)
_TAKES_DIMENSIONS = re.compile(r"(?:^|[/:])text-embedding-3", re.IGNORECASE)

RetrierFactory = Callable[[Endpoint], Retrier]


def chat_model(role: Role, settings: ModelSettings, retrier: RetrierFactory = Retrier) -> LangChainChat:
    """Return the chat model of a role; raise ``ConfigurationError`` if a setting is missing."""
    settings, endpoint = azure_by_parts(settings), _endpoint(role, settings)
    own = settings.own_parameters
    temperature = own.pop("temperature", None if refuses_sampling(settings.model) else 0.0)
    common = {
        **_connection(endpoint, settings),
        "model": settings.model,
        # Passed even where it is None: for some models, LangChain fills in 1 where there is none.
        "temperature": temperature,
        "stream_usage": own.pop("stream_options", True) is not None,
        "stream_chunk_timeout": None,
        "use_responses_api": False,
        "extra_body": {name: value for name, value in own.items() if value is not None} or None,
    }
    if is_azure_by_deployment(settings):
        from langchain_openai import AzureChatOpenAI

        azure = AzureChatOpenAI(**common, azure_deployment=settings.deployment or settings.model)
        return _chat(azure, endpoint, retrier, settings)
    from langchain_openai import ChatOpenAI

    return _chat(ChatOpenAI(**common), endpoint, retrier, settings)


def embedder(settings: ModelSettings, retrier: RetrierFactory = Retrier, role: Role = "embedder") -> OpenAIEmbedder:
    """Return the embedder of a provider; raise ``ConfigurationError`` if a setting is missing."""
    settings, endpoint = azure_by_parts(settings), _endpoint(role, settings)
    common = {**_connection(endpoint, settings), "model": settings.model}
    if is_azure_by_deployment(settings):
        from langchain_openai import AzureOpenAIEmbeddings

        client: Any = AzureOpenAIEmbeddings(**common, azure_deployment=settings.deployment or settings.model)
    else:
        from langchain_openai import OpenAIEmbeddings

        client = OpenAIEmbeddings(**common, openai_api_type=None)
    request: dict[str, Any] = {"model": settings.model}
    if settings.dimensions and _TAKES_DIMENSIONS.search(settings.model):
        request["dimensions"] = settings.dimensions
    if settings.parameters:
        request["extra_body"] = settings.own_parameters
    counter, pace = token_counter(settings.model), Pace(settings.batch, settings.concurrency)
    repeated, seconds = retrier(endpoint), settings.timeout
    return OpenAIEmbedder(
        # LangChain's own method would fetch tokenizer tables, send token ids and drop the usage.
        client.async_client,
        request,
        fingerprint=fingerprint_of(settings, role),
        dimensions=_dimensions(settings, role),
        retrier=repeated,
        batches=lambda send: DocumentBatches(
            send, retrier=repeated, counter=counter, pace=pace, seconds=seconds, tpm=settings.tpm
        ),
        kinds=_kinds(settings),
        close=client.http_async_client.aclose,
    )


def check_settings(role: Role, settings: ModelSettings) -> None:
    _check_connection(_endpoint(role, settings), azure_by_parts(settings))
    if role in ("embedder", "sentences"):
        _dimensions(settings, role)


def fingerprint_of(settings: ModelSettings, role: Role = "embedder") -> str:
    """Return an embedder's fingerprint: family, model, dimensions, and digest of prefixes if any.

    OpenAI and Azure give equal vectors for a model. Raises ``ConfigurationError`` for unknown dimensions.
    """
    family = "compatible" if settings.provider == "compatible" else "openai"
    fingerprint = f"{family}:{settings.model}:{_dimensions(settings, role)}"
    kinds = _kinds(settings).digest
    return f"{fingerprint}:{kinds}" if kinds else fingerprint


def _kinds(settings: ModelSettings) -> TextKinds:
    return kinds_of(settings.model, settings.query_prefix, settings.passage_prefix)


def azure_by_parts(settings: ModelSettings) -> ModelSettings:
    """Split an Azure address into settings: endpoint, deployment, and API version; own settings go first.

    The portal gives ``…/openai/deployments/NAME/chat/completions?api-version=…``. ``…/openai/v1`` takes the deployment
    as the model.
    """
    if settings.provider != "azure" or not settings.base_url:
        return settings
    written = settings.base_url.strip()
    parts = urlsplit(written if "://" in written else f"https://{written}")
    before, marker, behind = parts.path.partition("/openai")
    segments = behind.strip("/").split("/")
    if marker and segments[0] == "v1":
        base_url = f"{parts.scheme}://{parts.netloc}{before}/openai/v1"
        return settings.model_copy(
            update={"base_url": base_url, "api_version": "", "model": settings.deployment or settings.model}
        )
    named = segments[1] if segments[0] == "deployments" and len(segments) > 1 else ""
    return settings.model_copy(
        update={
            "base_url": f"{parts.scheme}://{parts.netloc}{before.rstrip('/')}",
            "deployment": settings.deployment or named,
            "api_version": settings.api_version or dict(parse_qsl(parts.query)).get("api-version", ""),
        }
    )


def is_azure_by_deployment(settings: ModelSettings) -> bool:
    """Return True if requests name deployment and API version, as all of Azure's APIs but v1 do."""
    return settings.provider == "azure" and not settings.base_url.endswith("/openai/v1")


def refuses_sampling(model: str) -> bool:
    """Return True for reasoning models (GPT-5 and later, o1, o3, o4), which refuse temperature and token limits."""
    return bool(_REASONING_MODEL.search(model))


def token_limit_name(settings: ModelSettings) -> str | None:
    """Return the provider's parameter for the token limit, ``None`` if the model refuses one."""
    if refuses_sampling(settings.model):
        return None
    # Some Azure deployments refuse OpenAI's newer name, and Ollama ignores it.
    return "max_completion_tokens" if settings.provider == "openai" else "max_tokens"


def _chat(model: Any, endpoint: Endpoint, retrier: RetrierFactory, settings: ModelSettings) -> LangChainChat:
    return LangChainChat(
        model,
        endpoint.name,
        token_limit_name=token_limit_name(settings),
        retrier=retrier(endpoint),
        close=model.http_async_client.aclose,
    )


def _dimensions(settings: ModelSettings, role: Role = "embedder") -> int:
    dimensions = settings.dimensions or NATIVE_DIMENSIONS.get(settings.model)
    if dimensions is None:
        raise _missing(_endpoint(role, settings), "DIMENSIONS", translate("models.what_dimensions"))
    return dimensions


def _endpoint(role: Role, settings: ModelSettings) -> Endpoint:
    return Endpoint(settings.name, role)


def _check_connection(endpoint: Endpoint, settings: ModelSettings) -> None:
    if settings.provider == "fastembed":
        raise ConfigurationError(translate("encoders.only_embedder", variable=endpoint.variable("PROVIDER")))
    if not _key(settings) and settings.provider != "compatible":
        raise _missing(endpoint, "API_KEY", translate("models.what_key"))
    if not settings.base_url and settings.provider != "openai":
        raise _missing(endpoint, "BASE_URL", translate("models.what_base_url", example=EXAMPLE_URLS[settings.provider]))
    if not settings.api_version and is_azure_by_deployment(settings):
        raise _missing(endpoint, "API_VERSION", translate("models.what_api_version"))


def _key(settings: ModelSettings) -> str:
    return settings.api_key.get_secret_value() if settings.api_key else ""


def _connection(endpoint: Endpoint, settings: ModelSettings) -> dict[str, Any]:
    """Return the arguments of every client of a provider; only our code retries."""
    _check_connection(endpoint, settings)

    import openai

    from articulado.models.http import PerLoopClient

    # LangChain prints a warning of Pydantic's for a message in parts, in which some models give their thoughts.
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
    timeout = openai.Timeout(None, connect=CONNECT_TIMEOUT)
    http = PerLoopClient(timeout=timeout)
    common = {
        "api_key": _key(settings) or NO_KEY,
        "max_retries": 0,
        "timeout": timeout,
        "http_async_client": http,
        "openai_proxy": None,
    }
    if not is_azure_by_deployment(settings):
        headers = {"default_headers": {"api-key": common["api_key"]}} if settings.provider == "azure" else {}
        return {**common, "base_url": settings.base_url or OPENAI_URL, **headers}
    azure = {"azure_endpoint": settings.base_url, "api_version": settings.api_version}
    return {**common, **azure, "azure_ad_token": None, "base_url": None, "openai_api_type": "azure"}


def _missing(endpoint: Endpoint, suffix: str, what: str) -> ConfigurationError:
    return ConfigurationError(
        translate("models.setting_missing", variable=endpoint.variable(suffix), what=what, name=endpoint.name)
    )
