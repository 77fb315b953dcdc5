"""Read Markdown that is no official law: headings are paragraphs, tables have a row a line."""

import re
from pathlib import Path

from ingestion.files.formats.header_block import closing_rule
from ingestion.files.formats.source import no_text
from ingestion.files.formats.txt import text_lines
from ingestion.markdown.text import clean as unmarked
from ingestion.markdown.text import row
from ingestion.model import Page

_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
_RULE = re.compile(r"(?:-\s?){3,}|(?:\*\s?){3,}|(?:_\s?){3,}|=+|```.*")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s")


def read(path: Path) -> tuple[Page, ...]:
    """Return the text as one page without a number; the lines of a header block at its start stay as they are.

    Raises:
        InvalidInput: the file cannot be read, is empty, is no text, or its encoding cannot be told.
    """
    lines = text_lines(path)
    header = closing_rule(lines) + 1
    paragraphs = [*(line for line in lines[:header] if line), *_paragraphs(lines[header:])]
    if not paragraphs:
        raise no_text(path)
    return (Page(None, tuple(paragraphs)),)


def _paragraphs(lines: list[str]) -> list[str]:
    """Join lines as Markdown does: to what stands above, but for headings, items of a list and rows."""
    paragraphs: list[str] = []
    kind = ""
    for line in lines:
        line = line.lstrip("> ")
        before, kind = kind, _kind(line)
        text = row(line) if kind == "row" else unmarked(_HEADING.sub(r"\1", line))
        if kind in ("blank", "rule") or not text:
            continue
        if kind == "row" and before in ("row", "rule"):
            row_below = before == "row" and paragraphs
            paragraphs[-1:] = [f"{paragraphs[-1]}\n{text}"] if row_below else [*paragraphs[-1:], text]
        elif kind == "text" and before in ("text", "item"):
            paragraphs[-1] += f" {text}"
        else:
            paragraphs.append(text)
    return paragraphs


def _kind(line: str) -> str:
    if not line:
        return "blank"
    if line.startswith("|"):
        return "row"
    if _HEADING.fullmatch(line):
        return "heading"
    if _RULE.fullmatch(line):
        return "rule"
    return "item" if _ITEM.match(line) else "text"
