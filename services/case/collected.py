"""The data that were collected for a case: read, compared with the fields that it needs, and put to its rules."""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from language.amounts import parse_amount
from language.days import parse_day
from language.folding import letters_and_digits, without_accents
from language.languages import Language
from state.articles import Condition, DataType, Decision, DecisionRule, FieldSpec

MAX_DEPTH = 3
"""Nesting of groups: a form has sections, no more."""

_TRUE = frozenset(("true", "yes", "y", "1", "si", "s", "verdadero"))
_FALSE = frozenset(("false", "no", "n", "0", "falso"))
_UNKNOWN = frozenset(("", "unknown", "n/a", "na", "null", "?", "-", "desconocido", "no consta", "pendiente"))


def flatten(collected: Mapping[str, Any], depth: int = MAX_DEPTH) -> dict[str, str]:
    """Return collected data by name, groups dissolved; what is empty or "unknown" is left out.

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
            if without_accents(text).casefold() in _UNKNOWN:
                continue
            if values.setdefault(key, text) != text:
                raise ValueError(f"{key} twice")
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


def value_of(field: FieldSpec, collected: Mapping[str, str]) -> str | None:
    """Return what was collected for a field under its name or another one for it; ``None`` where nothing was."""
    return next(iter(_values(field, collected)), None)


def missing_fields(fields: Iterable[FieldSpec], collected: Mapping[str, str]) -> list[str]:
    """Return the names of required data that were not collected, each once, in order."""
    names = (field["field"] for field in fields if field["required"] and value_of(field, collected) is None)
    return list(dict.fromkeys(names))


def unreadable_fields(fields: Iterable[FieldSpec], collected: Mapping[str, str]) -> list[str]:
    """Return the names of collected data that are not of the type of their field."""
    values = ((field, value_of(field, collected)) for field in fields)
    names = (
        field["field"] for field, value in values if value is not None and not _is_of_type(value, field["data_type"])
    )
    return list(dict.fromkeys(names))


def conflicting_fields(fields: Iterable[FieldSpec], collected: Mapping[str, str]) -> list[str]:
    """Return the names of data that were collected under several names with different values."""
    return list(
        dict.fromkeys(field["field"] for field in fields if len({*map(_comparable, _values(field, collected))}) > 1)
    )


def apply_rules(
    rules: Sequence[DecisionRule], fields: Sequence[FieldSpec], collected: Mapping[str, str], language: Language
) -> tuple[Decision, str] | None:
    """Return the decision and the reason of the first rule that holds; ``None`` where none does.

    A rule on a datum that was not collected, or cannot be read, does not hold. Words that keep a case from going on are
    found anywhere in a value ("Active employee" is active), those that let it go on must be all of it.
    """
    by_name = {field["field"]: field for field in fields}
    for rule in rules:
        name = rule["when"]["field"]
        value = value_of(by_name[name], collected) if name in by_name else None
        if value is not None and _holds(rule["when"], value, language, anywhere=rule["decision"] != "can_proceed"):
            return rule["decision"], rule["because"]
    return None


def _values(field: FieldSpec, collected: Mapping[str, str]) -> list[str]:
    by_name = {letters_and_digits(name): value for name, value in collected.items()}
    names = dict.fromkeys(map(letters_and_digits, (field["field"], *field["aliases"])))
    return [by_name[name] for name in names if name in by_name]


def _holds(when: Condition, value: str, language: Language, *, anywhere: bool) -> bool:
    if "one_of" in when:
        return any(_has_phrase(value, str(phrase), language, anywhere=anywhere) for phrase in when["one_of"])
    number = parse_amount(value)
    if number is None:
        return False
    return number < when["below"] if "below" in when else number > when["above"]


def _has_phrase(value: str, phrase: str, language: Language, *, anywhere: bool) -> bool:
    """Tell whether a value is a phrase, or has it in it as words, in any form of them."""
    truth = truth_of(value)
    if letters_and_digits(value) == letters_and_digits(phrase) or (truth is not None and truth == truth_of(phrase)):
        return True
    value_words, phrase_words = (_forms(text, language) for text in (value, phrase))
    starts = range(len(value_words) - len(phrase_words) + 1) if anywhere and phrase_words else range(0)
    return any(
        all(
            word & phrase_word
            for word, phrase_word in zip(value_words[start : start + len(phrase_words)], phrase_words, strict=True)
        )
        for start in starts
    )


def _forms(text: str, language: Language) -> list[set[str]]:
    """Return the words of a text, each as a set of itself and its stem; stop words have no stem."""
    words = re.findall(r"\w+", unicodedata.normalize("NFC", text).lower())
    return [{without_accents(word), *language.stems(word)} for word in words]


def _is_of_type(value: str, kind: DataType) -> bool:
    match kind:
        case "currency" | "number":
            return parse_amount(value) is not None
        case "date":
            return parse_day(value) is not None
        case "boolean":
            return truth_of(value) is not None
        case _:
            return True


def truth_of(value: str) -> bool | None:
    """Return the truth value that a text spells ("sí", "no", "true", …); ``None`` for any other text."""
    word = without_accents(value).casefold()
    return True if word in _TRUE else False if word in _FALSE else None


def _comparable(value: str) -> object:
    """Return what equal values have in common however they are written: the amount, the day, or the words."""
    number = parse_amount(value)
    return number if number is not None else parse_day(value) or letters_and_digits(value)
