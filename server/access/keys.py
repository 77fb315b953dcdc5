"""API keys: named, several, of which the server keeps a hash alone."""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError, InvalidInput

MARK = "art_"
"""How a key begins, so that one is known where it has leaked."""
_BYTES = 32
"""Bytes of chance in a key: with so many a plain hash cannot be guessed back."""
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Key:
    """A key as it is kept: its name, the SHA-256 of its text, and the day on which it was made (AAAA-MM-DD)."""

    name: str
    sha256: str
    created: str


class KeyRing:
    """The keys of a file, read anew whenever the file has changed: a key that is revoked is one at once."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._stamp: tuple[int, int] | None = None
        self._keys: tuple[Key, ...] = ()

    @property
    def keys(self) -> Sequence[Key]:
        """The keys in the order of the file; none where there is no file.

        Raises:
            ConfigurationError: the file cannot be read.
        """
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
        """Return the name of the key with this text; ``None`` where there is no such key."""
        wanted = _hash(text)
        found = None
        for key in self.keys:  # All are compared, so that the time says nothing of which one.
            if hmac.compare_digest(key.sha256, wanted):
                found = key.name
        return found

    def add(self, name: str, today: date) -> str:
        """Make a key and return its text, which nobody can read again.

        Raises:
            InvalidInput: the name is taken, or is none.
            ConfigurationError: the file cannot be read or written.
        """
        if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
            raise InvalidInput(translate("keys.bad_name", most=_LONGEST_NAME))
        if any(key.name == name for key in self.keys):
            raise InvalidInput(translate("keys.taken", name=name))
        text = MARK + secrets.token_urlsafe(_BYTES)
        self._write([*self.keys, Key(name, _hash(text), today.isoformat())])
        return text

    def revoke(self, name: str) -> None:
        """Take a key away.

        Raises:
            InvalidInput: there is none of this name.
            ConfigurationError: the file cannot be read or written.
        """
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
