"""Read any supported file as a law (numbered articles), as running text, or as a brief to be verified."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from articulado.config.files import read_bytes
from articulado.ingestion.files import structure
from articulado.ingestion.files.formats import docx, html, odt, pdf, plain, xlsx
from articulado.ingestion.files.formats.lines import RunningText, running_text
from articulado.ingestion.files.formats.source import no_text, warnings_of
from articulado.ingestion.files.formats.word_text import W, WordText, find, notes_of, open_docx, paragraphs_of
from articulado.ingestion.files.header import Header, header_of, scope_of, sidecar, take_block
from articulado.ingestion.files.structure import COLLECTIONS, KINDS, id_of, norm_of, title_of
from articulado.ingestion.markdown.reader import read_law
from articulado.ingestion.model import Document, FileText, Law, Page
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from articulado.verification.briefs.passages import BriefParagraph

if TYPE_CHECKING:
    from docx.document import Document as WordDocument


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
"""Readers by lower-case extension."""


def read_document(path: Path) -> Document | Law:
    """Read a file: an official law in Markdown, a text with numbered articles as a law, else as running text.

    Raises ``InvalidInput`` if the format is unknown, the file is damaged or has no text, or its header is invalid.
    """
    return document_of(path, read_content(path))


def read_content(path: Path) -> FileText:
    """Read the text of a file with the reader for its extension."""
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InvalidInput(translate("file.unknown_format", path=path, formats=", ".join(READERS)))
    return reader(path)


def document_of(path: Path, content: FileText) -> Document | Law:
    """Return the text of a file, with its header, as a law or as running text."""
    block, pages = take_block(path, content.pages)
    separate = sidecar(path)
    fields = (separate if separate is not None else block) or {}
    if READERS[path.suffix.lower()] is plain.read_markdown and "identifier" in (block or {}):
        return read_law(path)
    header = header_of(path, fields)
    text = running_text(pages)
    if not text.text:
        raise no_text(path)
    document = _law(path, header, text, content.title) or _document(path, header, pages, text, content.title)
    return replace(document, warnings=content.warnings)


def _law(path: Path, header: Header, text: RunningText, own_title: str) -> Law | None:
    """Return a text with numbered articles; ``None`` for rulings, criteria and comments, which only quote articles."""
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
        # An agreement's territory belongs to its scope: it narrows a question, but hides nothing.
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
    return header.url or path.absolute().as_uri()


BRIEF_FORMATS = (".pdf", ".docx", ".odt", ".html", ".htm", ".md", ".markdown", ".txt")  # extensions of readable briefs

_INDENT = 400  # minimum indent of a set-off paragraph, in twentieths of a point (Word, ``w:ind``)
_OFF = ("0", "false", "off")


@dataclass(frozen=True)
class BriefText:
    """Non-empty paragraphs of a brief in order, and warnings of text that was not read."""

    paragraphs: tuple[BriefParagraph, ...]
    warnings: tuple[str, ...] = ()


def read_brief(path: Path) -> BriefText:
    """Return the text of a brief, with its notes at the end; raise ``InvalidInput`` if the file cannot be used."""
    if not path.is_file():
        raise InvalidInput(translate("brief.no_file", file=path))
    suffix = path.suffix.lower()
    if suffix not in BRIEF_FORMATS:
        raise InvalidInput(translate("brief.unreadable_kind", file=path))
    if suffix == ".docx":
        brief = _of_docx(open_docx(path, read_bytes(path)))
    elif suffix in (".md", ".markdown"):
        brief = _of_markdown(path)
    else:
        readers = {".pdf": pdf.read, ".odt": odt.read, ".txt": plain.read}
        brief = _of_pages(readers.get(suffix, html.read)(path))
    if not brief.paragraphs:
        raise InvalidInput(" ".join((str(no_text(path)), *brief.warnings)))
    return brief


def _of_pages(content: FileText) -> BriefText:
    text = running_text(content.pages)
    paragraphs = (
        BriefParagraph(paragraph, place, text.page_at(offset))
        for place, (offset, paragraph) in enumerate(text.paragraphs())
    )
    return BriefText(tuple(paragraphs), content.warnings)


def _of_markdown(path: Path) -> BriefText:
    """Return the paragraphs of Markdown with their marks, which identify quotations."""
    paragraphs: list[str] = []
    open_paragraph = False
    lines, left_out = plain.visible_lines(path)
    for line in lines:
        if not line:
            open_paragraph = False
        elif open_paragraph and not line.startswith(("#", "-", "*  ")):
            paragraphs[-1] += f"\n{line}"
        else:
            paragraphs.append(line)
            open_paragraph = not line.startswith("#")
    numbered = tuple(BriefParagraph(text, place) for place, text in enumerate(paragraphs))
    return BriefText(numbered, warnings_of(paragraphs, left_out))


def _of_docx(document: "WordDocument") -> BriefText:
    text = WordText(document, has_marks=False)
    elements = paragraphs_of(document)
    paragraphs = [found for place, element in enumerate(elements) for found in _paragraph(text, element, place)]
    places = {
        (kind, mark.get(W + "id")): place
        for place, element in enumerate(elements)
        for kind in ("footnote", "endnote")
        for mark in element.iter(f"{W}{kind}Reference")
    }
    for kind, note in notes_of(document):
        place = places.get((kind, note.get(W + "id")), len(elements) - 1)
        for element in note.iter(W + "p"):
            paragraphs += _paragraph(text, element, place)
    docx.count_margins(document, text)
    return BriefText(tuple(paragraphs), warnings_of((paragraph.text for paragraph in paragraphs), text.left_out))


def _paragraph(reader: WordText, element: Any, place: int) -> Iterator[BriefParagraph]:
    text = ""
    italics: list[tuple[int, int]] = []
    for run, own in reader.runs(element):
        if own and _is_italic(run):
            start = italics.pop()[0] if italics and not text[italics[-1][1] :].strip() else len(text)
            italics.append((start, len(text) + len(own)))
        text += own
    if text.strip():
        yield BriefParagraph(text, place, None, tuple(italics), _is_set_off(element))


def _is_italic(run: Any) -> bool:
    marks = find(run, "./w:rPr/w:i")
    return bool(marks) and marks[0].get(W + "val", "1") not in _OFF


def _is_set_off(paragraph: Any) -> bool:
    style = next((mark.get(W + "val", "") for mark in find(paragraph, "./w:pPr/w:pStyle")), "").lower()
    if "quote" in style or "cita" in style:
        return True
    indents = [mark.get(W + "left") or mark.get(W + "start") or "0" for mark in find(paragraph, "./w:pPr/w:ind")]
    is_item = bool(find(paragraph, "./w:pPr/w:numPr"))
    return not is_item and any(indent.lstrip("-").isdigit() and int(indent) >= _INDENT for indent in indents)
