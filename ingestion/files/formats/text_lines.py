"""The lines of a file that is text."""

from pathlib import Path

from ingestion.files.formats.encoding import decode
from ingestion.files.formats.lines import clean
from ingestion.files.formats.source import read_bytes, refuse_other_formats


def text_lines(path: Path) -> list[str]:
    """Return the lines of a file, cleaned.

    Raises:
        InvalidInput: the file cannot be read, is empty, is no text, or its encoding cannot be told.
    """
    data = read_bytes(path)
    refuse_other_formats(path, data)
    return [clean(line) for line in decode(data, path).splitlines()]
