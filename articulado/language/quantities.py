"""Quantities of a text in canonical form: amounts, shares, durations, counts, dates.

"Treinta días" and "treinta (30) días" are equal, as are "un año" and "doce meses", "50 %" and "la mitad". A month is
not thirty days: the law counts them apart. Patterns: ``data/quantities_es.toml``.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

from articulado.language.folding import fold
from articulado.language.formats import MONTHS, parse_day
from articulado.language.numerals import read_number, read_words
from articulado.language.spanish import stem_word
from articulado.language.table_text import is_row

DATE = "date"  # Unit of a calendar day; its value is YYYYMMDD, or MMDD without a year

_MONTHS = tuple(MONTHS.split("|"))
_DATE = re.compile(
    rf"(?<![\d/.])(?:(?:1\.?[ºo]|primero|uno|\d{{1,2}})\sde\s(?:{MONTHS})(?:\s(?:de|del)\s(?:ano\s)?\d{{4}})?"
    r"|\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|\d{4}-\d{2}-\d{2})(?![\d/])"
)
_NUMERIC_DATE = re.compile(r"\d[/.-]\d")
_ORDINAL_BEFORE = re.compile(
    r"(?P<digits>\d{1,3})\.?\s?[ºª]\s|(?<![a-z])(?P<word>[a-z]{5,}+)\s(?=dia|mes|ano|semana|hora)"
)
_ARTICLE = re.compile(r"una?\s(?=\d)")
_LIST_MARK = re.compile(
    r"(?m)^[ \t]*(?:[-*•][ \t]*)?(?:\*\*)?(?:\d{1,2}(?: (?:bis|ter|qu[aá]ter))?[.)](?=[ºª\s*])"
    r"|(?:Uno|Dos|Tres|Cuatro|Cinco|Seis|Siete|Ocho|Nueve|Diez|Once|Doce)\.(?=[\s–-]))"
)
_NOUN = re.compile(r"\s(?P<noun>[a-zñ]{4,})")
LARGEST = 10**12  # Larger numbers are rows of digits
_SOUGHT_WORDS = ("age", "day_number", "half_of", "one_and_half")
_FEW = 3  # Maximum of a count in passing ("dos casos"), which needs a unit to be a quantity


@dataclass(frozen=True)
class Quantity:
    """A quantity in ``text[start:end]`` in a canonical unit."""

    value: Decimal
    unit: str  # "#" and the stem of the noun for a count of things
    kind: str  # of days: ``natural``, ``working`` or empty
    start: int
    end: int
    per: str = ""  # reference time ("80 horas al año"): ``day``, ``week``, ``month``, ``year`` or empty
    per_end: int = 0

    @property
    def is_count(self) -> bool:
        return self.unit.startswith("#")


@dataclass(frozen=True)
class _Unit:
    name: str
    times: int
    pattern: re.Pattern[str]


@dataclass(frozen=True)
class _Sought:
    """A pattern searched only in texts with one of its ``signs``, which takes a tenth of the time."""

    pattern: re.Pattern[str]
    signs: Sequence[str]

    def all_in(self, folded: str) -> list[re.Match[str]]:
        return list(self.pattern.finditer(folded)) if any(sign in folded for sign in self.signs) else []


_SLASHED = _Sought(re.compile(r"(?<![\d/.,])(?P<above>\d{1,2})/(?P<below>\d{1,3})(?![\d/]|,\d)"), ("/",))


@dataclass(frozen=True)
class _Notation:
    units: tuple[_Unit, ...]
    kinds: dict[str, re.Pattern[str]]
    half: _Sought
    parts: tuple[tuple[int, re.Pattern[str]], ...]
    multiples: tuple[tuple[int, _Sought], ...]
    sought: dict[str, _Sought]
    words: dict[str, re.Pattern[str]]


@cache
def _notation(code: str = "es") -> _Notation:
    file = resources.files("articulado.language.data").joinpath(f"quantities_{code}.toml")
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    between = data["words"]["between"]
    units = tuple(
        _Unit(unit["name"], unit.get("times", 1), re.compile(rf"{between}{unit['pattern']}")) for unit in data["unit"]
    )
    signs: dict[str, list[str]] = data["signs"]
    words = {name: re.compile(pattern, re.MULTILINE) for name, pattern in data["words"].items() if name != "between"}
    return _Notation(
        units,
        {name: re.compile(pattern) for name, pattern in data["kinds"].items()},
        _Sought(re.compile(data["parts"]["half"]), signs["half"]),
        tuple((int(n), re.compile(rf"\s(?:{p})\b")) for n, p in data["parts"]["denominators"].items()),
        tuple((int(n), _Sought(re.compile(p), signs[n])) for n, p in data["multiples"].items()),
        {name: _Sought(words.pop(name), signs[name]) for name in _SOUGHT_WORDS},
        words,
    )


@lru_cache(maxsize=4096)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text in order, without numbers of provisions, norms and lists.

    >>> [(str(q.value), q.unit, q.kind) for q in quantities("1. Son treinta y tres días hábiles y el 50 por 100.")]
    [('33', 'day', 'working'), ('50', 'percent', '')]
    """
    return tuple(sorted(_Reader(text).read(), key=lambda quantity: (quantity.start, -quantity.end)))


@lru_cache(maxsize=256)
def _without_references(text: str) -> str:
    """Fold a text and blank the names of norms and provisions, markers and list marks."""
    unmarked = _LIST_MARK.sub(lambda match: " " * len(match[0]), text)
    return _notation().words["reference"].sub(lambda match: " " * len(match[0]), fold(unmarked))


class _Reader:
    """Reads one text, and blanks each quantity, so that no number is read twice."""

    def __init__(self, text: str) -> None:
        self._notation = _notation()
        self._folded = _without_references(text)

    def read(self) -> Iterator[Quantity]:
        yield from self._dates()
        yield from self._of_words()
        yield from self._counted()

    def _blank(self, start: int, end: int) -> None:
        self._folded = self._folded[:start] + "\0" * (end - start) + self._folded[end:]

    def _dates(self) -> Iterator[Quantity]:
        if not (_NUMERIC_DATE.search(self._folded) or any(month in self._folded for month in _MONTHS)):
            return
        for match in list(_DATE.finditer(self._folded)):
            written = re.sub(r"^(?:1\.?[ºo]|primero|uno)\s", "1 ", match[0]).replace("del", "de").replace("ano ", "")
            day = parse_day(written) or parse_day(f"{written} de 2000")
            if day is None:
                continue
            has_year = re.search(r"\d{4}", written) is not None
            value = day.year * 10_000 + day.month * 100 + day.day if has_year else day.month * 100 + day.day
            self._blank(match.start(), match.end())
            yield Quantity(Decimal(value), DATE, "", match.start(), match.end())

    def _of_words(self) -> Iterator[Quantity]:
        """Read quantities without a number beside the unit: halves, doubles, fractions, ages, numbers of days."""
        words, sought = self._notation.words, self._notation.sought
        for match in sought["age"].all_in(self._folded):
            yield self._taken(Decimal(12 * int(match["age"])), "month", match.start("age"), match.end("age"))
        for match in sought["day_number"].all_in(self._folded):
            yield self._taken(Decimal(int(match["number"])), "day", match.start(), match.end())
        for match in _SLASHED.all_in(self._folded):
            if 0 < int(match["above"]) < int(match["below"]):
                yield self._taken(_share(int(match["above"]), int(match["below"])), "percent", *match.span())
        for match in self._notation.half.all_in(self._folded):
            yield self._taken(Decimal(50), "percent", *match.span())
        for value, pattern in self._notation.multiples:
            for match in pattern.all_in(self._folded):
                yield self._taken(Decimal(value), "times", *match.span())
        for match in sought["half_of"].all_in(self._folded):
            if unit := self._unit_at(match.end()):
                name, times, end = unit
                yield self._taken(Decimal(times) / 2, name, match.start(), end)
        for match in sought["one_and_half"].all_in(self._folded):
            if unit := self._unit_at(match.end()):
                half = words["and_half"].match(self._folded, unit[2])
                if half:
                    yield self._taken(Decimal("1.5") * unit[1], unit[0], match.start(), half.end())
        for match in list(_ORDINAL_BEFORE.finditer(self._folded)):
            value = int(match["digits"]) if match["digits"] else self._ordinal(match["word"])
            unit = self._unit_at(match.end() - 1) if value else None
            if value and unit and unit[0] in ("day", "week", "month", "hour"):
                yield self._taken(Decimal(value * unit[1]), unit[0], match.start(), unit[2])

    def _ordinal(self, word: str) -> int:
        # The first of something is said of any: "el primer año" measures nothing.
        apocope = {"tercer": "tercero"}.get(word, word)
        read = read_words(apocope) if apocope[-1] in "oa" and read_number(word) is None else None
        return read[0] if read and read[1] == len(apocope) and read[0] > 1 else 0

    def _counted(self) -> Iterator[Quantity]:
        position, waiting = 0, list[tuple[int, int, Decimal]]()
        while number := read_number(self._folded, position):
            start, end, value = number
            position = end
            if value > LARGEST or _ARTICLE.match(self._folded, start):
                continue  # "De un 20 a un 50 por ciento" counts no "un".
            if self._notation.words["vague"].match(self._folded, start):
                waiting = []
                continue
            if waiting and not self._notation.words["joins"].fullmatch(self._folded, waiting[-1][1], start):
                waiting = []
            part = self._part(end, value)
            if part:
                yield Quantity(_share(int(value), part[0]), "percent", "", start, part[1])
                waiting, position = [], part[1]
                continue
            unit = self._unit_at(end)
            if unit is None:
                if noun := self._noun(start, end, value):
                    yield noun
                waiting.append((start, end, value))
                continue
            name, times, after = unit
            kind, after = self._kind(after) if name == "day" else ("", after)
            half = self._notation.words["and_half"].match(self._folded, after)
            if half:
                value, after = value + Decimal("0.5"), half.end()
            for other_start, other_end, other in waiting:
                yield Quantity(other * times, name, kind, other_start, other_end)
            yield Quantity(value * times, name, kind, start, after, *_per(self._folded, after))
            waiting, position = [], after

    def _unit_at(self, end: int) -> tuple[str, int, int] | None:
        for unit in self._notation.units:
            if match := unit.pattern.match(self._folded, end):
                return unit.name, unit.times, match.end()
        return None

    def _kind(self, end: int) -> tuple[str, int]:
        for name, pattern in self._notation.kinds.items():
            if match := pattern.match(self._folded, end):
                return name, match.end()
        return "", end

    def _part(self, end: int, value: Decimal) -> tuple[int, int] | None:
        for denominator, pattern in self._notation.parts:
            if value < denominator and value == int(value) and (match := pattern.match(self._folded, end)):
                return denominator, match.end()
        return None

    def _noun(self, start: int, end: int, value: Decimal) -> Quantity | None:
        noun = _NOUN.match(self._folded, end)
        if noun is None or (value <= _FEW and not self._folded[start].isdigit()):
            return None
        return Quantity(value, f"#{stem_word(noun['noun'])}", "", start, noun.end())

    def _taken(self, value: Decimal, unit: str, start: int, end: int) -> Quantity:
        self._blank(start, end)
        return Quantity(value, unit, "", start, end)


class BareNumber(NamedTuple):
    """A number in ``text[start:end]`` without a unit; ``row`` is its line in a table."""

    value: Decimal
    per: str
    row: int | None
    start: int
    end: int


@lru_cache(maxsize=4096)
def bare_numbers(text: str) -> frozenset[BareNumber]:
    """Return the numbers of a text without a unit: cells of tables, "ochenta al año", "tres"."""
    folded, numbers, position = _without_references(text), set[BareNumber](), 0
    taken = [(quantity.start, quantity.end) for quantity in quantities(text) if not quantity.is_count]
    lines = text.split("\n")
    line, line_end = 0, len(lines[0])
    while number := read_number(folded, position):
        start, position, value = number
        while start > line_end:
            line += 1
            line_end += len(lines[line]) + 1
        if value <= LARGEST and not any(begin <= start < end for begin, end in taken):
            row = line if is_row(lines[line]) else None
            numbers.add(BareNumber(value, _per(folded, position)[0], row, start, position))
    return frozenset(numbers)


@lru_cache(maxsize=4096)
def kinds_of_days(text: str) -> frozenset[str]:
    """Return the kinds of days in a text, with or without a number ("los días serán hábiles")."""
    folded = fold(text)
    return frozenset(kind for kind, pattern in _notation().kinds.items() if pattern.search(folded))


def _per(folded: str, end: int) -> tuple[str, int]:
    """Return the reference time right behind a quantity, and its end."""
    match = _notation().words["per"].match(folded, end)
    if match is None:
        return "", 0
    return next(name.rstrip("_") for name, found in match.groupdict().items() if found), match.end()


def _share(above: int, below: int) -> Decimal:
    """Return a fraction in hundredths, to two decimals: 2/3 is 66.67."""
    return (Decimal(100 * above) / below).quantize(Decimal("0.01"))
