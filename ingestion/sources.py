"""Find the files that documents are read from, and tell which of them are of one document."""

import mmap
import os
import re
import stat
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from articulado.language.translation import printable, reason, translate
from articulado.legal.ids import BOE_ID
from articulado.values.documents import Failure, SkippedFiles, SourceFile
from ingestion.files.formats.source import SUFFIX, is_article
from ingestion.files.reader import READERS
from ingestion.skipped import advice_for, describe, skipped_files

SUFFIXES = (*READERS, ".xml")
FORMATS = ", ".join((*SUFFIXES, SUFFIX))
"""The endings of documents, as messages list them; YAML that is no article belongs to the document beside it."""

BOE = "boe"
"""How the root of a file that was downloaded from the official gazette begins."""

_ID = f"({BOE_ID})".encode()
_IN_FRONT_MATTER = re.compile(
    rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:(?!---).*\n)*?identifier:[ \t]*[\"']?" + _ID + rb"[\"']?[ \t]*\r?\n"
)
_HEAD = 8_192
"""Bytes in which the header of a law is looked for."""

_PIECE = 1 << 20
"""Bytes that are held at once of a file, however large it is."""

_IN_XML = re.compile(rb"<identificador>\s*" + _ID + rb"\s*</identificador>")
_SIDECARS = (".yaml", ".yml")


def source_files(paths: Sequence[str]) -> tuple[list[SourceFile], list[Failure], list[SkippedFiles]]:
    """Return the files that are named or below a folder that is, each once in order of name; failures; what is skipped.

    What cannot be read, or is named and of no known format, is a failure. Of a folder, what is of no known format is
    skipped.
    """
    failures: list[Failure] = []
    files: dict[str, SourceFile] = {}
    others: list[Path] = []
    for path in map(Path, paths):
        for file in _files_at(path, failures, others):
            if obstacle := _obstacle(file):
                failures.append({"source": printable(file), "reason": obstacle})
                continue
            try:
                source = source_file(file, absolute(path))
                files.setdefault(source["path"], source)
            except OSError as error:
                failures.append({"source": str(file), "reason": reason(error)})
    return list(files.values()), failures, skipped_files(others, FORMATS)


def absolute(path: Path | str) -> str:
    """Return the absolute path, symbolic links resolved."""
    return os.path.realpath(path)


def source_file(file: Path, root: str) -> SourceFile:
    """Return a file as a source; its digest covers what belongs to it: a header beside it, the table of reforms."""
    hashed = blake2b(digest_size=16)
    with file.open("rb") as stream:
        head = stream.read(_HEAD)
    for part in (file, *companions(file)):
        with part.open("rb") as stream:
            while piece := stream.read(_PIECE):
                hashed.update(piece)
    path = absolute(file)
    return {"path": path, "root": root, "digest": hashed.hexdigest(), "identity": _identity(file, head) or path}


def companions(file: Path) -> list[Path]:
    """Return the files beside a source that its reader reads too."""
    paths = [file.with_name(file.name + suffix) for suffix in _SIDECARS]
    paths += [file.with_suffix(suffix) for suffix in _SIDECARS]
    paths = [path for path in paths if not is_article(path)]
    if file.suffix.lower() in (".md", ".markdown"):
        paths.append(file.with_name("reforms.tsv"))
    return [path for path in paths if path.is_file()]


def _identity(file: Path, head: bytes) -> str:
    """Return the BOE identifier of a law; empty for any other document."""
    if is_article(file):
        return ""
    match = _IN_XML.search(head) if file.suffix.lower() == ".xml" else _IN_FRONT_MATTER.match(head)
    return match[1].decode() if match else ""


def _files_at(path: Path, failures: list[Failure], others: list[Path]) -> list[Path]:
    """Return a file, or the documents below a folder by name; add what is none to ``failures``, or to ``others``."""
    if os.path.isdir(path):
        failures_before = len(failures)
        below = sorted(_below(path, failures))
        documents = [file for file in below if _is_document(file.name)]
        headers = _headers(below)
        strange = [file for file in below if not _is_document(file.name) and file not in headers]
        if not documents and len(failures) == failures_before:
            nothing = translate("ingest.folder_without_documents", formats=FORMATS)
            skipped = describe(skipped_files(strange, FORMATS))
            failures.append({"source": str(path), "reason": f"{nothing}: {skipped}" if skipped else nothing})
        others += strange
        return documents
    if not _is_document(path.name) and os.path.exists(path):
        advice = advice_for(path.suffix.lower(), FORMATS)
        failures.append({"source": str(path), "reason": translate("ingest.format", advice=advice)})
        return []
    return [path]


def _headers(files: Sequence[Path]) -> set[Path]:
    """Return the files that are headers of others beside them, as ``companions`` has it."""
    texts = {text for file in files if file.suffix.lower() not in _SIDECARS for text in (file, file.with_suffix(""))}
    return {file for file in files if file.suffix.lower() in _SIDECARS and file.with_suffix("") in texts}


def _below(folder: Path, failures: list[Failure]) -> Iterator[Path]:
    """Yield the files below a folder but for hidden ones; subfolders that cannot be read become failures."""

    def refused(error: OSError) -> None:
        failures.append(
            {"source": str(error.filename), "reason": translate("ingest.folder_unreadable", reason=reason(error))}
        )

    for inside, folders, names in os.walk(folder, onerror=refused):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            file = Path(inside, name)
            if not name.startswith(".") and (file.suffix.lower() != ".xml" or _has_text(file)):
                yield file


def _is_document(name: str) -> bool:
    return Path(name).suffix.lower() in SUFFIXES or is_article(name)


def _has_text(file: Path) -> bool:
    """Tell the text of a law from the other XML that the gazette has of it, its index and its analysis."""
    if not os.path.isfile(file):
        return True  # to be told what it is: to open a pipe would wait for who writes to it
    try:
        with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(b"<texto>") >= 0 and content.find(b"<bloque") >= 0
    except OSError:
        return True  # to be told that it cannot be read
    except ValueError:  # It is empty.
        return False


def _obstacle(file: Path) -> str:
    """Return why a file cannot be opened, as far as can be told without reading it; empty where nothing is known."""
    if printable(file) != str(file):
        return translate("ingest.name_not_utf8")
    try:
        mode = file.stat().st_mode
    except OSError as error:
        dangling = isinstance(error, FileNotFoundError) and file.is_symlink()
        return translate("ingest.dangling_link") if dangling else reason(error)
    return "" if stat.S_ISREG(mode) else translate("ingest.no_regular_file")
