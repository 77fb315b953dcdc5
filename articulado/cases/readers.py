"""Read one datum of a case as a value of its type: date, number, amount, listed value, yes or no, or text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cache

from dateutil.relativedelta import relativedelta
from text_to_num import alpha2digit

from articulado.cases.phrases import has_phrase, is_placeholder, is_zero, read_choice, stands_for_nothing
from articulado.config.sections import Calendar
from articulado.guides.schema import TODAY, parse_expression, truth_of
from articulado.language.folding import fold, without_accents, words_of
from articulado.language.languages import LANGUAGES, Language, TimeUnit, language
from articulado.language.numerals import MULTIPLE, NUMBER, parse_amount, parse_number
from articulado.values.cases import CollectedValue, Elapsed, FieldSpec

Value = Decimal | date | bool | str


@dataclass(frozen=True)
class Circumstances:
    """The day of the case, the calendar of working days, the language of the profile."""

    today: date
    calendar: Calendar
    language: Language


class UnusableValue(ValueError):
    """A datum is not of the type of its field; ``problem`` says why, in the language of the profile."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(problem)


class _NotOfType(Exception): ...


def read_value(
    given: CollectedValue, spec: FieldSpec, circumstances: Circumstances, looked_for: Sequence[str] = ()
) -> Value:
    """Return a datum as a value of its field, or raise ``UnusableValue``; rules look for the words ``looked_for``."""
    spoken, kind, text = circumstances.language, spec["data_type"], text_of(given)
    try:
        if stands_for_nothing(text, spec, looked_for):
            raise _NotOfType("placeholder")
        pattern = without_accents(spec.get("pattern", ""))
        if not re.search(pattern, without_accents(text), re.IGNORECASE):
            raise _NotOfType("pattern")
        if isinstance(given, bool) and kind in ("number", "currency", "date"):
            raise _NotOfType(kind)
        match kind:
            case "currency" | "number" if not isinstance(given, str):
                return Decimal(text)
            case "currency":
                return _amount(text, spoken)
            case "number":
                return _number(text, spec.get("unit"), spoken)
            case "date":
                return _date(text, spec, circumstances)
            case "boolean":
                return _truth(text, spec.get("values", {}), spoken)
            case "text":
                return _text(text, spec, spoken)
    except _NotOfType as error:
        raise UnusableValue(spoken.translate(f"case_problem_{error}")) from None


def text_of(given: CollectedValue) -> str:
    """Return a datum as text, a number with all its digits.

    >>> text_of(True), text_of(1e16), text_of(" 10k ")
    ('true', '10000000000000000', '10k')
    """
    if isinstance(given, bool):
        return "true" if given else "false"
    return given.strip() if isinstance(given, str) else format(Decimal(repr(given)), "f")


_REMARKED = re.compile(r"\s*(?P<head>\w+)\s*[,.;:(]\s*(?P<remark>\S.*)", re.DOTALL)


def _truth(text: str, choices: Mapping[str, Sequence[str]], spoken: Language) -> bool:
    truth = truth_of(text)
    if truth is None and (remarked := _REMARKED.fullmatch(text)):
        truth, remark = truth_of(remarked["head"]), remarked["remark"]
        if is_placeholder(remark) or truth_of(words_of(remark)[0]) not in (None, truth):
            truth = None
    if truth is None and (choice := read_choice(text, choices, spoken)):
        truth = truth_of(choice)
    if truth is None:
        raise _NotOfType("boolean")
    return truth


def _text(text: str, spec: FieldSpec, spoken: Language) -> str:
    if "values" not in spec:
        if len(re.findall(r"[^\W\d_]", text)) < 2 and not re.search(r"\d", text):
            raise _NotOfType("placeholder")
        return text
    choice = read_choice(text, spec["values"], spoken, several=spec.get("several", False))
    if choice is None:
        raise _NotOfType("choice")
    return choice


# Numbers and amounts

_FIGURE = re.compile(NUMBER + MULTIPLE)
_LETTER = re.compile(r"[^\W\d_]")
_DAYS: dict[Elapsed, Decimal] = {
    "days": Decimal(1),
    "working_days": Decimal("1.4"),
    "weeks": Decimal(7),
    "months": Decimal("30.4375"),
    "years": Decimal("365.25"),
}


def in_unit(count: Decimal | int, unit: Elapsed, other: Elapsed) -> Decimal:
    """Convert a time to another unit, unrounded; days in a field of working days are working days."""
    is_same = unit == other or (unit, other) == ("days", "working_days")
    return Decimal(count) if is_same else count * _DAYS[unit] / _DAYS[other]


def _is_percentage(text: str) -> bool:
    return "%" in text or has_phrase(text, "percent")


def _in_figures(text: str, spoken: Language) -> str:
    return fold(text if re.search(r"\d", text) else alpha2digit(text.casefold(), spoken.code, threshold=0))


def _amount(text: str, spoken: Language) -> Decimal:
    if _is_percentage(text):
        raise _NotOfType("percentage")
    if is_zero(text):
        return Decimal(0)
    if has_phrase(text, "periods") or any(_units().get(word, "years") != "years" for word in words_of(text)):
        raise _NotOfType("per_period")
    figures = _in_figures(text, spoken)
    match = _FIGURE.search(figures)
    if match is None or _FIGURE.search(figures, match.end()):
        raise _NotOfType("currency")
    # As below, only the data of a case need the library.
    from price_parser import Price

    before, after, digits = figures[: match.start()], figures[match.end() :], match["digits"]
    # The parser takes three digits after a zero for thousands.
    mark = digits[1] if digits.startswith(("0.", "0,")) else None
    amount = Price.fromstring(digits, decimal_separator=mark).amount
    has_currency = Price.fromstring(text).currency is not None or has_phrase(text, "currency")
    # Other words beside a figure may be the thing that is counted: "2 loans".
    if amount is None or not (has_currency or not _LETTER.search(before + after)):
        raise _NotOfType("currency")
    amount *= parse_number("1", None, match["multiple"]) or 1
    return -amount if before.endswith("-") or before.strip(" $€£") in ("-", "(") else amount


def _number(text: str, unit: Elapsed | None, spoken: Language) -> Decimal:
    if is_zero(text):
        return Decimal(0)
    if unit is None:
        figures = _in_figures(text, spoken)
        number = None if has_phrase(figures, "halves") else parse_amount(figures)
    elif _is_percentage(text):
        raise _NotOfType("percentage_of_time")
    else:
        lengths = [in_unit(count, of or unit, unit) for count, of in _lengths(text, spoken)]
        number = sum(lengths, Decimal(0)) if lengths else None
    if number is None:
        raise _NotOfType("number")
    return number


def _lengths(text: str, spoken: Language) -> list[tuple[Decimal, TimeUnit | None]]:
    figures = _in_figures(text, spoken)
    matches = list(_length().finditer(figures))
    rest = _length().sub(" ", figures)
    if (
        has_phrase(rest, "halves")
        or not _units().keys().isdisjoint(words_of(rest))
        or (matches and re.search(r"\d", rest))
    ):
        return []
    if not matches:
        number = parse_amount(figures)
        return [] if number is None else [(number, None)]
    lengths: list[tuple[Decimal, TimeUnit | None]] = []
    for match in matches:
        count = parse_number(match["digits"] or "1", match["fraction"], match["multiple"])
        if count is None:
            return []
        lengths.append((-count if match["minus"] else count, _units()[match["name"]]))
    return lengths


@cache
def _units() -> dict[str, TimeUnit]:
    tables = [language(code).data_words.time_units for code in LANGUAGES]
    return {fold(name): unit for table in tables for unit, names in table.items() for name in names}


@cache
def _length() -> re.Pattern[str]:
    names = "|".join(sorted(_units(), key=len, reverse=True))
    return re.compile(rf"(?<![\w.,])(?P<minus>-)?(?:{NUMBER}{MULTIPLE}|una?|an?)\s?(?P<name>{names})\b")


# Dates

LONGEST_DATE = 60
_ISO = re.compile(r"(?P<day>\d{4}-\d{2}-\d{2})(?:[T ].*)?", re.DOTALL)
_REMARK = re.compile(r"(?<=\S)\s*\([^()]*\)\s*$")
_YEAR = re.compile(r"(?:19|20)\d{2}")
_DAY = ("day", "month", "year")


def _date(text: str, spec: FieldSpec, circumstances: Circumstances) -> date:
    latest = parse_expression(str(spec["max"])) if "max" in spec else None
    is_past = latest is not None and latest.base == TODAY and latest.count <= 0
    text = _REMARK.sub("", text)
    try:
        day = _day(text, circumstances, is_past=is_past)
        if day is None and "unit" in spec:
            day = _beginning(text, spec["unit"], circumstances)
    except (OverflowError, ValueError):
        day = None
    if day:
        return day
    if "unit" in spec or _ISO.fullmatch(text):
        raise _NotOfType("beginning" if "unit" in spec else "date")
    needs = {"needs_day": _DAY[1:], "needs_year": _DAY[:2]}
    has = (need for need, parts in needs.items() if _parsed(text, parts, circumstances, is_past=is_past))
    raise _NotOfType(next(has, "date"))


def _day(text: str, circumstances: Circumstances, *, is_past: bool) -> date | None:
    """Return the only day in a text, the latest one not in the future if it has no year; raise ``ValueError``."""
    if iso := _ISO.fullmatch(text):
        return date.fromisoformat(iso["day"])
    day = _parsed(text, _DAY, circumstances, is_past=is_past)
    if day is None and is_past and re.search(r"[^\W\d]|/", text):
        day = _parsed(text, _DAY[:2], circumstances, is_past=True)
    return day


def _beginning(text: str, unit: Elapsed, circumstances: Circumstances) -> date | None:
    """Return the day on which something began, from a day, month, year or duration; raise ``OverflowError``."""
    day, head = circumstances.today, re.split("[,;(]", text)[0]
    for part in dict.fromkeys((text, head)):
        if written := _day(part, circumstances, is_past=True) or _parsed(part, _DAY[1:], circumstances, is_past=True):
            return written
    words = [word for word in words_of(head) if word not in _before_date()]
    if len(words) == 1 and _YEAR.fullmatch(words[0]):
        return date(int(words[0]), 1, 1)
    lengths = [] if re.search("[%$€£]", text) else _lengths(head, circumstances.language)
    # A number among words is not known to be a time.
    if not lengths or (lengths[0][1] is None and len(words) > 1):
        return None
    for count, named in lengths:
        of = named or unit
        is_whole = count == int(count) and of != "working_days"
        day -= relativedelta(**{of: int(count)}) if is_whole else timedelta(days=int(count * _DAYS[of]))
    return day


@cache
def _before_date() -> tuple[str, ...]:
    return tuple(word for code in LANGUAGES for word in language(code).data_words.before_date)


def _parsed(text: str, parts: Sequence[str], circumstances: Circumstances, *, is_past: bool) -> date | None:
    """Return the day that ``dateparser`` reads with the given ``parts``; the first of the month without a day."""
    spoken, is_relative = circumstances.language, has_phrase(text, "relative")
    if len(text) > LONGEST_DATE or not (is_relative or re.search(r"\d", text)):
        return None
    # The import takes a tenth of a second.
    from dateparser import parse

    settings = {
        "DATE_ORDER": "MDY" if spoken.data_words.month_first else "DMY",
        "PREFER_LOCALE_DATE_ORDER": False,
        "RELATIVE_BASE": datetime.combine(circumstances.today, time()),
        "REQUIRE_PARTS": list(parts),
        "PREFER_DATES_FROM": "past" if is_past else "current_period",
        "PREFER_DAY_OF_MONTH": "current" if is_relative else "first",
        "PARSERS": ["relative-time" if is_relative else "absolute-time"],
        "SKIP_TOKENS": ["t", *_before_date()],
    }
    codes = [spoken.code, *(code for code in LANGUAGES if code != spoken.code)]
    parsed: datetime | None = parse(_in_figures(text, spoken), languages=codes, settings=settings)
    return parsed.date() if parsed else None
