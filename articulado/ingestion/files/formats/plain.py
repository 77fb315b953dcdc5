"""Readers of plain text, in UTF-8 or an eight-bit encoding of Spanish texts, and of Markdown that is no official law.

``read`` rebuilds paragraphs that are broken into lines. ``read_markdown`` makes headings paragraphs and tables one
row per line, and keeps the lines of a header block. Both return one page without a number. Laws in Markdown have
their own reader, ``articulado.ingestion.markdown.reader``.
"""

import re
from pathlib import Path

from articulado.config.files import decode, read_bytes
from articulado.ingestion.files.formats.lines import clean, compounds, rebuilt_paragraphs, width_of
from articulado.ingestion.files.formats.source import no_text, refuse_other_formats
from articulado.ingestion.files.header import closing_rule
from articulado.ingestion.markdown.body import clean as unmarked
from articulado.ingestion.markdown.body import row
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


_HEADING = re.compile(r"#{1,6}\s+")
_RULE = re.compile(r"(?:-\s?){3,}|(?:\*\s?){3,}|(?:_\s?){3,}|=+|```.*")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s")


def read_markdown(path: Path) -> FileText:
    """Return the text as one page without a number; the lines of a header block at its start stay as they are.

    Raises:
        InvalidInput: the file cannot be read, is empty, is no text, or its encoding cannot be told.
    """
    lines = text_lines(path)
    header = closing_rule(lines) + 1
    paragraphs = [*(line for line in lines[:header] if line), *_paragraphs(lines[header:])]
    if not paragraphs:
        raise no_text(path)
    return FileText((Page(None, tuple(paragraphs)),))


def _paragraphs(lines: list[str]) -> list[str]:
    """Join lines as Markdown does: to what stands above, but for headings, items of a list and rows."""
    paragraphs: list[list[str]] = []
    kind = ""
    for line in lines:
        line = line.lstrip("> ")
        before, kind = kind, _kind(line)
        text = row(line) if kind == "row" else unmarked(_heading_text(line) if kind == "heading" else line)
        if kind in ("blank", "rule") or not text:
            continue
        if kind == "row" and before in ("row", "rule"):
            if before == "row" and paragraphs:
                paragraphs[-1].append(f"\n{text}")
            else:
                paragraphs.append([text])
        elif kind == "text" and before in ("text", "item"):
            paragraphs[-1].append(f" {text}")
        else:
            paragraphs.append([text])
    return ["".join(pieces) for pieces in paragraphs]


def _heading_text(line: str) -> str:
    """Return what a heading says, without its marks before and after."""
    return line.lstrip("#").rstrip("#").strip()


def _kind(line: str) -> str:
    if not line:
        return "blank"
    if line.startswith("|"):
        return "row"
    if _HEADING.match(line):
        return "heading"
    if _RULE.fullmatch(line):
        return "rule"
    return "item" if _ITEM.match(line) else "text"
