"""Read any supported file as a law (numbered articles) or as running text.

For rulings, criteria, collective agreements, guides and laws in Markdown. ``READERS`` maps each extension
to its reader. A sidecar header takes precedence over a header inside the file. ``read_document`` raises
``InvalidInput`` for an unknown format, a damaged file, a file without text or an invalid header.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from articulado.ingestion.files import structure
from articulado.ingestion.files.formats import docx, html, odt, pdf, plain, xlsx
from articulado.ingestion.files.formats.lines import RunningText, running_text
from articulado.ingestion.files.formats.source import no_text
from articulado.ingestion.files.header import Header, header_of, scope_of, sidecar, take_block
from articulado.ingestion.files.structure import COLLECTIONS, KINDS, id_of, norm_of, title_of
from articulado.ingestion.markdown.reader import read_law
from articulado.ingestion.model import Document, FileText, Law, Page
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput

READERS: dict[str, Callable[[Path], FileText]] = {
    ".pdf": pdf.read,
    ".docx": docx.read,
    ".odt": odt.read,
    ".xlsx": xlsx.read,
    ".html": html.read,
    ".htm": html.read,
    ".xhtml": html.read,
    ".txt": plain.read,
    ".md": plain.read_markdown,
    ".markdown": plain.read_markdown,
}
"""The formats that can be read, by extension in small letters."""


def read_document(path: Path) -> Document | Law:
    """Read a file: an official law in Markdown, a text with numbered articles as a law, anything else as running text.

    A YAML header at its start or in a file beside it (which wins) says what it is; see
    ``articulado.ingestion.files.header``.

    Raises:
        InvalidInput: the format is unknown, the file is damaged or has no text, or its header cannot be used.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InvalidInput(translate("file.unknown_format", path=path, formats=", ".join(READERS)))
    content = reader(path)
    block, pages = take_block(path, content.pages)
    separate = sidecar(path)
    fields = (separate if separate is not None else block) or {}
    if reader is plain.read_markdown and "identifier" in (block or {}):
        return read_law(path)
    header = header_of(path, fields)
    text = running_text(pages)
    if not text.text:
        raise no_text(path)
    document = _law(path, header, text, content.title) or _document(path, header, pages, text, content.title)
    return replace(document, warnings=content.warnings)


def _law(path: Path, header: Header, text: RunningText, own_title: str) -> Law | None:
    """Return a text with numbered articles; rulings, criteria and what interprets provisions only quote them."""
    if header.document_type in ("ruling", "criterion") or (header.document_type == "document" and header.interprets):
        return None
    provisions = structure.provisions(text, _url(path, header))
    if provisions is None:
        return None
    title = title_of(header, text, path, own_title)
    agreement = scope_of(header, title, ((provision.title, provision.text) for provision in provisions))
    return Law(
        id=id_of(header, text, path),
        title=title,
        rank=norm_of(header, title),
        published=header.day.isoformat() if header.day else "",
        status="in_force",
        valid_to=None,
        status_note=header.status_note,
        provisions=tuple(
            replace(provision, status_note=provision.status_note or header.status_note) for provision in provisions
        ),
        # The territory of an agreement is of its scope: it narrows a question down, and hides nothing from others.
        territory=None if agreement else header.community,
        municipality=None if agreement else header.municipality,
        collection=header.collection or COLLECTIONS[header.document_type],
        agreement=agreement,
    )


def _document(path: Path, header: Header, pages: tuple[Page, ...], text: RunningText, own_title: str) -> Document:
    title = title_of(header, text, path, own_title)
    agreement = scope_of(header, title, ())
    return Document(
        id=id_of(header, text, path),
        collection=header.collection or COLLECTIONS[header.document_type],
        kind=KINDS["agreement" if agreement else header.document_type],
        title=title,
        pages=pages,
        author=header.court or header.body,
        number=header.number,
        ecli=header.ecli,
        published=header.day.isoformat() if header.day else None,
        interprets=header.interprets,
        status_note=header.status_note,
        territory=None if agreement else header.community,
        municipality=None if agreement else header.municipality,
        url=_url(path, header),
        agreement=agreement,
    )


def _url(path: Path, header: Header) -> str:
    """Return where a document can be read: what its header says, else the file itself."""
    return header.url or path.absolute().as_uri()
