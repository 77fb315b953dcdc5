"""Laws of an index by number and title, including laws that the registry does not know."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from typing import NamedTuple

from articulado.language.folding import fold
from articulado.language.formats import MONTHS, month_number
from articulado.language.spanish import content_words
from articulado.legal.laws.registry import KnownLaw, laws_by_number

_OTHER_SPELLINGS = {
    # "RDL" is written for both of these.
    "real_decreto_legislativo": (
        "decreto legislativo|rdecretolegislativo|realdecretoleg|rdlegislativo|rdlvo|rdleg|rdlg|rdl"
    ),
    "real_decreto_ley": "decreto ley|rdecretoley|rdley|rdl",
    # People leave "real" out; no decree without it has been issued by the state since 1975.
    "real_decreto": "decreto|rdecreto|rd",
    "ley_organica": "lo",
    "ley": "l",
    # Those of Navarra and the Basque provinces have series of their own.
    "ley_foral": "lf",
}
_WITHOUT_OTHERS = (
    "decreto_foral_legislativo", "decreto_ley_foral", "decreto_foral", "norma_foral", "orden_foral", "circular",
    "instruccion", "orden",
)  # fmt: skip
_KINDS: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
for _kind in (*_OTHER_SPELLINGS, *_WITHOUT_OTHERS):
    for _spelling in filter(None, (_kind.replace("_", " "), *_OTHER_SPELLINGS.get(_kind, "").split("|"))):
        _KINDS[_spelling] += (_kind,)
_OF = re.compile(r"\s+del?\s+")
_NUMBERED = re.compile(
    r"\b(?P<kind>real[ -]decreto[ -](?:legislativo|ley)|real decreto leg\.?|r\.\s?decreto(?:[ -](?:legislativo|ley))?"
    r"|real decreto|ley organica|decreto[ -]ley foral|(?:ley|decreto|norma|orden) foral(?: legislativo)?|ley"
    r"|decreto[ -](?:legislativo|ley)|decreto|circular|instruccion|orden(?: ministerial)?"
    r"|r\.?d\.?[ -]?(?:leg(?:islativo)?|lvo)\.?|r\.?d\.?l\.?g\.?|r\.?d\.?[ -]?ley|r\.?d\.?-?l\.?|r\.?d\.?"
    r"|l\.?[of]\.?|l\.|l(?=\s))\s*(?:(?:n\.?[ºo]|num\.?|numero)\s*)?"
    r"(?P<number>(?:[a-z]{2,4}/)?\d{1,4}(?:/|\s+del?\s+(?=(?:19|20)\d\d\b))(?:19|20)?\d\d)(?![\d/])"
    rf"(?:(?:,?\s+|\s*(?P<open>\())(?P<of>del?\s+)?(?P<day>\d{{1,2}})"
    rf"(?:(?:\.?º)?\s+(?:de\s+)?(?P<month>{MONTHS})(?:\s+del?\s+\d{{4}})?"
    # "Ley 39/2015, 30.2" names an article.
    r"|(?P<mark>/|(?(of)[.-]|(?(open)[.-]|(?!))))(?P<figure>\d{1,2})(?:(?P=mark)(?:\d{4}|\d\d))?(?![\d/]))(?(open)\)))?"
)


class NumberedLaw(NamedTuple):
    """A law named by number in ``text[start:end]``."""

    start: int
    end: int
    law: KnownLaw | None  # ``None`` if the registry does not know it
    day: date | None
    kinds: tuple[str, ...]  # possible kinds, the likeliest first
    number: str  # with the whole year ("37/2003"), folded

    @property
    def published(self) -> date | None:
        return self.law.published if self.law else self.day


def numbered_laws(folded: str) -> Iterator[NumberedLaw]:
    """Find the laws named by number in a folded text, in order."""
    for match in _NUMBERED.finditer(folded):
        written = _OF.sub("/", match["number"])
        year, kinds = _year(written), _kinds(match["kind"])
        number = f"{written.rpartition('/')[0]}/{year}"
        day = _day(match, year)
        registered = (laws_by_number().get((kind, number)) for kind in kinds)
        law = next((law for law in registered if law and day in (None, _day_of(law) or day)), None)
        yield NumberedLaw(match.start(), match.end(), law, day, kinds, number)


@cache
def _day_of(law: KnownLaw) -> date | None:
    match = _NUMBERED.match(fold(law.title))
    return _day(match, _year(_OF.sub("/", match["number"]))) if match else None


def _year(number: str) -> str:
    year = number.rpartition("/")[2]
    return year if len(year) == 4 else ("19" if int(year) > 40 else "20") + year


def _kinds(written: str) -> tuple[str, ...]:
    kind = re.sub(r"[ -]+", " ", written).removesuffix(" ministerial")
    return _KINDS.get(kind if kind in _KINDS else re.sub(r"[^a-z]", "", kind), ())


def _day(match: re.Match[str], year: str) -> date | None:
    if not match["day"]:
        return None
    try:
        month = int(match["figure"]) if match["figure"] else month_number(match["month"])
        return date(int(year), month, int(match["day"]))
    except ValueError:
        return None


MIN_NAME = 2  # Minimum content words of a name: "la ley" names none, "la ley del ruido" does

MIN_SHARE = 2 / 3  # Minimum share of the content words of a title in its name

_DATED = re.compile(
    rf"(?P<kind>[a-z]+)\s+de\s+(?P<day>\d{{1,2}})\s+de\s+(?P<month>{MONTHS})\s+(?:de\s+)?(?P<year>\d{{4}})\b"
)
"""A norm without a number goes by its day: "Resolución de 3 de mayo de 2019"."""

_APPROVING = re.compile(r".*\bpor (?:el|la) que se aprueban? (?:el|la|los|las)\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Title:
    """A law of the index by number, by kind and day (``dated``), and by the content words of its title."""

    law_id: str
    number: NumberedLaw | None
    dated: tuple[str, ...]
    words: frozenset[str]

    @property
    def year(self) -> str:
        return self.number.number.rpartition("/")[2] if self.number else ""


class IndexedLaws:
    """Laws of an index by the number or the words of their titles, which ``titles`` returns at first use."""

    def __init__(self, titles: Callable[[], Mapping[str, str]]) -> None:
        self._read_titles = titles

    def law_cited(self, text: str, position: int) -> str | None:
        """Return the law of the index that owns the citation before a position, or ``None``.

        A number unknown to the registry prevails over a name: the next one, else the last one before the position.
        """
        folded = fold(text)
        unknown = [law for law in numbered_laws(folded) if law.law is None]
        if not unknown:
            return self._by_day(folded, position, text) or self._by_name(text[position:])
        return self._by_number(next((law for law in unknown if law.start >= position), unknown[-1]), text)

    @cached_property
    def _titles(self) -> list[_Title]:
        titles = []
        for law_id, title in self._read_titles().items():
            number = next(numbered_laws(fold(title)), None)
            own = number if number and number.start == 0 else None
            approving = _APPROVING.match(title)
            name = title[approving.end() :] if approving else f"{title.split()[0]} {title[own.end :]}" if own else title
            words = content_words(name)
            dated = _DATED.match(fold(title).removeprefix("real "))
            titles.append(_Title(law_id, own, dated.groups() if dated else (), frozenset(words)))
        return titles

    @cached_property
    def _numbered(self) -> Mapping[tuple[str, str], list[tuple[_Title, NumberedLaw]]]:
        numbered = defaultdict(list)
        for title in self._titles:
            if title.number:
                for kind in title.number.kinds:
                    numbered[kind, title.number.number].append((title, title.number))
        return numbered

    @cached_property
    def _dated(self) -> Mapping[tuple[str, ...], list[_Title]]:
        dated = defaultdict(list)
        for title in self._titles:
            if title.dated:
                dated[title.dated].append(title)
        return dated

    def _by_day(self, folded: str, position: int, text: str) -> str | None:
        named = _DATED.search(folded, position)
        return _said_most(self._dated.get(named.groups(), []), text) if named else None

    def _by_number(self, named: NumberedLaw, text: str) -> str | None:
        """Return the law of a number, by its day or by its title: communities number theirs as the state does."""
        for kind in named.kinds:
            titles = self._numbered.get((kind, named.number), [])
            if of_day := [title for title, number in titles if named.day is None or number.day in (None, named.day)]:
                return _said_most(of_day, text)
        return None

    def _by_name(self, text: str) -> str | None:
        """Return the law whose name shares most words with the beginning of a text, the latest of one name."""
        titles, said = self._titles, 0
        for word in content_words(text):
            having = [title for title in titles if word in title.words]
            if not having:
                break
            titles, said = having, said + 1
        if said < MIN_NAME:
            return None
        shortest = min(len(title.words) for title in titles)
        best = [title for title in titles if len(title.words) == shortest]
        if len({title.words for title in best}) > 1 or said < MIN_SHARE * shortest:
            return None
        return max(best, key=lambda title: title.year).law_id


def _said_most(titles: Sequence[_Title], text: str) -> str | None:
    said = frozenset(content_words(text))
    best_count = max((len(said & title.words) for title in titles), default=0)
    best = [title for title in titles if len(said & title.words) == best_count]
    return best[0].law_id if len(best) == 1 else None


NO_LAWS = IndexedLaws(dict)
