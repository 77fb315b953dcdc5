"""Read the number of a case: in figures or in words, and time in the unit of its field."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from articulado.guides.data_values import all_data_patterns
from articulado.language.folding import fold
from articulado.language.languages import DataPatterns, Language, TimeUnit
from articulado.language.numerals import MULTIPLE, NUMBER, parse_amount, parse_number, with_figures
from articulado.values.articles import Elapsed

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
