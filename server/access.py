"""API keys (stored as SHA-256 hashes), authentication of requests, and the check of host and origin."""

import asyncio
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError, InvalidInput
from server.errors import FailureResponse
from server.settings import PREFIX, is_loopback

MARK = "art_"  # prefix of every key, by which scanners of leaked secrets recognise one
_BYTES = 32  # random bytes of a key; so many make a plain hash safe
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Key:
    """Stored form of a key: its name, the SHA-256 of its text and its creation day (YYYY-MM-DD)."""

    name: str
    sha256: str
    created: str


class KeyRing:
    """API keys of a file, read again whenever the file changes, so that a revoked key stops working at once."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._stamp: tuple[int, int] | None = None
        self._keys: tuple[Key, ...] = ()

    @property
    def keys(self) -> Sequence[Key]:
        """Keys in the order of the file; empty if there is no file."""
        try:
            status = self.file.stat()
        except FileNotFoundError:
            self._stamp, self._keys = None, ()
            return ()
        except OSError as error:
            raise ConfigurationError(translate("keys.unreadable", file=self.file)) from error
        stamp = status.st_mtime_ns, status.st_size
        if stamp != self._stamp:
            self._keys, self._stamp = tuple(_read(self.file)), stamp
        return self._keys

    def caller(self, text: str) -> str | None:
        """Return the name of the key with this text, or ``None``."""
        wanted = _hash(text)
        found = None
        for key in self.keys:  # All are compared, so that the time says nothing of which one.
            if hmac.compare_digest(key.sha256, wanted):
                found = key.name
        return found

    def add(self, name: str, today: date) -> str:
        """Create a key and return its text, which is not stored."""
        if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
            raise InvalidInput(translate("keys.bad_name", most=_LONGEST_NAME))
        if any(key.name == name for key in self.keys):
            raise InvalidInput(translate("keys.taken", name=name))
        text = MARK + secrets.token_urlsafe(_BYTES)
        self._write([*self.keys, Key(name, _hash(text), today.isoformat())])
        return text

    def revoke(self, name: str) -> None:
        if all(key.name != name for key in self.keys):
            raise InvalidInput(translate("keys.unknown", name=name))
        self._write([key for key in self.keys if key.name != name])

    def _write(self, keys: Sequence[Key]) -> None:
        temporary = self.file.with_name(f".{self.file.name}.{os.getpid()}")
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as written:
                json.dump({"keys": [asdict(key) for key in keys]}, written, ensure_ascii=False, indent=2)
            temporary.replace(self.file)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            raise ConfigurationError(translate("keys.unwritable", file=self.file)) from error


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read(file: Path) -> list[Key]:
    try:
        listed = json.loads(file.read_text(encoding="utf-8"))["keys"]
        return [Key(str(key["name"]), str(key["sha256"]), str(key["created"])) for key in listed]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ConfigurationError(translate("keys.unreadable", file=file)) from error


CALLER = "caller"  # key of the request state with the name of the caller's API key; empty if the server has no keys
OPEN_PATHS = frozenset(("/health", "/healthz", "/ok", "/readyz", "/"))
OPEN_FOLDERS = ("/page/",)
LOCAL_PATHS = frozenset(("/metrics",))


class Authentication:
    """Refuse requests without a valid key (401) and, on a server without keys, those of other machines (403)."""

    def __init__(self, app: ASGIApp, ring: KeyRing | None = None) -> None:
        self._app = app
        self._ring = ring

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # The file of the keys is looked at, which must not hold up other requests.
        has_keys, caller = await asyncio.to_thread(identify, self._ring, Headers(scope=scope))
        if caller is None and not _is_open(scope):
            response = FailureResponse(401, {"detail": translate("server.no_key"), "error": "HTTPError"})
            response.headers["www-authenticate"] = "Bearer"
            await response(scope, receive, send)
            return
        if not has_keys and not is_local(scope):
            await FailureResponse(403, {"detail": translate("server.not_local"), "error": "HTTPError"})(
                scope, receive, send
            )
            return
        scope.setdefault("state", {})[CALLER] = caller or ""
        await self._app(scope, receive, send)


def identify(ring: KeyRing | None, headers: Headers) -> tuple[bool, str | None]:
    """Tell if a server has keys, and name the caller: ``None`` if its key is invalid, "" without keys. Reads a file."""
    if ring is None or not ring.keys:
        return False, ""
    return True, caller_of(ring, headers)


def caller_of(ring: KeyRing, headers: Headers) -> str | None:
    scheme, _, text = headers.get("authorization", "").partition(" ")
    given = text.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "").strip()
    return ring.caller(given) if given else None


def is_local(scope: Scope) -> bool:
    client = scope.get("client")
    return client is not None and is_loopback(client[0])


def _is_open(scope: Scope) -> bool:
    if scope["method"] == "OPTIONS" and "access-control-request-method" in Headers(scope=scope):
        return True  # A browser asks whether it may send the key; the origin has been checked.
    path = scope["path"]
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDERS) or (is_local(scope) and path in LOCAL_PATHS)


LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
REFUSED = "refused"
MAX_NOTED = 200
_SENDS_BODY = frozenset(("POST", "PUT", "PATCH"))


class OriginCheck:
    """Refuse calls under host names outside ``hosts`` (empty: any name), and of pages outside ``origins``."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] = LOOPBACK, origins: Collection[str] = ()) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (refused := self._refused(scope["method"], Headers(scope=scope))):
            status, detail, noted = refused
            scope.setdefault("state", {})[REFUSED] = noted
            await FailureResponse(status, {"detail": detail, "error": "HTTPError"})(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refused(self, method: str, headers: Headers) -> tuple[int, str, Mapping[str, str]] | None:
        host = headers.get("host", "")
        if self._hosts and _host_of(host) not in self._hosts:
            return 403, translate("server.host_refused", host=host), _log_fields("host", host, "HOSTS")
        origin = headers.get("origin", "").lower()
        if origin and origin not in self._origins and _address_of(origin) != host.lower():
            return 403, translate("server.origin_refused", origin=origin), _log_fields("origin", origin, "ORIGINS")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if method in _SENDS_BODY and _has_body(headers) and kind != "application/json" and not kind.endswith("+json"):
            return 415, translate("server.not_json"), {}
        return None


def _log_fields(name: str, refused: str, setting: str) -> Mapping[str, str]:
    return {name: refused[:MAX_NOTED], "allowed_by": f"{PREFIX}{setting}"}


def _has_body(headers: Headers) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _address_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _host_of(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""
