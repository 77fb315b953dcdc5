"""Read plain text: UTF-8, or the eight-bit encodings of Spanish texts."""

from pathlib import Path

from ingestion.documents import Page
from ingestion.files.formats.lines import compounds, paragraphs, width_of
from ingestion.files.formats.source import no_text
from ingestion.files.formats.text_lines import text_lines


def read(path: Path) -> tuple[Page, ...]:
    """Return the text as one page without a number, its paragraphs rebuilt where they are broken into lines.

    Raises:
        InvalidInput: the file cannot be read, is empty, is no text, or its encoding cannot be told.
    """
    lines = text_lines(path)
    found = paragraphs(lines, width_of(lines), compounds(lines))
    if not found:
        raise no_text(path)
    return (Page(None, tuple(found)),)
