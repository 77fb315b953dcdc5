"""Read when something began: as a date, as a year, or as how long it has lasted."""

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from articulado.guides.data_values import Circumstances, Days, UnusableValue
from articulado.language.days import MONTHS
from articulado.language.folding import fold
from articulado.values.articles import FieldSpec
from services.case.data.dates import find_days
from services.case.data.money import is_percentage
from services.case.data.quantities import read_quantity

_DATE_BEGINS = re.compile(rf"\d|\b(?:{MONTHS})\b")
_REMARK = re.compile(r"\s*[,;(].*", re.DOTALL)
_CURRENCY = re.compile("[$€£]")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")


def read_beginning(text: str, spec: FieldSpec, circumstances: Circumstances) -> Days | Decimal:
    """Return the days on which something may have begun, or how long it has lasted, in the unit of its field.

    Words may stand before either, and a remark after it ("desde mayo de 2018, indefinido"). A year is all of its days.

    Raises:
        UnusableValue: there is no such day, or the text is neither.
    """
    parts = [] if is_percentage(text) or _CURRENCY.search(text) else list(_parts(text))
    for part in parts:
        if days := find_days(part, spec, circumstances):
            return days
    for part in parts:
        if (year := _YEAR.search(part)) and not re.search(r"\d", part[: year.start()] + part[year.end() :]):
            return Days(date(int(year[0]), 1, 1), date(int(year[0]), 12, 31))
        if (length := read_quantity(part, spec.get("unit"), circumstances.language)) is not None:
            return length
    raise UnusableValue(circumstances.language.translate("case_problem_beginning"))


def _parts(text: str) -> Iterator[str]:
    """Yield a text and what is left of it without a remark and without the words before a date."""
    for part in (text, _REMARK.sub("", text)):
        yield part
        if begins := _DATE_BEGINS.search(fold(part)):
            yield part[begins.start() :]
