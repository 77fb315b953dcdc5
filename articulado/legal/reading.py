"""Reading of a question on Spanish law: provisions, laws, decisions, days, places, values, and its topic."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from itertools import pairwise

from articulado.language.folding import fold
from articulado.language.quantities import DATE, bare_numbers, quantities
from articulado.language.spanish import content_words, stop_words
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import Citation, parse_citations
from articulado.legal.data import read_table
from articulado.legal.dates.finder import Events, days_asked_about, find_date, without_days
from articulado.legal.dates.forms import DateMention, dates_in, relative_dates
from articulado.legal.ids import BOE_ID_TYPED, Decision, boe_id, decisions_in
from articulado.legal.labels import ADJECTIVES, SUFFIXES
from articulado.legal.laws.mentions import LawMention, law_mentions
from articulado.legal.territory.mentions import PlaceMention, place_mentions, place_of
from articulado.legal.territory.table import Place
from articulado.values.answers import MentionType, NamedValue

_YEAR_WORD = re.compile(r"\b(?:anos?|anualidad(?:es)?)\b")
_WHOLE_DAY = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})\b|(?:\d{1,2}|uno|primero) de [a-z]+ del? \d{4}\b")
_HOURS_OF = re.compile(
    r"(?<![\w,.])(?P<part>\d{1,2}(?:,\d+)?)\s*(?:h|horas?)(?:\s(?:semanales|a la semana))?\s"
    r"(?P<of>(?:de|sobre)\s(?:las\s)?)(?P<whole>\d{2}(?:,\d+)?)(?![\w€])"
)
_PAYS_OF = re.compile(r"\S+ (?:pagas?|extras?)(?: (?:extras?|extraordinarias?|iguales|al ano|anuales))* de ")
_MONTHS_A_YEAR, LAST_DAY = 12, 31
_LINKED = re.compile(
    r"\s*(?:,|-|–|/|\b(?:y|o|e|ni|al?|hasta))?\s*(?:\b(?:al?|del?|hasta)\b\s*)?(?:\bel\b\s*)?(?:\bdia\b\s*)?"
)
_SPAN = re.compile(r"\b(?:al?|hasta)\b|[-–]")
_SINCE = re.compile(r"\bdesde(?: el)?(?: dia)? $")
_BETWEEN = 3
FIRST_YEAR, LAST_YEAR = 1950, 2100


@dataclass(frozen=True)
class Mention:
    """A day, amount, count or share named in ``text[start:end]``."""

    type: MentionType
    value: Decimal | date
    start: int
    end: int
    unit: str = ""  # "euro", or of a count: "day", "week", "month", "year", "hour", "#" and a stem for things
    per: str = ""  # reference time: "day", "week", "month", "year"

    def as_value(self) -> NamedValue:
        value = self.value.isoformat() if isinstance(self.value, date) else str(self.value)
        return {**vars(self), "value": value}  # type: ignore[typeddict-item]

    @classmethod
    def of(cls, named: NamedValue) -> "Mention":
        is_day = named["type"] == "date"
        value = date.fromisoformat(named["value"]) if is_day else Decimal(named["value"])
        return cls(named["type"], value, named["start"], named["end"], named["unit"], named["per"])


def mentions(text: str, *, today: date) -> tuple[Mention, ...]:
    """Return the mentions of a text in order; of overlapping ones the longest stays."""
    folded = fold(text)
    candidates = [*_whole_days(folded, today), *_expressions(folded), *_quantities(text, folded), *_bare(text)]
    kept: list[Mention] = []
    for each in sorted(candidates, key=lambda mention: (mention.start, -mention.end)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return tuple(_with_years(_with_months(_with_thousands(kept, folded), folded), folded, today))


def joined_months(named: Sequence[Mention]) -> dict[int, Mention]:
    """Return "2 años y 3 meses" as months, by the index of its months among the mentions."""
    joined: dict[int, Mention] = {}
    for index, (years, months) in enumerate(pairwise(named), start=1):
        follows = (years.unit, months.unit) == ("year", "month") and months.start - years.end <= _BETWEEN
        if follows and isinstance(years.value, Decimal) and isinstance(months.value, Decimal):
            value = years.value * _MONTHS_A_YEAR + months.value
            joined[index] = replace(months, value=value, start=years.start)
    return joined


def _whole_days(folded: str, today: date) -> Iterator[Mention]:
    """Yield days with their year, also those of rulings, and days relative to today ("ayer")."""
    for dated in dates_in(folded, today=today):
        if match := _WHOLE_DAY.search(folded, dated.start, dated.end):
            yield Mention("date", dated.day, match.start(), dated.end)
    for dated in relative_dates(folded, today=today):
        yield Mention("date", dated.day, dated.start, dated.end, "relative")


def _quantities(text: str, folded: str) -> Iterator[Mention]:
    for each in quantities(text):
        if each.unit == DATE:
            yield Mention("date", each.value, each.start, each.end)
        elif each.unit == "percent" and "/" in text[each.start : each.end]:
            continue
        elif each.unit == "percent":
            yield Mention("share", each.value / 100, each.start, each.end)
        elif each.unit == "euro":
            yield Mention("amount", each.value, each.start, each.end, "euro", each.per)
        else:
            if text[each.start : each.end].isdigit() and each.value in range(FIRST_YEAR, LAST_YEAR):
                # A year before a quantity ("desde 2016, treinta horas") has none of its units.
                yield Mention("number", each.value, each.start, each.end)
                continue
            if each.is_count:
                # "63 este mes" counts no things.
                unit = "" if text[each.start : each.end].split()[-1].casefold() in stop_words() else each.unit
                yield Mention("number", each.value, each.start, each.end, unit, each.per)
                continue
            is_years = each.unit == "month" and _YEAR_WORD.search(folded, each.start, each.end)
            value, unit = (each.value / _MONTHS_A_YEAR, "year") if is_years else (each.value, each.unit)
            yield Mention("count", value, each.start, each.end, unit, each.per)


def _bare(text: str) -> Iterator[Mention]:
    for each in bare_numbers(text):
        yield Mention("number", each.value, each.start, each.end, per=each.per)


@cache
def _expressions_table() -> tuple[tuple[re.Pattern[str], MentionType, Decimal, str], ...]:
    return tuple(
        (re.compile(rf"(?<!\w)(?:{row['pattern']})(?!\w)"), row["type"], Decimal(row["value"]), row.get("unit", ""))
        for row in read_table("expressions.toml")["expression"]
    )


def _expressions(folded: str) -> Iterator[Mention]:
    """Yield expressions without a number ("media jornada", "gemelos"), and shares of hours ("20 horas de 40")."""
    for match in _HOURS_OF.finditer(folded):
        part, whole = (Decimal(match[name].replace(",", ".")) for name in ("part", "whole"))
        if 0 < part <= whole:
            yield Mention("share", part / whole, match.start("of"), match.end(), "hour")
    for pattern, kind, value, unit in _expressions_table():
        for match in pattern.finditer(folded):
            yield Mention(kind, value, match.start(), match.end(), unit)


def _with_thousands(named: Sequence[Mention], folded: str) -> list[Mention]:
    """Join "18 mil euros" and "dos pagas de 1.400 €"."""
    joined: list[Mention] = []
    for mention in named:
        before = joined[-1] if joined else None
        between = folded[before.end : mention.start] if before and before.type == "number" else ""
        if before and mention.type == "amount" and _PAYS_OF.fullmatch(f"{folded[before.start : before.end]}{between}"):
            value = Decimal(str(before.value)) * Decimal(str(mention.value))
            joined[-1] = Mention("amount", value, before.start, mention.end, "euro", "year")
            continue
        follows = before and between.isspace()
        values = (before.value, mention.value) if before and follows and folded.startswith("mil", mention.start) else ()
        if before and all(isinstance(value, Decimal) for value in values) and values:
            value = Decimal(str(values[0])) * Decimal(str(values[1]))
            joined[-1] = Mention(mention.type, value, before.start, mention.end, mention.unit, mention.per)
        else:
            joined.append(mention)
    return joined


def _with_months(named: Sequence[Mention], folded: str) -> list[Mention]:
    """Complete the days of a list that share a month ("11 y 24 de septiembre")."""
    complete = list(named)
    for index in range(len(complete) - 2, -1, -1):
        mention, following = complete[index], complete[index + 1]
        between = folded[mention.end : following.start].strip()
        is_listed = following.type == "date" and between in (",", "y", "o")
        is_day = folded[mention.start : mention.end].startswith("dia ") or folded.endswith("dia ", 0, mention.start)
        before = next((each for each in reversed(complete[:index]) if each.type == "date"), None)
        other = (before or following) if is_day else following
        is_day_alone = (mention.type == "number" and is_listed) or (is_day and other.type == "date")
        if is_day_alone and mention.value in range(1, LAST_DAY + 1):
            complete[index] = Mention(
                "date", _day_of_month(other.value, int(str(mention.value))), mention.start, mention.end
            )
    return complete


def _day_of_month(other: Decimal | date, day: int) -> Decimal:
    number = Decimal(f"{other:%Y%m%d}") if isinstance(other, date) else other
    return number // 100 * 100 + day


def _with_years(named: Sequence[Mention], folded: str, today: date) -> Iterator[Mention]:
    """Yield the mentions with each day as a date, without impossible days.

    A day without a year takes that of the nearest one. The year of a hiring or a birth is not that of another event
    ("acabé el 30 de junio, entré el 2 de enero de 2018"): such a day is of this year.
    """
    years = [(mention, year) for mention in named if (year := _year_of(mention))]
    events = Events(folded) if years else None
    for mention in named:
        if mention.type != "date" or isinstance(mention.value, date):
            yield mention
            continue
        number, lender, year = int(mention.value), None, _year_of(mention)
        if not year:
            lender, year = min(years, key=lambda other: abs(other[0].start - mention.start), default=(None, today.year))
        if lender and events and not _is_same_time(mention, lender, folded, events):
            year = today.year
        month_day = number // 100 % 100, number % 100
        if lender and isinstance(lender.value, date) and _is_span(mention, lender, folded):
            # "Del 15 de noviembre al 14 de enero de 2026" begins the year before.
            other = lender.value.month, lender.value.day
            year += month_day < other if lender.start < mention.start else -(month_day > other)
        try:
            day = date(year, *month_day)
        except ValueError:
            continue
        yield Mention("date", day, mention.start, mention.end, mention.unit)


def _is_same_time(mention: Mention, lender: Mention, folded: str, events: Events) -> bool:
    """Tell if a day may have the year of another mention, which is a bare year or joined to it, or no beginning."""
    if lender.type != "date" or _LINKED.fullmatch(_between(mention, lender, folded)):
        return True
    begins = _SINCE.search(folded, 0, lender.start) or events.kind_at(lender.start, lender.end) == "fact"
    return not begins or Events(folded[: mention.end]).kind_at(mention.start, mention.end) == "fact"


def _is_span(mention: Mention, other: Mention, folded: str) -> bool:
    between = _between(mention, other, folded)
    return bool(_LINKED.fullmatch(between) and _SPAN.search(between))


def _between(mention: Mention, other: Mention, folded: str) -> str:
    first, last = sorted((mention, other), key=lambda each: each.start)
    return folded[first.end : last.start]


def _year_of(mention: Mention) -> int:
    if isinstance(mention.value, date):
        return 0 if mention.unit == "relative" else mention.value.year
    if mention.type == "date":
        return int(mention.value) // 10_000
    is_year = mention.type == "number" and not mention.unit and mention.value in range(FIRST_YEAR, LAST_YEAR)
    return int(mention.value) if is_year else 0


MAX_KEPT = 512

_CITING_WORDS = re.compile(
    rf"\b(?:arts?|articulos?|apartados?|letras?|parrafos?|numeros?|num|puntos?|disposicion(?:es)?|{ADJECTIVES}"
    r"|anexos?|preceptos?|norma|texto|contenido|literal(?:mente)?|segun"
    r"|conforme|dicen?|dijo|deci[ar]|regula(?:n|ba|r)?|establec(?:e|en|ia)|dispon(?:e|en|ia)|preve|explica(?:me|r)?"
    r"|siguientes|ss|sigs?|sgtes?|what|does|says?|articles?|of|the"
    rf"|e\.\s?t\.?|[a-z]|\d+(?:\.\d+)*|[ivx]+|{SUFFIXES})\b\.?"
)
_MARKS = " .,;:¿?¡!()\"'«»§"


class LegalReading:
    """A question and the things that it names; ``today`` is the day on which it is asked."""

    def __init__(self, text: str, today: date) -> None:
        self.text = text
        self.today = today

    @cached_property
    def citations(self) -> list[Citation]:
        return parse_citations(self.text)

    @cached_property
    def alone(self) -> list[Citation]:
        """The provisions of a text that is only a number: "34.8"."""
        return [] if self.citations else parse_citations(self.text, CitationContext(alone=True))

    def cited_on(self, day: date | None) -> list[Citation]:
        """Return the provisions; names of laws mean the laws of a day, by default today."""
        return parse_citations(self.text, CitationContext(day=day)) if day else self.citations

    @cached_property
    def laws(self) -> list[LawMention]:
        return law_mentions(self.text)

    @cached_property
    def law(self) -> str:
        """Id of the first law named for certain, else the first id written; empty without any."""
        sure = (mention.law_id for mention in self.laws if mention.law_id and not mention.weak)
        return next(sure, self.identifier)

    @cached_property
    def identifier(self) -> str:
        typed = BOE_ID_TYPED.search(self.text)
        return boe_id(typed[0]) if typed else ""

    @cached_property
    def decisions(self) -> list[Decision]:
        return decisions_in(self.text)

    @cached_property
    def day(self) -> date | None:
        return find_date(self.text, today=self.today)

    @cached_property
    def days(self) -> list[DateMention]:
        return sorted(days_asked_about(self.text, self.today), key=lambda mention: mention.start)

    @cached_property
    def places(self) -> list[PlaceMention]:
        return place_mentions(self.text)

    @cached_property
    def place(self) -> Place | None:
        return place_of(self.places)

    @cached_property
    def values(self) -> tuple[Mention, ...]:
        return mentions(self.text, today=self.today)

    @cached_property
    def without_days(self) -> str:
        return without_days(self.text, today=self.today)

    @cached_property
    def topic(self) -> str:
        """Words beside the provisions, decisions and days; may be empty."""
        plain = self.without_days or self.text
        undated = self if plain == self.text else read(plain, self.today)
        if not (undated.citations or undated.decisions):
            return plain
        kept = [word for word in undated.beside.split() if _CITING_WORDS.sub("", fold(word)).strip(_MARKS)]
        return " ".join(kept) if content_words(" ".join(kept)) else ""

    @cached_property
    def beside(self) -> str:
        """Text with blanks in place of the provisions, decisions and laws."""
        spans = [span for named in self.citations for span in ((named.start, named.end), named.law_span)]
        spans += [(named.start, named.end) for named in self.decisions]
        spans += [(named.start, named.end) for named in self.laws]
        plain = self.text
        for start, end in spans:
            plain = f"{plain[:start]}{' ' * (end - start)}{plain[end:]}"
        for words in (words for citation in self.citations for words in citation.unread):
            plain = plain.replace(words, " ")
        return plain


@lru_cache(MAX_KEPT)
def read(text: str, today: date) -> LegalReading:
    """Return the cached reading of a text on a day."""
    return LegalReading(text, today)
