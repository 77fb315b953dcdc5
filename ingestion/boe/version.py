"""Read what one version of a block says: heading, headings above it, text and notes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from articulado.language.folding import fold
from articulado.legal.labels import DIVISIONS, Heading, split_heading
from ingestion.boe.markup import plain, table, tidy
from ingestion.markdown.body import IMAGE
from services.boe.xml import Element

LEVELS = ("anexo", "parte", *DIVISIONS)
"""Headings that stand above provisions, from the highest; annexes only where they have provisions of their own."""

_STRUCTURE = re.compile(r"(ANEXO|PARTE|LIBRO|T[IÍ]TULO|CAP[IÍ]TULO|SECCI[OÓ]N|SUBSECCI[OÓ]N)\b", re.IGNORECASE)
_NOTE_CLASSES = ("nota_pie", "inforel")
_NOTE = re.compile(r"\(\*\) Téngase|Téngase en cuenta|Véase|Atención\b|Redacción (?:anterior|vigente)")
_SUPERSEDED = re.compile(r"Redacción (?:anterior|vigente)")
_TEXT_CLASS = re.compile(r"parrafo|sangrado(?!_articulo)|cita|cuerpo_tabla|imagen")
_CONTAINERS = ("div", "ul", "ol", "dl", "section")


@dataclass
class Content:
    """What a version says. ``above`` pairs level (index of ``LEVELS``) and text of the headings before the text."""

    heading: Heading | None = None
    above: list[tuple[int, str]] = field(default_factory=list)
    paragraphs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_version(version: Element, key: str = "", *, frame: bool = False) -> Content:
    """Read a version of the block of the provision ``key`` (empty: of none).

    In a ``frame``, a block of headings, only running text and tables are text.
    """
    reader = _Reader(key, frame)
    reader.read(version)
    return reader.content


class _Reader:
    """The state of the reading: what was read, open quotations, and the class of the last heading above."""

    def __init__(self, key: str, frame: bool) -> None:
        self.content = Content()
        self.key = key
        self.frame = frame
        self.quotation = 0
        self.numbered = ""

    def read(self, element: Element) -> None:
        """Read the children of an element; text that is in none of them is text too."""
        self.write(tidy(element.text))
        for child in element:
            if child.tag == "blockquote":
                self.block_quote(child)
            elif child.tag == "table":
                self.write(table(child))
            elif child.tag == "img":
                self.write(IMAGE)
            elif child.tag in _CONTAINERS:
                self.read(child)
            elif isinstance(child.tag, str):
                self.paragraph(plain(child), child.get("class") or "")
            self.write(tidy(child.tail))

    def paragraph(self, text: str, css: str) -> None:
        content = self.content
        if not text or css.startswith("firma"):
            return
        if css.startswith(_NOTE_CLASSES):
            content.notes.append(text)
        elif self.quotation or content.paragraphs or text.startswith(("«", "“")):
            self.write(text)
        elif css.endswith("_tit") and self.numbered == css.removesuffix("_tit"):
            self.title(text)
        elif content.heading is None and (heading := self.heading(text, css)):
            content.heading, self.numbered = heading, css.removesuffix("_num")
        elif (level := _level(text, css, self.frame)) is not None and content.heading is None:
            content.above.append((level, text))
            self.numbered = css.removesuffix("_num")
        elif not self.frame or _TEXT_CLASS.match(css) or not css:
            self.write(text)

    def heading(self, text: str, css: str) -> Heading | None:
        """Return the heading that a paragraph is; a running one is one only if it begins with the block's own label."""
        heading = None if self.frame else split_heading(text)
        if heading and _TEXT_CLASS.match(css):
            if heading.key != self.key:
                return None
            self.write(heading.title + "." * text.endswith(".") if heading.title else "")
            return heading._replace(title="")
        return heading

    def title(self, text: str) -> None:
        """Add the title to the heading that has just been read: "TÍTULO I" and "Disposiciones generales"."""
        self.numbered = ""
        content = self.content
        if content.heading is not None:
            joined = " ".join(filter(None, (content.heading.title, text)))
            content.heading = content.heading._replace(title=joined.removesuffix("."))
        else:
            level, number = content.above[-1]
            content.above[-1] = (level, f"{number.removesuffix('.')}. {text}")

    def write(self, text: str) -> None:
        if text:
            self.quotation = max(0, self.quotation + text.count("«") - text.count("»"))
            self.content.paragraphs.append(text)

    def block_quote(self, quote: Element) -> None:
        """Read the BOE's remarks, of which the wordings that they quote are left out, or text that the law quotes.

        All remarks but those on amendments carry a class; what they quote is another version of the block.
        """
        superseded = False
        for text, css in _lines(quote):
            if css.startswith(_NOTE_CLASSES):
                self.content.notes.append(text)
            elif _SUPERSEDED.match(text):
                superseded = True
            elif superseded:
                continue
            elif quote.get("class") or _NOTE.match(text) or not (self.quotation or text.startswith(("«", "“"))):
                self.content.notes.append(text)
            else:
                self.write(text)


def _lines(quote: Element) -> Iterator[tuple[str, str]]:
    """Yield text and class of the paragraphs and tables of a block quote."""
    if text := tidy(quote.text):
        yield text, ""
    for child in quote:
        if child.tag in _CONTAINERS or child.tag == "blockquote":
            yield from _lines(child)
        elif isinstance(child.tag, str):
            text = table(child) if child.tag == "table" else plain(child)
            if text:
                yield text, child.get("class") or ""
        if text := tidy(child.tail):
            yield text, ""


def _level(text: str, css: str, frame: bool) -> int | None:
    """Return the level of a heading that stands above provisions, ``None`` if the text is none."""
    if not frame and _TEXT_CLASS.match(css):
        return None
    match = _STRUCTURE.match(text)
    name = fold(match[1]) if match else css.partition("_")[0]
    return LEVELS.index(name) if name in LEVELS else None
