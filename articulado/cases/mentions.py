"""Values of filter fields that an inquiry names, by the lists of the profile.

``named_values`` finds the names of a field's values and of ``others`` as whole words, without case, accents and marks.
An inquiry that names another value than the filter has, and not that one, is a ``Conflict``: whose the name is, and
whether it is past or denied, is asked.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from articulado.config.sections import TOPIC, FilterField
from articulado.language.folding import fold
from articulado.language.languages import Language

_MARKS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class NamedValues:
    """Names of a field in a text: ``held`` are values of the profile, ``others`` names for which it has no article."""

    field: FilterField
    held: frozenset[str]
    others: frozenset[str]

    @property
    def words(self) -> str:
        """All names, to be shown."""
        return ", ".join(sorted((*self.held, *self.others)))


@dataclass(frozen=True)
class Conflict:
    """A filter field of which the inquiry names another value than ``given``, and the message for the caller.

    ``is_held``: the profile has articles for what is named.
    """

    field: str
    given: str
    message: str
    is_held: bool


def named_values(text: str, fields: Iterable[FilterField]) -> list[NamedValues]:
    """Return what a text names of each field but the topic; fields of which it names nothing are left out."""
    named = [_named(_words_of(text), field) for field in fields if field.name != TOPIC]
    return [each for each in named if each.held or each.others]


def conflicts(named: Iterable[NamedValues], filters: Mapping[str, str], language: Language) -> list[Conflict]:
    """Return the fields of which the inquiry names other values than the filter and not its own."""
    found = []
    for each in named:
        given, is_held = filters.get(each.field.name, ""), bool(each.held)
        if given in each.held or (is_held and not given):
            continue
        message = language.translate(
            "case_named_otherwise" if is_held else "case_named_not_held",
            field=each.field.label,
            words=language.quoted(", ".join(sorted(each.held or each.others))),
            value=given,
            known=", ".join(each.field.values),
        )
        found.append(Conflict(each.field.name, given, message, is_held))
    return found


def fill_open_filters(named: Iterable[NamedValues], filters: Mapping[str, str]) -> dict[str, str]:
    """Return the filters, with those that the caller left open filled if the text names one value and no other name."""
    single = {each.field.name: next(iter(each.held)) for each in named if len(each.held) == 1 and not each.others}
    return {**single, **filters}


def _named(text: str, field: FilterField) -> NamedValues:
    held, others = set[str](), set[str]()
    for words, value, is_held in _names(field):
        if words in text:
            (held if is_held else others).add(value)
            text = text.replace(words, " | ")  # a longer name has a shorter one in it
    return NamedValues(field, frozenset(held), frozenset(others))


def _names(field: FilterField) -> Sequence[tuple[str, str, bool]]:
    """Return the names of a field, the longest first, each with its value and whether the profile holds it."""

    def all_names() -> Iterator[tuple[str, str, bool]]:
        # Values that are ordinary words ("general") have names of their own; else they are named as they are written.
        own = field.named_by or {value: (value, *names) for value, names in field.values.items()}
        for value, names in own.items():
            yield from ((_words_of(name), value, True) for name in names)
        for value, names in field.others.items():
            yield from ((_words_of(name), value, False) for name in (value, *names))

    return sorted(all_names(), key=lambda name: -len(name[0]))


def _words_of(text: str) -> str:
    """Return a text folded, its words between single spaces, with one at either end."""
    return f" {' '.join(_MARKS.sub(' ', fold(text)).split())} "
