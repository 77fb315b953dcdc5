"""Group the files of a folder that are not read by their kind, and say what to do about each kind."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from articulado.language.translation import printable, translate
from articulado.values.documents import SkippedFiles

_CONVERTED: dict[str, tuple[str, ...]] = {
    ".docx": (".doc", ".docm", ".dot", ".dotx", ".pages", ".rtf", ".wpd", ".wps"),
    ".xlsx": (".csv", ".numbers", ".ods", ".tsv", ".xls", ".xlsb", ".xlsm"),
    ".pdf": (".djvu", ".epub", ".key", ".mobi", ".odp", ".ppt", ".pptx", ".ps", ".xps"),
}
"""By a format that is read, those that the program that a file is of can save as that."""

_ADVICE: dict[str, tuple[str, ...]] = {
    "skipped.unpack": (".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz", ".zip"),
    "skipped.recognise": (".bmp", ".gif", ".heic", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"),
    "skipped.mail": (".eml", ".mbox", ".msg", ".pst"),
}
"""Kinds that no program turns into a text by itself, by the key of what to do about them."""

_OF_NO_ACCOUNT = ("desktop.ini", "reforms.tsv", "thumbs.db", "validators.json")
"""What systems, the history of a law and the copies of the gazette's data leave in a folder; names in small letters."""

_LOCK = "~$"
"""How the name begins of the file that tells Office that a document is open."""

_PARTS_OF_A_PAGE = ("_files", "_archivos", "-Dateien", "_fichiers")
"""How the name of a folder ends into which a browser saves what belongs to a page."""


def skipped_files(paths: Iterable[Path], formats: str) -> list[SkippedFiles]:
    """Return files that are not read by their kind, in the order of the kinds' names; ``formats`` are those that are.

    What nobody would take for a document is left out.
    """
    kinds: dict[str, list[str]] = {}
    for path in sorted(set(paths)):
        if not _is_of_no_account(path):
            kinds.setdefault(path.suffix.lower(), []).append(printable(path))
    return [
        {"kind": kind, "files": files, "advice": advice_for(kind, formats, number=len(files))}
        for kind, files in sorted(kinds.items())
    ]


def advice_for(suffix: str, formats: str, *, number: int = 1) -> str:
    """Say what to do about a number of files that end in a suffix, as nothing reads them as they are."""
    plural = "s" if number != 1 else ""
    for readable, suffixes in _CONVERTED.items():
        if suffix in suffixes:
            return translate("skipped.save_as", plural=plural, format=readable)
    for key, suffixes in _ADVICE.items():
        if suffix in suffixes:
            return translate(key, plural=plural)
    return translate("skipped.other", formats=formats)


def describe(skipped: Sequence[SkippedFiles]) -> str:
    """Say in a line how many files of each kind are not read, and what to do about them."""
    return "; ".join(
        translate("skipped.kind", count=len(kind["files"]), kind=kind["kind"] or "?", advice=kind["advice"])
        for kind in skipped
    )


def _is_of_no_account(path: Path) -> bool:
    hidden = path.name.startswith((".", _LOCK)) or path.name.lower() in _OF_NO_ACCOUNT
    return hidden or any(_belongs_to_page(folder) for folder in path.parents)


def _belongs_to_page(folder: Path) -> bool:
    """Tell whether a folder holds the images of a page beside it."""
    ending = next((ending for ending in _PARTS_OF_A_PAGE if folder.name.endswith(ending)), "")
    page = folder.name.removesuffix(ending)
    return bool(ending) and any(os.path.isfile(folder.with_name(page + suffix)) for suffix in (".html", ".htm"))
