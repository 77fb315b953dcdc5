"""Find the day as of which a question asks for the law: "en 2019", "a 1 de marzo de 2021", "antes de 2022"."""

import re
from calendar import monthrange
from datetime import date, timedelta

from legal.folding import fold

MONTHS = "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre"
"""Names of the months, folded, as alternatives of a pattern."""

_MONTH_NUMBERS = {name: number for number, name in enumerate(MONTHS.replace("setiembre|", "").split("|"), 1)}
_MONTH_NUMBERS["setiembre"] = 9
EARLIEST_YEAR = 1970
"""A year before this one is no date that a question asks about."""

_YEAR = r"(?P<year>(?:19|20)\d\d)(?![\d/])"
_DATE = re.compile(
    r"(?<![\w/])(?P<cue>antes\s+(?:de(?:l)?|de\s+el)|hasta|a\s+fecha\s+de|con\s+fecha(?:\s+de)?|en\s+fecha(?:\s+de)?"
    r"|vigente\s+(?:en|el|a)|(?:a|en)\s+(?:finales|mediados|principios|comienzos)\s+de|durante|en|el|al|a)\s+"
    r"(?:(?:el|los)\s+)?(?:(?:ano|mes(?:\s+de)?|dia)\s+)?(?:de\s+)?"
    rf"(?:(?:(?P<day>\d{{1,2}})(?:\.?º)?\s+de\s+)?(?P<month>{MONTHS})\s+(?:de\s+|del\s+(?:ano\s+)?)?{_YEAR}"
    r"|(?P<d>\d{1,2})[/.-](?P<m>\d{1,2})[/.-](?P<y>(?:19|20)\d\d)(?!\d)"
    rf"|(?P<only>(?:19|20)\d\d)(?![\d/.]\d|\s*(?:euros?|€|horas?|trabajador|personas?|empresas?)))"
)
# A law's own number and date, and rulings: "Ley 31/1995, de 8 de noviembre".
_LAW = re.compile(
    rf"\b(?:\d+/(?:19|20)?\d\d|(?:ley|decreto|orden|sentencia|sts|stc|stsj|directiva|reglamento)\b[^,;?]{{0,30}})"
    rf",?\s+(?:de|del)\s+\d{{1,2}}\s+de\s+(?:{MONTHS})(?:\s+de\s+\d{{4}})?"
)
# What happened then is a fact of the case, and not the day of the law.
_FACT = re.compile(
    r"\b(?:naci(?:o|da|do|eron|mos)?|naciment\w*|nacimiento|contrat(?:ad[oa]s?|aron|e|o|aste)|entr(?:e|o|amos|aron)|empe(?:ce|zo|zamos)"
    r"|comence|comenzo|firm(?:e|o|amos|ad[oa]s?)|antiguedad|alta|trabajo desde|jubil(?:e|o)|publicad[oa]|aprobad[oa])"
    r"(?:\s+\w+){0,6}\s*$"
)


def find_date(text: str, *, today: date) -> date | None:
    """Return the past day as of which the text asks, ``None`` for the law of today.

    A year means its last day, a month too; "antes de" means the day before. A temporal cue is needed; numbers and
    dates of laws, dates of birth or hiring, impossible dates, and whatever is not before today do not count.
    """
    folded = _LAW.sub(lambda law: " " * len(law[0]), fold(text))
    for match in _DATE.finditer(folded):
        if _FACT.search(folded, max(0, match.start() - 60), match.start()):
            continue
        found = _day(match, today)
        if found is not None and found.year >= EARLIEST_YEAR:
            return found
    return None


def _day(match: re.Match[str], today: date) -> date | None:
    year = int(match["year"] or match["y"] or match["only"])
    month = _MONTH_NUMBERS[match["month"]] if match["month"] else int(match["m"] or 0)
    day = int(match["day"] or match["d"] or 0)
    # "Desde el 8" of an hour or an article has no year; "en 2026" of the current year is today.
    if match["only"] and (year >= today.year or match["cue"] in ("el", "al")):
        return None
    try:
        first = date(year, month or 1, day or 1)
    except ValueError:
        return None
    if match["cue"].startswith("antes"):
        found = first - timedelta(days=1)
    elif day:
        found = first
    else:
        found = date(year, month or 12, monthrange(year, month or 12)[1])
    return found if found < today else None
