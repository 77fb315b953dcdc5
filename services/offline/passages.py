"""Passages: the sentences and list items of a provision that can be quoted by themselves, in the order of its text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from language.folding import fold
from language.numerals import read_words
from language.spanish import sentences
from legal.labels import WRITTEN_SUFFIXES
from services.prompting.fragments import Fragment

MAX_PASSAGE_CHARACTERS = 900
MAX_WHOLE_LIST = 600
"""A list that is no longer than this, with its lead-in, is quoted whole."""
LEFT_OUT = "[…]"

_CELLS = " | "
"""What parts the cells of a table row."""
_NUMBER = re.compile(rf"(\d{{1,3}}(?: (?:{WRITTEN_SUFFIXES}))?)(?P<ordinal>\.?[ºª])?(?:\.[-–—]?|\))(?!\d)")
_LETTER = re.compile(r"([a-zñ])(?: bis)?\)")
_DASH = re.compile(r"[-–—•]\s")
_AFTER_WORDS = re.compile(r"\.[-–— ]*")


@dataclass(frozen=True)
class Passage:
    """A sentence, or an item of a list, which says nothing without its lead-ins (outermost first).

    ``position`` counts sentences and items of the provision, ``block`` is the position where its list begins, or its
    own; ``apartado`` and ``letter`` are those that it stands in.
    """

    fragment: Fragment
    text: str
    position: int
    block: int
    apartado: str = ""
    letter: str = ""
    lead_ins: tuple["Passage", ...] = ()


def passages_of(fragments: Iterable[Fragment]) -> list[Passage]:
    r"""Return the passages of one provision, whose parts may be several fragments, in the order of its text.

    >>> text = "1. El contrato se extinguirá:\na) Por acuerdo.\nb) Por dimisión.\n2. Se avisará. Por escrito."
    >>> ending = Fragment("[C1]", "ET", "Artículo 49", "", "", "", "", text, "", official=True)
    >>> for passage in passages_of([ending]):
    ...     print(passage.apartado, passage.text, sep=" | ")
    1 | 1. El contrato se extinguirá: a) Por acuerdo. b) Por dimisión.
    2 | 2. Se avisará.
    2 | Por escrito.
    """
    reader = _PassageReader()
    for fragment in _in_order(list(fragments)):
        for line in (fragment.text or ("" if fragment.official else fragment.summary)).splitlines():
            reader.read(line.strip(), fragment)
    return list(_with_short_lists_whole(reader.passages))


def quote(selected: Sequence[Passage], provision: Sequence[Passage]) -> tuple[str, ...]:
    """Return quotations of passages: an item behind its lead-ins, what a list leaves out as ``[…]``.

    ``provision`` holds all passages of it, which tells where its lists end.
    """
    block_ends = {passage.block: passage.position for passage in provision}
    parts = {part.position: part for passage in selected for part in (*passage.lead_ins, passage)}
    quotations: list[str] = []
    previous: Passage | None = None
    for position, part in sorted(parts.items()):
        same_list = previous is not None and part.block == previous.block
        follows = previous is not None and position == previous.position + 1 and _CELLS not in previous.text
        if same_list or follows:
            quotations[-1] += f" {part.text}" if follows else f" {LEFT_OUT} {part.text}"
        else:
            quotations.append(part.text)
        last_quoted = max(other.position for other in parts.values() if other.block == part.block)
        if last_quoted == position < block_ends[part.block]:
            quotations[-1] += f" {LEFT_OUT}"
        previous = part
    return tuple(quotations)


@dataclass
class _OpenList:
    """A list that is being read: its lead-in, and the kind and number of its last item."""

    lead_in: Passage
    kind: str
    number: int

    def is_continued_by(self, kind: str, number: int) -> bool:
        """Tell whether an item of a kind and a number is the next one of the list."""
        # The same number again: "b bis)", or "ñ)", which some laws leave out.
        return bool(kind) and self.kind == kind and (kind == "dash" or number in (self.number, self.number + 1))


class _PassageReader:
    """Reads lines; keeps the apartado, the open lists, and the lead-in that the next line belongs to."""

    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self._position = -1
        self._apartado = ""
        self._open_lists: list[_OpenList] = []
        self._pending_lead_in: Passage | None = None

    def read(self, line: str, fragment: Fragment) -> None:
        """Add the passages of one line."""
        if not line:
            return
        if _CELLS in line and self._is_row_of_last(line):
            self._pending_lead_in = None
            self.passages[-1] = replace(self.passages[-1], text=f"{self.passages[-1].text}\n{line}")
            return
        kind, label, number = _list_marker(line)
        self._enter(kind, label, number)
        is_item = kind or self._pending_lead_in
        lead_ins = tuple(open_list.lead_in for open_list in self._open_lists) if is_item else ()
        letter = label if kind == "letter" else ""
        for text in [line] if len(line) <= MAX_PASSAGE_CHARACTERS and lead_ins else sentences(line):
            self._position += 1
            block = lead_ins[0].position if lead_ins else self._position
            self.passages.append(Passage(fragment, text, self._position, block, self._apartado, letter, lead_ins))
        self._pending_lead_in = self.passages[-1] if self.passages[-1].text.endswith(":") else None

    def _is_row_of_last(self, line: str) -> bool:
        """Tell whether a row goes on with the table, or follows the lead-in, that was read last."""
        if not self.passages:
            return False
        last = self.passages[-1].text
        begun = self._pending_lead_in is not None or _CELLS in last.rsplit("\n", 1)[-1]
        return begun and len(last) + len(line) < MAX_PASSAGE_CHARACTERS

    def _enter(self, kind: str, label: str, number: int) -> None:
        """Open or close lists so that the item that begins stands in its own."""
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


def _list_marker(line: str) -> tuple[str, str, int]:
    """Return kind, label and number of the marker of a line: ``("letter", "b", 2)``; ``("", "", 0)`` without one."""
    if letter := _LETTER.match(line):
        return "letter", letter[1], ord(fold(letter[1])) - ord("a") + 1
    if figure := _NUMBER.match(line):
        return "ordinal" if figure["ordinal"] else "number", figure[1], int(figure[1].split()[0])
    if _DASH.match(line):
        return "dash", "", 0
    folded = fold(line)
    words = read_words(folded)
    if words and _AFTER_WORDS.match(folded, words[1]):
        return "number", str(words[0]), words[0]
    return "", "", 0


def _in_order(fragments: list[Fragment]) -> list[Fragment]:
    """Sort the parts of a provision by the apartado that they begin with, or else go on to.

    One that names none follows the one that it came after.
    """
    ranks: list[float] = []
    for fragment in fragments:
        markers = [(row, _list_marker(line)) for row, line in enumerate(filter(None, fragment.text.splitlines()))]
        first = next(((row, number) for row, (kind, _, number) in markers if kind == "number"), None)
        if first is None:
            ranks.append(ranks[-1] if ranks else 0.0)
        else:
            ranks.append(first[1] - (0.5 if first[0] else 0.0))
    return [fragments[index] for index in sorted(range(len(fragments)), key=lambda index: ranks[index])]


def _with_short_lists_whole(passages: Sequence[Passage]) -> Iterator[Passage]:
    """Join each short list with its lead-in, and leave out lead-ins that are quoted with their items only."""
    blocks: dict[int, list[Passage]] = {}
    for passage in passages:
        blocks.setdefault(passage.block, []).append(passage)
    for block in blocks.values():
        text = " ".join(passage.text for passage in block)
        lead_ins = {lead_in.position for passage in block for lead_in in passage.lead_ins}
        together = block[-1].position - block[0].position == len(block) - 1
        together = together and len({id(passage.fragment) for passage in block}) == 1
        if len(block) > 1 and together and len(text) <= MAX_WHOLE_LIST:
            yield replace(block[0], text=text)
        else:
            yield from (passage for passage in block if passage.position not in lead_ins)
