"""Answer cards: one need of people, answered in reviewed plain words, each sentence pinned to the law that bears it.

``read_cards`` reads a file of cards (``corpus/fichas/<area>.toml``), ``packaged_cards`` all of the package. A pin names
a provision, a part of it, and an anchor: a few literal words by which the sentence of the law is found in an installed
text (``sentence_at``). A card holds no sentence of a law.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from importlib import resources
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from articulado.calculations.wordings import CALCULATIONS
from articulado.guides.schema import ProvisionLink
from articulado.language.sentences import sentences
from articulado.language.translation import translate
from articulado.legal.ids import chunk_id
from articulado.legal.labels import provision_key
from articulado.values.chunks import CARD_TYPE, CARDS, Chunk, ProvisionRef, blank_chunk
from articulado.values.errors import ConfigurationError

FOLDER = Path(str(resources.files("corpus"))) / "fichas"

Asks = Literal["yes_no", "how_much", "until_when", "how", "what"]
"""Kind of answer that a need asks for."""
Regime = Literal[
    "laboral", "laboral_publico", "hogar", "alta_direccion", "funcionarios", "mutualistas", "autonomos", "trade"
]
"""Employees, those of administrations, household employees, senior executives, civil servants, civil servants with a
mutual scheme, self-employed workers, and those who depend on one client."""
MIN_WORDS, MAX_WORDS = 50, 190
"""Words of a card: those of its need, of the situations and of all texts."""
MAX_POINTS, MAX_ANCHOR = 5, 8

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class CardPart(BaseModel):
    """Base of all parts of a card: no unknown keys, no changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Pin(CardPart):
    """A sentence of the law: a provision ("BOE-A-2015-11430#Artículo 59"), a part of it ("2", "2.a"), and an anchor.

    The anchor is found once in the part, or in the whole provision. In a file: "provision|part|anchor".
    """

    provision: ProvisionLink
    part: str = ""
    anchor: Text

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, written: object) -> object:
        if not isinstance(written, str) or written.count("|") != 2:
            return written
        return dict(zip(("provision", "part", "anchor"), written.split("|"), strict=True))

    @model_validator(mode="after")
    def _is_short(self) -> "Pin":
        if not 2 <= len(self.anchor.split()) <= MAX_ANCHOR:
            raise ValueError(f"an anchor has 2 to {MAX_ANCHOR} words: {self.anchor}")
        return self

    @property
    def ref(self) -> ProvisionRef:
        """Law and provision key."""
        law_id, _, label = self.provision.partition("#")
        return law_id, provision_key(label) or ""


class Statement(CardPart):
    """A text and the sentences of the law that bear it; ``when`` is the situation that it is for."""

    text: Text
    when: str = ""
    pins: tuple[Pin, ...] = Field(min_length=1)


class Exclusion(Statement):
    """A regime that the card is not for, and in one sentence the difference."""

    regime: Regime


class Card(CardPart):
    """An answer to one need.

    ``calculations`` are the kinds of worked results that it leads to (``articulado.calculations.wordings``).
    ``regimes`` are those that it was checked for; for a regime in neither list nothing is known. ``guide`` is the id of
    the case guide that looks at the need with a person's own data. A ``frequent`` need is shown as an example. The
    ``phrasings`` are questions that it answers; they are known to the encoders, and no index holds them.
    """

    id: str = Field(pattern=r"^[a-z_]+/[a-z0-9_]+$")
    need: Text
    asks: Asks
    answer: Statement
    points: tuple[Statement, ...] = Field(default=(), max_length=MAX_POINTS)
    deadline: Statement | None = None
    where: Statement | None = None
    keep: Statement | None = None
    risk: Statement | None = None
    calculations: tuple[str, ...] = ()
    guide: str = ""
    frequent: bool = False
    regimes: tuple[Regime, ...] = Field(min_length=1)
    not_for: tuple[Exclusion, ...] = ()
    phrasings: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _is_whole(self) -> "Card":
        if unknown := sorted(set(self.calculations) - set(CALCULATIONS)):
            raise ValueError(f"no calculations: {', '.join(unknown)}")
        if both := {each.regime for each in self.not_for} & set(self.regimes):
            raise ValueError(f"for and not for: {', '.join(sorted(both))}")
        if not MIN_WORDS <= self.words <= MAX_WORDS:
            raise ValueError(f"{self.words} words, {MIN_WORDS} to {MAX_WORDS} wanted")
        return self

    @property
    def shown(self) -> tuple[Statement, ...]:
        """The statements for whom the card is for, in the order in which they are read."""
        others = (self.deadline, self.where, self.keep, self.risk)
        return (self.answer, *self.points, *(each for each in others if each))

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All statements: those that are shown, then what differs in other regimes."""
        return (*self.shown, *self.not_for)

    @property
    def pins(self) -> tuple[Pin, ...]:
        """All pins, each once."""
        return tuple(dict.fromkeys(pin for each in self.statements for pin in each.pins))

    @property
    def ref(self) -> ProvisionRef:
        """Name of the card among provisions."""
        return CARDS, self.id

    @property
    def bearing(self) -> tuple[ProvisionRef, ...]:
        """The provisions that bear the answer, each once."""
        return tuple(dict.fromkeys(pin.ref for pin in self.answer.pins))

    @property
    def words(self) -> int:
        """Number of its words."""
        texts = (self.need, *(f"{each.when} {each.text}" for each in self.statements))
        return sum(len(text.split()) for text in texts)


class _WrittenCard(Card):
    phrasings: tuple[Text, ...] = Field(min_length=4)


_P = TypeVar("_P", bound=CardPart)


class _File(CardPart):
    card: tuple[_WrittenCard, ...]


def read_cards(file: Path) -> tuple[Card, ...]:
    """Return the cards of a file.

    Raises:
        ConfigurationError: as ``read_part``.
    """
    return read_part(file, _File).card


def read_part(file: Path, schema: type[_P]) -> _P:
    """Return the content of a file with a table ``card``.

    Raises:
        ConfigurationError: the file cannot be read or breaks the schema; the message names card and key.
    """
    try:
        written = tomllib.loads(file.read_text("utf-8"))
        return schema.model_validate(written)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        named = [each.get("id", "") for each in written.get("card", []) if isinstance(each, dict)]
        number = next((part for part in first["loc"] if isinstance(part, int)), None)
        card = named[number] if number is not None and number < len(named) else ""
        problem = f"{card} {place}: {first['msg']}"
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problem = str(error)
    raise ConfigurationError(translate("guides.card", file=file, problem=problem))


@cache
def packaged_cards() -> Mapping[str, Card]:
    """Return the cards of the package by their ids, area by area.

    Raises:
        ConfigurationError: a file breaks the schema, or two cards have one id.
    """
    cards: dict[str, Card] = {}
    for file in sorted(FOLDER.glob("*.toml")):
        for card in read_cards(file):
            if card.id in cards:
                raise ConfigurationError(translate("guides.card_twice", file=file, id=card.id))
            cards[card.id] = card
    return cards


def card_chunk(card: Card) -> Chunk:
    """Return a card as a chunk of an index: its text is searched, and its ``details`` hold what is shown."""
    text = "\n".join(f"{each.when}: {each.text}" if each.when else each.text for each in card.statements)
    content = card.model_dump_json(exclude_defaults=True, exclude={"phrasings"})
    return {
        **blank_chunk(chunk_id(CARDS, CARDS, card.id, None, 1), CARDS),
        "law_id": CARDS,
        "law_name": "Ficha",
        "kind": "ficha",
        "provision": card.need,
        "provision_key": card.id,
        "text": text,
        "strategy": "card",
        "chunk_type": CARD_TYPE,
        "topic": card.id.partition("/")[0],
        "content_hash": blake2b(content.encode(), digest_size=16).hexdigest(),
        "details": {"card": json.loads(content), "bears": [list(ref) for ref in card.bearing]},
    }


def card_of(chunk: Chunk) -> Card:
    """Return the card that a chunk holds."""
    return Card.model_validate(chunk.get("details", {})["card"])


_MARKS = {
    "number": re.compile(r"^\W*(\d+(?: (?:bis|ter|quater|quáter))?)\s*\.(?![ºª])", re.MULTILINE),
    "letter": re.compile(r"^\W*([a-zñ])\)", re.MULTILINE),
    "ordinal": re.compile(r"^\W*(\d+)\.?[ºª]", re.MULTILINE),
}
"""Mark of an apartado ("2."), a letter ("a)") and an item of a letter ("1.º") at the beginning of a line."""


def sentence_at(text: str, pin: Pin) -> str:
    """Return the sentence of a provision that has the anchor of a pin, on one line; "" if none has or several have.

    ``text`` is the whole provision. Where the anchor stands in it more than once, the part decides. Of an anchor across
    two sentences both are returned.
    """
    for within in (text, _part(text, pin.part)):
        lines = [_one_line(sentence) for sentence in sentences(within)]
        joined, anchor = " ".join(lines), _one_line(pin.anchor)
        found = {_around(lines, match.start(), match.end()) for match in re.finditer(re.escape(anchor), joined)}
        if len(found) == 1:
            return found.pop()
    return ""


def _around(lines: Sequence[str], start: int, end: int) -> str:
    """Return the lines, joined by blanks, that reach into a span of them all."""
    begins = accumulate((len(line) + 1 for line in lines), initial=0)
    reached = (line for line, begin in zip(lines, begins, strict=False) if begin < end and start < begin + len(line))
    return " ".join(reached)


def _part(text: str, part: str) -> str:
    """Return the text from the mark of a part to the next mark of its kind; of "2.a" the letter within the apartado."""
    after_letter = False
    for label in part.split(".") if part else ():
        kind = "letter" if not label[0].isdigit() else "ordinal" if after_letter else "number"
        marks = list(_MARKS[kind].finditer(text))
        place = next((n for n, mark in enumerate(marks) if mark[1] == label), None)
        if place is None:
            return ""
        end = marks[place + 1].start() if place + 1 < len(marks) else len(text)
        text, after_letter = text[marks[place].start() : end], kind == "letter"
    return text


def _one_line(text: str) -> str:
    return " ".join(text.split())
