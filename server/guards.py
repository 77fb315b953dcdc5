"""What stands around every route of the server, from the outside in."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from fastapi import FastAPI

from server.access.authentication import Authentication
from server.access.keys import KeyRing
from server.access.origin import LOOPBACK, OriginCheck
from server.body_validation import BodyLimit
from server.limits.admission import Admission, Room
from server.limits.attendance import Attendance
from server.limits.rate import RateLimit
from server.operations.metrics import Metrics
from server.operations.requests import RequestLog
from server.settings import ServerSettings
from services.conversations.kept import MEMORY

MAX_BODY_BYTES = 64 * 1024
KEYS_FILE = "keys.json"


@dataclass(frozen=True)
class Guards:
    """The guards of one application, with the limits of ``settings``.

    ``ring`` has the keys, ``None`` for callers of this machine alone. ``hosts`` are the names by which the server may
    be called; none: by any. ``home`` is where its files are.
    """

    settings: ServerSettings = field(default_factory=lambda: ServerSettings(conversations=MEMORY))
    ring: KeyRing | None = None
    hosts: Collection[str] = LOOPBACK
    home: Path = Path()
    metrics: Metrics = field(init=False)
    room: Room = field(init=False)

    def __post_init__(self) -> None:
        limits = self.settings
        object.__setattr__(self, "room", Room(limits.running, limits.waiting, limits.patience))
        object.__setattr__(self, "metrics", Metrics(self.room))

    @classmethod
    def of(cls, settings: ServerSettings, home: Path, *, public: bool = False) -> "Guards":
        """Return the guards of a server; a public one may be called by any name where none is set."""
        hosts = frozenset(settings.hosts) if public else LOOPBACK | frozenset(settings.hosts)
        return cls(settings, KeyRing(keys_file(settings, home)), hosts, home)

    def stand_around(self, app: FastAPI) -> None:
        """Put the guards around an application, before its own error handling."""
        settings = self.settings
        # The last one added is the outermost.
        app.add_middleware(BodyLimit, limit=MAX_BODY_BYTES)
        app.add_middleware(Attendance, seconds=settings.deadline)
        app.add_middleware(Admission, room=self.room)
        app.add_middleware(
            RateLimit, per_minute=settings.per_minute, at_once=settings.at_once, storage=settings.rate_storage
        )
        app.add_middleware(Authentication, ring=self.ring)
        app.add_middleware(OriginCheck, hosts=self.hosts, origins=settings.origins)
        app.add_middleware(RequestLog, metrics=self.metrics, with_questions=settings.log_questions)


def keys_file(settings: ServerSettings, home: Path) -> Path:
    """Return where the API keys are kept."""
    return settings.keys or home / KEYS_FILE
