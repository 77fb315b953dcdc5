"""What the reading of a law's body builds up: its provisions, and the headings of the structure above them."""

import re
from dataclasses import dataclass, field

from ingestion.amendments import provision_status
from ingestion.model import Provision
from language.folding import fold
from legal.labels import DIVISIONS, PART_HEADINGS, WRITTEN_SUFFIXES, Heading

LEVELS = (*DIVISIONS, "rotulo")
"""The levels of the structure, from the highest; a "rótulo" is a lettered caption within a section."""

LONGEST_TITLE = 200
"""Characters of the first line of an annex that is taken for its title, at most."""

IMAGE = "[Imagen o fórmula: véase el texto en el BOE]"
"""What stands in a text for an image."""

REPEALED = re.compile(r"\(?(?:Derogad|Suprimid|Anulad)[oa]s?\)?\.?$")
"""A line that is nothing but the mark of a repeal."""

_STRUCTURE = re.compile(r"(LIBRO|T[IÍ]TULO|CAP[IÍ]TULO|SECCI[OÓ]N|SUBSECCI[OÓ]N)\b", re.IGNORECASE)
_WITHOUT_TITLE = re.compile(rf"(?:{_STRUCTURE.pattern})\s+[\w.ªº]+(?:\s+(?:{WRITTEN_SUFFIXES}))?\.?", re.IGNORECASE)
# Some files set these as paragraphs, not as headings.
_PLAIN = re.compile(r"LIBRO [A-ZÁÉÍÓÚ]+\.?|Subsección \d+\.?ª?(?: bis)?\.? [A-ZÁÉÍÓÚ].+")
_CAPTION = re.compile(r"[A-H]\) [A-ZÁÉÍÓÚ][^.;:]*")


def structure_level(text: str) -> int | None:
    """Return the level of a heading of the structure as an index of ``LEVELS``, ``None`` for any other text.

    >>> LEVELS[structure_level("CAPÍTULO II. Derechos")]
    'capitulo'
    >>> structure_level("Artículo 3. Definiciones")
    """
    match = _STRUCTURE.match(text)
    return LEVELS.index(fold(match[1])) if match else None


def has_title(text: str) -> bool:
    """Tell whether a heading of the structure says more than its number."""
    return _WITHOUT_TITLE.fullmatch(text) is None


def paragraph_level(text: str, following: str) -> int | None:
    """Return the level of a paragraph that is a heading in all but its marks, ``None`` for text.

    ``following`` is the line after it: a lettered caption ("B) Trabajadores por cuenta ajena") is told from the last
    letter of a list by the heading that follows and by its want of a full stop.
    """
    if _PLAIN.fullmatch(text):
        return structure_level(text)
    if following.startswith("#####") and _CAPTION.fullmatch(text):
        return LEVELS.index("rotulo")
    return None


@dataclass
class ProvisionDraft:
    """A provision that is being read: its heading, the headings above it, and what was read of it so far."""

    heading: Heading
    breadcrumb: str
    paragraphs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def provision(self) -> Provision:
        """Return the provision as it was read; of an annex without a title, the first line is taken for that."""
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


class Body:
    """The state of the reading: the provision being read, the headings above it, and whether a quotation is open."""

    def __init__(self) -> None:
        self.drafts: list[ProvisionDraft] = []
        self.draft: ProvisionDraft | None = None
        self.above: dict[int, str] = {}
        self.untitled: int | None = None
        self.quoted = False
        self.superseded = False
        self.annexes = False
        self.table = False

    def open(self, heading: Heading) -> None:
        """Begin a provision."""
        kind = heading.key.split(":")[0]
        if kind == "art":
            self.annexes = False
            breadcrumb = " > ".join(self.above[level] for level in sorted(self.above))
        else:
            self.above.clear()
            breadcrumb = PART_HEADINGS[kind]
        self.annexes = self.annexes or kind == "anexo"
        self.draft = ProvisionDraft(heading, breadcrumb)
        self.drafts.append(self.draft)
        self.superseded, self.untitled = False, None

    def close(self) -> None:
        """End the provision: what follows until the next heading (signatures) belongs to none."""
        self.draft, self.superseded = None, False

    def begin_level(self, level: int, title: str) -> None:
        """Begin a chapter or another level of the structure, which ends those below it."""
        self.close()
        self.above = {higher: name for higher, name in self.above.items() if higher < level}
        self.above[level] = title
        self.untitled = None if has_title(title) else level

    def entitle(self, text: str) -> bool:
        """Take a line below a "CAPÍTULO V" for its title, if that still lacks one."""
        if self.untitled is None or REPEALED.match(text):
            return False
        self.above[self.untitled] += f". {text}"
        self.untitled = None
        return True

    def write(self, text: str, *, row: bool = False) -> None:
        """Add a paragraph to the provision, or a row to its table."""
        if self.draft is None or not text:
            return
        if row and self.table and self.draft.paragraphs:
            self.draft.paragraphs[-1] += "\n" + text
        else:
            self.draft.paragraphs.append(text)
        self.table = row
