"""Tell which format the bytes of a file are, and read what is packed."""

from collections.abc import Callable
from pathlib import Path

from articulado.config.files import ZIP
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from ingestion.model import FileText, Page

SUFFIX = ".article.yaml"
"""How the name of an article's file ends."""

PDF, OLD_OFFICE = b"%PDF-", b"\xd0\xcf\x11\xe0"
"""The first bytes of files; DOCX, ODT and XLSX are ZIP files."""

_SIGNATURES = {PDF: "file.kind_pdf", ZIP: "file.kind_zip", OLD_OFFICE: "file.kind_old_office"}
"""The first bytes of formats that are no text, and the keys of what messages call these."""


def is_article(file: Path | str) -> bool:
    """Tell by its name whether a file is an article; any other YAML belongs to the document beside it.

    >>> is_article("profiles/laboral/despido.article.yaml"), is_article("sentencia.pdf.yaml")
    (True, False)
    """
    return Path(file).name.lower().endswith(SUFFIX)


def known_format(data: bytes) -> str:
    """Return the key of what a file is by its first bytes ("file.kind_pdf"); empty where they tell nothing."""
    return next((name for signature, name in _SIGNATURES.items() if data.startswith(signature)), "")


def refuse_other_formats(path: Path, data: bytes) -> None:
    """Refuse bytes that are no text, for a file whose name says that it is one.

    Raises:
        InvalidInput: they are of a known other format.
    """
    if known_format(data):
        raise other_format(path, data)


def other_format(path: Path, data: bytes) -> InvalidInput:
    """Return the error for a file that is not what its extension says."""
    name = known_format(data)
    what = translate("file.is_kind", kind=translate(name)) if name else translate("file.is_not")
    return InvalidInput(translate("file.other_format", path=path, suffix=path.suffix, what=what))


def no_text(path: Path) -> InvalidInput:
    """Return the error for a file in which there is no text."""
    return InvalidInput(translate("file.no_text", path=path))


def packed_text(path: Path, data: bytes, content: Callable[[Path, bytes], tuple[str, tuple[str, ...]]]) -> FileText:
    """Return the title and the paragraphs that ``content`` finds in a packed file, as one page without a number.

    Raises:
        InvalidInput: the file is no ZIP, or has no text; and what ``content`` raises.
    """
    if not data.startswith(ZIP):
        raise other_format(path, data)
    title, paragraphs = content(path, data)
    if not paragraphs:
        raise no_text(path)
    return FileText((Page(None, paragraphs),), title)
