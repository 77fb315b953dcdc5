"""Read a brief as paragraphs with page, italics and indentation, for its verification.

``read_brief`` accepts PDF, Word, Markdown and plain text. The notes of a Word document come at the end, and
deleted text is left out. It raises ``InvalidInput`` for a file that cannot be read or has no text.
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from articulado.config.extras import importing
from articulado.config.files import ZIP, read_bytes
from articulado.ingestion.files.formats import pdf, plain
from articulado.ingestion.files.formats.docx import W, find, lines_of
from articulado.ingestion.files.formats.lines import running_text
from articulado.ingestion.files.formats.source import OLD_OFFICE, no_text, other_format
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from articulado.verification.briefs.passages import BriefParagraph

if TYPE_CHECKING:
    from docx.document import Document

FORMATS = (".pdf", ".docx", ".md", ".markdown", ".txt")
"""The extensions of what can be read."""

_INDENT = 400
"""Twentieths of a point from which on a paragraph is set off (Word, ``w:ind``)."""

_OFF = ("0", "false", "off")
_LEFT_OUT = {W + "moveFrom", W + "del"}


def read_brief(path: Path) -> tuple[BriefParagraph, ...]:
    """Return the paragraphs of a brief that have text, in order; the notes of a Word document are at its end.

    Raises:
        InvalidInput: there is no such file, its format is not known, it is damaged, or it has no text.
    """
    if not path.is_file():
        raise InvalidInput(translate("brief.no_file", file=path))
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise InvalidInput(translate("brief.unreadable_kind", file=path))
    if suffix == ".pdf":
        paragraphs = _of_pdf(path)
    elif suffix == ".docx":
        paragraphs = list(_of_docx(open_docx(path, read_bytes(path))))
    elif suffix == ".txt":
        paragraphs = [BriefParagraph(text, place) for place, text in enumerate(plain.read(path).pages[0].paragraphs)]
    else:
        paragraphs = _of_markdown(path)
    if not paragraphs:
        raise no_text(path)
    return tuple(paragraphs)


def open_docx(path: Path, data: bytes) -> "Document":
    """Open a Word document.

    Raises:
        InvalidInput: it is locked, damaged, or no Word document.
    """
    with importing("documents"):
        import docx

    if data.startswith(OLD_OFFICE):
        raise InvalidInput(translate("file.docx_protected", path=path))
    if not data.startswith(ZIP):
        raise other_format(path, data)
    try:
        return docx.Document(BytesIO(data))
    except Exception as error:  # A damaged file fails in every way that there is.
        raise InvalidInput(translate("file.docx_damaged", path=path)) from error


def paragraphs_of(document: "Document") -> list[Any]:
    """Return the paragraphs of the body in its order, those of tables and text boxes included, as XML elements."""
    return find(document.element.body, ".//w:p[not(ancestor::mc:Fallback)]")


def runs_of(paragraph: Any) -> list[tuple[Any, str]]:
    """Return the runs of a paragraph of Word with their text, in order; what was deleted is left out."""
    return [(run, "\n".join(lines_of(run))) for run in _runs(paragraph)]


def _runs(element: Any) -> Iterator[Any]:
    for child in element:
        if child.tag == W + "r":
            yield child
        elif child.tag not in _LEFT_OUT:
            yield from _runs(child)


def _of_pdf(path: Path) -> list[BriefParagraph]:
    """Return the paragraphs of a PDF with their pages.

    Raises:
        InvalidInput: it cannot be read, or has no text.
    """
    text = running_text(pdf.read(path).pages)
    return [
        BriefParagraph(paragraph, place, text.page_at(offset))
        for place, (offset, paragraph) in enumerate(text.paragraphs())
    ]


def _of_markdown(path: Path) -> list[BriefParagraph]:
    """Return the paragraphs of Markdown as they are typed: its marks tell what is quoted."""
    paragraphs: list[str] = []
    open_paragraph = False
    for line in plain.text_lines(path):
        if not line:
            open_paragraph = False
        elif open_paragraph and not line.startswith(("#", "-", "*  ")):
            paragraphs[-1] += f"\n{line}"
        else:
            paragraphs.append(line)
            open_paragraph = not line.startswith("#")
    return [BriefParagraph(text, place) for place, text in enumerate(paragraphs)]


def _of_docx(document: "Document") -> Iterator[BriefParagraph]:
    from lxml import etree

    from articulado.ingestion.files.formats.docx import related

    elements = paragraphs_of(document)
    for place, element in enumerate(elements):
        yield from _paragraph(element, place)
    for kind, reference in (("footnotes", "footnoteReference"), ("endnotes", "endnoteReference")):
        places = {
            mark.get(W + "id"): place for place, element in enumerate(elements) for mark in element.iter(W + reference)
        }
        for part in related(document, kind):
            for note in etree.fromstring(part.blob):
                place = places.get(note.get(W + "id"), len(elements) - 1)
                for element in note.iter(W + "p"):
                    yield from _paragraph(element, place)


def _paragraph(element: Any, place: int) -> Iterator[BriefParagraph]:
    text = ""
    italics: list[tuple[int, int]] = []
    for run, own in runs_of(element):
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
