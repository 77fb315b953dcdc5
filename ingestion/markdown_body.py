"""Read the provisions of a law from the lines of its Markdown body."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ingestion.amendments import provision_status
from ingestion.laws import Provision
from ingestion.markdown_text import clean, row
from legal.labels import Heading, split_heading

_HEADING = re.compile(r"(#{1,6}) +(.*)$")
_LEVELS = ("libro", "titulo", "capitulo", "seccion", "subseccion")
_STRUCTURE = re.compile(r"(LIBRO|T[IÍ]TULO|CAP[IÍ]TULO|SECCI[OÓ]N|SUBSECCI[OÓ]N)\b", re.IGNORECASE)
_ROMAN_CHAPTER = re.compile(r"[IVX]+\. \w")
_DEROGATED = re.compile(r"\(?(?:Derogad|Suprimid|Anulad)[oa]s?\)?\.?$")
_ANNEX = re.compile(r"\[?(?:ANEXO|APÉNDICE)S?(?: (?:[\dIVX]+(?:\.[\dIVX]+)?|ÚNICO))?\]?\.?$")
_SIGNATURE = re.compile(
    r"(?:Dad[oa] en [A-ZÁ]|[A-Z][a-z]+, \d{1,2} de [a-z]+ de \d{4}\b|\*\*(?:JUAN CARLOS|FELIPE) ?R?\.?\*\*"
    r"|(?i:por tanto),$)"
)
_NOTE = re.compile(r"(?:<small>|\(\*\) Téngase|Téngase en cuenta|Redacción (?:anterior|vigente)|Véase)")
_SUPERSEDED = re.compile(r"Redacción (?:anterior|vigente)")
_PARTS = {"da": "Disposiciones adicionales", "dt": "Disposiciones transitorias", "anexo": "Anexos"}
_PARTS |= {"dd": "Disposiciones derogatorias", "df": "Disposiciones finales"}
LONGEST_TITLE = 200
"""Characters of the first line of an annex that are taken for its title."""
IMAGE = "[Imagen o fórmula: véase el texto en el BOE]"


@dataclass
class _Draft:
    heading: Heading
    breadcrumb: str
    paragraphs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def finished(self) -> Provision:
        label, key, title = self.heading
        if key.startswith("anexo:"):
            label = label.replace("ANEXO", "Anexo")
            if not title and len(self.paragraphs) > 1 and len(self.paragraphs[0]) <= LONGEST_TITLE:
                title = self.paragraphs.pop(0)
        status, note = provision_status(self.paragraphs, self.notes)
        return Provision(
            label=label,
            key=key,
            title=title,
            breadcrumb=self.breadcrumb,
            paragraphs=tuple(self.paragraphs),
            notes=tuple(self.notes),
            status=status,
            status_note=note,
        )


class _Body:
    """The state of the reading: the provision being read, the headings above it, open quotations and notes."""

    def __init__(self) -> None:
        self.finished: list[_Draft] = []
        self.draft: _Draft | None = None
        self.above: dict[int, str] = {}
        self.quotation = 0
        self.superseded = False
        self.annexes = False
        self.table = False

    def open(self, heading: Heading) -> None:
        kind = heading.key.split(":")[0]
        if kind == "art":
            self.annexes = False
            breadcrumb = " > ".join(self.above[level] for level in sorted(self.above))
        else:
            self.above.clear()
            breadcrumb = _PARTS[kind]
        self.annexes = self.annexes or kind == "anexo"
        self.draft = _Draft(heading, breadcrumb)
        self.finished.append(self.draft)
        self.quotation, self.superseded = 0, False

    def close(self) -> None:
        """End the provision: what follows until the next heading (signatures) is of none."""
        self.draft, self.quotation, self.superseded = None, 0, False

    def place(self, level: int, title: str) -> None:
        self.close()
        self.above = {higher: name for higher, name in self.above.items() if higher < level}
        self.above[level] = title

    def write(self, text: str, *, row: bool = False) -> None:
        if self.draft is None or not text:
            return
        self.quotation = max(0, self.quotation + text.count("«") - text.count("»"))
        if row and self.table and self.draft.paragraphs:
            self.draft.paragraphs[-1] += "\n" + text
        else:
            self.draft.paragraphs.append(text)
        self.table = row


def read_provisions(lines: Sequence[str]) -> Iterator[Provision]:
    """Read the provisions in the order of the text; the preamble, signatures and empty provisions are left out.

    ``lines`` have their blanks normalised. Keys may repeat.
    """
    body = _Body()
    for line in lines:
        if not line:
            continue
        if heading := _HEADING.match(line):
            _read_heading(body, heading[2].strip(), len(heading[1]))
        elif line.startswith(">"):
            _read_block_quote(body, line[1:].strip())
        elif line.startswith(("|", "![")) and body.superseded:
            continue
        elif line.startswith("|"):
            body.write(row(line), row=True)
        else:
            _read_paragraph(body, line)
    for draft in body.finished:
        if draft.paragraphs:
            yield draft.finished()


def _read_heading(body: _Body, text: str, depth: int) -> None:
    body.table = False
    if text.startswith('"'):
        body.superseded = True
    elif body.quotation or text.startswith(("«", "“")):
        body.write(clean(text))
    elif depth >= 5 and (heading := split_heading(text)):
        body.open(heading)
    elif found := _STRUCTURE.match(text):
        body.place(_LEVELS.index(_level(found[1])), clean(text))
    elif depth == 5 and not body.annexes and body.finished and _ROMAN_CHAPTER.match(text):
        body.place(_LEVELS.index("capitulo"), clean(text))
    elif _DEROGATED.match(text) and body.draft is not None and body.draft.paragraphs:
        # It marks the chapter that follows, not the article before it.
        body.close()
    else:
        body.superseded = False
        body.write(clean(text))


def _level(word: str) -> str:
    return word.lower().translate(str.maketrans("íó", "io"))


def _read_block_quote(body: _Body, text: str) -> None:
    body.table = False
    if body.draft is None or not text:
        return
    if _SUPERSEDED.match(text):
        body.superseded = True
    elif text.startswith("<small>"):
        body.superseded = False
        body.draft.notes.append(clean(text))
    elif body.superseded:
        # A wording that closes its quotation is over: the table below it may be in force.
        body.superseded = not text.endswith('"')
    elif _NOTE.match(text) or not (body.quotation or text.startswith("«")):
        body.draft.notes.append(clean(text))
    else:
        body.write(clean(text))


def _read_paragraph(body: _Body, line: str) -> None:
    body.superseded = body.table = False
    if body.quotation == 0 and _ANNEX.match(line):
        if body.finished and (heading := split_heading(line.strip("[]").replace("APÉNDICE", "ANEXO"))):
            body.open(heading)
    elif body.quotation == 0 and _SIGNATURE.match(line):
        body.close()
    elif line.startswith("!["):
        body.write(IMAGE)
    else:
        body.write(clean(line))
