"""Tell which of the files of a document it is read from: of a law the newest text, of equal files the first."""

import re
from collections.abc import Sequence
from pathlib import Path

from articulado.values.documents import Copy, Replaced, Source, SourceFile
from articulado.values.errors import InvalidInput
from ingestion.history.snapshots import is_dated, snapshot_day
from ingestion.markdown.reader import read_front

_FOREVER = "9999"
_UPDATED = re.compile(rb"<fecha_actualizacion>\s*(\d{4})(\d{2})(\d{2})")
_HEAD = 8_192
"""Bytes in which the metadata of a law stand."""


def is_loose(file: SourceFile) -> bool:
    """Tell whether a file is a document of its own, which has no identifier that another file could share."""
    return file["identity"] == file["path"]


def names_of(source: Source) -> list[str]:
    """Return what a document goes by: its identity, and the paths of equal files that it could be read from."""
    return [source["identity"], *(file["path"] for file in source["files"] if is_loose(file))]


def by_age(paths: Sequence[Path]) -> list[Path]:
    """Return the files of a law that are there (all, if none is) by the day of their text, the newest last.

    Of one day the order is that given. What the gazette's own data say of their last update is compared with the day of
    a copy's last reform: so they go before every copy but one of a reform that they do not have yet.
    """
    present = [path for path in paths if path.exists()] or list(paths)
    return present if len(present) == 1 else sorted(present, key=lambda path: (_day(path), _is_official(path)))


def text_files(paths: Sequence[Path]) -> list[Path]:
    """Return the files that a law is read from, the newest last: the gazette's own data alone where they are newest.

    Else it is the newest copy and, for the wordings of the past, all copies whose names have a day.
    """
    files = by_age(paths)
    if len(files) == 1 or _is_official(files[-1]):
        return files[-1:]
    copies = [file for file in files if not _is_official(file)]
    newest = next((file for file in reversed(copies) if not is_dated(file)), None)
    # Of one day the last given counts.
    of_days = {_day(file): file for file in copies if file == newest or is_dated(file)}
    return list(of_days.values())


def unread_files(source: Source) -> tuple[list[Replaced], list[Copy]]:
    """Return the files of a document that it is not read from: texts that a newer one replaces, and equal copies."""
    failed = {failure["source"] for failure in source["skipped"]}
    files = [file for file in source["files"] if file["path"] not in failed and Path(file["path"]).exists()]
    if len(files) < 2:
        return [], []
    paths = [Path(file["path"]) for file in files]
    read = list(map(str, paths[:1] if is_loose(files[0]) else text_files(paths)))
    equal = {file["digest"]: file["path"] for file in files if file["path"] in read}
    replaced: list[Replaced] = []
    copies: list[Copy] = []
    for file in files:
        if file["path"] in read:
            continue
        if kept := read[0] if is_loose(file) else equal.get(file["digest"]):
            copies.append({"document": source["title"], "kept": kept, "copy": file["path"]})
        else:
            replaced.append({"law": source["title"], "kept": read[-1], "replaced": file["path"]})
    return replaced, copies


def _day(path: Path) -> str:
    """Return the day of which a text says that it is, ISO 8601; empty where it says none."""
    try:
        if _is_official(path):
            with path.open("rb") as stream:
                day = _UPDATED.search(stream.read(_HEAD))
            return b"-".join(day.groups()).decode() if day else _FOREVER
        return snapshot_day(path, {} if is_dated(path) else read_front(path))
    except (OSError, InvalidInput):
        return ""


def _is_official(path: Path) -> bool:
    return path.suffix.lower() == ".xml"
