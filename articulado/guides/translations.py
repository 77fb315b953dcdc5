"""Answer cards in English: the texts of a card, statement by statement, with the pins of the Spanish one.

A translation is used only for the Spanish text that it was written against, and if its statements, figures and links
are those of the card. ``corpus/README.md`` explains the fields of ``corpus/fichas/en/<area>.toml``.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from pydantic import Field
from text_to_num import alpha2digit

from articulado.guides.cards import FOLDER, Card, CardPart, Pin, Regime, Statement, Text, read_part
from articulado.language.languages import Language, language
from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError

TRANSLATED = ("en",)
LONGER = 1.3  # Maximum words per word of Spanish


class TranslatedPoint(CardPart):
    """A point: its text, and its situation if the Spanish one has one."""

    text: Text
    when: str = ""


class Translation(CardPart):
    """The texts of a card in another language, in the order of the card.

    ``law`` renders the sentences of the answer's pins, at least the first; it is empty for a repeated or unrendered
    one. ``written_against`` is the digest of the Spanish text, written by a tool.
    """

    id: str
    written_against: str = ""
    need: Text
    answer: Text
    law: tuple[str, ...]
    points: tuple[TranslatedPoint, ...] = ()
    deadline: str = ""
    where: str = ""
    keep: str = ""
    risk: str = ""
    not_for: dict[Regime, Text] = Field(default_factory=dict)

    def of(self, card: Card) -> Card:
        """Return the card with these texts and its own pins; ``ValueError`` names a field with other statements."""
        if len(self.points) != len(card.points):
            raise ValueError(f"points: {len(self.points)}, {len(card.points)} in Spanish")
        if self.not_for.keys() != (regimes := {each.regime for each in card.not_for}):
            raise ValueError(f"not_for: {sorted(self.not_for)}, {sorted(regimes)} in Spanish")
        if not any(self.law[:1]) or len(self.law) > len(card.answer.pins):
            raise ValueError(f"law: 1 to {len(card.answer.pins)} texts, the first not empty")
        for number, (ours, theirs) in enumerate(zip(self.points, card.points, strict=True), start=1):
            if bool(ours.when) != bool(theirs.when):
                raise ValueError(f"points {number}: when")
        fields = {
            "need": self.need,
            "answer": _with_text("answer", card.answer, self.answer),
            "points": tuple(
                theirs.model_copy(update={"text": ours.text, "when": ours.when})
                for ours, theirs in zip(self.points, card.points, strict=True)
            ),
            **{key: _with_text(key, getattr(card, key), getattr(self, key)) for key in _OTHERS},
            "not_for": tuple(each.model_copy(update={"text": self.not_for[each.regime]}) for each in card.not_for),
        }
        return card.model_copy(update=fields)


_OTHERS = ("deadline", "where", "keep", "risk")


def _with_text(key: str, statement: Statement | None, text: str) -> Statement | None:
    if bool(text) != bool(statement):
        raise ValueError(f"{key}: {'not ' if not statement else ''}in Spanish")
    return statement.model_copy(update={"text": text}) if statement else None


class CardInLanguage(NamedTuple):
    """A card in a language, and the rendered sentences of the law by the pins of its answer."""

    card: Card
    law: Mapping[Pin, str]
    language: Language


class _File(CardPart):
    card: tuple[Translation, ...]


def read_translations(file: Path) -> tuple[Translation, ...]:
    return read_part(file, _File).card


@cache
def packaged_translations(code: str) -> Mapping[str, Translation]:
    """Return the translations of the package by card id; raise ``ConfigurationError`` if one is there twice."""
    translations: dict[str, Translation] = {}
    for file in sorted((FOLDER / code).glob("*.toml")) if code in TRANSLATED else ():
        for each in read_translations(file):
            if each.id in translations:
                raise ConfigurationError(translate("guides.card_twice", file=file, id=each.id))
            translations[each.id] = each
    return translations


def translated(card: Card, code: str) -> CardInLanguage | None:
    """Return a card in a language; ``None`` without a translation of its present text."""
    translation = packaged_translations(code).get(card.id)
    if translation is None or translation.written_against != digest_of(card):
        return None
    law = dict(zip(card.answer.pins, translation.law, strict=False))
    return CardInLanguage(translation.of(card), law, language(code))


def digest_of(card: Card) -> str:
    """Return the digest of all translated texts of a card, and of the pins of its answer."""
    texts = [card.need, *(text for each in card.statements for text in (each.when, each.text))]
    pins = [f"{pin.provision}|{pin.part}|{pin.anchor}" for pin in card.answer.pins]
    return blake2b("\n".join([*texts, *pins]).encode(), digest_size=8).hexdigest()


def differences(translation: Translation, card: Card) -> Iterator[str]:
    """Yield the differences in form, figures and links between a translation and its card, with their fields."""
    try:
        ours = translation.of(card)
    except ValueError as error:
        yield str(error)
        return
    if ours.words > LONGER * card.words:
        yield f"{ours.words} words, at most {LONGER * card.words:.0f} wanted"
    pairs = [("need", ours.need, card.need)]
    for one, other in zip(ours.statements, card.statements, strict=True):
        pairs.append((f"“{one.text[:40]}…”", f"{one.when}: {one.text}", f"{other.when}: {other.text}"))
    for field, text, spanish in pairs:
        own_figures, wanted = figures_in(text), figures_in(spanish, "es")
        if own_figures - wanted - _unsaid(_TWO_ES, spanish) or wanted - own_figures - _unsaid(_TWO, text):
            yield f"{field}: figures {_listed(own_figures)}, in Spanish {_listed(wanted)}"
        if _links(text) != _links(spanish):
            yield f"{field}: links {sorted(_links(text))}, in Spanish {sorted(_links(spanish))}"


_LINK = re.compile(r"\b(?:https?://|www\.)?(?:[\w-]+\.)+(?:es|com|org|eu)\b(?:/[\w./?=&#-]*\w)?")
_FIGURE = re.compile(r"(?<![\w.,/])\d+(?:[.,]\d+)*(?!\d)(?!st\b|nd\b|rd\b|th\b|\.?[ºª])")
_BLANK = re.compile("(?<=\\d)[ \u00a0\u2009\u202f](?=\\d{3}(?!\\d))")
_DATE = re.compile(r"(?<!\d)(\d{1,2})([/-])\d{1,2}\2(\d{4})(?!\d)")
_SHARE = re.compile(r"\bpor (?:ciento|cien|100)\b")
_TWO, _TWO_ES = re.compile(r"\b(?:both|twice|pair|couple|double)\b"), re.compile(r"\b(?:amb[oa]s|doble|par)\b")


def figures_in(text: str, code: str = "en") -> frozenset[Decimal]:
    """Return the numbers of a text except 1, in digits or words; ordinals and fractions in words do not count."""
    # The month of a date is a word in one language and may be a figure in the other.
    in_digits = _BLANK.sub("", alpha2digit(_SHARE.sub("%", _DATE.sub(r"\1 \3", text)), code, threshold=2))
    figures = (_value(each[0], ".," if code == "es" else ",.") for each in _FIGURE.finditer(in_digits))
    return frozenset(figures) - {Decimal(1)}


def _value(written: str, marks: str) -> Decimal:
    """Return the value of digits; ``marks`` are those of thousands and of decimals."""
    thousands, decimal = marks[0], marks[1]
    if re.fullmatch(rf"\d{{1,3}}(?:\{thousands}\d{{3}})+(?:\{decimal}\d+)?", written):
        written = written.replace(thousands, "")
    whole, _, rest = written.replace(",", ".").partition(".")
    return Decimal(f"{whole}.{re.sub(r'[.]', '', rest) or 0}").normalize()


def _unsaid(words: re.Pattern[str], text: str) -> frozenset[Decimal]:
    return frozenset((Decimal(2),)) if words.search(text) else frozenset()


def _links(text: str) -> set[str]:
    return {each.removeprefix("https://").removeprefix("www.") for each in _LINK.findall(text)}


def _listed(figures: frozenset[Decimal]) -> str:
    return ", ".join(f"{each:f}" for each in sorted(figures)) or "–"
