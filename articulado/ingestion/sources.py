"""Discovery of source files, their grouping into documents, and messages on skipped files."""

import mmap
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from articulado.ingestion.files.header import SIDECARS, SUFFIX, is_article, is_beside
from articulado.ingestion.files.reader import READERS
from articulado.ingestion.history.wordings import is_dated, snapshot_day
from articulado.ingestion.markdown.reader import read_front
from articulado.language.translation import printable, reason, translate
from articulado.legal.ids import BOE_ID
from articulado.values.documents import Copy, Failure, Replaced, SkippedFiles, Source, SourceFile
from articulado.values.errors import InvalidInput

_CONVERTED: dict[str, tuple[str, ...]] = {
    ".docx": (".doc", ".docm", ".dot", ".dotx", ".pages", ".rtf", ".wpd", ".wps"),
    ".xlsx": (".csv", ".numbers", ".ods", ".tsv", ".xls", ".xlsb", ".xlsm"),
    ".pdf": (".djvu", ".epub", ".key", ".mobi", ".odp", ".ppt", ".pptx", ".ps", ".xps"),
}
"""Unsupported formats, by the supported one in which their program can save."""

_ADVICE: dict[str, tuple[str, ...]] = {
    "skipped.unpack": (".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz", ".zip"),
    "skipped.recognise": (".bmp", ".gif", ".heic", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"),
    "skipped.mail": (".eml", ".mbox", ".msg", ".pst"),
}
"""Unsupported formats that need other steps, by the translation key of the advice."""

_OF_NO_ACCOUNT = ("desktop.ini", "reforms.tsv", "thumbs.db", "validators.json")
"""Lower-case names of files to ignore: of systems, of a law's history, and of the BOE cache."""

_LOCK = "~$"  # prefix of Office's lock files

_PARTS_OF_A_PAGE = ("_files", "_archivos", "-Dateien", "_fichiers")
"""Suffixes of a folder with a saved web page's resources."""


def skipped_files(paths: Iterable[Path]) -> list[SkippedFiles]:
    """Group files of unsupported kinds by kind, without files that are clearly no documents."""
    kinds: dict[str, list[str]] = {}
    for path in sorted(set(paths)):
        if not _is_of_no_account(path):
            kinds.setdefault(path.suffix.lower(), []).append(printable(path))
    return [
        {"kind": kind, "files": files, "advice": advice_for(kind, number=len(files))}
        for kind, files in sorted(kinds.items())
    ]


def advice_for(suffix: str, *, number: int = 1) -> str:
    """Return advice on files of an unsupported format."""
    plural = "s" if number != 1 else ""
    for readable, suffixes in _CONVERTED.items():
        if suffix in suffixes:
            return translate("skipped.save_as", plural=plural, format=readable)
    for key, suffixes in _ADVICE.items():
        if suffix in suffixes:
            return translate(key, plural=plural)
    return translate("skipped.other", formats=FORMATS)


def describe(skipped: Sequence[SkippedFiles]) -> str:
    """Return one line on the skipped files of each kind and what to do about them."""
    return "; ".join(
        translate("skipped.kind", count=len(kind["files"]), kind=kind["kind"] or "?", advice=kind["advice"])
        for kind in skipped
    )


def _is_of_no_account(path: Path) -> bool:
    hidden = path.name.startswith((".", _LOCK)) or path.name.lower() in _OF_NO_ACCOUNT
    return hidden or any(_belongs_to_page(folder) for folder in path.parents)


def _belongs_to_page(folder: Path) -> bool:
    ending = next((ending for ending in _PARTS_OF_A_PAGE if folder.name.endswith(ending)), "")
    page = folder.name.removesuffix(ending)
    return bool(ending) and any(os.path.isfile(folder.with_name(page + suffix)) for suffix in (".html", ".htm"))


SUFFIXES = (*READERS, ".xml")
FORMATS = ", ".join((*SUFFIXES, SUFFIX))
"""Extensions of documents, as in messages; YAML other than articles belongs to the document beside it."""

BOE = "boe"  # prefix of the root of files downloaded from the BOE

_ID = f"({BOE_ID})".encode()
_IN_FRONT_MATTER = re.compile(
    rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:(?!---).*\n)*?identifier:[ \t]*[\"']?" + _ID + rb"[\"']?[ \t]*\r?\n"
)
_HEAD = 8_192  # bytes searched for the header or metadata of a law
_PIECE = 1 << 20  # bytes of a file in memory at once
_IN_XML = re.compile(rb"<identificador>\s*" + _ID + rb"\s*</identificador>")


def source_files(paths: Sequence[str]) -> tuple[list[SourceFile], list[Failure], list[SkippedFiles]]:
    """Return the files at paths or below folders, each once in order of name, failures, and skipped files."""
    failures: list[Failure] = []
    files: dict[str, SourceFile] = {}
    others: list[Path] = []
    for path in map(Path, paths):
        for file in _files_at(path, failures, others):
            if obstacle := _obstacle(file) or _outside(file, path):
                failures.append({"source": printable(file), "reason": obstacle})
                continue
            try:
                source = source_file(file, absolute(path))
                files.setdefault(source["path"], source)
            except OSError as error:
                failures.append({"source": str(file), "reason": reason(error)})
    return list(files.values()), failures, skipped_files(others)


def _outside(file: Path, root: Path) -> str:
    if not os.path.isdir(root) or Path(absolute(file)).is_relative_to(absolute(root)):
        return ""
    return translate("ingest.link_outside", target=absolute(file))


def absolute(path: Path | str) -> str:
    return os.path.realpath(path)


def source_file(file: Path, root: str) -> SourceFile:
    """Return a file as a source; its digest covers its sidecar headers and table of reforms."""
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
    """Return the files beside a source that its reader also reads."""
    paths = [file.with_name(file.name + suffix) for suffix in SIDECARS]
    paths += [file.with_suffix(suffix) for suffix in SIDECARS]
    paths = [path for path in paths if not is_article(path)]
    if file.suffix.lower() in (".md", ".markdown"):
        paths.append(file.with_name("reforms.tsv"))
    return [path for path in paths if is_beside(path)]


def _identity(file: Path, head: bytes) -> str:
    if is_article(file):
        return ""
    match = _IN_XML.search(head) if file.suffix.lower() == ".xml" else _IN_FRONT_MATTER.match(head)
    return match[1].decode() if match else ""


def _files_at(path: Path, failures: list[Failure], others: list[Path]) -> list[Path]:
    """Return a file, or the documents below a folder by name; add other files to ``failures`` or ``others``."""
    if os.path.isdir(path):
        failures_before = len(failures)
        below = sorted(_below(path, failures))
        documents = [file for file in below if _is_document(file.name)]
        headers = _headers(below)
        outside = ((header, _outside(header, path)) for header in sorted(headers))
        failures += [{"source": str(header), "reason": why} for header, why in outside if why]
        strange = [file for file in below if not _is_document(file.name) and file not in headers]
        if not documents and len(failures) == failures_before:
            nothing = translate("ingest.folder_without_documents", formats=FORMATS)
            skipped = describe(skipped_files(strange))
            failures.append({"source": str(path), "reason": f"{nothing}: {skipped}" if skipped else nothing})
        others += strange
        return documents
    if not _is_document(path.name) and os.path.exists(path):
        advice = advice_for(path.suffix.lower())
        failures.append({"source": str(path), "reason": translate("ingest.format", advice=advice)})
        return []
    return [path]


def _headers(files: Sequence[Path]) -> set[Path]:
    texts = {text for file in files if file.suffix.lower() not in SIDECARS for text in (file, file.with_suffix(""))}
    return {file for file in files if file.suffix.lower() in SIDECARS and file.with_suffix("") in texts}


def _below(folder: Path, failures: list[Failure]) -> Iterator[Path]:
    def refused(error: OSError) -> None:
        failures.append(
            {"source": str(error.filename), "reason": translate("ingest.folder_unreadable", reason=reason(error))}
        )

    for inside, folders, names in os.walk(folder, onerror=refused):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for linked in (Path(inside, name) for name in folders if os.path.islink(Path(inside, name))):
            # Links to folders are not followed; one that leads out is reported.
            if outside := _outside(linked, folder):
                failures.append({"source": str(linked), "reason": outside})
        for name in names:
            file = Path(inside, name)
            if not name.startswith(".") and (file.suffix.lower() != ".xml" or _has_text(file)):
                yield file


def _is_document(name: str) -> bool:
    return Path(name).suffix.lower() in SUFFIXES or is_article(name)


def _has_text(file: Path) -> bool:
    """Tell the text of a law from other XML of the BOE: its index and its analysis."""
    if not os.path.isfile(file):
        return True  # reported later; opening a pipe would block
    try:
        with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(b"<texto>") >= 0 and content.find(b"<bloque") >= 0
    except OSError:
        return True  # reported later as unreadable
    except ValueError:  # an empty file
        return False


def _obstacle(file: Path) -> str:
    if printable(file) != str(file):
        return translate("ingest.name_not_utf8")
    try:
        mode = file.stat().st_mode
    except OSError as error:
        dangling = isinstance(error, FileNotFoundError) and file.is_symlink()
        return translate("ingest.dangling_link") if dangling else reason(error)
    return "" if stat.S_ISREG(mode) else translate("ingest.no_regular_file")


_FOREVER = "9999"
_UPDATED = re.compile(rb"<fecha_actualizacion>\s*(\d{4})(\d{2})(\d{2})")


def is_loose(file: SourceFile) -> bool:
    """Tell if a file is a document of its own, without an identifier to share."""
    return file["identity"] == file["path"]


def by_age(paths: Sequence[Path]) -> list[Path]:
    """Return the existing files of a law by the day of their text, newest last; of one day, the BOE's own last."""
    present = [path for path in paths if path.exists()] or list(paths)
    return present if len(present) == 1 else sorted(present, key=lambda path: (_day(path), _is_official(path)))


def text_files(paths: Sequence[Path]) -> list[Path]:
    """Return the files to read a law from, the newest last: the BOE's XML, or the newest copy and dated ones."""
    files = by_age(paths)
    if len(files) == 1 or _is_official(files[-1]):
        return files[-1:]
    copies = [file for file in files if not _is_official(file)]
    newest = next((file for file in reversed(copies) if not is_dated(file)), None)
    # The last file of a day counts.
    of_days = {_day(file): file for file in copies if file == newest or is_dated(file)}
    return list(of_days.values())


def unread_files(source: Source) -> tuple[list[Replaced], list[Copy]]:
    """Return the files of a document that are not read: texts replaced by a newer one, and equal copies."""
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
