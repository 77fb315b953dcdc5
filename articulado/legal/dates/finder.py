"""Finder of the day whose law a question asks for: "en 2019", "me echaron el 3/3/22", "antes de la reforma".

Dismissals, accidents, sick leaves and pensions follow the law of their day (``data/events.toml``). Births, hirings and
signatures are facts of the case: today's law applies.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from articulado.language.folding import fold
from articulado.language.formats import MONTHS
from articulado.legal.data import read_table
from articulado.legal.dates.forms import DateMention, amounts_of_a_year, dates_in, relative_dates

EventKind = Literal["decides", "fact"]

# "Contratos temporales anteriores a", "una deuda de antes de": the thing is older.
_OLDER = r"contratos?(?:\s+\w+){0,2}?(?=\s+(?:anterior|previ))|(?:de|desde)(?=\s+antes\s)"
_LASTING = re.compile(r"(?<!\w)(?:de\s+baja|(?:en\s+)?ertes?)(?:\s+\w+){0,3}\s*$")
_STEP = re.compile(r"\w+|[^\w\s]")

_COSTS = {",": 3, "y": 6, "e": 6, "pero": 6, "aunque": 6, "(": 3, ")": 3, ":": 3, "'": 0, "¿": 2}
"""Distance, in words, added by a sign between an event and a date."""
_NUMBER_COST = 8
_NO_FURTHER = frozenset(".;?!")
MAX_DISTANCE, CLOSE_DISTANCE = 12, 4  # words between date and event; CLOSE if neither counts without the other


class EventWords(BaseModel):
    """The table ``articulado/legal/data/events.toml``; its header explains the fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    decides: tuple[str, ...] = Field(min_length=1)
    facts: tuple[str, ...] = Field(min_length=1)
    neither: tuple[str, ...]
    asked: tuple[str, ...] = Field(min_length=1)
    then: tuple[str, ...] = ()
    force: tuple[str, ...] = ()
    now: tuple[str, ...]

    def kinds(self) -> dict[str, EventKind | None]:
        """Return the kind of each folded phrase; raise ``ValueError`` for a phrase of two kinds."""
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
    """Read the table of the package, or a TOML text; raise ``ValueError`` if it breaks its schema."""
    words = EventWords.model_validate(read_table("events.toml", source))
    words.kinds()
    return words


def _written(phrase: str) -> str:
    return re.escape(phrase).replace(r"\ ", r"\s+").replace(r"\*", r"\w*")


@cache
def _asking() -> tuple[re.Pattern[str], ...]:
    table = load_events()
    lists = (table.asked, table.now, table.then)
    written = ("|".join(_written(fold(phrase)) for phrase in phrases) for phrases in lists)
    return tuple(re.compile(rf"(?<!\w)(?:{phrases})(?!\w)") for phrases in written)


def speaks_of_force_alone(words: Iterable[str]) -> bool:
    """Tell if folded words only ask if a law is in force ("sigue", "vigente")."""
    given = list(words)
    return bool(given) and all(_force_words().fullmatch(word) for word in given)


@cache
def _force_words() -> re.Pattern[str]:
    return re.compile("|".join(_written(fold(phrase)) for phrase in load_events().force))


@cache
def _event_phrases() -> re.Pattern[str]:
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
    """The events named in a folded text."""

    def __init__(self, folded: str) -> None:
        self._text = folded
        phrases = [(match.span(), match.lastgroup) for match in _event_phrases().finditer(folded)]
        self._spans = [span for span, group in phrases if group]
        self._kinds: list[EventKind] = [
            "fact" if group.startswith("fact") else "decides" for _, group in phrases if group
        ]
        self._starts = [start for start, _ in self._spans]

    def kind_at(self, start: int, end: int, *, within: int = MAX_DISTANCE) -> EventKind | None:
        """Return the kind of the event nearest to the date ``text[start:end]``, at most ``within`` words away."""
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
        """Tell if the text asks for past law: "¿qué contratos había?", "¿qué decía el artículo 15?"."""
        return _asking()[0].search(self._text) is not None

    @property
    def asks_for_then(self) -> bool:
        """Tell if the text asks for the law of its day: "¿cuánto daban entonces?"."""
        return _asking()[2].search(self._text) is not None

    @property
    def asks_for_today(self) -> bool:
        """Tell if the text asks for today's law: "¿y ahora?", "¿sigue en vigor?"."""
        return _asking()[1].search(self._text) is not None

    def lasts_since(self, start: int) -> bool:
        """Tell if the words before ``start`` begin a lasting state: "de baja desde"."""
        return _LASTING.search(self._text, max(0, start - 40), start) is not None

    def _distance(self, start: int, end: int) -> int:
        """Return the distance in words; more than ``MAX_DISTANCE`` across a full stop."""
        distance = 0
        for step in _STEP.finditer(self._text, start, max(start, end)):
            if step[0] in _NO_FURTHER:
                return MAX_DISTANCE + 1
            distance += _NUMBER_COST if step[0].isdigit() else _COSTS.get(step[0], 1)
            if distance > MAX_DISTANCE:
                break
        return distance


_NORM = (
    r"(?:(?P<decree>(?:real\s+)?decreto[\s-]*ley|r\.?\s?d\.?[\s-]*l(?:ey)?\.?)|ley)\s+(?:n\.?[ºo]\s*)?"
    r"(?P<number>\d+/\d{4})"
)
# "antes de" and the like, with what may stand between it and the reform.
_BEFORE = (
    r"(?<!\w)(?:antes\s+del?|hasta|(?:anterior(?:es|idad)?|previ[oa]s?)\s+al?)\s+(?:(?:la|el)\s+)?"
    r"(?:entrada\s+en\s+vigor\s+del?\s+(?:la\s+|el\s+)?)?(?:(?:ultima|nueva|famosa)\s+)?"
)
# "La reforma fiscal", "la reforma de la vivienda": of another subject.
_OF_ANOTHER = re.compile(
    r"\s+(?:(?:fiscal|tributaria|concursal|constitucional|educativa|electoral|judicial|procesal|penal|sanitaria|agraria"
    r"|hipotecaria|energetica)(?!\w)|del?\s+(?!(?:ano\s+)?\d))"
)
# Of pensions there were many reforms: without subject and year it may be any.
_OF_PENSIONS = re.compile(r"\b(?:pension|jubil|viud|orfan)")
_YEAR = re.compile(r"\s+(?:del?\s+)?(?:ano\s+)?((?:19|20)\d\d)(?!\d)")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Subject(_Table):
    """Subject of reforms; the data file explains the fields."""

    id: str = Field(min_length=1)
    names: tuple[str, ...] = Field(min_length=1)


class Reform(_Table):
    """One norm that reformed a subject; the data file explains the fields."""

    subject: str
    norm: str = Field(pattern=r"^(?:Ley|Real Decreto-ley) \d+/\d{4}, de \d")
    year: int
    in_force: date

    @property
    def number(self) -> str:
        return self.norm.partition(",")[0].rpartition(" ")[2]


class Reforms(_Table):
    """The whole table."""

    subject: tuple[Subject, ...] = Field(min_length=1)
    reform: tuple[Reform, ...] = Field(min_length=1)

    def by_number(self, number: str, *, decree: bool) -> Reform | None:
        """Return the norm with a number; laws and decree-laws are numbered apart."""
        norms = (reform for reform in self.reform if reform.number == number)
        return next((reform for reform in norms if reform.norm.startswith("Real Decreto") == decree), None)

    def by_subject(self, subject: str | None, year: int | None, today: date) -> Reform | None:
        """Return the first norm of a reform by subject and year, by default of the last reform in force."""
        enacted = sorted(
            (reform for reform in self.reform if reform.in_force <= today), key=lambda reform: reform.in_force
        )
        own = [reform for reform in enacted if reform.subject == (subject or self.subject[0].id)]
        reform_year = year or max((reform.year for reform in own), default=0)
        of_year = [reform for reform in own if reform.year == reform_year]
        if not of_year and subject is None:
            of_year = [reform for reform in enacted if reform.year == reform_year]
        return of_year[0] if of_year else None


def load_reforms(source: str | None = None) -> Reforms:
    """Read the table of the package, or a TOML text; raise ``ValueError`` if it breaks its schema."""
    table = Reforms.model_validate(read_table("reforms.toml", source))
    subjects = {subject.id for subject in table.subject}
    for reform in table.reform:
        if reform.subject not in subjects:
            raise ValueError(f"reforms.toml, «{reform.norm}»: la materia «{reform.subject}» no existe. Añádala.")
    return table


@cache
def known_reforms() -> Reforms:
    return load_reforms()


@cache
def _pattern() -> tuple[re.Pattern[str], dict[str, str]]:
    subjects = {fold(name): subject.id for subject in known_reforms().subject for name in subject.names}
    longest = "|".join(re.escape(name) for name in sorted(subjects, key=len, reverse=True))
    return re.compile(rf"{_BEFORE}(?:reforma(?!\w)(?:\s+(?P<subject>{longest})(?!\w))?|{_NORM})"), subjects


def days_before_reforms(folded: str, *, today: date) -> Iterator[DateMention]:
    """Find mentions of the law before a known reform, as the day before it came into force."""
    pattern, subjects = _pattern()
    table = known_reforms()
    for match in pattern.finditer(folded):
        year, end = _YEAR.match(folded, match.end()), match.end()
        if match["number"]:
            reform = table.by_number(match["number"], decree=bool(match["decree"]))
        elif not match["subject"] and (_OF_ANOTHER.match(folded, end) or (not year and _OF_PENSIONS.search(folded))):
            reform = None
        else:
            end = year.end() if year else end
            reform = table.by_subject(subjects.get(match["subject"]), int(year[1]) if year else None, today)
        if reform and reform.in_force <= today:
            yield DateMention(match.start(), end, reform.in_force - timedelta(days=1))


EARLIEST_YEAR = 1970

# A law's own number and date, and rulings: "Ley 31/1995, de 8 de noviembre", "STS de 3/3/2022", "de julio de 2025".
_DAY = rf"(?:(?:\d{{1,2}}\s+de\s+)?(?:{MONTHS})(?:\s+de\s+\d{{4}})?|\d{{1,2}}[/.-]\d{{1,2}}[/.-]\d{{2,4}})"
_LAW = re.compile(
    r"\b(?:\d+/(?:19|20)?\d\d|(?:ley|decreto|orden|sentencia|sts|stc|stsj|directiva|reglamento)\b[^,;?]{0,30})"
    rf",?\s+(?:del?\s+)?{_DAY}"
    # As they are cited; "la resolución del 3 de mayo" may be one that somebody got.
    rf"|\b(?:resolucion|instruccion|circular|acuerdo)\s+de\s+\d{{1,2}}\s+de\s+(?:{MONTHS})\s+de\s+\d{{4}}"
)


def find_date(text: str, *, today: date) -> date | None:
    """Return the past day whose law the text asks for, ``None`` for the law of today.

    The day of an event that decides the law (a dismissal, an accident) prevails. Days of birth or hiring, days of laws,
    impossible days and days from today on do not count.

    >>> find_date("me despidieron el 3 de marzo del 22", today=date(2026, 1, 15))
    datetime.date(2022, 3, 3)
    >>> find_date("nací el 3 de marzo de 1980", today=date(2026, 1, 15)) is None
    True
    """
    ranked = [(rank, mention.start, mention.day) for rank, mention in _asked_about(text, today)]
    return min(ranked)[2] if ranked else None


def days_asked_about(text: str, today: date) -> list[DateMention]:
    return [mention for _, mention in _asked_about(text, today)]


def without_days(text: str, *, today: date) -> str:
    """Return a text without the days whose law it asks for; "SMI de 2024" stays, as it may name a norm."""
    kept = list(text)
    for _, mention in _asked_about(text, today):
        if not mention.of_amount:
            kept[mention.start : mention.end] = " " * (mention.end - mention.start)
    return " ".join("".join(kept).split())


@lru_cache(maxsize=256)
def _asked_about(text: str, today: date) -> tuple[tuple[int, DateMention], ...]:
    """Return the days asked about with their ranks: 1 if the day decides the law, else 2."""
    folded = fold(text)
    masked = _LAW.sub(lambda law: " " * len(law[0]), folded)
    mentions = [
        *dates_in(masked, today=today),
        *relative_dates(folded, today=today),
        *amounts_of_a_year(folded, today=today),
        *days_before_reforms(folded, today=today),
    ]
    events = Events(folded)
    past = [mention for mention in mentions if mention.day.year >= EARLIEST_YEAR and mention.day < today]
    return tuple((rank, mention) for mention in past if (rank := _rank(mention, events)))


def _rank(mention: DateMention, events: Events) -> int:
    if mention.counts == "if_lasting":
        return 1 if events.lasts_since(mention.start) else 0
    close = mention.counts == "with_event"
    kind = events.kind_at(mention.start, mention.end, within=CLOSE_DISTANCE if close else MAX_DISTANCE)
    if kind == "fact" and events.asks_for_then and not events.asks_for_today:
        return 2
    if kind == "fact" or (kind is None and (close or events.asks_for_today)):
        return 0
    if mention.counts == "if_asked":
        return 2 if events.asks_how_law_was else 0
    return 1 if kind == "decides" else 2
