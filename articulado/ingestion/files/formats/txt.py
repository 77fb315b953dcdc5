"""Reader of plain text in UTF-8 or in the eight-bit encodings of Spanish texts.

``read`` returns one page without a number and rebuilds paragraphs that are broken into lines.
``text_lines`` returns the cleaned lines.
"""

from pathlib import Path

from articulado.config.files import decode, read_bytes
from articulado.ingestion.files.formats.lines import clean, compounds, rebuilt_paragraphs, width_of
from articulado.ingestion.files.formats.source import no_text, refuse_other_formats
from articulado.ingestion.model import FileText, Page


def text_lines(path: Path) -> list[str]:
    """Return the lines of a file, cleaned.

    Raises:
        InvalidInput: the file cannot be read, is empty, is no text, or its encoding cannot be told.
    """
    data = read_bytes(path)
    refuse_other_formats(path, data)
    return [clean(line) for line in decode(data, path).splitlines()]


def read(path: Path) -> FileText:
    """Return the text as one page without a number, its paragraphs rebuilt where they are broken into lines.

    Raises:
        InvalidInput: the file cannot be read, is empty, is no text, or its encoding cannot be told.
    """
    lines = text_lines(path)
    paragraphs = rebuilt_paragraphs(lines, width_of(lines), compounds(lines))
    if not paragraphs:
        raise no_text(path)
    return FileText((Page(None, tuple(paragraphs)),))
