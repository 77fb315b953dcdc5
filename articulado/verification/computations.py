"""Recompute the computations written in a text ("33 días × 4 años = 132 días") and the spans between its days.

Working days are Monday to Friday. The holidays of a span are unknown: a tolerance replaces them.
"""

import operator
import re
from calendar import monthrange
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, DivisionByZero, InvalidOperation
from functools import lru_cache
from itertools import combinations

import numpy as np

from articulado.language.folding import fold
from articulado.language.numerals import read_number
from articulado.language.quantities import DATE, LARGEST, Quantity, bare_numbers, quantities

_JOINED = re.compile(r"(?:\s?,\s|\s(?:y|mas|con)\s|\s?,?\sy\s|\s)(?:un\s|una\s)?")
_HOLIDAYS_A_YEAR = 14
_NEXT_WORKING_DAY = 5
"""Days from a known day to the next working day, past a weekend and two holidays."""
MOST_DAYS = 16
_AUGUST, _CHRISTMAS = 23, 10
"""Working days of the months and weeks in which no procedural deadline runs (LRJS, art. 43.4; LEC, art. 130.2)."""


@dataclass(frozen=True)
class Compound:
    """A duration in several units ("5 años, 8 meses y 3 días"): whole months, days beyond them, and its parts."""

    months: Decimal
    days: Decimal
    parts: tuple[Quantity, ...]


def compounds(text: str, durations: Sequence[Quantity]) -> list[Compound]:
    """Return the durations written in several units, in text order."""
    folded = fold(text)
    times = [each for each in durations if each.unit in ("month", "week", "day") and not each.kind]
    runs: list[list[Quantity]] = []
    for each in times:
        is_joined = runs and _JOINED.fullmatch(folded, runs[-1][-1].end, each.start)
        if is_joined and _rank(folded, runs[-1][-1]) > _rank(folded, each):
            runs[-1].append(each)
        else:
            runs.append([each])
    return [
        Compound(
            sum((each.value for each in run if each.unit == "month"), Decimal(0)),
            sum((each.value * (7 if each.unit == "week" else 1) for each in run if each.unit != "month"), Decimal(0)),
            tuple(run),
        )
        for run in runs
        if len(run) > 1
    ]


@lru_cache(maxsize=4096)
def whole_durations(text: str) -> tuple[Quantity, ...]:
    return tuple(
        Quantity(each.months, "month", "", each.parts[0].start, each.parts[-1].end)
        for each in compounds(text, quantities(text))
        if each.months
    )


def _rank(folded: str, quantity: Quantity) -> int:
    if quantity.unit == "month":
        return 4 if re.search(r"\ban(?:o|ualidad)", folded[quantity.start : quantity.end]) else 3
    return 2 if quantity.unit == "week" else 1


def day_of(quantity: Quantity, years: Iterable[int]) -> Iterator[date]:
    """Yield the day of a date quantity; a date without a year is yielded once for each of ``years``."""
    value = int(quantity.value)
    for year in [value // 10_000] if value >= 10_000 else years:
        try:
            yield date(year, value // 100 % 100, value % 100)
        except ValueError:
            continue


def add_months(day: date, months: int) -> date:
    """Return the same day of another month, or that month's last day (Código Civil, art. 5.1)."""
    whole = day.year * 12 + day.month - 1 + months
    year, month = min(max(whole // 12, 1), 9998), whole % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


class Calendar:
    """The days from which an answer may count: the user's (``said``), those of the answer, and today."""

    def __init__(self, said: Collection[date], others: Collection[date]) -> None:
        self._said = sorted(said)[:MOST_DAYS]
        self._days = sorted({*self._said, *sorted(others)[:MOST_DAYS]})
        pairs = [(start, end) for start, end in combinations(self._days, 2) if end.year - start.year < 100]
        self._spans = pairs
        self._lengths = {unit: np.array([_length(pair, unit) for pair in pairs], float) for unit in ("day", "month")}

    @property
    def months(self) -> list[float]:
        """The 60 shortest spans between two days, in months: complete months, and these plus the begun one."""
        whole = self._lengths["month"]
        return sorted({*whole.tolist(), *(whole + 1).tolist()})[:60]

    def is_span(self, value: float, unit: str, tolerance: float, kind: str = "") -> bool:
        """Return True if a duration lies between two known days, with or without the first and the last."""
        days, months = self._lengths["day"], self._lengths["month"]
        if not len(days):
            return False
        if unit == "month":
            fraction = days / 365.25 * 12
            ended = (value >= months - 1e-6) & (value <= months + 1 + tolerance)
            years = (value % 12 == 0) & (np.abs(value - fraction) < 12)
            return bool(np.any(ended | years | (np.abs(fraction - value) <= max(tolerance, 0.07))))
        if unit == "week":
            return bool(np.any(np.abs(days / 7 - value) <= 1))
        if unit != "day":
            return False
        if kind != "working" and np.any(np.abs(days - value) <= 1.01 + tolerance):
            return True
        return kind != "natural" and any(
            -1 <= _working_days(start, end) - value <= 2 + _suspended(start, end) for start, end in self._spans
        )

    def is_reached(self, day: date, days: Collection[float], months: Collection[float]) -> bool:
        """Return True if a known duration links a known day with this one, or a known period begins or ends here."""
        is_bound = day.day == 1 or day.day == monthrange(day.year, day.month)[1]
        if self._said and is_bound and self._said[0].year - 1 <= day.year <= self._days[-1].year + 1:
            return True
        for start in self._days:
            gap = (day - start).days
            if abs(gap) <= (_NEXT_WORKING_DAY if start in self._said else 1):
                return True
            if any(abs(abs(gap) - count) <= 1 for count in days):
                return True
            if any(abs((day - add_months(start, sign * int(n))).days) <= 1 for n in months for sign in (1, -1)):
                return True
            if 0 < gap < 400:
                run, slack = _working_days(start, day), 2 + _suspended(start, day)
                if any(-1 <= run - count <= slack for count in days):
                    return True
        return False


def _length(pair: tuple[date, date], unit: str) -> int:
    start, end = pair
    if unit == "day":
        return (end - start).days
    # The last day counts: from the 1st of March to the 28th of February is a year.
    after = end + timedelta(days=1)
    return (after.year - start.year) * 12 + after.month - start.month - (after.day < start.day)


def _working_days(start: date, end: date) -> int:
    return int(np.busday_count(start + timedelta(days=1), end + timedelta(days=1)))


def _suspended(start: date, end: date) -> float:
    slack = _HOLIDAYS_A_YEAR * (end - start).days / 365 + 2
    if any(start <= date(year, 8, 31) and end >= date(year, 8, 1) for year in range(start.year, end.year + 1)):
        slack += _AUGUST
    if end >= date(start.year, 12, 24) or start <= date(start.year, 1, 6):
        slack += _CHRISTMAS
    return slack


def dates_in(values: Iterable[Quantity]) -> list[Quantity]:
    return [each for each in values if each.unit == DATE]


def bare_quantities(text: str) -> list[Quantity]:
    numbers = sorted(bare_numbers(text), key=lambda each: each.start)
    return [Quantity(each.value, "#", "", each.start, each.end) for each in numbers]


def with_numbers(text: str) -> list[Quantity]:
    return [*quantities(text), *whole_durations(text), *bare_quantities(text)]


_EQUALS = re.compile(
    r"=|≈|≃|\bson\s(?:unos\s|aproximadamente\s)?(?=\d)|\bequivale[n]?\sa\s|\bda[n]?\s(?=\d)|\bresultan?\s(?=\d)"
)
_OPERATORS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"[×*·]|(?<=[\s\d)])x(?=\s?[\d(])|\bmultiplicad[oa]s?\spor\b"), "*"),
    (re.compile(r"÷|/(?=\s?[\d(])|:(?=\s\d)|\bdividid[oa]s?\s(?:entre|por)\b"), "/"),
    (re.compile(r"\+|\bmas\b(?=\s\d)"), "+"),
    (re.compile(r"[−–]|-(?=\s?\d)|\bmenos\b(?=\s\d)"), "-"),
)
_PERCENT = re.compile(r"\s?(?:%|por\s?(?:ciento|100))")
_BOUNDARY = re.compile(r"[;:¿?]\s|\.\s|\n|\|")
_ROUGH = re.compile(r"≈|≃|\b(?:unos|unas|aprox\w*|alrededor|cerca|casi)\b")
_GOES_ON = re.compile(r"\s?(?:€|euros?|dias?|mes(?:es)?|anos?|horas?)?\s?[×*·÷/+]\s?\d")
_FACTOR = re.compile(r"([×*·]\s?\d{1,3})/(?=\d)")
_TIMES = re.compile(r"\d\s(dia|semana|mes|ano)")
_TOLERANCE = Decimal("0.02")
_DECIMALS = re.compile(r",(\d+)")

_COMPUTE: tuple[Mapping[str, Callable[[Decimal, Decimal], Decimal]], ...] = (
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": operator.truediv},
)
"""Operators by precedence, the weakest first."""
_MAX_NUMBERS = 12
_CHARACTERS_AFTER = 25


@dataclass(frozen=True)
class Computation:
    """A written computation: its true ``value``, the ``result`` in the text, and its ``operands``."""

    written: str
    value: Decimal
    result: Quantity
    is_right: bool
    start: int
    end: int
    operands: tuple[Decimal, ...]


def computations(text: str) -> list[Computation]:
    """Return the computations of a text that can be evaluated. A result called approximate may differ by 2 %.

    >>> [(each.written, each.is_right) for each in computations("33 días × 4 años = 132 días; 60 × 2 = 130 €")]
    [('33 días × 4 años', True), ('60 × 2', False)]
    """
    # A fraction that is a factor, and no date.
    folded = _FACTOR.sub(r"\1÷", fold(text).replace("**", "  "))
    return [found for sign in _EQUALS.finditer(folded) if (found := _around(text, folded, sign))]


def _around(text: str, folded: str, sign: re.Match[str]) -> Computation | None:
    begin = max((match.end() for match in _BOUNDARY.finditer(folded, 0, sign.start())), default=0)
    begin = max([begin, *(match.end() for match in _EQUALS.finditer(folded, begin, sign.start()) if match[0] in "=≈≃")])
    after = read_number(folded, sign.end())
    if after is None or after[2] > LARGEST or after[0] - sign.end() > _CHARACTERS_AFTER:
        return None
    tokens = list(_tokens(folded, begin, sign.start()))
    value = None
    # Words before an expression may have numbers of their own: the longest end that is an expression counts.
    for first in range(len(tokens)):
        candidate = tokens[first:]
        if len([1 for kind, _, _ in candidate if kind == "number"]) < 2:
            break
        value = _evaluate(candidate)
        if value is not None:
            begin = candidate[0][2]
            break
    if value is None:
        return None
    operands = tuple(Decimal(token) for kind, token, _ in candidate if kind == "number")
    if _GOES_ON.match(folded, after[1]):
        # "= 9.600 € / 6 = 1.600 €": what stands behind the sign is an expression itself.
        return _chained(text, folded, sign, after, begin, value, operands)
    known = [quantity for quantity in quantities(text) if quantity.start <= after[0] < quantity.end]
    result = known[0] if known else Quantity(after[2], "#", "", after[0], after[1])
    if any(each.unit == DATE and begin <= each.start <= after[0] for each in quantities(text)):
        return None  # Days are not reckoned with here.
    adds = any(kind == "operator" and token in "+-" for kind, token, _ in candidate)
    if adds and len(set(_TIMES.findall(folded, begin, after[1] + _CHARACTERS_AFTER))) > 1:
        return None  # "65 años menos 20 meses": numbers of different units do not add up.
    rough = bool(_ROUGH.search(folded, sign.start(), after[0]))
    written = text[begin : sign.start()].strip()
    is_right = _agree(value, after, folded, rough=rough, slack=_slack(value, operands))
    return Computation(written, value, result, is_right, begin, sign.start(), operands)


def _chained(
    text: str,
    folded: str,
    sign: re.Match[str],
    after: tuple[int, int, Decimal],
    begin: int,
    value: Decimal,
    operands: tuple[Decimal, ...],
) -> Computation | None:
    stops = [match.start() for pattern in (_EQUALS, _BOUNDARY) if (match := pattern.search(folded, after[1]))]
    end = min([*stops, len(folded)])
    result = _evaluate(list(_tokens(folded, sign.end(), end)))
    if result is None:
        return None
    is_right = abs(result - value) <= _TOLERANCE
    step = Quantity(result, "#", "", after[0], after[1])
    return Computation(text[begin : sign.start()].strip(), value, step, is_right, begin, sign.start(), operands)


def _slack(value: Decimal, operands: Sequence[Decimal]) -> Decimal:
    rounded = [each for each in operands if each % 1]
    lost = (abs(value / each) * Decimal(1).scaleb(int(each.as_tuple().exponent)) for each in rounded)
    return sum(lost, Decimal(0))


def _agree(
    value: Decimal, after: tuple[int, int, Decimal], folded: str, *, rough: bool, slack: Decimal = Decimal(0)
) -> bool:
    start, end, written = after
    decimals = _DECIMALS.search(folded, start, end)
    unit = Decimal(1).scaleb(-len(decimals[1])) if decimals else Decimal(1)
    tolerance = max(unit, abs(value) * Decimal("0.02")) if rough else unit if value % 1 else Decimal(0)
    if decimals:
        tolerance = max(tolerance, unit * 2)
    tolerance += slack
    as_share = _PERCENT.match(folded, end) is not None  # "13 / 18 = 72,2 %"
    return any(abs(found - written) <= tolerance for found in ((value, value * 100) if as_share else (value,)))


def _tokens(folded: str, begin: int, end: int) -> Iterator[tuple[str, str, int]]:
    """Yield kind, token and offset of numbers, operators and brackets; skip the words between them."""
    position = begin
    while position < end:
        number = read_number(folded, position)
        number = number if number and number[0] < end else None
        until = number[0] if number else end
        for place in range(position, until):
            if folded[place] in "()":
                yield "bracket", folded[place], place
                continue
            for pattern, sign in _OPERATORS:
                if pattern.match(folded, place):
                    yield "operator", sign, place
                    break
        if number is None:
            return
        yield "number", str(number[2]), number[0]
        position = number[1]
        if percent := _PERCENT.match(folded, position):
            yield "operator", "/", position
            yield "number", "100", position
            if folded[percent.end() : percent.end() + 4].startswith(" de "):
                yield "operator", "*", percent.end()
            position = percent.end()


def _evaluate(tokens: Sequence[tuple[str, str, int]]) -> Decimal | None:
    if not any(kind == "operator" for kind, _, _ in tokens) or len(tokens) > 4 * _MAX_NUMBERS:
        return None
    written = " ".join(token for _, token, _ in tokens).replace("( )", "").split()[::-1]
    try:
        value = _operation(written)
        return value if not written and abs(value) <= LARGEST else None
    except (IndexError, ValueError, DivisionByZero, InvalidOperation):
        return None


def _operation(tokens: list[str], level: int = 0) -> Decimal:
    """Evaluate an expression off the end of reversed tokens; raise an error of ``_evaluate`` where there is none."""
    if level == len(_COMPUTE):
        return _operand(tokens)
    value = _operation(tokens, level + 1)
    while tokens and tokens[-1] in _COMPUTE[level]:
        compute = _COMPUTE[level][tokens.pop()]
        value = compute(value, _operation(tokens, level + 1))
    return value


def _operand(tokens: list[str]) -> Decimal:
    token = tokens.pop()
    if token != "(":
        return Decimal(token)
    value = _operation(tokens)
    if tokens.pop() != ")":
        raise ValueError("an open bracket")
    return value
