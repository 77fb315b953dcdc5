"""What happened on a day that a text names, and whether the law of that day is asked for.

The law that applies to a dismissal, an accident, a sick leave or a pension is that of its day; the day of a birth, of
hiring or of signing a contract is a fact of the case, and the question is for the law of today.
"""

import re
import tomllib
from bisect import bisect_right
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from articulado.language.folding import fold

EventKind = Literal["decides", "fact"]

# "Contratos temporales anteriores a", "una deuda de antes de": the thing is older.
_OLDER = r"contratos?(?:\s+\w+){0,2}?(?=\s+(?:anterior|previ))|(?:de|desde)(?=\s+antes\s)"
_LASTING = re.compile(r"(?<!\w)(?:de\s+baja|(?:en\s+)?ertes?)(?:\s+\w+){0,3}\s*$")
_STEP = re.compile(r"\w+|[^\w\s]")

_COSTS = {",": 3, "y": 6, "e": 6, "pero": 6, "aunque": 6, "(": 3, ")": 3, ":": 3, "'": 0, "¿": 2}
"""How far apart what stands between an event and a date puts them, in words."""
_NUMBER_COST = 8
"""How far a number puts them apart: it may be another date."""
_NO_FURTHER = frozenset(".;?!")
MAX_DISTANCE, CLOSE_DISTANCE = 12, 4
"""Words between a date and what happened then, and between the two where neither counts without the other; what parts
clauses counts as several."""


class EventWords(BaseModel):
    """The table ``legal/data/events.toml``; its header explains the fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    decides: tuple[str, ...] = Field(min_length=1)
    facts: tuple[str, ...] = Field(min_length=1)
    neither: tuple[str, ...]
    asked: tuple[str, ...] = Field(min_length=1)
    now: tuple[str, ...]

    def kinds(self) -> dict[str, EventKind | None]:
        """Return the kind of each phrase, folded.

        Raises:
            ValueError: a phrase is of two kinds.
        """
        kinds: dict[str, EventKind | None] = {}
        lists: tuple[tuple[EventKind | None, tuple[str, ...]], ...] = (
            ("decides", self.decides),
            ("fact", self.facts),
            (None, self.neither),
        )
        for kind, phrases in lists:
            for phrase in map(fold, phrases):
                if kinds.setdefault(phrase, kind) != kind:
                    raise ValueError(f"events.toml: «{phrase}» está en dos listas. Deje una.")
        return kinds


def load_events(source: str | None = None) -> EventWords:
    """Read and check the table (that of the package, or the given TOML text).

    Raises:
        ValueError: it breaks its schema, or a phrase is of two kinds; the message says which.
    """
    if source is None:
        source = resources.files("legal.data").joinpath("events.toml").read_text(encoding="utf-8")
    words = EventWords.model_validate(tomllib.loads(source))
    words.kinds()
    return words


def _written(phrase: str) -> str:
    """Return the pattern of a folded phrase."""
    return re.escape(phrase).replace(r"\ ", r"\s+").replace(r"\*", r"\w*")


@cache
def _asking() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of what asks how the law was, and of what asks for it as it is."""
    table = load_events()
    asked, now = ("|".join(_written(fold(phrase)) for phrase in phrases) for phrases in (table.asked, table.now))
    return re.compile(rf"(?<!\w)(?:{asked})(?!\w)"), re.compile(rf"(?<!\w)(?:{now})(?!\w)")


@cache
def _event_phrases() -> re.Pattern[str]:
    """Return a pattern of every phrase, the longest first, in a group of its kind."""
    kinds = load_events().kinds()
    groups = [rf"(?P<fact>{_OLDER})"]
    groups += [
        rf"(?:{phrase})" if kind is None else rf"(?P<{kind}_{number}>{phrase})"
        for number, (phrase, kind) in enumerate(
            (_written(phrase), kind) for phrase, kind in sorted(kinds.items(), key=lambda item: -len(item[0]))
        )
    ]
    return re.compile(rf"(?<!\w)(?:{'|'.join(groups)})(?!\w)")


class Events:
    """The events that one folded text tells of."""

    def __init__(self, folded: str) -> None:
        self._text = folded
        phrases = [(match.span(), match.lastgroup) for match in _event_phrases().finditer(folded)]
        self._spans = [span for span, group in phrases if group]
        self._kinds: list[EventKind] = [
            "fact" if group.startswith("fact") else "decides" for _, group in phrases if group
        ]
        self._starts = [start for start, _ in self._spans]

    def kind_at(self, start: int, end: int, *, within: int = MAX_DISTANCE) -> EventKind | None:
        """Return the kind of the event nearest to the date in ``text[start:end]``; ``None`` if none is near.

        Of two that are equally near the one before counts.
        """
        after = bisect_right(self._starts, start)
        neighbours: list[tuple[int, int, EventKind]] = []
        if after > 0:
            neighbours.append((self._distance(self._spans[after - 1][1], start), 0, self._kinds[after - 1]))
        if after < len(self._spans):
            neighbours.append((self._distance(end, self._spans[after][0]), 1, self._kinds[after]))
        distance, _, kind = min(neighbours, default=(MAX_DISTANCE + 1, 0, "fact"))
        return kind if distance <= within else None

    @property
    def asks_how_law_was(self) -> bool:
        """Whether the text asks how the law was: "¿qué contratos había?", "¿qué decía el artículo 15?"."""
        return _asking()[0].search(self._text) is not None

    @property
    def asks_for_today(self) -> bool:
        """Whether the text asks for the law of today: "¿y ahora?", "¿sigue en vigor?"."""
        return _asking()[1].search(self._text) is not None

    def lasts_since(self, start: int) -> bool:
        """Tell whether what stands before ``start`` began on the date that follows, and decides: "de baja desde"."""
        return _LASTING.search(self._text, max(0, start - 40), start) is not None

    def _distance(self, start: int, end: int) -> int:
        """Return how far apart two positions are, in words; more than ``MAX_DISTANCE`` across a full stop."""
        distance = 0
        for step in _STEP.finditer(self._text, start, max(start, end)):
            if step[0] in _NO_FURTHER:
                return MAX_DISTANCE + 1
            distance += _NUMBER_COST if step[0].isdigit() else _COSTS.get(step[0], 1)
            if distance > MAX_DISTANCE:
                break
        return distance
