"""The data that were collected for a case, as they were sent: laid open, and found by the names of a field."""

import math
import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from articulado.guides.data_values import is_placeholder
from articulado.language.folding import letters_and_digits
from articulado.values.articles import FieldSpec

MAX_DEPTH = 3
"""Nesting of groups: a form has sections, no more."""


def flatten(collected: Mapping[str, Any], depth: int = MAX_DEPTH) -> dict[str, str]:
    """Return collected data by name, groups dissolved; what is empty is left out, and a placeholder beside a value.

    >>> flatten({"plan_data": {"balance": 1500}, "left": None, "married": True})
    {'balance': '1500', 'married': 'true'}

    Raises:
        ValueError: groups are nested more than ``depth`` times, a list holds others or groups, a number is not
            finite, or the same name has two values.
    """
    if depth < 0:
        raise ValueError("too many groups in one another")
    values: dict[str, str] = {}
    for name, value in collected.items():
        flat = flatten(value, depth - 1) if isinstance(value, Mapping) else {str(name): _text_of(value)}
        for key, text in flat.items():
            if not text or (key in values and is_placeholder(text)):
                continue
            if values.get(key, text) != text and not is_placeholder(values[key]):
                raise ValueError(f"{key} twice")
            values[key] = text
    return values


def _text_of(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        if not math.isfinite(value):
            raise ValueError("not a finite number")
        plain = format(Decimal(repr(value)), "f")
        # Three decimals would be read as thousands.
        return f"{plain}0" if re.search(r"\.\d{3}$", plain) else plain
    if isinstance(value, list | tuple):
        if any(isinstance(element, list | tuple | Mapping) for element in value):
            raise ValueError("a list of lists or groups")
        return ", ".join(filter(None, map(_text_of, value)))
    return " ".join(unicodedata.normalize("NFC", str(value)).split())


def sent_values(field: FieldSpec, collected: Mapping[str, str]) -> dict[str, str]:
    """Return what was collected for a field, by the names under which it was sent: its own first, then its aliases.

    Case, accents and marks of the names do not count.
    """
    sent_names = {letters_and_digits(name): name for name in collected}
    keys = dict.fromkeys(map(letters_and_digits, (field["field"], *field["aliases"])))
    return {sent_names[key]: collected[sent_names[key]] for key in keys if key in sent_names}
