"""Find the day as of which a question asks for the law: "en 2019", "me echaron el 3/3/22", "antes de la reforma"."""

import re
from datetime import date

from language.days import MONTHS
from language.folding import fold
from legal.dates.events import CLOSE, MAX_AWAY, Events
from legal.dates.forms import Dated, dates_in
from legal.dates.reforms import days_before_reforms
from legal.dates.relative import amounts_of_a_year, relative_dates

EARLIEST_YEAR = 1970
"""A year before this one is no date that a question asks about."""

# A law's own number and date, and rulings: "Ley 31/1995, de 8 de noviembre", "STS de 3/3/2022", "de julio de 2025".
_DAY = rf"(?:(?:\d{{1,2}}\s+de\s+)?(?:{MONTHS})(?:\s+de\s+\d{{4}})?|\d{{1,2}}[/.-]\d{{1,2}}[/.-]\d{{2,4}})"
_LAW = re.compile(
    r"\b(?:\d+/(?:19|20)?\d\d|(?:ley|decreto|orden|sentencia|sts|stc|stsj|directiva|reglamento)\b[^,;?]{0,30})"
    rf",?\s+(?:del?\s+)?{_DAY}"
)


def find_date(text: str, *, today: date) -> date | None:
    """Return the past day as of which the text asks, ``None`` for the law of today.

    Of several the one on which something happened that decides which law applies: a dismissal, an accident. A day of
    birth or hiring, the day of a law, impossible days, and whatever is not before today do not count. What "en 2019" or
    "antes de" mean: ``legal.dates.forms``; "ayer", "SMI de 2024": ``legal.dates.relative``; "antes de la reforma":
    ``legal.dates.reforms``.
    """
    ranked = [(rank, one.start, one.day) for rank, one in _asked_about(text, today)]
    return min(ranked)[2] if ranked else None


def without_days(text: str, *, today: date) -> str:
    """Return a text without the days as of which it asks: they say which law, and nothing of its matter.

    The year of an amount stays: "SMI de 2024" may be the name of a norm.
    """
    kept = list(text)
    for _, one in _asked_about(text, today):
        if not one.of_amount:
            kept[one.start : one.end] = " " * (one.end - one.start)
    return " ".join("".join(kept).split())


def _asked_about(text: str, today: date) -> list[tuple[int, Dated]]:
    """Return the days as of which a text asks, each with its rank: 1 where one decides which law applies, else 2."""
    folded = fold(text)
    masked = _LAW.sub(lambda law: " " * len(law[0]), folded)
    found = [
        *dates_in(masked, today=today),
        *relative_dates(folded, today=today),
        *amounts_of_a_year(folded, today=today),
        *days_before_reforms(folded, today=today),
    ]
    events = Events(folded)
    past = [one for one in found if one.day.year >= EARLIEST_YEAR and one.day < today]
    return [(rank, one) for one in past if (rank := _rank(one, events))]


def _rank(one: Dated, events: Events) -> int:
    """Return 1 for a date that decides which law applies, 2 for one that is asked about, 0 for one of neither kind."""
    if one.counts == "if_lasting":
        return 1 if events.lasts_since(one.start) else 0
    close = one.counts == "with_happening"
    kind = events.on(one.start, one.end, within=CLOSE if close else MAX_AWAY)
    if kind == "fact" or (kind is None and (close or events.ask_for_today)):
        return 0
    if one.counts == "if_asked":
        return 2 if events.ask_how_law_was else 0
    return 1 if kind == "decides" else 2
