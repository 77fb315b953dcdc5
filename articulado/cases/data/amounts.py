"""Parse dates, amounts of money and quantities of time from the text of a field.

``read_days`` returns a day (relative dates included) or the days of a named month. ``read_money`` returns a
``Decimal`` and 0 for words such as "none". ``read_quantity`` converts time to the unit of the field: a year
has 12 months or 365.25 days, a month 30.4375 days, and a week 7 days or 5 working days. ``read_days`` and
``read_money`` raise ``UnusableValue`` for a text that they cannot read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise

from dateutil.relativedelta import relativedelta

from articulado.guides.data_values import TODAY, Circumstances, Days, UnusableValue, all_data_patterns, parse_expression
from articulado.language.folding import fold
from articulado.language.formats import WrittenDay, month_number, written_day
from articulado.language.languages import LANGUAGES, DataPatterns, Language, TimeUnit
from articulado.language.numerals import MULTIPLE, NUMBER, parse_amount, parse_number, with_figures
from articulado.values.cases import Elapsed, FieldSpec

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


_CURRENCY = re.compile(r"[$€£]|(?<![a-z])(?:usd|eur|euros?|dollars?|dolares)\b")
_NUMBER = re.compile(NUMBER + MULTIPLE)
_MONEY_REMARK = re.compile(r"(?P<amount>.*\d.*?)\s*\([^()]*\)", re.DOTALL)


def read_money(text: str, language: Language) -> Decimal:
    """Return the amount in a text, which a remark in brackets may follow; zero where words say that there is nothing.

    Raises:
        UnusableValue: there is none, or several; it is a percentage, a count of things, or so much by the month.
    """
    folded = " ".join(fold(text).split())
    if is_percentage(text):
        raise UnusableValue(language.translate("case_problem_percentage"))
    if is_nothing(text):
        return Decimal(0)
    if any(patterns.per_period.search(folded) for patterns in all_data_patterns()):
        raise UnusableValue(language.translate("case_problem_per_period"))
    remark = _MONEY_REMARK.fullmatch(folded)
    bare = remark["amount"] if remark else folded
    amount = parse_amount(bare)
    if amount is None or not _is_of_money(bare):
        raise UnusableValue(language.translate("case_problem_currency"))
    return amount


def is_nothing(text: str) -> bool:
    """Tell whether words say that an amount or a number is zero: "none", "no outstanding loans", "paid off"."""
    folded = " ".join(fold(text).split()).strip(" .!")
    if re.search(r"\d", folded):
        return False
    return parse_amount(folded) == 0 or any(patterns.zero.fullmatch(folded) for patterns in all_data_patterns())


def is_percentage(text: str) -> bool:
    """Tell whether a text has the sign or the word of a percentage in it."""
    return any(patterns.percentage.search(fold(text)) for patterns in all_data_patterns())


def _is_of_money(folded: str) -> bool:
    """Tell whether a number has a currency, or nothing beside it that might be counted ("2 loans") or date it."""
    if _CURRENCY.search(folded):
        return True
    words = _NUMBER.sub(" ", folded)
    for patterns in all_data_patterns():
        words = patterns.amount_words.sub(" ", words)
    return not re.search(r"\w", words)


_DAYS = {
    "days": Decimal(1),
    "weeks": Decimal(7),
    "months": Decimal("30.4375"),
    "years": Decimal("365.25"),
}
_WORKING_DAYS_A_WEEK = Decimal(5)
_HALF = Decimal("0.5")


@dataclass(frozen=True)
class _Part:
    """So many units of time, and where they stand in a text."""

    start: int
    end: int
    count: Decimal
    unit: TimeUnit


def read_quantity(text: str, unit: Elapsed | None, language: Language) -> Decimal | None:
    """Return the number in a text, in figures or in words of the language; ``None`` where there is none, or several.

    With ``unit``, time in other units is converted and added up ("2 años y 3 meses"), unrounded: a year has 12 months
    or 365.25 days, a month 30.4375 days, a week 7 days, of which 5 are working days. What is called days is of working
    days in a field of those.
    """
    figures = with_figures(" ".join(fold(text).split()), language.code)
    if unit is not None and (parts := _parts(figures)):
        return _in_unit(parts, unit) if _is_sum(figures, parts) else None
    if any(re.search(rf"\b(?:{patterns.half})\b", figures) for patterns in all_data_patterns()):
        return _with_half(figures) if unit is not None else None
    # In the text as typed, symbols still have their meaning.
    number = parse_amount(text)
    return parse_amount(figures) if number is None else number


def _part_pattern(patterns: DataPatterns) -> re.Pattern[str]:
    units = "|".join(f"(?P<{unit}>{names})" for unit, names in patterns.time_units.items())
    half = rf"\s(?:{patterns.half})\b"
    return re.compile(
        rf"(?<![\w.,])(?P<minus>-)?(?:{NUMBER}{MULTIPLE}|(?P<half_of>{patterns.half_of})\b|(?P<one>{patterns.one})\b)"
        rf"(?P<half>{half})?\s?(?:{units})\b(?P<after>{half})?"
    )


def _parts(figures: str) -> list[_Part]:
    """Return the amounts of time in a text, of the first language in which it has any."""
    return next(filter(None, (list(_parts_in(figures, patterns)) for patterns in all_data_patterns())), [])


def _parts_in(figures: str, patterns: DataPatterns) -> Iterator[_Part]:
    for match in _part_pattern(patterns).finditer(figures):
        count = _count(match)
        if count is not None:
            count += _HALF if match["half"] or match["after"] else 0
            unit = next(unit for unit in patterns.time_units if match[unit])
            yield _Part(match.start(), match.end(), -count if match["minus"] else count, unit)


def _count(match: re.Match[str]) -> Decimal | None:
    if match["half_of"]:
        return _HALF
    return Decimal(1) if match["one"] else parse_number(match["digits"], match["fraction"], match["multiple"])


def _is_sum(figures: str, parts: list[_Part]) -> bool:
    """Tell whether the parts are all that a text counts, each of a smaller unit than the one before it."""
    sizes = [_DAYS[part.unit] for part in parts]
    between = [figures[part.end : after.start].strip(" ,") for part, after in pairwise(parts)]
    joints = "|".join(patterns.joint for patterns in all_data_patterns())
    return (
        all(size > after for size, after in pairwise(sizes))
        and all(not words or re.fullmatch(joints, words) for words in between)
        and not re.search(r"\d", figures[: parts[0].start] + figures[parts[-1].end :])
    )


def _in_unit(parts: list[_Part], unit: Elapsed) -> Decimal:
    return sum((in_unit(part.count, part.unit, unit) for part in parts), Decimal(0))


def in_unit(count: Decimal | int, unit: TimeUnit, other: Elapsed) -> Decimal:
    """Return so much time in another unit, unrounded."""
    if other != "working_days":
        return count * _DAYS[unit] / _DAYS[other]
    return Decimal(count) if unit == "days" else count * _DAYS[unit] * _WORKING_DAYS_A_WEEK / 7


def _with_half(figures: str) -> Decimal | None:
    """Return a number and a half; ``None`` where a text is anything else."""
    halves = "|".join(patterns.half for patterns in all_data_patterns())
    match = re.fullmatch(rf"{NUMBER} (?:{halves})", figures)
    number = parse_number(match["digits"], match["fraction"]) if match else None
    return None if number is None else number + _HALF
