"""Find the day whose law a question asks for: "en 2019", "me echaron el 3/3/22".

``find_date`` returns a past day, or ``None`` for the law of today.
"""

import re
from datetime import date
from functools import lru_cache

from articulado.language.days import MONTHS
from articulado.language.folding import fold
from articulado.legal.dates.events import CLOSE_DISTANCE, MAX_DISTANCE, Events, days_before_reforms
from articulado.legal.dates.forms import DateMention, amounts_of_a_year, dates_in, relative_dates

EARLIEST_YEAR = 1970
"""A year before this one is no date that a question asks about."""

# A law's own number and date, and rulings: "Ley 31/1995, de 8 de noviembre", "STS de 3/3/2022", "de julio de 2025".
_DAY = rf"(?:(?:\d{{1,2}}\s+de\s+)?(?:{MONTHS})(?:\s+de\s+\d{{4}})?|\d{{1,2}}[/.-]\d{{1,2}}[/.-]\d{{2,4}})"
_LAW = re.compile(
    r"\b(?:\d+/(?:19|20)?\d\d|(?:ley|decreto|orden|sentencia|sts|stc|stsj|directiva|reglamento)\b[^,;?]{0,30})"
    rf",?\s+(?:del?\s+)?{_DAY}"
    # As they are cited; "la resolución del 3 de mayo" may be one that somebody got.
    rf"|\b(?:resolucion|instruccion|circular|acuerdo)\s+de\s+\d{{1,2}}\s+de\s+(?:{MONTHS})\s+de\s+\d{{4}}"
)


def find_date(text: str, *, today: date) -> date | None:
    """Return the past day as of which the text asks, ``None`` for the law of today.

    Of several the one on which something happened that decides which law applies: a dismissal, an accident. A day of
    birth or hiring, the day of a law, impossible days, and whatever is not before today do not count. The
    modules beside this one read "en 2019" and "antes de", "ayer" and "SMI de 2024", and "antes de la reforma".

    >>> find_date("me despidieron el 3 de marzo del 22", today=date(2026, 1, 15))
    datetime.date(2022, 3, 3)
    >>> find_date("nací el 3 de marzo de 1980", today=date(2026, 1, 15)) is None
    True
    """
    ranked = [(rank, mention.start, mention.day) for rank, mention in _asked_about(text, today)]
    return min(ranked)[2] if ranked else None


def without_days(text: str, *, today: date) -> str:
    """Return a text without the days as of which it asks: they say which law, and nothing of its topic.

    The year of an amount stays: "SMI de 2024" may be the name of a norm.
    """
    kept = list(text)
    for _, mention in _asked_about(text, today):
        if not mention.of_amount:
            kept[mention.start : mention.end] = " " * (mention.end - mention.start)
    return " ".join("".join(kept).split())


@lru_cache(maxsize=256)
def _asked_about(text: str, today: date) -> tuple[tuple[int, DateMention], ...]:
    """Return the days as of which a text asks, each with its rank: 1 where one decides which law applies, else 2."""
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
    """Return 1 for a date that decides which law applies, 2 for one that is asked about, 0 for one of neither kind."""
    if mention.counts == "if_lasting":
        return 1 if events.lasts_since(mention.start) else 0
    close = mention.counts == "with_event"
    kind = events.kind_at(mention.start, mention.end, within=CLOSE_DISTANCE if close else MAX_DISTANCE)
    if kind == "fact" or (kind is None and (close or events.asks_for_today)):
        return 0
    if mention.counts == "if_asked":
        return 2 if events.asks_how_law_was else 0
    return 1 if kind == "decides" else 2
