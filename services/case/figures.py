"""Figures in the text of a case: values with the kind of their unit, so that 60 days are no $60."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from language.amounts import MULTIPLE, NUMBER, number

_MONEY = r"[$€£]|usd|eur(?:os?)?|dollars?|d[oó]lares"
_PERCENT = r"%|per\s?cent|por ciento"
_TIME = (
    r"(?:business |calendar |working |full )?(?:days?|weeks?|months?|years?|hours?)"
    r"|d[ií]as?|semanas?|mes(?:es)?|años?|horas?"
)
_FIGURE = re.compile(
    rf"(?P<money>[$€£]|\b(?:usd|eur))?\s?(?<!\d)(?<!\d[.,]){NUMBER}{MULTIPLE}"
    rf"(?:[\s-]?(?:(?P<money_after>{_MONEY})|(?P<percent>{_PERCENT})|(?P<time>(?:{_TIME})\b)))?",
    re.IGNORECASE,
)


class Figure(NamedTuple):
    """A value, and what it counts: ``money``, ``percent``, ``time``, or nothing that is known (empty)."""

    value: Decimal
    kind: str
    written: str


def figures(text: str) -> Iterator[Figure]:
    """Yield the figures of a text, in order; numbers in words are none."""
    for found in _FIGURE.finditer(text):
        value = number(found["digits"], found["fraction"], (found["multiple"] or "").casefold().replace("ó", "o"))
        if value is not None:
            money = found["money"] or found["money_after"]
            kind = "money" if money else "percent" if found["percent"] else "time" if found["time"] else ""
            yield Figure(value, kind, found[0].strip())
