"""Read the day that a brief bears: that of its signature, "En Madrid, a 3 de mayo de 2021"."""

import re
from collections.abc import Iterable
from datetime import date

from articulado.language.days import MONTHS, month_number
from articulado.language.folding import fold
from articulado.language.numerals import numeral

_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = (
    r"(?P<day>\d{1,2}|[a-z]{3,13}(?: y [a-z]{3,6})?)(?:\.?º)? de "
    rf"(?P<month>{MONTHS})(?: de|,)?(?:l)? {_YEAR}"
)
_FORMULA = r"(?:por .{0,80}|(?:es )?justicia que .{0,60}|fdo\.?.{0,60})?"
_SIGNED = re.compile(rf"^{_FORMULA}(?:en )?[a-zñç' /().-]{{2,50}}(?:,? a(?:l dia)?|,) {_DAY}\W*$")
_HEADED = re.compile(rf"^(?:en [a-zñç' ]{{2,40}}, )?(?:fecha:? ?)?(?:a )?{_DAY}\W*$")
_NUMERIC = re.compile(
    rf"^(?:fecha|en [a-zñç' ]{{2,40}}),?:? ?(?:a )?(?P<day>\d{{1,2}})[/.-](?P<month>\d{{1,2}})[/.-]{_YEAR}\W*$"
)


def day_of(paragraphs: Iterable[str]) -> date | None:
    """Return the day that a brief bears, the last one if there are several; ``None`` if it has none.

    >>> day_of(["El 2 de enero de 2018 fue despedido.", "En Madrid, a 3 de mayo de 2021."])
    datetime.date(2021, 5, 3)
    """
    found: date | None = None
    for paragraph in paragraphs:
        for line in paragraph.splitlines()[-3:]:
            folded = " ".join(fold(line).strip(" *_#").split())
            for pattern in (_SIGNED, _HEADED, _NUMERIC):
                match = pattern.match(folded[-160:]) if len(folded) < 260 else None
                if match and (day := _date(match)):
                    found = day
                    break
    return found


def _date(match: re.Match[str]) -> date | None:
    month = int(match["month"]) if match["month"].isdigit() else month_number(match["month"])
    try:
        return date(int(match["year"]), month, numeral(match["day"]) or 0)
    except ValueError:
        return None
