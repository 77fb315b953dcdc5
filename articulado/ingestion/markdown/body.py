"""Builder of a law's provisions and division headings, and removal of Markdown and HTML marks."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from articulado.ingestion.model import Provision
from articulado.ingestion.structure import LONGEST_TITLE, cased
from articulado.language.folding import fold
from articulado.legal.labels import DIVISIONS, PART_HEADINGS, WRITTEN_SUFFIXES, Heading, is_unit
from articulado.legal.validity import provision_status

LEVELS = (*DIVISIONS, "rotulo")
"""Levels of the structure, from the highest; a "rótulo" is a lettered caption within a section."""

LONGEST_LABEL = 120  # maximum characters of a heading that labels the text below it
LONGEST_SIGNATURE = 12  # maximum lines of the signatures below a norm
LONGEST_KEY = 60  # characters of the name in the key of an unlabelled text

_SIGNATURE_LINE = 180  # maximum characters of a signature line
_DATED_LINE = 400  # maximum characters of the first one, which may have all names
_TITLES_OF_FRAME = 2

IMAGE = "[Imagen o fórmula: véase el texto en el BOE]"  # placeholder of an image in a text

REPEALED = re.compile(r"\(?(?:Derogad|Suprimid|Anulad)[oa]s?\)?\.?$")
"""Matches a line that is only the mark of a repeal."""

_STRUCTURE = re.compile(r"(LIBRO|T[IÍ]TULO|CAP[IÍ]TULO|SECCI[OÓ]N|SUBSECCI[OÓ]N)\b", re.IGNORECASE)
_WITHOUT_TITLE = re.compile(rf"(?:{_STRUCTURE.pattern})\s+[\w.ªº]+(?:\s+(?:{WRITTEN_SUFFIXES}))?\.?", re.IGNORECASE)
# Paragraphs instead of headings in some files.
_PLAIN = re.compile(r"LIBRO [A-ZÁÉÍÓÚ]+\.?|Subsección \d+\.?ª?(?: bis)?\.? [A-ZÁÉÍÓÚ].+")
_CAPTION = re.compile(r"[A-H]\) [A-ZÁÉÍÓÚ][^.;:]*")


def structure_level(text: str) -> int | None:
    """Return the level of a structural heading as an index of ``LEVELS``, ``None`` for other text.

    >>> structure_level("CAPÍTULO II. Derechos"), structure_level("Artículo 3. Definiciones")
    (2, None)
    """
    match = _STRUCTURE.match(text)
    return LEVELS.index(fold(match[1])) if match else None


def has_title(text: str) -> bool:
    return _WITHOUT_TITLE.fullmatch(text) is None


def paragraph_level(text: str, following: str) -> int | None:
    """Return the level of a paragraph that is an unmarked heading, ``None`` for text and lists."""
    if _PLAIN.fullmatch(text):
        return structure_level(text)
    if following.startswith("#####") and _CAPTION.fullmatch(text):
        return LEVELS.index("rotulo")
    return None


UNNAMED = Heading("Texto", "texto:texto", "")  # heading of a text without headings


@dataclass
class ProvisionDraft:
    """Provision being read: its heading, the headings above it, and its content so far."""

    heading: Heading
    breadcrumb: str
    paragraphs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    frame: str = ""  # enclosing text, if a norm holds several texts in its annexes
    loose: bool = False  # text without a label: a preamble, or text below a chapter or the signatures
    signed: bool = False

    @property
    def is_unit(self) -> bool:
        return is_unit(self.heading.key)

    @property
    def is_signature(self) -> bool:
        """True if it only has the place, the day and the names below a norm."""
        dated, *names = self.paragraphs or [""]
        return (
            self.signed
            and len(names) < LONGEST_SIGNATURE
            and len(dated) < _DATED_LINE
            and all(len(name) < _SIGNATURE_LINE and "\n" not in name for name in names)
        )

    @property
    def frames(self) -> bool:
        """True for an annex with only the title of the text below it."""
        titles = [title for title in (self.heading.title, *self.paragraphs) if title]
        return (
            self.heading.key.startswith("anexo:")
            and len(titles) <= _TITLES_OF_FRAME
            and all(len(title) <= LONGEST_TITLE and title[-1].isalpha() and "\n" not in title for title in titles)
        )

    def provision(self) -> Provision:
        """Return the provision; the first line of an untitled annex becomes its title."""
        label, key, title = self.heading
        if key.startswith("anexo:"):
            label = label.replace("ANEXO", "Anexo")
            if not title and len(self.paragraphs) > 1 and len(self.paragraphs[0]) <= LONGEST_TITLE:
                title = self.paragraphs.pop(0)
        if not self.paragraphs:
            self.paragraphs, title = [title], ""
        status, note = provision_status(self.paragraphs, self.notes)
        return Provision(
            label=label if self.loose else cased(label),
            key=key,
            title=title,
            breadcrumb=self.breadcrumb,
            paragraphs=tuple(self.paragraphs),
            notes=tuple(self.notes),
            status=status,
            status_note=note,
        )


class Body:
    """Reading state: the current provision, the headings above it, and if a quotation is open."""

    def __init__(self) -> None:
        self.drafts: list[ProvisionDraft] = []
        self.draft: ProvisionDraft | None = None
        self.above: dict[int, str] = {}
        self.untitled: int | None = None
        self.part = ""  # kind of disposition announced by "Disposiciones finales"
        self.quoted = False
        self.superseded = False
        self.annexes = False
        self.whole_annex = False  # everything in the current annex is its text
        self.table = False
        self.frames: list[str] = []
        self._frame = ""
        self._caption = ""
        self._announcing: ProvisionDraft | None = None
        self._announced: list[str] = []

    @property
    def opened(self) -> bool:
        return any(not draft.loose for draft in self.drafts)

    def open(self, heading: Heading) -> None:
        """Begin a provision."""
        self._enter()
        kind = heading.key.split(":")[0]
        if kind == "art":
            self.annexes = False
        if kind in PART_HEADINGS:
            self.above.clear()
            breadcrumb = PART_HEADINGS[kind]
        else:
            breadcrumb = " > ".join(self.above[level] for level in sorted(self.above))
        self.part = self.part if kind == self.part else ""
        self.annexes = self.annexes or kind == "anexo"
        self._announcing, self._announced = None, []
        self._frame = "" if kind == "anexo" else self._frame
        self.draft = ProvisionDraft(heading, breadcrumb, frame=self._frame)
        self.drafts.append(self.draft)
        self.superseded, self.untitled = False, None

    def _enter(self) -> None:
        """Begin a new text if a norm holds several: one framed by an annex, or a title below signatures."""
        last = self.drafts[-1] if self.drafts else None
        if last and last.frames and not self.whole_annex:
            self.drafts.pop()
            label, _, title = last.heading
            self._begin_frame(". ".join(filter(None, (label.replace("ANEXO", "Anexo"), title, *last.paragraphs))))
        elif self._caption and last and last.signed and self.draft is None:
            self._begin_frame(self._caption)
            self._caption = ""
        self._drop_caption()

    def _begin_frame(self, title: str) -> None:
        self.frames.append(title)
        self._frame = title
        self.above.clear()

    def close(self) -> None:
        self.draft, self.superseded = None, False

    def sign(self, text: str) -> None:
        self.close()
        self._open_loose(UNNAMED, signed=True)
        self.write(text)

    def begin_level(self, level: int, title: str) -> None:
        """Begin a chapter or another level of the structure, which ends those below it."""
        self._enter()
        if self.draft and not self.draft.loose and self.draft.paragraphs and self.draft.paragraphs[-1].endswith(":"):
            self._announcing = self.draft
        self._announced += [title] if self._announcing else []
        self.close()
        self.part = ""
        self.above = {higher: name for higher, name in self.above.items() if higher < level}
        self.above[level] = title
        self.untitled = None if has_title(title) else level

    def begin_part(self, kind: str) -> None:
        """Begin the dispositions of a kind."""
        self._enter()
        self.close()
        self.above.clear()
        self.part, self.untitled = kind, None

    def caption(self, text: str) -> None:
        self._drop_caption()
        self.close()
        self._caption = text

    def entitle(self, text: str) -> bool:
        """Use a line below a "CAPÍTULO V" without a title as its title."""
        if self.untitled is None or REPEALED.match(text):
            return False
        self.above[self.untitled] += f". {text}"
        self.untitled = None
        return True

    def write(self, text: str, *, row: bool = False) -> None:
        """Add a paragraph to the provision, or a row to its table; text without a label begins loose text."""
        if not text:
            return
        if self.draft is None:
            self._begin_loose()
        assert self.draft is not None
        if row and self.table and self.draft.paragraphs:
            self.draft.paragraphs[-1] += "\n" + text
        else:
            self.draft.paragraphs.append(text)
        self.table = row

    def finished(self) -> list[ProvisionDraft]:
        """Return the drafts in order; if there are several texts, prefix their breadcrumbs with their names."""
        self._drop_caption()
        if len(self.frames) > 1:
            for draft in self.drafts:
                draft.breadcrumb = " > ".join(filter(None, (draft.frame, draft.breadcrumb)))
        return self.drafts

    def _begin_loose(self) -> None:
        caption, self._caption = self._caption, ""
        if self._announcing:
            # The previous article quotes a chapter of another norm, with its articles as paragraphs.
            self.draft = self._announcing
            self.draft.paragraphs += [*self._announced, *([caption] if caption else [])]
            self._announced = []
        elif caption:
            self._open_loose(captioned(caption))
            if len(caption) > LONGEST_LABEL:
                self.write(caption)
        elif self.part:
            self.open(Heading(PART_HEADINGS[self.part], f"{self.part}:unica", ""))
        elif self.above:
            self._open_loose(captioned(self.above[max(self.above)]))
        else:
            self._open_loose(UNNAMED)

    def _open_loose(self, heading: Heading, *, signed: bool = False) -> None:
        above = [self.above[level] for level in sorted(self.above)]
        breadcrumb = " > ".join(above[:-1] if above[-1:] == [heading.label] else above)
        self.draft = ProvisionDraft(heading, breadcrumb, frame=self._frame, loose=True, signed=signed)
        self.drafts.append(self.draft)
        self.untitled = None

    def _drop_caption(self) -> None:
        caption, self._caption = self._caption, ""
        if caption and self.drafts:
            self.drafts[-1].paragraphs.append(caption)


def captioned(text: str) -> Heading:
    """Return the heading of an unlabelled text from its caption."""
    label = text.removesuffix(".")
    if len(label) > LONGEST_LABEL:
        label = label[:LONGEST_LABEL].rsplit(" ", 1)[0].rstrip(",;:. ") + "…"
    return Heading(label, f"texto:{re.sub(r'[^a-z0-9]+', ' ', fold(label)).strip()[:LONGEST_KEY].strip()}", "")


_TAG = re.compile(r"</?(?:small|sub|sup|em|strong|i|b)>")
_BREAK = re.compile(r"<br\s*/?>|\\$")
_LINK = re.compile(r"\[([^\[\]]*)\]\(https?://[^)\[]*\)")
_EMPHASIS = re.compile(r"\*\*(.*?)\*\*")
_ITALICS = re.compile(r"(?<![\w*(])\*(?![\s*)])([^*]+)(?<![\s*(])\*(?![\w*])")
_QUOTATION_MARK = re.compile("[«»]")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|&(#?\w{1,31};)")
_PRIVATE_USE = 0xE000  # offset of an escaped mark, added to its code until ``clean``
_LITERAL = re.compile(f"[{chr(_PRIVATE_USE + 0x21)}-{chr(_PRIVATE_USE + 0x7E)}]")
_MARKS = "#*_[]<>|!`~&\\"  # characters that form marks; others need no offset


def literal(line: str) -> str:
    r"""Unescape a line; escaped marks stay protected until ``clean`` restores them.

    >>> clean(literal(r"1\. Ley \*sic\* &lt;b&gt; I&amp;D"))
    '1. Ley *sic* <b> I&D'
    """
    return " ".join(_ESCAPED.sub(_unescaped, _BREAK.sub(" ", line)).split())


def _unescaped(match: re.Match[str]) -> str:
    text = match[1] or html.unescape(match[0])
    return chr(_PRIVATE_USE + ord(text)) if len(text) == 1 and text in _MARKS else text


def row(line: str) -> str:
    """Return the cells of a table row separated by " | "; "" for the rule below a table's head.

    >>> row("| **Grupo** | Salario |"), row("|---|:--:|")
    ('Grupo | Salario', '')
    """
    # A bar inside a cell would split it.
    cells = [clean(cell).replace("|", "/") for cell in line.strip("|").split("|")]
    return "" if all(set(cell) <= set("-: ") for cell in cells) else " | ".join(cells)


def clean(text: str) -> str:
    """Return the text without Markdown and HTML marks.

    >>> clean("<small>Se **modifica** por la [Ley 3/2023](https://www.boe.es/x).</small>")
    'Se modifica por la Ley 3/2023.'
    """
    text = _EMPHASIS.sub(r"\1", _LINK.sub(r"\1", _TAG.sub("", text)))
    if text.startswith("*") and text.endswith("*") and len(text) > 2:
        text = text.strip("*")
    text = _ITALICS.sub(r"\1", text).strip()
    return _LITERAL.sub(lambda mark: chr(ord(mark[0]) - _PRIVATE_USE), text)


def inside_quotations(paragraphs: Sequence[str]) -> list[bool]:
    """Tell for each paragraph if it begins inside a quotation; an unclosed one is ignored as an error.

    >>> inside_quotations(["Queda así:", "«Artículo 1.", "Texto.»", "Fin."])
    [False, False, True, False]
    """
    changes = [0] * (len(paragraphs) + 1)
    opened: list[int] = []
    for index, paragraph in enumerate(paragraphs):
        for mark in _QUOTATION_MARK.findall(paragraph):
            if mark == "«":
                opened.append(index)
            elif opened:
                changes[opened.pop() + 1] += 1
                changes[index + 1] -= 1
    return [depth > 0 for depth in accumulate(changes[:-1])]
