"""Split a provision into passages (sentences, list items, table rows) and quote them with context."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from articulado.language.folding import fold
from articulado.language.languages import Language, language
from articulado.language.numerals import read_words
from articulado.language.sentences import sentences
from articulado.language.table_text import cells_of, is_amount, is_row
from articulado.legal.labels import WRITTEN_SUFFIXES, usual_suffix
from articulado.prompting.fragments import Fragment

LEFT_OUT = "[…]"  # Mark for omitted sentences, items or rows between two quoted ones
MAX_PASSAGE_CHARACTERS = 900
MAX_WHOLE_LIST = 600  # Characters of a list, with its lead-in, that is quoted whole
MAX_CHAIN = 2  # Preceding sentences quoted with one that leans on them
MAX_LEAD_IN_WORDS = 45  # Words of an item with subitems from which only its last sentence is their lead-in

_NUMBER = re.compile(rf"(\d{{1,3}}(?: (?:{WRITTEN_SUFFIXES}))?)(?P<ordinal>\.?[ºª])?(?:\.[-–—]?|\))(?!\d)")
_LETTER = re.compile(
    rf"(?P<letter>[a-zñ])(?:[ .](?P<inside>{WRITTEN_SUFFIXES}))?\)(?: (?P<behind>{WRITTEN_SUFFIXES})\b)?"
)
_DASH = re.compile(r"[-–—•]\s")
_AFTER_WORDS = re.compile(r"\.[-–— ]*")
_NOTE = re.compile(  # Editorial note of the BOE; an amending law states the new wording itself, after a colon
    r"\(\*\)|\[?Ref\. |V[ée]a(?:n)?se\b|T[ée]ngase en cuenta\b|(?:Texto|Última|Modificación).{0,40} publicad[oa] el\b"
    r"|Redactad[oa]s?(?: (?:el|la|los|las) (?:apartado|párrafo|letra|artículo|número|inciso)[^:]*?)? conforme\b"
    r"|Se (?:modific|añad|derog|suprim|renumer|reenumer|declar)(?:a|e)n?\b[^:]*?(?<!aprobad[oa])(?<!aprobad[oa]s)"
    r" por (?:(?:el|la|los|las) )?(?:arts?\.|artículos? |disposici|disp\.|Ley|Real|Decreto|Orden|Sentencia)[^:]*$"
)


@dataclass(frozen=True)
class Passage:
    """A sentence, list item or table row with its lead-ins, outermost first; a row's last lead-in is its table's head.

    ``position`` counts sentences, items and rows of the provision; ``last`` is the position of the last one in a list
    quoted whole; ``block`` is the position where its list or table begins. ``leans_on`` are preceding sentences that
    it depends on, in order.
    """

    fragment: Fragment
    text: str
    position: int
    block: int
    apartado: str = ""
    letter: str = ""
    lead_ins: tuple["Passage", ...] = ()
    leans_on: tuple["Passage", ...] = ()
    last: int = -1

    def __post_init__(self) -> None:
        object.__setattr__(self, "last", max(self.last, self.position))

    @property
    def parts(self) -> tuple["Passage", ...]:
        """All quoted passages: sentences leaned on, lead-ins, and itself."""
        before = (*self.leans_on, *self.lead_ins)
        return (*(part for passage in before for part in passage.parts), self)

    @property
    def is_row(self) -> bool:
        return is_row(self.text)

    @property
    def is_listed(self) -> bool:
        """True for a list item, a table row, or a list quoted whole."""
        return bool(self.lead_ins) or self.is_row or self.last > self.position


_HEADING = re.compile(r"[^\W\d_][^\d:;.!?|]{0,60}")


def below_headings(texts: Sequence[str]) -> list[str]:
    """Return each text prefixed with the heading before it; headings become empty.

    >>> below_headings(["Ropa", "Se viste con libertad.", "Salvo visitas."])
    ['', 'Ropa Se viste con libertad.', 'Ropa Salvo visitas.']
    """
    heading, below = "", list[str]()
    for text in texts:
        is_heading = _HEADING.fullmatch(text) is not None
        heading = text if is_heading else heading
        below.append("" if is_heading else f"{heading} {text}".lstrip())
    return below


def passages_of(fragments: Iterable[Fragment], locale: Language | None = None) -> list[Passage]:
    r"""Return the passages of one provision, whose parts are fragments in text order.

    ``locale`` (default: Spanish) recognises sentences that lean on the one before.

    >>> text = "1. El contrato se extinguirá:\na) Por acuerdo.\nb) Por dimisión.\n2. Se avisará. Por escrito."
    >>> ending = Fragment("[C1]", "ET", "Artículo 49", "", "", "", "", text, "", official=True)
    >>> for passage in passages_of([ending]):
    ...     print(passage.apartado, passage.text, sep=" | ")
    1 | 1. El contrato se extinguirá: a) Por acuerdo. b) Por dimisión.
    2 | 2. Se avisará.
    2 | Por escrito.
    """
    reader = _PassageReader()
    for fragment in fragments:
        reader.begin(fragment)
        for line in _lines_of(fragment):
            reader.read(line, fragment)
    resolved = list(_with_context(list(_with_short_lists_whole(reader.passages)), locale or language("es")))
    lead_ins = {lead_in.position for passage in resolved for lead_in in passage.lead_ins}
    return [passage for passage in resolved if passage.position not in lead_ins]


def has_passages(fragments: Iterable[Fragment]) -> bool:
    """Tell if a provision has any passage; reads no further than the first."""
    reader = _PassageReader()
    for fragment in fragments:
        for line in _lines_of(fragment):
            reader.read(line, fragment)
            if reader.passages:
                return True
    return False


def _lines_of(fragment: Fragment) -> list[str]:
    text = fragment.text or ("" if fragment.official else fragment.summary)
    return [line.strip() for line in text.splitlines()]


def quote(selected: Iterable[Passage]) -> tuple[str, ...]:
    """Return quotations of passages of one provision, each with its lead-ins and the sentences that it leans on.

    Passages of one apartado, or adjacent ones without a list, are one quotation, with ``[…]`` for omitted text.
    """
    parts = {part.position: part for passage in selected for part in passage.parts}
    return tuple(map(_written, _runs([parts[position] for position in sorted(parts)])))


def _runs(parts: Sequence[Passage]) -> Iterator[list[Passage]]:
    run: list[Passage] = []
    for part in parts:
        if run and _begins_quotation(run[-1], part):
            yield run
            run = []
        run.append(part)
    if run:
        yield run


def _begins_quotation(before: Passage, part: Passage) -> bool:
    follows = _follows(before, part)
    if part.apartado == before.apartado:
        # What is written below a table cannot go on in its last row.
        return follows and before.is_row and not part.is_row
    return not follows or before.is_listed


def _written(run: Sequence[Passage]) -> str:
    text = run[0].text
    for before, part in pairwise(run):
        gap = "\n" if before.is_row or part.is_row else " "
        text += gap if _follows(before, part) else f"{gap}{LEFT_OUT}{gap}"
        text += part.text
    return text


def _follows(before: Passage, part: Passage) -> bool:
    return part.position == before.last + 1


@dataclass
class _OpenList:
    lead_in: Passage
    kind: str
    number: int

    def is_continued_by(self, kind: str, number: int) -> bool:
        # The same number again: "b bis)", or "ñ)", which some laws leave out.
        return bool(kind) and self.kind == kind and (kind == "dash" or number in (self.number, self.number + 1))


@dataclass
class _OpenTable:
    lead_ins: tuple[Passage, ...]
    first_row: str
    in_head: bool = True

    def is_head(self, row: str) -> bool:
        """Tell if the row belongs to the head: the first row, and rows that repeat its first cell or leave it empty."""
        cells = cells_of(row)
        figures = bool(self.lead_ins) and all(cell[:1].isdigit() for cell in cells)
        figures = figures or any(map(is_amount, cells[1:]))
        self.in_head = self.in_head and not figures and cells[0] in ("", cells_of(self.first_row)[0])
        return self.in_head


class _PassageReader:
    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self._position = -1
        self._apartado = ""
        self._open_lists: list[_OpenList] = []
        self._pending_lead_in: Passage | None = None
        self._table: _OpenTable | None = None

    def begin(self, fragment: Fragment) -> None:
        """Begin another part of the provision, possibly after a gap."""
        numbers = [number for kind, _, number in map(_list_marker, fragment.text.splitlines()) if kind == "number"]
        reached = int(self._apartado.split()[0]) if self._apartado else 0
        if self.passages and numbers and numbers[0] > reached + 1:
            self._position += 1

    def read(self, line: str, fragment: Fragment) -> None:
        if not line:
            return
        if is_row(line):
            self._read_row(line, fragment)
            return
        self._table = None
        if _is_note(line, fragment):
            self._position += 1
            return
        kind, label, number = _list_marker(line)
        self._enter(kind, label, number)
        is_item = kind or self._pending_lead_in
        lead_ins = tuple(open_list.lead_in for open_list in self._open_lists) if is_item else ()
        letter = label if kind == "letter" else ""
        for text in _pieces(line, is_item=bool(lead_ins)):
            if _is_note(text, fragment):
                self._position += 1
            else:
                self._add(text, fragment, letter, lead_ins)
        self._pending_lead_in = self.passages[-1] if self.passages and self.passages[-1].text.endswith(":") else None

    def _add(self, text: str, fragment: Fragment, letter: str, lead_ins: tuple[Passage, ...]) -> None:
        self._position += 1
        block = lead_ins[0].block if lead_ins else self._position
        self.passages.append(Passage(fragment, text, self._position, block, self._apartado, letter, lead_ins))

    def _read_row(self, row: str, fragment: Fragment) -> None:
        if self._table is None:
            self._table = _OpenTable(self._caption(), row)
        elif row == self._table.first_row and fragment is not self.passages[-1].fragment:
            # A part that begins inside a table repeats its head.
            return
        is_head = self._table.is_head(row)
        self._add(row, fragment, "", self._table.lead_ins)
        if is_head:
            self._table.lead_ins += (self.passages[-1],)
        self._pending_lead_in = None

    def _caption(self) -> tuple[Passage, ...]:
        last = self.passages[-1] if self.passages else None
        if last is None or last.position != self._position or last.apartado != self._apartado:
            return ()
        return (*last.lead_ins, last)

    def _enter(self, kind: str, label: str, number: int) -> None:
        if self._pending_lead_in is not None and number <= 1:
            self._open_lists.append(_OpenList(self._pending_lead_in, kind, number))
            return
        if not kind:
            # A paragraph of its own, perhaps of the item before it: the list may go on below.
            return
        while self._open_lists and not self._open_lists[-1].is_continued_by(kind, number):
            self._open_lists.pop()
        if self._open_lists:
            self._open_lists[-1].number = number
        elif kind == "number":
            self._apartado = label


def _pieces(line: str, *, is_item: bool) -> list[str]:
    leads_in = line.endswith(":") and len(line.split()) > MAX_LEAD_IN_WORDS
    return [line] if is_item and len(line) <= MAX_PASSAGE_CHARACTERS and not leads_in else sentences(line)


def _is_note(text: str, fragment: Fragment) -> bool:
    return fragment.official and _NOTE.match(text) is not None


def _list_marker(line: str) -> tuple[str, str, int]:
    """Return kind, label and number of a list marker: ``("letter", "b", 2)``; ``("", "", 0)`` without one."""
    if letter := _LETTER.match(line):
        suffix = letter["inside"] or letter["behind"]
        label = f"{letter['letter']} {usual_suffix(suffix)}" if suffix else letter["letter"]
        return "letter", label, ord(fold(label[0])) - ord("a") + 1
    if figure := _NUMBER.match(line):
        return "ordinal" if figure["ordinal"] else "number", figure[1], int(figure[1].split()[0])
    if _DASH.match(line):
        return "dash", "", 0
    folded = fold(line)
    words = read_words(folded)
    if words and _AFTER_WORDS.match(folded, words[1]):
        return "number", str(words[0]), words[0]
    return "", "", 0


def _with_short_lists_whole(passages: Sequence[Passage]) -> Iterator[Passage]:
    blocks: dict[int, list[Passage]] = {}
    for passage in passages:
        blocks.setdefault(passage.block, []).append(passage)
    for block in blocks.values():
        text = " ".join(passage.text for passage in block)
        together = block[-1].position - block[0].position == len(block) - 1
        together = together and len({id(passage.fragment) for passage in block}) == 1
        is_table = any(passage.is_row for passage in block)
        if len(block) > 1 and together and not is_table and len(text) <= MAX_WHOLE_LIST:
            yield replace(block[0], text=text, last=block[-1].position)
        else:
            yield from block


def _with_context(passages: Sequence[Passage], locale: Language) -> Iterator[Passage]:
    resolved: dict[int, Passage] = {}
    previous: Passage | None = None
    for passage in sorted(passages, key=lambda passage: passage.position):
        lead_ins = tuple(resolved[lead_in.position] for lead_in in passage.lead_ins)
        leans_on = _leans_on(passage, previous, locale) if previous else ()
        previous = resolved[passage.position] = replace(passage, lead_ins=lead_ins, leans_on=leans_on)
    return iter(resolved.values())


def _leans_on(passage: Passage, previous: Passage, locale: Language) -> tuple[Passage, ...]:
    """Return the preceding sentences needed; the last one is enough if it has the noun referred to ("dicho plazo")."""
    leaning = locale.query_patterns.leaning.match(fold(passage.text))
    in_list = previous.position in {lead_in.position for lead_in in passage.lead_ins}
    if leaning is None or in_list or previous.apartado != passage.apartado:
        return ()
    noun = set(locale.stems(leaning.groupdict()["noun"] or ""))
    has_noun = bool(noun) and noun <= set(locale.stems(previous.text))
    if previous.lead_ins and previous.block != passage.block and not has_noun:
        # Behind a list, a sentence is about the list.
        previous = previous.lead_ins[0]
    before = replace(previous, leans_on=())
    return (before,) if has_noun else (*previous.leans_on[1 - MAX_CHAIN :], before)
