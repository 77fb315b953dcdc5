"""Read the date of a case: a day, a month, or how long ago."""

import re
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from articulado.guides.data_values import TODAY, Circumstances, Days, UnusableValue, all_data_patterns, parse_expression
from articulado.language.days import WrittenDay, month_number, written_day
from articulado.language.folding import fold
from articulado.language.languages import LANGUAGES, Language
from articulado.language.numerals import with_figures
from articulado.values.articles import FieldSpec

_REMARK = re.compile(r"(?<=\S)\s*\([^()]*\)\s*$")
_NAMED_MONTH = re.compile(r"(?:en |in )?(?P<month>[a-z]+)\.?(?: del?|,)? (?P<year>\d{4})")
_NUMBERED_MONTH = re.compile(r"(?P<month>\d{1,2})[/.-](?P<year>\d{4})")
_ISO_MONTH = re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})")
_WHOLE_YEAR = 4
_FIRST_OF_LAST_CENTURY = 70
"""Of two digits of a year: from here on they are of the 1900s."""


def read_days(text: str, spec: FieldSpec, circumstances: Circumstances) -> Days:
    """Return the day that a text means, or the days of the month that it names; "yesterday" is counted from today.

    Which of two numbers is the month is a matter of the language. Where the article lets a date go up to today and no
    further, two digits of a year are of the last century if the day would else be in the future, and a day without a
    year is the latest that is not.

    Raises:
        UnusableValue: there is no such day, it has no year, or the text is no date.
    """
    days = find_days(text, spec, circumstances)
    if days is None:
        raise UnusableValue(circumstances.language.translate("case_problem_date"))
    return days


def find_days(text: str, spec: FieldSpec, circumstances: Circumstances) -> Days | None:
    """Return what ``read_days`` does, and ``None`` where the text is no date.

    Raises:
        UnusableValue: there is no such day, or it has no year.
    """
    language = circumstances.language
    text = _REMARK.sub("", text)
    written = _written_day(text, language)
    latest = _latest_offset(spec)
    if written and not written.year and latest != 0:
        raise UnusableValue(language.translate("case_problem_needs_year"))
    try:
        if written:
            day: date | None = _day(written, circumstances.today, is_past=latest is not None and latest <= 0)
        else:
            day = _day_ago(text, circumstances.today)
        return Days(day, day) if day else _month(text)
    except (OverflowError, ValueError):
        raise UnusableValue(language.translate("case_problem_impossible_day")) from None


def _written_day(text: str, language: Language) -> WrittenDay | None:
    """Return the day that is written in a text, whatever stands before it ("Monday", "el día")."""
    month_first = language.data_patterns.month_first
    return next(filter(None, (written_day(rest, month_first=month_first) for rest in _openings_off(text))), None)


def _openings_off(text: str) -> list[str]:
    """Return a text folded, and without what stands before a day in each language."""
    folded = " ".join(fold(text).split())
    return [folded, *(patterns.day_opening.sub("", folded, count=1) for patterns in all_data_patterns())]


def _latest_offset(spec: FieldSpec) -> int | None:
    """Return how much later than today a date may be, in any unit; ``None`` if its bound is not today."""
    latest = parse_expression(str(spec["max"])) if "max" in spec else None
    return latest.count if latest and latest.base == TODAY else None


def _day(written: WrittenDay, today: date, *, is_past: bool) -> date:
    """Return the day that is written; of one without a year the latest that is not to come.

    Raises:
        ValueError: there is no such day.
    """
    if not written.year:
        return _latest(written, today)
    year = int(written.year)
    if len(written.year) == _WHOLE_YEAR:
        return date(year, written.month, written.day)
    day = date(year + (1900 if year >= _FIRST_OF_LAST_CENTURY else 2000), written.month, written.day)
    return date(1900 + year, written.month, written.day) if is_past and day > today else day


def _latest(written: WrittenDay, today: date) -> date:
    """Return the latest day of its month and number that is not after today.

    Raises:
        ValueError: there is no such day.
    """
    # A leap day comes after eight years at the latest.
    for year in range(today.year, today.year - 9, -1):
        try:
            day = date(year, written.month, written.day)
        except ValueError:
            continue
        if day <= today:
            return day
    raise ValueError(f"no such day: {written}")


def _day_ago(text: str, today: date) -> date | None:
    """Return the day that words count back from today; ``None`` where they do not.

    Raises:
        OverflowError: it is before the calendar begins.
    """
    for code, patterns in zip(LANGUAGES, all_data_patterns(), strict=True):
        folded = with_figures(" ".join(fold(text).split()), code)
        if folded in patterns.relative_days:
            return today - timedelta(days=patterns.relative_days[folded])
        if match := patterns.ago.fullmatch(folded):
            number = int(match["number"]) if match["number"].isdigit() else 1
            unit = next(unit for unit in ("days", "weeks", "months") if match[unit])
            day: date = today - relativedelta(**{unit: number})
            return day
    return None


def _month(text: str) -> Days | None:
    """Return the days of a month of a year; ``None`` for another text.

    Raises:
        ValueError: there is no such month.
    """
    folded = " ".join(fold(text).split())
    if match := _NAMED_MONTH.fullmatch(folded):
        number = month_number(match["month"])
        if not number:
            return None
    elif match := _NUMBERED_MONTH.fullmatch(folded) or _ISO_MONTH.fullmatch(folded):
        number = int(match["month"])
    else:
        return None
    first = date(int(match["year"]), number, 1)
    return Days(first, first + relativedelta(day=31))
