"""Find the files that documents are read from, and tell which of them are of one document."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from services.system_errors import reason
from state.ingest import Failure, SourceFile

SUFFIXES = (".md", ".markdown", ".txt", ".html", ".htm", ".pdf", ".docx", ".xml")
BOE = "boe"
"""Root of what was downloaded from the official gazette."""

_BOE_ANSWER = "full.xml"
_IDENTIFIER = re.compile(rb"\A(?:\xef\xbb\xbf)?---\s*\n(?:.*\n)*?identifier:\s*[\"']?(BOE-A-\d{4}-\d+)[\"']?\s*\n")
_HEAD = 8_192
"""Bytes in which the header of a law is looked for."""

_IN_XML = re.compile(rb"<identificador>\s*(BOE-A-\d{4}-\d+)\s*</identificador>")
_SIDECARS = (".yaml", ".yml")


def source_files(paths: Sequence[str]) -> tuple[list[SourceFile], list[Failure]]:
    """Return the files named, and those below the folders named, each once, in order of name.

    What cannot be read, or is of no known format, is a failure.
    """
    failures: list[Failure] = []
    files: dict[str, SourceFile] = {}
    for path in map(Path, paths):
        for file in _named(path, failures):
            if obstacle := _obstacle(file):
                failures.append({"source": str(file), "reason": obstacle})
                continue
            try:
                files.setdefault(os.path.realpath(file), source_file(file, str(path.absolute())))
            except OSError as error:
                failures.append({"source": str(file), "reason": reason(error)})
    return list(files.values()), failures


def source_file(file: Path, root: str) -> SourceFile:
    """Return a file as a source; its digest covers what belongs to it: a header beside it, the table of reforms."""
    content = file.read_bytes()
    hashed = blake2b(content, digest_size=16)
    for other in companions(file):
        hashed.update(other.read_bytes())
    path = str(file.absolute())
    return {"path": path, "root": root, "digest": hashed.hexdigest(), "identity": _identity(file, content) or path}


def companions(file: Path) -> list[Path]:
    """Return the files beside a source that its reader reads too."""
    beside = [file.with_name(file.name + suffix) for suffix in _SIDECARS]
    beside += [file.with_suffix(suffix) for suffix in _SIDECARS]
    if file.suffix.lower() in (".md", ".markdown"):
        beside.append(file.with_name("reforms.tsv"))
    return [one for one in beside if one.is_file()]


def _identity(file: Path, content: bytes) -> str:
    head, is_answer = content[:_HEAD], file.suffix.lower() == ".xml"
    found = _IN_XML.search(head) if is_answer else _IDENTIFIER.match(head)
    return found[1].decode() if found else ""


def _named(path: Path, failures: list[Failure]) -> list[Path]:
    if os.path.isdir(path):
        failed = len(failures)
        below = sorted(_below(path, failures))
        if not below and len(failures) == failed:
            known = ", ".join(SUFFIXES)
            failures.append({"source": str(path), "reason": f"la carpeta no contiene documentos ({known})"})
        return below
    if path.suffix.lower() not in SUFFIXES and os.path.exists(path):
        known = ", ".join(SUFFIXES)
        failures.append({"source": str(path), "reason": f"formato no admitido; los posibles son {known}"})
        return []
    return [path]


def _below(folder: Path, failures: list[Failure]) -> Iterator[Path]:
    """Yield what has the name of a document below a folder; subfolders that cannot be read become failures."""

    def refused(error: OSError) -> None:
        failures.append({"source": str(error.filename), "reason": f"no se puede leer la carpeta: {reason(error)}"})

    for inside, folders, names in os.walk(folder, onerror=refused):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            suffix = Path(name).suffix.lower()
            # Beside the text of a law the gazette gives its index, its analysis …: only the whole is a document.
            if suffix in SUFFIXES and not name.startswith(".") and (suffix != ".xml" or name == _BOE_ANSWER):
                yield Path(inside, name)


def _obstacle(file: Path) -> str:
    """Return why a file cannot be opened, as far as can be told without reading it; empty where nothing is known."""
    try:
        mode = file.stat().st_mode
    except OSError as error:
        dangling = isinstance(error, FileNotFoundError) and file.is_symlink()
        return "es un enlace a un fichero que no existe" if dangling else reason(error)
    return "" if stat.S_ISREG(mode) else "no es un fichero normal"
