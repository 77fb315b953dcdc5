"""Passages: what can be quoted of a provision by itself, in the order of its text."""

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

    ``place`` counts sentences and items of the provision, ``block`` is the place where its list begins, or its own;
    ``apartado`` and ``letter`` are those that it stands in.
    """

    fragment: Fragment
    text: str
    place: int
    block: int
    apartado: str = ""
    letter: str = ""
    leads: tuple["Passage", ...] = ()


@dataclass
class _List:
    """A list that is being read: its lead-in, and the kind and number of its last item."""

    lead: Passage
    kind: str
    number: int


def passages_of(fragments: Iterable[Fragment]) -> list[Passage]:
    """Take one provision apart, whose parts may be several fragments; they are read in the order of its text."""
    reader = _Reader()
    for fragment in _in_order(list(fragments)):
        for line in (fragment.text or ("" if fragment.official else fragment.summary)).splitlines():
            reader.read(line.strip(), fragment)
    return list(_with_short_lists_whole(reader.found))


def quote(chosen: Sequence[Passage], provision: Sequence[Passage]) -> tuple[str, ...]:
    """Write quotations of passages: an item behind its lead-ins, what a list leaves out as ``[…]``.

    ``provision`` holds all passages of it, which tells where its lists end.
    """
    ends = {passage.block: passage.place for passage in provision}
    parts = {part.place: part for passage in chosen for part in (*passage.leads, passage)}
    quotations: list[str] = []
    before: Passage | None = None
    for place, part in sorted(parts.items()):
        same_list = before is not None and part.block == before.block
        follows = before is not None and place == before.place + 1 and _CELLS not in before.text
        if same_list or follows:
            quotations[-1] += f" {part.text}" if follows else f" {LEFT_OUT} {part.text}"
        else:
            quotations.append(part.text)
        last_quoted = max(other.place for other in parts.values() if other.block == part.block)
        if last_quoted == place < ends[part.block]:
            quotations[-1] += f" {LEFT_OUT}"
        before = part
    return tuple(quotations)


class _Reader:
    """Reads lines; keeps the apartado, the open lists, and the lead-in that the next line belongs to."""

    def __init__(self) -> None:
        self.found: list[Passage] = []
        self._place = -1
        self._apartado = ""
        self._lists: list[_List] = []
        self._pending: Passage | None = None

    def read(self, line: str, fragment: Fragment) -> None:
        """Add the passages of one line."""
        if not line:
            return
        if _CELLS in line and self._is_row_of_last(line):
            self._pending = None
            self.found[-1] = replace(self.found[-1], text=f"{self.found[-1].text}\n{line}")
            return
        kind, label, number = _mark(line)
        self._enter(kind, label, number)
        leads = tuple(one.lead for one in self._lists) if kind or self._pending else ()
        letter = label if kind == "letter" else ""
        for text in [line] if len(line) <= MAX_PASSAGE_CHARACTERS and leads else sentences(line):
            self._place += 1
            block = leads[0].place if leads else self._place
            self.found.append(Passage(fragment, text, self._place, block, self._apartado, letter, leads))
        self._pending = self.found[-1] if self.found[-1].text.endswith(":") else None

    def _is_row_of_last(self, line: str) -> bool:
        """Tell whether a row goes on with the table, or follows the lead-in, that was read last."""
        if not self.found:
            return False
        last = self.found[-1].text
        begun = self._pending is not None or _CELLS in last.rsplit("\n", 1)[-1]
        return begun and len(last) + len(line) < MAX_PASSAGE_CHARACTERS

    def _enter(self, kind: str, label: str, number: int) -> None:
        """Open or close lists so that the item that begins stands in its own."""
        if self._pending is not None and number <= 1:
            self._lists.append(_List(self._pending, kind, number))
            return
        if not kind:
            # A paragraph of its own, perhaps of the item before it: the list may go on below.
            return
        while self._lists and not _goes_on(self._lists[-1], kind, number):
            self._lists.pop()
        if self._lists:
            self._lists[-1].number = number
        elif kind == "number":
            self._apartado = label


def _goes_on(one: _List, kind: str, number: int) -> bool:
    # The same number again: "b bis)", or "ñ)", which some laws leave out.
    return bool(kind) and one.kind == kind and (kind == "dash" or number in (one.number, one.number + 1))


def _mark(line: str) -> tuple[str, str, int]:
    """Return kind, label and number of the mark of a line: ``("letter", "b", 2)``; ``("", "", 0)`` without one."""
    if found := _LETTER.match(line):
        return "letter", found[1], ord(fold(found[1])) - ord("a") + 1
    if found := _NUMBER.match(line):
        return "ordinal" if found["ordinal"] else "number", found[1], int(found[1].split()[0])
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
    places: list[float] = []
    for fragment in fragments:
        numbers = [(i, _mark(line)) for i, line in enumerate(filter(None, fragment.text.splitlines()))]
        first = next(((i, number) for i, (kind, _, number) in numbers if kind == "number"), None)
        if first is None:
            places.append(places[-1] if places else 0.0)
        else:
            places.append(first[1] - (0.5 if first[0] else 0.0))
    return [fragments[i] for i in sorted(range(len(fragments)), key=lambda i: places[i])]


def _with_short_lists_whole(found: Sequence[Passage]) -> Iterator[Passage]:
    """Join each short list with its lead-in, and leave out lead-ins that are quoted with their items only."""
    blocks: dict[int, list[Passage]] = {}
    for passage in found:
        blocks.setdefault(passage.block, []).append(passage)
    for block in blocks.values():
        text = " ".join(passage.text for passage in block)
        leads = {lead.place for passage in block for lead in passage.leads}
        together = block[-1].place - block[0].place == len(block) - 1
        together = together and len({id(passage.fragment) for passage in block}) == 1
        if len(block) > 1 and together and len(text) <= MAX_WHOLE_LIST:
            yield replace(block[0], text=text)
        else:
            yield from (passage for passage in block if passage.place not in leads)
