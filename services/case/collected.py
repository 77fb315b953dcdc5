"""The data that were collected for a case, beside those that it needs."""

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
"""Groups in one another: a form has sections, no more."""

_TRUE = frozenset(("true", "yes", "y", "1", "si", "s", "verdadero"))
_FALSE = frozenset(("false", "no", "n", "0", "falso"))
_UNKNOWN = frozenset(("", "unknown", "n/a", "na", "null", "?", "-", "desconocido", "no consta", "pendiente"))


def flattened(sent: Mapping[str, Any], depth: int = MAX_DEPTH) -> dict[str, str]:
    """Return collected data by name, those in groups beside the others; what is empty or "unknown" is left out.

    Raises:
        ValueError: groups are in one another more than ``depth`` times, a list holds others or groups, a number is not
            finite, or the same name has two values.
    """
    if depth < 0:
        raise ValueError("too many groups in one another")
    values: dict[str, str] = {}
    for name, value in sent.items():
        found = flattened(value, depth - 1) if isinstance(value, Mapping) else {str(name): _written(value)}
        for key, text in found.items():
            if without_accents(text).casefold() in _UNKNOWN:
                continue
            if values.setdefault(key, text) != text:
                raise ValueError(f"{key} twice")
    return values


def _written(value: object) -> str:
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
        if any(isinstance(one, list | tuple | Mapping) for one in value):
            raise ValueError("a list of lists or groups")
        return ", ".join(filter(None, map(_written, value)))
    return " ".join(unicodedata.normalize("NFC", str(value)).split())


def value_of(field: FieldSpec, collected: Mapping[str, str]) -> str | None:
    """Return what was collected for a field under its name or another one for it; ``None`` where nothing was."""
    return next(iter(_values(field, collected)), None)


def missing(fields: Iterable[FieldSpec], collected: Mapping[str, str]) -> list[str]:
    """Return the names of required data that were not collected, each once, in order."""
    names = (one["field"] for one in fields if one["required"] and value_of(one, collected) is None)
    return list(dict.fromkeys(names))


def unreadable(fields: Iterable[FieldSpec], collected: Mapping[str, str]) -> list[str]:
    """Return the names of collected data that are not of the type of their field."""
    values = ((one, value_of(one, collected)) for one in fields)
    names = (one["field"] for one, value in values if value is not None and not _is(value, one["data_type"]))
    return list(dict.fromkeys(names))


def conflicting(fields: Iterable[FieldSpec], collected: Mapping[str, str]) -> list[str]:
    """Return the names of data that were collected under several names with different values."""
    return list(dict.fromkeys(one["field"] for one in fields if len({*map(_same, _values(one, collected))}) > 1))


def decided(
    rules: Sequence[DecisionRule], fields: Sequence[FieldSpec], collected: Mapping[str, str], language: Language
) -> tuple[Decision, str] | None:
    """Return decision and reason of the first rule that holds; ``None`` where none does.

    A rule on a datum that was not collected, or cannot be read, does not hold. Words that keep a case from going on are
    found anywhere in a value ("Active employee" is active), those that let it go on must be all of it.
    """
    by_name = {one["field"]: one for one in fields}
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
        return any(_says(value, str(one), language, anywhere=anywhere) for one in when["one_of"])
    found = parse_amount(value)
    if found is None:
        return False
    return found < when["below"] if "below" in when else found > when["above"]


def _says(value: str, phrase: str, language: Language, *, anywhere: bool) -> bool:
    """Tell whether a value is a phrase, or has it in it as words, in any form of them."""
    truth = truth_of(value)
    if letters_and_digits(value) == letters_and_digits(phrase) or (truth is not None and truth == truth_of(phrase)):
        return True
    held, sought = (_forms(text, language) for text in (value, phrase))
    places = range(len(held) - len(sought) + 1) if anywhere and sought else range(0)
    return any(
        all(word & other for word, other in zip(held[at : at + len(sought)], sought, strict=True)) for at in places
    )


def _forms(text: str, language: Language) -> list[set[str]]:
    """Return the words of a text, each with its stem: stop words have none."""
    words = re.findall(r"\w+", unicodedata.normalize("NFC", text).lower())
    return [{without_accents(word), *language.stems(word)} for word in words]


def _is(value: str, kind: DataType) -> bool:
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
    """Return what a yes or a no says; ``None`` for anything else."""
    word = without_accents(value).casefold()
    return True if word in _TRUE else False if word in _FALSE else None


def _same(value: str) -> object:
    """Return what makes two values the same: the amount, the day, or the words."""
    found = parse_amount(value)
    return found if found is not None else parse_day(value) or letters_and_digits(value)
