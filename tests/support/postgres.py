"""A PostgreSQL of its own, from the programs of the system."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
_USER = "postgres"


def _program(name: str) -> str | None:
    return next((str(folder / name) for folder in _FOLDERS if (folder / name).exists()), shutil.which(name))


@dataclass(frozen=True)
class Database:
    """A database that runs; ``restart`` stops its server at once, all connections with it, and starts it again."""

    url: str
    restart: Callable[[], None]


@contextmanager
def postgres() -> Iterator[str]:
    """Start a database that is reached through a socket alone; yields its URL. Skips where there is no PostgreSQL."""
    with database() as started:
        yield started.url


@contextmanager
def database() -> Iterator[Database]:
    """Start a database as ``postgres`` does, that can be restarted."""
    initdb, control = _program("initdb"), _program("pg_ctl")
    if not initdb or not control:
        pytest.skip("PostgreSQL is not installed: no initdb, no pg_ctl")
    pytest.importorskip("psycopg", reason="the optional extra «postgres» is not installed")
    user = _unprivileged()
    # Short, because the path of a socket may have 107 characters.
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    try:
        if user:
            shutil.chown(folder, user)
        data = folder / "data"

        def run(*command: str) -> None:
            subprocess.run(
                command, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )

        run(initdb, "--pgdata", str(data), "--username", _USER, "--auth", "trust", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"

        def start() -> None:
            run(control, "start", "--pgdata", str(data), "--wait", "--options", options, "--log", str(folder / "log"))

        def stop(mode: str) -> None:
            run(control, "stop", "--pgdata", str(data), "--mode", mode)

        def restart() -> None:
            stop("fast")
            start()

        start()
        try:
            yield Database(f"postgresql://{_USER}@/{_USER}?host={folder}", restart)
        finally:
            stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged() -> str | None:
    """Return a user under which it can run, for it never does as root; ``None`` for the present one."""
    if os.geteuid() != 0:
        return None
    for name in (_USER, "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    return pytest.skip("PostgreSQL does not run as root, and there is no other user")
