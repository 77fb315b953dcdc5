"""Read one datum: by the type of its field, its list and its pattern."""

import re
from decimal import Decimal
from typing import TypeVar

from articulado.guides.data_values import Circumstances, UnusableValue, Value, read_truth, truth_of
from articulado.language.folding import without_accents
from articulado.language.languages import Language
from articulado.values.articles import FieldSpec
from services.case.data.beginnings import read_beginning
from services.case.data.dates import read_days
from services.case.data.money import is_nothing, is_percentage, read_money
from services.case.data.phrases import named_choices
from services.case.data.quantities import read_quantity

_Read = TypeVar("_Read", bool, Decimal)


def read_value(text: str, spec: FieldSpec, circumstances: Circumstances) -> Value:
    """Return what a text says as a value of a field.

    Raises:
        UnusableValue: it says none.
    """
    language = circumstances.language
    if "pattern" in spec and not _has_pattern(text, spec["pattern"]):
        raise UnusableValue(language.translate("case_problem_pattern"))
    match spec["data_type"]:
        case "currency":
            return read_money(text, language)
        case "number":
            return _number(text, spec, language)
        case "date":
            read = read_beginning if "unit" in spec else read_days
            return read(text, spec, circumstances)
        case "boolean":
            return _read(_truth(text, spec, language), "boolean", language)
        case "text":
            return _choices(text, spec, language)


def is_none_a_value(text: str, spec: FieldSpec) -> bool:
    """Tell whether "none" or "no" is the value of a field: an amount of zero, or a no."""
    match spec["data_type"]:
        case "currency" | "number":
            return is_nothing(text)
        case "boolean":
            return read_truth(text) is not None
        case _:
            return False


def _number(text: str, spec: FieldSpec, language: Language) -> Decimal:
    if is_nothing(text):
        return Decimal(0)
    if "unit" in spec and is_percentage(text):
        raise UnusableValue(language.translate("case_problem_percentage_of_time"))
    return _read(read_quantity(text, spec.get("unit"), language), "number", language)


def _truth(text: str, spec: FieldSpec, language: Language) -> bool | None:
    """Return what a yes or no says, or which of the two the words of a list stand for; ``None`` for both or neither."""
    truth = read_truth(text)
    if truth is not None or "values" not in spec:
        return truth
    named = {truth_of(choice) for choice in named_choices(text, spec["values"], language)}
    return named.pop() if len(named) == 1 else None


def _read(value: _Read | None, kind: str, language: Language) -> _Read:
    if value is None:
        raise UnusableValue(language.translate(f"case_problem_{kind}"))
    return value


def _choices(text: str, spec: FieldSpec, language: Language) -> frozenset[str] | None:
    if "values" not in spec:
        return None
    named = named_choices(text, spec["values"], language)
    if not named:
        raise UnusableValue(language.translate("case_problem_choice"))
    return named


def _has_pattern(text: str, pattern: str) -> bool:
    return re.search(without_accents(pattern), without_accents(text), re.IGNORECASE) is not None
