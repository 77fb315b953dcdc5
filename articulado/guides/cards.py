"""Answer cards: one need in reviewed plain words, each sentence pinned to the law that bears it."""

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
Regime = Literal[
    "laboral", "laboral_publico", "hogar", "alta_direccion", "funcionarios", "mutualistas", "autonomos", "trade"
]
"""Employees (of companies, administrations, households), senior executives, civil servants (also with a mutual scheme),
self-employed workers, and those who depend on one client."""
MIN_WORDS, MAX_WORDS = 50, 190  # Words of the need, the situations and all texts of a card
MAX_POINTS, MAX_ANCHOR = 5, 8

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class CardPart(BaseModel):
    """Base of all parts of a card: no unknown keys, no changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Pin(CardPart):
    """A sentence of the law: provision ("BOE-A-2015-11430#Artículo 59"), part ("2.a"), and a few unique words."""

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
        law_id, _, label = self.provision.partition("#")
        return law_id, provision_key(label) or ""


class Statement(CardPart):
    """A text and the sentences of the law that bear it; ``when`` is its situation."""

    text: Text
    when: str = ""
    pins: tuple[Pin, ...] = Field(min_length=1)


class Exclusion(Statement):
    """A regime that the card is not for, and the difference in one sentence."""

    regime: Regime


class Card(CardPart):
    """An answer to one need.

    ``regimes`` are those that it was checked for; nothing is known of regimes in neither list. ``guide`` is the id of
    the case guide for the need. ``frequent`` needs are shown as examples. ``phrasings`` are questions known to the
    encoders, and in no index.
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
        others = (self.deadline, self.where, self.keep, self.risk)
        return (self.answer, *self.points, *(each for each in others if each))

    @property
    def statements(self) -> tuple[Statement, ...]:
        return (*self.shown, *self.not_for)

    @property
    def pins(self) -> tuple[Pin, ...]:
        return tuple(dict.fromkeys(pin for each in self.statements for pin in each.pins))

    @property
    def ref(self) -> ProvisionRef:
        return CARDS, self.id

    @property
    def bearing(self) -> tuple[ProvisionRef, ...]:
        return tuple(dict.fromkeys(pin.ref for pin in self.answer.pins))

    @property
    def words(self) -> int:
        texts = (self.need, *(f"{each.when} {each.text}" for each in self.statements))
        return sum(len(text.split()) for text in texts)


class _WrittenCard(Card):
    phrasings: tuple[Text, ...] = Field(min_length=4)


_P = TypeVar("_P", bound=CardPart)


class _File(CardPart):
    card: tuple[_WrittenCard, ...]


def read_cards(file: Path) -> tuple[Card, ...]:
    return read_part(file, _File).card


def read_part(file: Path, schema: type[_P]) -> _P:
    """Return the content of a file with a table ``card``; ``ConfigurationError`` names card and key."""
    try:
        written = tomllib.loads(file.read_text("utf-8"))
        return schema.model_validate(written)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        named = [each.get("id", "") for each in written.get("card", []) if isinstance(each, dict)]
        number = next((part for part in first["loc"] if isinstance(part, int)), None)
        card = named[number] if number is not None and number < len(named) else ""
        problem = f"{card} {key}: {first['msg']}"
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problem = str(error)
    raise ConfigurationError(translate("guides.card", file=file, problem=problem))


@cache
def packaged_cards() -> Mapping[str, Card]:
    """Return the cards of the package by id; raise ``ConfigurationError`` if two have one id."""
    cards: dict[str, Card] = {}
    for file in sorted(FOLDER.glob("*.toml")):
        for card in read_cards(file):
            if card.id in cards:
                raise ConfigurationError(translate("guides.card_twice", file=file, id=card.id))
            cards[card.id] = card
    return cards


def card_chunk(card: Card) -> Chunk:
    """Return a card as a chunk: its text is searched, its ``details`` are shown."""
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
    return Card.model_validate(chunk.get("details", {})["card"])


_MARKS = {
    "number": re.compile(r"^\W*(\d+(?: (?:bis|ter|quater|quáter))?)\s*\.(?![ºª])", re.MULTILINE),
    "letter": re.compile(r"^\W*([a-zñ])\)", re.MULTILINE),
    "ordinal": re.compile(r"^\W*(\d+)\.?[ºª]", re.MULTILINE),
}
"""Marks of an apartado ("2."), a letter ("a)") and an item of a letter ("1.º") at the beginning of a line."""


def sentence_at(text: str, pin: Pin) -> str:
    """Return the only sentence of a provision (in its part, if ambiguous) with the anchor of a pin, or ""."""
    for within in (text, _part(text, pin.part)):
        lines = [_one_line(sentence) for sentence in sentences(within)]
        joined, anchor = " ".join(lines), _one_line(pin.anchor)
        matches = {_around(lines, match.start(), match.end()) for match in re.finditer(re.escape(anchor), joined)}
        if len(matches) == 1:
            return matches.pop()
    return ""


def _around(lines: Sequence[str], start: int, end: int) -> str:
    begins = accumulate((len(line) + 1 for line in lines), initial=0)
    reached = (line for line, begin in zip(lines, begins, strict=False) if begin < end and start < begin + len(line))
    return " ".join(reached)


def _part(text: str, part: str) -> str:
    """Return the text from the mark of a part to the next mark of its kind."""
    after_letter = False
    for label in part.split(".") if part else ():
        kind = "letter" if not label[0].isdigit() else "ordinal" if after_letter else "number"
        marks = list(_MARKS[kind].finditer(text))
        index = next((n for n, mark in enumerate(marks) if mark[1] == label), None)
        if index is None:
            return ""
        end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
        text, after_letter = text[marks[index].start() : end], kind == "letter"
    return text


def _one_line(text: str) -> str:
    return " ".join(text.split())
