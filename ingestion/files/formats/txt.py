"""Read plain text: UTF-8, or the eight-bit encodings of Spanish texts."""

from pathlib import Path

from ingestion.documents import Page
from ingestion.files.formats.encoding import decode
from ingestion.files.formats.lines import clean, compounds, paragraphs, width_of
from ingestion.files.formats.source import no_text, read_bytes, refuse_other_formats


def read(path: Path) -> tuple[Page, ...]:
    """Return the text as one page without a number, its paragraphs rebuilt where they are broken into lines.

    Raises:
        InvalidInput: the file cannot be read, is empty, is no text, or its encoding cannot be told.
    """
    data = read_bytes(path)
    refuse_other_formats(path, data)
    lines = [clean(line) for line in decode(data, path).splitlines()]
    found = paragraphs(lines, width_of(lines), compounds(lines))
    if not found:
        raise no_text(path)
    return (Page(None, tuple(found)),)
