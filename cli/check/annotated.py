"""Write a brief with Word comments at the places of its findings."""

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from articulado.config.extras import importing
from articulado.ingestion.files.brief import open_docx, paragraphs_of, runs_of
from articulado.ingestion.files.formats.docx import W
from articulado.language.translation import reason, translate
from articulado.values.errors import InvalidInput
from articulado.values.findings import Finding
from articulado.verification.briefs.passages import BriefParagraph, BriefReport, CheckedParagraph

if TYPE_CHECKING:
    from docx.document import Document

AUTHOR = "articulado"
INITIALS = "ar"


def write_annotated(brief: Path, out: Path, paragraphs: Sequence[BriefParagraph], report: BriefReport) -> None:
    """Write a copy of a Word document with comments; of any other brief a document with its paragraphs and comments.

    Raises:
        InvalidInput: it cannot be written.
    """
    is_word = brief.suffix.lower() == ".docx"
    document = open_docx(brief, brief.read_bytes()) if is_word else _document_of(paragraphs)
    elements = paragraphs_of(document)
    for checked in report["paragraphs"]:
        # From the last one on: what is cut into runs before an offset would move it.
        for finding in reversed(checked["findings"]):
            _comment(document, elements[checked["place"]], checked, finding)
    try:
        document.save(str(out))
    except OSError as error:
        raise InvalidInput(translate("brief.not_writable", file=out, reason=reason(error))) from error


def _document_of(paragraphs: Sequence[BriefParagraph]) -> "Document":
    with importing("documents"):
        import docx

    document = docx.Document()
    for paragraph in paragraphs:
        document.add_paragraph("".join(c for c in paragraph.text if c in "\t\n" or c >= " "))
    return document


def _comment(document: "Document", element: Any, checked: CheckedParagraph, finding: Finding) -> None:
    """Comment on the text of a finding; on the whole paragraph where that is a note below it."""
    from docx.text.run import Run

    text = "".join(own for _, own in runs_of(element))
    inside = text == checked["text"]
    start, end = (finding["start"], finding["end"]) if inside else (0, len(text))
    _split(element, end)
    _split(element, start)
    runs, offset = [], 0
    for run, own in runs_of(element):
        if own and start <= offset and offset + len(own) <= end:
            runs.append(run)
        offset += len(own)
    runs = runs or [run for run, _ in runs_of(element)][:1]
    if runs:
        paragraph: Any = element
        said = f"{finding['message']}\n{finding['evidence']}" if finding["evidence"] else finding["message"]
        ends = [Run(runs[0], paragraph), Run(runs[-1], paragraph)]
        document.add_comment(ends, text=said, author=AUTHOR, initials=INITIALS)


def _split(element: Any, offset: int) -> None:
    """Cut the run at an offset of a paragraph in two, unless it holds more than text."""
    before = 0
    for run, own in runs_of(element):
        if before < offset < before + len(own):
            texts = [child for child in run if child.tag == W + "t"]
            if len(texts) != 1 or any(child.tag not in (W + "t", W + "rPr") for child in run):
                return
            after = deepcopy(run)
            run.addnext(after)
            _write(run, own[: offset - before])
            _write(after, own[offset - before :])
            return
        before += len(own)


def _write(run: Any, text: str) -> None:
    for child in run:
        if child.tag == W + "t":
            child.text = text
            child.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
