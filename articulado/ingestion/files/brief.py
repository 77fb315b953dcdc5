"""Read a brief as paragraphs with page, italics and indentation, for its verification.

``read_brief`` accepts PDF, Word, OpenDocument, HTML, Markdown and plain text. The notes of a Word document come at the
end; deleted and hidden text is left out, and the warnings say how much. It raises ``InvalidInput`` for a file that
cannot be read or has no text.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from articulado.config.files import read_bytes
from articulado.ingestion.files.formats import html, odt, pdf, plain
from articulado.ingestion.files.formats.lines import running_text
from articulado.ingestion.files.formats.source import no_text
from articulado.ingestion.files.formats.word_text import W, WordText, find, notes_of, open_docx, paragraphs_of
from articulado.ingestion.model import FileText
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from articulado.verification.briefs.passages import BriefParagraph

if TYPE_CHECKING:
    from docx.document import Document

FORMATS = (".pdf", ".docx", ".odt", ".html", ".htm", ".md", ".markdown", ".txt")
"""The extensions of what can be read."""

_INDENT = 400
"""Twentieths of a point from which on a paragraph is set off (Word, ``w:ind``)."""

_OFF = ("0", "false", "off")


@dataclass(frozen=True)
class BriefText:
    """The paragraphs of a brief that have text, in order, and warnings of the text that was not read."""

    paragraphs: tuple[BriefParagraph, ...]
    warnings: tuple[str, ...] = ()


def read_brief(path: Path) -> BriefText:
    """Return the text of a brief; the notes of a Word document are at its end.

    Raises:
        InvalidInput: there is no such file, its format is not known, it is damaged, or it has no text.
    """
    if not path.is_file():
        raise InvalidInput(translate("brief.no_file", file=path))
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
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
    """Return the paragraphs of a file with the pages that they begin on."""
    text = running_text(content.pages)
    paragraphs = (
        BriefParagraph(paragraph, place, text.page_at(offset))
        for place, (offset, paragraph) in enumerate(text.paragraphs())
    )
    return BriefText(tuple(paragraphs), content.warnings)


def _of_markdown(path: Path) -> BriefText:
    """Return the paragraphs of Markdown as they are typed: its marks tell what is quoted."""
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
    return BriefText(tuple(BriefParagraph(text, place) for place, text in enumerate(paragraphs)), left_out.warnings())


def _of_docx(document: "Document") -> BriefText:
    text = WordText(document, marked=False)
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
    return BriefText(tuple(paragraphs), text.left_out.warnings())


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
