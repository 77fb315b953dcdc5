"""Settings of the server (``ARTICULADO_SERVER_*``) and the address on which it listens."""

import errno
import ipaddress
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from articulado.config.settings import Settings, configuration_error
from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError

PATHS = ("/v1", "/rag", "/required_data", "/generate_response")
HOST = "127.0.0.1"
PORT = 8000
MAX_PORT = 65_535
MAX_WORKERS = 64
BACKLOG = 2048


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


_OUTSIDE = "192.0.2.1"  # documentation address (RFC 5737): its route is looked up, and nothing is sent


def own_address() -> str:
    """Return the address by which this machine would call others; empty without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((_OUTSIDE, 9))
        except OSError:
            return ""
        return str(probe.getsockname()[0])


def lan_address(own: Callable[[], str] = own_address) -> str:
    """Return the private address of this machine in its local network."""
    address = own()
    if not address or is_loopback(address):
        raise ConfigurationError(translate("server.no_lan"))
    if ipaddress.ip_address(address).is_global:
        raise ConfigurationError(translate("server.public_lan", address=address))
    return address


def listen(host: str, port: int) -> socket.socket:
    """Bind a port; raise ``ConfigurationError`` if that is not possible."""
    if not 0 <= port <= MAX_PORT:
        raise ConfigurationError(translate("server.no_port", port=port, maximum=MAX_PORT))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ConfigurationError(_explained(error, host, port)) from error


def _explained(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return translate("server.port_taken", port=port, host=host)
    if error.errno == errno.EACCES:
        return translate("server.port_denied", port=port)
    return translate("server.not_listening", host=host, port=port, error=error)


PREFIX = "ARTICULADO_SERVER_"
WORKING, WAITING_FOR_MODELS = 4, 64  # runs at once: local work, or most wait for a provider
Names = Annotated[tuple[str, ...], NoDecode]


class ServerSettings(BaseSettings):
    """Settings of a server, read from ``ARTICULADO_SERVER_…``, apart from those of the agent."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore", frozen=True)

    keys: Path | None = Field(default=None, description="File of the API keys; unset: ``home/keys.json``")
    operators: Names = Field(default=(), description="Names of the keys that may change the index")
    hosts: Names = Field(default=(), description="Names by which it is called, beside those of loopback")
    origins: Names = Field(default=(), description="Web pages that may call it (https://example.org)")
    per_minute: int = Field(default=60, ge=1, description="Runs that a key may begin in a minute")
    at_once: int = Field(default=4, ge=1, description="Runs of one key that go on at once")
    rate_storage: str = Field(default="memory://", description="Where runs are counted: redis://… for several servers")
    running: int | None = Field(
        default=None,
        ge=1,
        description="Runs of all callers that go on at once; unset: 64 with a provider's model, else 4",
    )
    waiting: int = Field(default=64, ge=0, description="Runs that wait for one of them to end")
    patience: float = Field(default=10.0, gt=0, allow_inf_nan=False, description="Seconds that one waits")
    deadline: float = Field(default=60.0, gt=0, allow_inf_nan=False, description="Seconds of a whole request")
    max_chunks: int = Field(default=40, ge=1, le=100, description="Fragments that a caller may ask for")
    conversations: str = Field(
        default="sqlite:conversations.sqlite", description="memory, sqlite:FILE (below ``home``), or postgresql://…"
    )
    retention: float = Field(default=30.0, gt=0, description="Days after which an idle conversation is deleted")
    log_questions: bool = Field(default=False, description="Whether the log of requests holds the questions")

    @field_validator("hosts", "origins", "operators", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(name.strip() for name in value.split(",") if name.strip()) if isinstance(value, str) else value

    @field_validator("keys")
    @classmethod
    def _expanded(cls, value: Path | None) -> Path | None:
        return value.expanduser() if value else None

    def fitted(self, models: Settings) -> "ServerSettings":
        offline = models.principal.provider == "offline"
        return self.model_copy(update={"running": self.running or (WORKING if offline else WAITING_FOR_MODELS)})

    @classmethod
    def read(cls, env_file: Path | None = Path(".env"), **overrides: object) -> "ServerSettings":
        """Read the settings: overrides, then the environment, then ``.env``, then defaults."""
        try:
            return cls(_env_file=env_file, **overrides)  # type: ignore[call-arg, arg-type]
        except ValidationError as error:
            raise configuration_error(error, PREFIX) from error


def variable_names() -> Mapping[str, str]:
    return {f"{PREFIX}{name.upper()}": field.description or "" for name, field in ServerSettings.model_fields.items()}
