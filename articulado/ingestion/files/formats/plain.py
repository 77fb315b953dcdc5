"""Readers of plain text, in UTF-8 or an eight-bit encoding of Spanish, and of Markdown other than official laws."""

import re
from pathlib import Path

from articulado.config.files import decode, read_bytes
from articulado.ingestion.files.formats import html
from articulado.ingestion.files.formats.css import drop_unseen, is_unseen
from articulado.ingestion.files.formats.inline import LeftOut, lowered, raised
from articulado.ingestion.files.formats.lines import clean, compounds, rebuilt_paragraphs, width_of
from articulado.ingestion.files.formats.source import one_page, refuse_other_formats
from articulado.ingestion.files.header import closing_rule
from articulado.ingestion.markdown.body import clean as unmarked
from articulado.ingestion.markdown.body import row
from articulado.ingestion.model import FileText
from articulado.language.formats import gap_mark


def visible_lines(path: Path, *, has_marks: bool = True) -> tuple[list[str], LeftOut]:
    """Return the cleaned lines of a file, and the count of its hidden text; ``has_marks``: the file is Markdown."""
    data = read_bytes(path)
    refuse_other_formats(path, data)
    text, left_out = decode(data, path), LeftOut()
    if has_marks:
        text = visible_markdown(text, left_out)
    return [clean(line) for line in text.splitlines()], left_out


def read(path: Path) -> FileText:
    """Return the text as one page without a number; rebuild paragraphs that are broken into lines."""
    lines, left_out = visible_lines(path, has_marks=False)
    return one_page(path, rebuilt_paragraphs(lines, width_of(lines), compounds(lines)), "", left_out)


_UNSHOWN = re.compile(r"<!--(?:[^-]|-(?!->))*(?:-->|\Z)|^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S.*$", re.MULTILINE)
"""Comments, and definitions of links, which are also used as comments."""
_OPENING = re.compile(r"<([a-z][a-z\d]*)(?:\s[^<>]*)?/?>", re.IGNORECASE)
_CODE = re.compile(r"`[^`\n]+`|^```.*?^```", re.MULTILINE | re.DOTALL)
_WITHOUT_END = frozenset(("img", "input", "br", "hr", "meta", "link"))
_WRITTEN_ANEW = frozenset(("sup", "sub", "math", "img", "svg", "input", "select", "table"))
"""Elements rendered as in an HTML page."""
_LAYOUT = re.compile(r"</?(?:span|div|p|font|u|center|a|details|summary|figure|picture|section|mark)(?:\s[^<>]*)?>")
_PICTURE = re.compile(r"!\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_STRUCK = re.compile(
    r"(^[ \t>]*(?:[-*+]|\d{1,3}[.)]|#{1,6})[ \t]+)?"
    r"(?<![~\\])~~(?=[^\s~])((?:[^~\n]|\n(?!\s*\n))+)(?<=\S)~~(?!~)([ \t]*$)?",
    re.MULTILINE,
)
"""Struck-through text, with the item or heading mark before it and the end of the line."""
_NOTE = re.compile(r"^\[\^([\w-]+)\]:[ \t]*", re.MULTILINE)
_NOTE_MARK = re.compile(r"[ \t]*\[\^([\w-]+)\]")


def visible_markdown(text: str, left_out: LeftOut) -> str:
    """Return Markdown with its HTML as text; leave out and count comments, hidden and struck-through text.

    >>> visible_markdown("Son ~~310~~ 320<sup>1</sup> horas.<!-- no --> ![f](f.png)", LeftOut())
    'Son  320 (1) horas. [imagen con texto que no se ha podido leer]'
    """

    def leave_out(match: re.Match[str]) -> str:
        left_out.hide(match[0])
        return ""

    def strike(match: re.Match[str]) -> str:
        if any(start < match.start(2) < stop for start, stop in code):
            return match[0]
        left_out.strike(unmarked(match[2]))
        is_whole_line = match[1] is not None and match[3] is not None
        return "" if is_whole_line else f"{match[1] or ''}{match[3] or ''}"

    text = _UNSHOWN.sub(leave_out, text)
    code = [each.span() for each in _CODE.finditer(text)]
    text = _STRUCK.sub(strike, text)
    code = [each.span() for each in _CODE.finditer(text)]
    pieces: list[str] = []
    end = 0
    for match in _OPENING.finditer(text):
        if any(start < match.start() < stop for start, stop in code):
            continue
        if match.start() >= end and (match[1].lower() in _WRITTEN_ANEW or is_unseen(match[0])):
            pieces.append(text[end : match.start()])
            end = _end_of(text, match)
            pieces.append(_shown(text[match.start() : end], "".join(pieces[-2:])[-40:], left_out))
    text = _LAYOUT.sub("", "".join([*pieces, text[end:]]))
    text = _PICTURE.sub(gap_mark("image"), text)
    return _NOTE_MARK.sub(r" (\1)", _NOTE.sub(r"(\1) ", text))


def _end_of(text: str, opening: re.Match[str]) -> int:
    name = opening[1].lower()
    if name in _WITHOUT_END or opening[0].endswith("/>"):
        return opening.end()
    depth = 1
    for tag in re.compile(rf"<(/?){name}(?:\s[^<>]*)?>", re.IGNORECASE).finditer(text, opening.end()):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return tag.end()
    return len(text)


def _shown(fragment: str, before: str, left_out: LeftOut) -> str:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(fragment, "lxml")
    drop_unseen(soup, left_out)
    lines = html.blocks(soup)
    name = fragment[1:4].lower()
    if name in ("sup", "sub"):
        # A hidden one was removed.
        raises = raised if name == "sup" else lowered
        return raises(before, soup.get_text()) if soup.get_text().strip() else ""
    if fragment[1:6].lower() == "table":
        return "\n\n" + "\n\n".join(line.replace("\n", "\n| ").join(("| ", "")) for line in lines) + "\n\n"
    return " ".join(lines) or soup.get_text()


_HEADING = re.compile(r"#{1,6}\s+")
_RULE = re.compile(r"(?:-\s?){3,}|(?:\*\s?){3,}|(?:_\s?){3,}|=+|```.*")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s")


def read_markdown(path: Path) -> FileText:
    """Return the text as one page without a number; keep the lines of a header block."""
    lines, left_out = visible_lines(path)
    header = closing_rule(lines) + 1
    paragraphs = [*(line for line in lines[:header] if line), *_paragraphs(lines[header:])]
    return one_page(path, paragraphs, "", left_out)


def _paragraphs(lines: list[str]) -> list[str]:
    paragraphs: list[list[str]] = []
    kind = ""
    for line in lines:
        line = line.lstrip("> ")
        before, kind = kind, _kind(line)
        text = row(line) if kind == "row" else unmarked(line.strip("#").strip() if kind == "heading" else line)
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
