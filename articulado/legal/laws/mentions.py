"""Laws named in a text by number, name or acronym, and resolution of a single name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

from articulado.language.folding import fold
from articulado.legal.ids import boe_id
from articulado.legal.laws.indexed import NumberedLaw, numbered_laws
from articulado.legal.laws.registry import (
    SHORTENED,
    KnownLaw,
    acronyms,
    known_laws,
    law_in_force_on,
    law_named_on,
    laws_by_name,
    name_key,
    other_names,
    spellings,
)
from articulado.legal.territory.mentions import communities

_ABBREVIATED = frozenset(("rd", "rdl"))


_FOLLOWING = re.compile(r"\.?['’]?[\s,-]+(?:(?:del|de)\s+)?(?:(?:la|el|los|las)\s+)?(\w)")
_UNDOTTED = re.compile(r"[.\s]")


def match_name(folded: str, first: re.Match[str]) -> re.Match[str] | None:
    """Match the longest name that begins with a word found by ``first_words``."""
    word, following = _UNDOTTED.sub("", first[0]), _FOLLOWING.match(folded, first.end())
    word = next((whole for whole, short in SHORTENED.items() if short == word), word)
    return _name_pattern(word, following[1] if following else "").match(folded, first.start())


@cache
def _names_by_first_word() -> dict[str, set[str]]:
    groups: dict[str, set[str]] = {}
    names = [name for law in known_laws().values() for name in law.names]
    for spelling in {spelling for name in (*names, *other_names()) for spelling in spellings(name)}:
        groups.setdefault(spelling.split()[0], set()).add(spelling)
    return groups


@cache  # compiled on demand: hundreds of names begin with "ley"
def _name_pattern(first: str, following: str) -> re.Pattern[str]:
    group = [name for name in _names_by_first_word()[first] if _second_initial(name) in ("", following)]
    names = "|".join(map(_spaced, sorted(group, key=len, reverse=True)))
    return re.compile(f"(?:{names})" + r"(?!\.?\w)" if group else r"(?!)")


def _second_initial(name: str) -> str:
    return next((word[0] for word in name.split()[1:] if word != "de"), "")


def _spaced(name: str) -> str:
    pattern, gap = "", ""
    for word in name.split():
        if word == "de":
            gap = r"(?:[\s,-]+(?:del|de)\s+(?:(?:la|el|los|las)\s+)?|[ -])"
            continue
        pattern += gap + _written(word)
        gap = r"['’]?[\s,-]+(?:(?:la|el|los|las)\s+)?"
    return pattern


def _written(word: str) -> str:
    if word in _ABBREVIATED or word in acronyms():
        return rf"(?:{word}|" + r"\.\s?".join(word) + r"\.?)"
    if len(word) == 1:
        return rf"{word}\.?"
    return rf"(?:{word}|{SHORTENED[word]}\.?)" if word in SHORTENED else re.escape(word)


@cache
def first_words() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w/])(?:"
        + "|".join(_written(first) for first in sorted(_names_by_first_word(), key=len, reverse=True))
        # "LGSS/1994" says which one is meant.
        + r")(?!\w|/(?!(?:19|20)?\d\d\b))"
    )


@cache
def of_community() -> re.Pattern[str]:
    names = "|".join(re.escape(fold(name)) for name in communities())
    return re.compile(rf"\s+(?:del?|de\s+la)\s+(?:comunidad\s+(?:autonoma\s+)?(?:de\s+)?)?(?:{names})\b")


_APPROVED = re.compile(
    r"\s*,?\s*(?:que fue\s+|texto refundido\s+)?aprobad[oa]s?\s+(?:por|mediante)\s+(?:el\s+|la\s+)?(?:citad[oa]\s+)?"
)
_TITLED = re.compile(
    r"\s*,?\s*(?:por\s+(?:el|la)\s+que\s+se\s+(?:aprueba|regula)n?\s+|reguladora?\s+|sobre\s+|para\s+)?"
    r"(?:(?:de la|del|de|el|la)\s+)?(?:texto refundido (?:de la|del|de)\s+)?(?:ley (?:del|de la|de)\s+)?"
)
_REFUNDIDO = re.compile(r"texto refundido (?:de la|del|de)\s+(?:ley (?:del|de la|de)\s+)?$")
# The Community in "Reglamento (CE) n.º 883/2004" is not the Constitution.
_EUROPEAN = re.compile(r"(?:reglamento|directiva|decision)e?s?\s*\($")
# "Real Decreto 488/1998, de 27 de marzo, por el que se desarrolla el artículo 11 del …": the title is of that day.
_ENTITLED = re.compile(r",?\s+por\s+(?:el|la)\s+que\s+se\s+[^.,;:()]*")
_OF_YEAR = re.compile(r"(?:\s+(?:(?:de|para)\s+)?(?:el\s+ano\s+)?(?=\d{4})|/)((?:19|20)?\d\d)\b(?!/)")


_FOREIGN = re.compile(
    r"\s+(?:(?:italian|aleman|portugues|frances|ingles|britanic|belg|suiz|austriac|polac|rumano|chilen|mexican|argentin"
    r"|colombian|peruan|uruguay|paraguay|venezolan|brasilen|american|estadounidense|griego|sueco|noruego|danes)[oae]?s?"
    r"|de\s+(?:italia|alemania|portugal|francia|inglaterra|belgica|suiza|chile|mexico|argentina|colombia|peru|brasil|andorra))\b"
)
"""Words that make a name that of a foreign law: "Estatuto de los Trabajadores italiano"."""


@dataclass(frozen=True)
class LawMention:
    """A law named in ``text[start:end]``."""

    start: int
    end: int
    law_id: str | None  # ``None`` if the registry does not know it
    weak: bool = False  # also a common word ("et", "constitución"); counts only next to a citation
    current_id: str | None = None  # law of the articles today: a successor with the same numbers, or itself


def current_law(law: KnownLaw) -> KnownLaw:
    """Return the law in which the articles are read today: itself, or a successor that kept the numbers."""
    successor = known_laws().get(law.superseded_by or "") if law.same_numbers else None
    return current_law(successor) if successor else law


def _mention(start: int, end: int, law: KnownLaw | None, current: KnownLaw | None, *, weak: bool = False) -> LawMention:
    return LawMention(start, end, law.id if law else None, weak, current_law(current).id if current else None)


def _mentions_by_name(
    text: str, folded: str, numbered: list[NumberedLaw], day: date | None, *, literal: bool
) -> Iterator[LawMention]:
    position, laws = 0, laws_by_name()
    while first := first_words().search(folded, position):
        position = first.end()
        match = match_name(folded, first)
        if match is None:
            continue
        position = match.end()
        if _EUROPEAN.search(folded, max(0, match.start() - 20), match.start()):
            continue
        law = current = laws.get(name_key(match[0]))
        if literal and law is None:
            continue
        written = text[match.start() : match.end()]
        is_of_community = law is not None and not law.general and of_community().match(folded, position)
        if not literal and (is_of_community or _FOREIGN.match(folded, position)):
            law = current = None
        elif law is not None and (year := _OF_YEAR.match(folded, position)) and law.number:
            position = year.end()
            family = {law.id: law} | {old.id: old for old in known_laws().values() if old.superseded_by == law.id}
            law = current = next(
                (version for version in family.values() if version.number.rpartition("/")[2].endswith(year[1])), None
            )
        elif law is not None:
            written_on = _title_day(folded, match.start(), numbered) or _latest_day(
                folded, match.start(), numbered, day
            )
            current = law_in_force_on(law, written_on)
            law = law_named_on(law, written_on) if literal else current
        weak = (len(name_key(match[0])) <= 3 and not written.isupper()) or (
            match[0] == "constitucion" and not written[0].isupper()
        )
        refundido = _REFUNDIDO.search(folded, max(0, match.start() - 60), match.start())
        yield _mention(refundido.start() if refundido else match.start(), position, law, current, weak=weak)


def _title_day(folded: str, position: int, numbered: list[NumberedLaw]) -> date | None:
    titled = next((law for law in reversed(numbered) if law.end <= position), None)
    return titled.day if titled and _ENTITLED.fullmatch(folded, titled.end, position) else None


def _latest_day(folded: str, position: int, numbered: list[NumberedLaw], day: date | None) -> date | None:
    """Return the day of the text, or of the newest law in its paragraph, since no text names a future law."""
    if day is None:
        return None
    start, end = folded.rfind("  ", 0, position), folded.find("  ", position)
    inside = (law for law in numbered if start <= law.start and (end < 0 or law.end <= end))
    return max([day, *(law.published for law in inside if law.published)])


def law_mentions(text: str, day: date | None = None, *, literal: bool = False) -> list[LawMention]:
    """Find all laws named in a text, in order, without overlap.

    A number prevails over a name beside it: "Ley 8/1980, del Estatuto de los Trabajadores". A name without a year means
    the law of ``day`` (today by default), or its successor with the same numbers unless ``literal``.
    """
    return mentions_in(text, fold(text), day, literal=literal)


def mentions_in(text: str, folded: str, day: date | None, *, literal: bool) -> list[LawMention]:
    """Find the laws named in a text; see ``law_mentions``."""
    numbered = list(numbered_laws(folded))
    by_number = [_mention(law.start, law.end, law.law, law.law) for law in numbered]
    numbers = {(mention.start, mention.end) for mention in by_number}
    mentions = [*by_number, *_mentions_by_name(text, folded, numbered, day, literal=literal)]
    merged: list[LawMention] = []
    for mention in sorted(mentions, key=lambda mention: (mention.start, -mention.end)):
        last = merged[-1] if merged else None
        if last is not None and mention.start < last.end:
            continue
        if last is not None:
            gap = folded[last.end : mention.start]
            is_number = (mention.start, mention.end) in numbers
            if is_number and _APPROVED.fullmatch(gap):
                merged[-1] = replace(mention, start=last.start)
                continue
            if not is_number and (last.start, last.end) in numbers and gap and _TITLED.fullmatch(gap):
                merged[-1] = replace(last, end=mention.end)
                numbers.add((last.start, mention.end))
                continue
        merged.append(mention)
    return merged


def find_law(name: str) -> KnownLaw | None:
    """Find a law by identifier, acronym, number, alias or part of its title; ``None`` if unknown or ambiguous.

    Case, accents and articles do not matter. A name without a year means the law in force.

    >>> [law.id for law in map(find_law, ("ET", "Estatuto de los Trabajadores", "Ley 31/1995")) if law]
    ['BOE-A-2015-11430', 'BOE-A-2015-11430', 'BOE-A-1995-24292']
    """
    if law := known_laws().get(boe_id(name.strip())):
        return law
    key = name_key(name)
    if key in laws_by_name():
        return laws_by_name()[key]
    mentions = law_mentions(name)
    if mentions:
        return known_laws().get(mentions[0].law_id or "")
    if len(key.split()) < 3:
        return None
    titled = [law for law in known_laws().values() if key in name_key(law.title)]
    current = [law for law in titled if law.superseded_by is None]
    return current[0] if len(current) == 1 else None


_NAME_OF_LAW = re.compile(
    r"(?P<noun>(?:[ivx]+\s+)?(?:ley(?:es)?|reglamentos?|real(?:es)?|decretos?|orden(?:es)?|directivas?|codigo|convenios?"
    r"|convencion|tratado|constitucion|estatutos?|ordenanzas?|pliego|texto|carta|acuerdos?|decision|resolucion|pacto|normas?|protocolo"
    r"|instrumento|normativa|instruccion|circular|declaracion|concordato|cc|lec|lopj|lgt|rd|lo|rdl|rdley|rdleg|lcsp|cp"
    r"|lrjsp|tfue|tue)\b(?:\s+\((?:ue|cee?)\))?)(?:\s+n\.?\s?[ºo]\.?(?=\s+\d))?"
    r"(?:\s+(?!(?:que|si|sobre|cuando|como|dice|se|me|es|esta|tiene|y|o|respecto|segun|en|para|por|con|a)\b)[\w/-]+){,9}"
)


def name_of_law(folded: str, position: int) -> re.Match[str] | None:
    """Match the possible name of any law: its kind (group ``noun``) and the words up to a mark or a verb."""
    return _NAME_OF_LAW.match(folded, position)
