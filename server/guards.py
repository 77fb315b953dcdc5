"""What stands around every route of the server, from the outside in."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from articulado.config.extras import require
from articulado.config.settings import Settings
from server.access.authentication import Authentication
from server.access.keys import KeyRing
from server.access.origin import LOOPBACK, OriginCheck
from server.body_validation import BodyLimit
from server.limits.admission import Admission, Room
from server.limits.attendance import Attendance
from server.limits.rate import RateLimit
from server.limits.work import is_of_agent_server
from server.operations.metrics import Metrics
from server.operations.requests import RequestLog
from server.operations.traces import Traces
from server.settings import WORKING, ServerSettings
from services.conversations.kept import MEMORY, POSTGRES

MAX_BODY_BYTES = 64 * 1024
MAX_STATE_BYTES = 1024 * 1024
"""Of the routes of an Agent Server, to which whole states are sent."""
MAX_FILE_BYTES = 6 * 1024 * 1024
BRINGS_FILES = frozenset(("/v1/check", "/v1/verify"))
"""Briefs and dossiers that are sent whole, as JSON."""
IN_PROCESS = "/noauth"
"""The root path under which an Agent Server calls its own routes, for what it has let in already."""
KEYS_FILE = "keys.json"


@dataclass(frozen=True)
class Guards:
    """The guards of one application, with the limits of ``settings``.

    ``ring`` has the keys, ``None`` for callers of this machine alone. ``hosts`` are the names by which the server may
    be called; none: by any. ``home`` is where its files are; ``traces`` are those that the environment asks for.
    """

    settings: ServerSettings = field(default_factory=lambda: ServerSettings(conversations=MEMORY))
    ring: KeyRing | None = None
    hosts: Collection[str] = LOOPBACK
    home: Path = Path()
    traces: Traces = field(default_factory=Traces.read)
    metrics: Metrics = field(init=False)
    room: Room = field(init=False)

    def __post_init__(self) -> None:
        limits = self.settings
        object.__setattr__(self, "room", Room(limits.running or WORKING, limits.waiting, limits.patience))
        object.__setattr__(self, "metrics", Metrics(self.room))

    @classmethod
    def of(cls, settings: ServerSettings, agent: Settings, *, public: bool = False) -> "Guards":
        """Return the guards of a server of an agent; a public one may be called by any name where none is set.

        Raises:
            ConfigurationError: what the settings name, PostgreSQL or Redis, needs an extra that is not installed.
        """
        # Here, where there is a command to tell it to: the server itself opens both when it is under way.
        if settings.conversations.startswith(POSTGRES):
            require("postgres")
        if settings.rate_storage.startswith("redis"):
            require("redis")
        hosts = frozenset(settings.hosts) if public else LOOPBACK | frozenset(settings.hosts)
        return cls(settings.fitted(agent), KeyRing(keys_file(settings, agent.home)), hosts, agent.home)

    def stand_around(self, app: FastAPI) -> None:
        """Put the guards around an application, before its own error handling."""
        app.add_middleware(_Guarded, guards=self)

    def around(self, app: ASGIApp) -> ASGIApp:
        """Return the application within the guards."""
        settings = self.settings
        # From the inside out.
        app = BodyLimit(app, _body_limit)
        app = Attendance(app, settings.deadline)
        app = Admission(app, self.room)
        app = RateLimit(app, settings.per_minute, settings.at_once, settings.rate_storage)
        app = Authentication(app, self.ring)
        app = OriginCheck(app, self.hosts, settings.origins)
        return RequestLog(app, self.metrics, self.traces, with_questions=settings.log_questions)


class _Guarded:
    """An application within its guards, but for what an Agent Server calls in its own process."""

    def __init__(self, app: ASGIApp, guards: Guards) -> None:
        self._app = app
        self._guarded = guards.around(app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        # The root path is the server's to set: nobody sends it.
        root = f"{scope.get('root_path', '')}/"
        app = self._app if root.startswith(f"{IN_PROCESS}/") else self._guarded
        await app(scope, receive, send)


def _body_limit(scope: Scope) -> int:
    if is_of_agent_server(scope):
        return MAX_STATE_BYTES
    return MAX_FILE_BYTES if scope["path"] in BRINGS_FILES else MAX_BODY_BYTES


def keys_file(settings: ServerSettings, home: Path) -> Path:
    """Return where the API keys are kept."""
    return settings.keys or home / KEYS_FILE
