"""The wordings of a provision, put together from its chunks."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from legal.labels import WRITTEN_SUFFIXES
from state.chunks import Chunk

_SUFFIX = rf"(?: (?:{WRITTEN_SUFFIXES}))?"
_NUMBERED = re.compile(rf"(?m)^(\d{{1,2}}){_SUFFIX}[.)] ")
_ORDINAL = re.compile(rf"(?m)^(\d{{1,2}}){_SUFFIX}\.[ºª] ")
_LETTERED = re.compile(r"(?m)^([a-zñ])(?: bis| ter)?\) ")


@dataclass(frozen=True)
class Wording:
    """One wording of a provision; ``parts`` are its chunks, in order of the text."""

    parts: tuple[Chunk, ...]

    @property
    def head(self) -> Chunk:
        """The chunk that stands for all: but for text and references they have the same fields."""
        return self.parts[0]

    @property
    def text(self) -> str:
        """The whole text; a blank line parts what was cut, but where a sentence or a table goes on."""
        text = self.head["text"]
        for part in self.parts[1:]:
            text += _glue(text) + part["text"]
        return text

    def holds_on(self, day: date) -> bool:
        """Tell whether this is the wording of a day, whatever has become of its law."""
        written = day.isoformat()
        return (self.head["valid_from"] or "") <= written < (self.head["valid_to"] or "9999")


def wordings_of(chunks: Iterable[Chunk]) -> list[Wording]:
    """Return the wordings of one provision, the oldest first."""

    def begins(chunk: Chunk) -> str:
        return chunk["valid_from"] or ""

    in_turn = sorted(chunks, key=lambda chunk: (begins(chunk), chunk["part"]))
    return [Wording(tuple(parts)) for _, parts in groupby(in_turn, begins)]


def wording_on(wordings: Sequence[Wording], day: date | None, today: date) -> Wording | None:
    """Return the wording of a day, if any; without one that of today, else the last that there was."""
    found = next((one for one in wordings if one.holds_on(day or today)), None)
    return found or (wordings[-1] if day is None else None)


def excerpt(text: str, apartado: str, letter: str) -> str:
    """Return an apartado of a text, or a letter of it, as the law numbers them; empty where the text has none such."""
    found = text
    if apartado:
        # "2.º" is an apartado only where the law has no "2.": else it is in a list inside one.
        found = _item(text, _NUMBERED, apartado) or _item(text, _ORDINAL, apartado)
    return _item(found, _LETTERED, letter) if letter else found


def _item(text: str, marks: re.Pattern[str], wanted: str) -> str:
    """Return what stands between the first mark that is wanted and the next one that counts on from it."""
    begin, counted = -1, 0
    for mark in marks.finditer(text):
        if begin < 0:
            if mark[1] == wanted:
                begin, counted = mark.start(), _order(wanted)
        elif _order(mark[1]) > counted:  # a list inside an item begins to count anew, and ends nothing
            return text[begin : mark.start()].strip()
    return text[begin:].strip() if begin >= 0 else ""


def _order(number: str) -> int:
    # "ñ" comes after "n" and before "o".
    return int(number) if number.isdigit() else 2 * ord("n") + 1 if number == "ñ" else 2 * ord(number)


def _glue(before: str) -> str:
    if " | " in before.rpartition("\n")[2]:
        return "\n"
    return "\n\n" if before[-1:] in ".:;»)" else " "
