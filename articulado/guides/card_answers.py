"""Use of answer cards: the regimes they suit, their law compared with an index, and their text."""

import asyncio
import json
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from typing import get_args

from articulado.calculations.wordings import IndexedWording, wordings_of
from articulado.calculations.written import cited
from articulado.guides.cards import FOLDER, Card, Pin, Regime, Statement, packaged_cards
from articulado.guides.translations import translated
from articulado.language.folding import fold
from articulado.language.languages import Language
from articulado.language.quantities import quantities
from articulado.language.translation import DEFAULT_LANGUAGE
from articulado.legal.validity import in_force
from articulado.legal.wordings import certainty, tracked_laws
from articulado.values.answers import Days, Suggestion
from articulado.values.chunks import ProvisionRef
from articulado.values.protocols import ChunkStore

WORDINGS = FOLDER / "wordings.json"
GENERAL: Regime = "laboral"
_TERMS = ("day", "week", "month")
MAX_SUGGESTED = 3


@dataclass(frozen=True)
class RegimeWords:
    """Name of a regime by language, and the folded words by which a question names it."""

    names: Mapping[str, str]
    pattern: re.Pattern[str] | None


@cache
def regime_words() -> Mapping[Regime, RegimeWords]:
    written = tomllib.loads(resources.files("articulado.guides").joinpath("regimes.toml").read_text("utf-8"))
    return {regime: _regime_words(written[regime]) for regime in get_args(Regime)}


def _regime_words(written: Mapping[str, object]) -> RegimeWords:
    words = written["words"]
    assert isinstance(words, list)
    alternatives = "|".join(re.escape(fold(str(word))) for word in words)
    pattern = re.compile(rf"\b(?:{alternatives})\b") if words else None
    return RegimeWords({key: str(value) for key, value in written.items() if key != "words"}, pattern)


def regimes_named(question: str) -> frozenset[Regime]:
    """Return the regimes that a question names; most name none."""
    folded = fold(question)
    return frozenset(regime for regime, each in regime_words().items() if each.pattern and each.pattern.search(folded))


def is_for(card: Card, regimes: frozenset[Regime]) -> bool:
    """Tell if a card was checked for a named regime; any card suits a question without one."""
    return not regimes or not regimes.isdisjoint(card.regimes)


def exclusions(card: Card, regimes: frozenset[Regime]) -> list[Statement]:
    """Return the statements of a card on named regimes that it is not for."""
    return [] if is_for(card, regimes) else [each for each in card.not_for if each.regime in regimes]


def deadlines_of(card: Card) -> list[int]:
    """Return the indices in ``card.shown`` of the answer and the deadline; none if they name no term."""
    is_on_term = card.asks == "until_when" or any(found.unit in _TERMS for found in quantities(card.answer.text))
    asked = [card.answer if card.deadline or is_on_term else None, card.deadline]
    return [index for index, each in enumerate(card.shown) if any(each is other for other in asked)]


async def next_questions(
    likely: Sequence[Card],
    chosen: Sequence[Card],
    regimes: frozenset[Regime],
    store: ChunkStore,
    days: Days,
    language: Language,
) -> list[Suggestion]:
    """Return up to three needs of other cards, from the ``likely`` ones (the likeliest first), chosen areas first.

    A card must suit a named regime, else one of the chosen cards, rest on the law of the day, and have the language.
    """
    meant = regimes or {regime for each in chosen for regime in each.regimes}
    areas = {each.id.partition("/")[0] for each in chosen}
    fitting = [each for each in likely if each not in chosen and not meant.isdisjoint(each.regimes)]
    suggested: list[Suggestion] = []
    for card in sorted(fitting, key=lambda each: each.id.partition("/")[0] not in areas):
        spoken = card if language.code == DEFAULT_LANGUAGE else getattr(translated(card, language.code), "card", None)
        if spoken is None or await stale_provisions(card.bearing, store, *days):
            continue
        suggested.append({"question": spoken.need, "card": card.id})
        if len(suggested) == MAX_SUGGESTED:
            break
    return suggested


@cache
def wordings_of_cards() -> Mapping[str, Mapping[str, str]]:
    """Return the hashes of the provisions that the cards rest on, by law and provision key."""
    hashes: Mapping[str, Mapping[str, str]] = json.loads(WORDINGS.read_text("utf-8"))
    return hashes


async def stale_provisions(
    refs: Collection[ProvisionRef], store: ChunkStore, as_of: date | None, today: date
) -> set[ProvisionRef]:
    """Return the provisions whose wording on the day is not that of the cards, or is uncertain for a past day."""
    indexed = await asyncio.gather(*(wordings_of(store, ref) for ref in refs))
    tracked = tracked_laws(each.chunk for wordings in indexed for each in wordings)
    return {
        ref
        for ref, wordings in zip(refs, indexed, strict=True)
        if wordings and not _is_current(ref, wordings, as_of, today, tracked)
    }


async def stale_cards(store: ChunkStore, today: date) -> dict[str, list[ProvisionRef]]:
    """Return the cards pinned to provisions with another wording today, by id."""
    refs = [(law_id, key) for law_id, keys in wordings_of_cards().items() for key in keys]
    stale = await stale_provisions(refs, store, None, today)
    if not stale:
        return {}
    pinned = {card.id: list(dict.fromkeys(pin.ref for pin in card.pins)) for card in packaged_cards().values()}
    return {id: listed for id, each in pinned.items() if (listed := [ref for ref in each if ref in stale])}


def of_day(wordings: Sequence[IndexedWording], as_of: date | None, today: date) -> Sequence[IndexedWording]:
    """Return the wordings in force on a day; all of them if none is in force today."""
    current = [each for each in wordings if in_force(each.chunk, as_of, today)]
    return current or ([] if as_of else wordings)


def _is_current(
    ref: ProvisionRef, wordings: Sequence[IndexedWording], as_of: date | None, today: date, tracked: frozenset[str]
) -> bool:
    law_id, key = ref
    written_against = wordings_of_cards().get(law_id, {}).get(key)
    same = [each for each in of_day(wordings, as_of, today) if each.content_hash == written_against]
    return any(as_of is None or certainty(each.chunk, as_of, tracked) == "sure" for each in same)


def card_text(card: Card, language: Language, said: Sequence[Statement] = (), guide: str = "") -> str:
    """Return a card as text; ``said`` replaces all statements, ``guide`` is the title of its case guide."""
    if said:
        until = language.translate("card_deadline", text=card.deadline.text) if card.deadline else ""
        return "\n".join(_line(until if each == card.deadline else each.text, each) for each in said)
    offered = [language.translate("card_guide", title=guide)] if guide else []
    return "\n".join([*_lines(card, language), *offered])


def _lines(card: Card, language: Language) -> Iterator[str]:
    yield _line(card.answer.text, card.answer)
    for point in card.points:
        yield _line(f"{POINT}{point.when}: {point.text}" if point.when else f"{POINT}{point.text}", point)
    for key, statement in (
        ("card_deadline", card.deadline),
        ("card_where", card.where),
        ("card_keep", card.keep),
        ("card_risk", card.risk),
    ):
        if statement:
            yield _line(language.translate(key, text=statement.text), statement)
    if GENERAL not in card.regimes:
        yield language.translate("card_for", regimes=regime_names(card.regimes, language))
    if card.not_for:
        different = [each.regime for each in card.not_for]
        yield language.translate("card_not_for", regimes=regime_names(different, language))


def regime_names(regimes: Iterable[Regime], language: Language) -> str:
    return ", ".join(regime_words()[regime].names.get(language.code, regime) for regime in dict.fromkeys(regimes))


def _line(text: str, statement: Statement) -> str:
    places = dict.fromkeys(_place(pin) for pin in statement.pins)
    return f"{text} ({'; '.join(places)})"


_NUMBER = re.compile(r"\d+")


def _place(pin: Pin) -> str:
    place = cited(pin.provision)
    label = pin.provision.partition("#")[2]
    number = pin.part.partition(".")[0]
    if not _NUMBER.fullmatch(number) or not label[-1].isdigit():
        return place
    return place.replace(label[1:], f"{label[1:]}.{number}", 1)


POINT = "- "
BEARING = re.compile(r" \(([^()]*(?:\([^()]*\)[^()]*)*)\)$")
