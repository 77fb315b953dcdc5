"""Parse the blocks of a law's BOE XML into provisions, one per wording."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from articulado.ingestion.boe.cache import Element
from articulado.ingestion.boe.wordings import Wording, wording_dates, wordings
from articulado.ingestion.markdown.body import IMAGE
from articulado.ingestion.model import Provision
from articulado.ingestion.structure import LONGEST_TITLE
from articulado.language.folding import fold
from articulado.legal.labels import DIVISIONS, PART_HEADINGS, Heading, law_url, split_heading
from articulado.legal.validity import is_repealed, provision_status
from articulado.values.chunks import Status

LEVELS = ("anexo", "parte", *DIVISIONS)
"""Headings above provisions, from the highest; an annex counts only if it has provisions of its own."""

_STRUCTURE = re.compile(r"(ANEXO|PARTE|LIBRO|T[IÍ]TULO|CAP[IÍ]TULO|SECCI[OÓ]N|SUBSECCI[OÓ]N)\b", re.IGNORECASE)
_NOTE_CLASSES = ("nota_pie", "inforel")
_NOTE = re.compile(r"\(\*\) Téngase|Téngase en cuenta|Véase|Atención\b|Redacción (?:anterior|vigente)")
_SUPERSEDED = re.compile(r"Redacción (?:anterior|vigente)")
_TEXT_CLASS = re.compile(r"parrafo|sangrado(?!_articulo)|cita|cuerpo_tabla|imagen")
_CONTAINERS = ("div", "ul", "ol", "dl", "section")
_LARGEST_SPAN = 1_000


@dataclass
class Content:
    """Content of one version; ``above`` pairs level (index of ``LEVELS``) and text of the headings before it."""

    heading: Heading | None = None
    above: list[tuple[int, str]] = field(default_factory=list)
    paragraphs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_version(version: Element, key: str = "", *, frame: bool = False) -> Content:
    """Read a version of the block of provision ``key``; in a ``frame`` only running text and tables count as text."""
    reader = _Reader(key, frame)
    reader.read(version)
    return reader.content


class _Reader:
    def __init__(self, key: str, frame: bool) -> None:
        self.content = Content()
        self.key = key
        self.frame = frame
        self.quotation = 0
        self.numbered = ""

    def read(self, element: Element) -> None:
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
        """Parse a paragraph as a heading; running text is one only if it begins with the block's own label."""
        heading = None if self.frame else split_heading(text)
        if heading and _TEXT_CLASS.match(css):
            if heading.key != self.key:
                return None
            self.write(heading.title + "." * text.endswith(".") if heading.title else "")
            return heading._replace(title="")
        return heading

    def title(self, text: str) -> None:
        """Add the title to the heading just read: "TÍTULO I" and "Disposiciones generales"."""
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
        """Read the BOE's remarks without the wordings they quote, or text that the law quotes.

        All remarks except those on amendments carry a class.
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
    if not frame and _TEXT_CLASS.match(css):
        return None
    match = _STRUCTURE.match(text)
    name = fold(match[1]) if match else css.partition("_")[0]
    return LEVELS.index(name) if name in LEVELS else None


_LEFT_OUT = ("preambulo", "firma", "nota_inicial")
_FOREVER = "9999"
_ANNEX = LEVELS.index("anexo")
LONGEST_KEY = 60  # characters of the name in the key of a block without a label


@dataclass(frozen=True)
class LawFacts:
    """Law data needed to build its provisions; ``norms`` maps identifiers to names of the amending norms."""

    id: str
    published: str
    norms: Mapping[str, str]
    today: str


@dataclass(frozen=True)
class _Above:
    level: int
    text: str
    start: str
    end: str


def read_blocks(text: Element, law: LawFacts) -> Iterator[list[Provision]]:
    """Yield the wordings of each provision in the order of the law; ``text`` is the element ``texto``.

    Leave out the preamble, signatures and pure headings. Text without a provision label (a whole resolution, a
    treaty, "Primero") gets the key ``texto:`` plus its title. Keys may repeat.
    """
    above: list[_Above] = []
    for block in text.iterfind("bloque"):
        if block.get("tipo") in _LEFT_OUT:
            continue
        titled = split_heading(block.get("titulo") or "")
        key, frame = titled.key if titled else "", block.get("tipo") == "encabezado"
        versions = [
            (wording, read_version(wording.version, key, frame=frame)) for wording in wordings(block, law.published)
        ]
        for wording, content in versions:
            above += [_Above(level, text, wording.start, wording.end or _FOREVER) for level, text in content.above]
        # A heading may be the whole text: "Artículo 3. (Derogado)".
        versions = [
            (wording, content)
            for wording, content in versions
            if content.paragraphs or (content.heading and content.heading.title)
        ]
        if not versions:
            continue
        label = _label(block, titled, versions[-1][1])
        if not label.key.startswith(("art:", "texto:")):
            above.clear()
        yield [_provision(law, block, label, wording, content, above) for wording, content in versions]


def _label(block: Element, titled: Heading | None, last: Content) -> Heading:
    if heading := titled or last.heading:
        return heading
    name = tidy(block.get("titulo")).strip("[]") or next((text for _, text in last.above), "")
    name = name or str(block.get("tipo") or "texto").replace("_", " ")
    key = re.sub(r"[^a-z0-9]+", " ", fold(name))[:LONGEST_KEY].strip()
    return Heading(name[0].upper() + name[1:], f"texto:{key}", "")


def _provision(
    law: LawFacts, block: Element, block_label: Heading, wording: Wording, content: Content, above: list[_Above]
) -> Provision:
    heading = content.heading or next(filter(None, (split_heading(text) for _, text in content.above)), block_label)
    label, title, paragraphs = heading.label, heading.title, content.paragraphs
    if not paragraphs:
        title, paragraphs = "", [title]
    if block_label.key.startswith("anexo:"):
        label = label.replace("ANEXO", "Anexo")
        if not title and len(paragraphs) > 1 and len(paragraphs[0]) <= LONGEST_TITLE:
            title, *paragraphs = paragraphs
    status, note = _status(law, wording, paragraphs, content.notes)
    following = read_version(wording.next).notes if wording.next is not None else []
    return Provision(
        label=label,
        key=block_label.key,
        title=title,
        breadcrumb=_breadcrumb(block_label.key, above, wording.end),
        paragraphs=tuple(paragraphs),
        notes=tuple(content.notes),
        status=status,
        status_note=note,
        wording=wording_dates(wording, following, law.norms),
        valid_from=wording.start,
        valid_to=wording.end,
        url=f"{law_url(law.id)}#{block.get('id')}",
    )


def _status(law: LawFacts, wording: Wording, paragraphs: list[str], notes: list[str]) -> tuple[Status, str]:
    """Return the status of a wording and a note on it; a replaced wording that only expires or repeals is repealed."""
    if wording.end is None:
        return provision_status(paragraphs, notes)
    ended = wording.expires and wording.end <= law.today
    return "derogada" if ended or is_repealed(paragraphs) else "modificada", ""


def _breadcrumb(key: str, above: list[_Above], end: str | None) -> str:
    kind = key.partition(":")[0]
    if kind in PART_HEADINGS:
        return PART_HEADINGS[kind]
    end = end or _FOREVER
    names: list[str] = []
    lowest = len(LEVELS)
    for heading in reversed(above):
        if heading.level >= lowest or not heading.start < end <= heading.end:
            continue
        lowest = heading.level
        # An annex above articles is only the frame of the text that a decree approves.
        if kind == "texto" or lowest > _ANNEX:
            names.insert(0, heading.text)
    return " > ".join(names)


def plain(element: Element) -> str:
    return tidy("".join(_pieces(element)))


def tidy(text: str | None) -> str:
    return " ".join((text or "").replace("\u00ad", "").split())


def table(element: Element) -> str:
    """Return a table with one row per line and cells separated by " | "; repeat a cell in each row that it spans."""
    lines = [plain(caption) for caption in element.iterfind("caption")]
    hanging: dict[int, tuple[int, str | None]] = {}
    for row in element.iter("tr"):
        if next(row.iterancestors("table")) is not element:
            continue
        cells, hanging = _row([cell for cell in row if cell.tag in ("th", "td")], hanging)
        lines.append(" | ".join(cells) if any(cells) else "")
    return "\n".join(filter(None, lines))


def _row(
    own: list[Element], hanging: dict[int, tuple[int, str | None]]
) -> tuple[list[str], dict[int, tuple[int, str | None]]]:
    """Return the cells of a row, and those spanning into the next: rows left, and text or ``None`` for wide cells."""
    cells: list[str] = []
    below: dict[int, tuple[int, str | None]] = {}
    column = 0
    while own or any(pending >= column for pending in hanging):
        if column in hanging:
            rows, text = hanging[column]
            width = 1
        elif own:
            cell = own.pop(0)
            rows, text, width = _span(cell, "rowspan"), plain(cell), _span(cell, "colspan")
        else:
            rows, text, width = 1, None, 1
        if text is not None:
            cells.append(text)
        if rows > 1:
            below |= {column + further: (rows - 1, None if further else text) for further in range(width)}
        column += width
    return cells, below


def _span(cell: Element, name: str) -> int:
    value = cell.get(name, "1")
    return min(max(int(value), 1), _LARGEST_SPAN) if value.isdecimal() else 1


def _pieces(element: Element) -> Iterator[str]:
    if element.tag == "img":
        yield f" {IMAGE} "
    elif element.tag in ("br", "p", "td", "th", "tr", "li", "div"):
        yield " "
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            yield from _pieces(child)
        yield child.tail or ""
    if element.tag in ("p", "td", "th", "tr", "li", "div"):
        yield " "
