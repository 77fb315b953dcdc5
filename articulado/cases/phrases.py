"""Placeholders, listed values and filter values in the texts of a case. Case, accents and marks do not count."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from articulado.config.sections import TOPIC, FilterField
from articulado.guides.schema import truth_of
from articulado.language.folding import fold, letters_and_digits, words_of
from articulado.language.languages import Language, phrases_of_forms
from articulado.values.cases import FieldSpec

_MARKS = re.compile(r"[\W_]+")
_TEMPLATE = re.compile(r"<[a-z_][\w ]*>|\{+\s*[a-z_][\w. ]*\}+|\[[a-z_][\w ]*\]", re.IGNORECASE)


def is_placeholder(text: str) -> bool:
    """Return True if a text stands for a missing value, in any language.

    >>> is_placeholder("[Por determinar]"), is_placeholder("N/A"), is_placeholder("determined")
    (True, True, False)
    """
    words = tuple(words_of(text))
    return (
        not words
        or words in phrases_of_forms("placeholders") | phrases_of_forms("not_applicable")
        or _TEMPLATE.fullmatch(text.strip()) is not None
        or any(words[: len(phrase)] == phrase for phrase in phrases_of_forms("placeholder_openings"))
    )


def is_not_applicable(text: str) -> bool:
    return tuple(words_of(text)) in phrases_of_forms("not_applicable")


def stands_for_nothing(text: str, spec: FieldSpec, looked_for: Sequence[str] = ()) -> bool:
    """Return True if a text is a placeholder, and no value of its field (listed, zero, "no") or word of a rule."""
    kind = spec["data_type"]
    if not is_placeholder(text) or (kind in ("currency", "number") and is_zero(text)):
        return False
    listed = (phrase for value, aliases in spec.get("values", {}).items() for phrase in (value, *aliases))
    is_listed = letters_and_digits(text) in map(letters_and_digits, (*listed, *looked_for))
    return not is_listed and not (kind == "boolean" and truth_of(text) is not None)


def has_phrase(text: str, name: str) -> bool:
    words, phrases = tuple(words_of(text)), phrases_of_forms(name)
    return any(words[start : start + len(phrase)] == phrase for phrase in phrases for start in range(len(words)))


def is_zero(text: str) -> bool:
    return tuple(words_of(text)) in phrases_of_forms("zero")


MOST_WORDS = 8
"""Longest text, in words, that is taken for a listed value it contains."""


def named_choices(text: str, choices: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Return the listed values that a text contains as whole words; of overlapping ones the longer."""
    return frozenset(choice for _, _, choice in _spans(words_of(text), choices))


JOINT = "; "
"""Separator of the values of a field that allows several."""


def read_choice(
    text: str, choices: Mapping[str, Sequence[str]], spoken: Language, *, several: bool = False
) -> str | None:
    """Return the listed value that a text is, or names in at most ``MOST_WORDS`` words without a denial.

    ``several`` allows more than one, joined by ``JOINT`` in the order of the list.
    """
    truth, key = truth_of(text), letters_and_digits(text)
    for choice, aliases in choices.items():
        for phrase in (choice, *aliases):
            if letters_and_digits(phrase) == key or (truth is not None and truth_of(phrase) is truth):
                return choice
    words = words_of(text)
    spans = _spans(words, choices)
    rest = [word for index, word in enumerate(words) if not any(start <= index < end for start, end, _ in spans)]
    if len(words) > MOST_WORDS or any((word,) in spoken.data_words.denial for word in rest):
        return None
    named = {choice for _, _, choice in spans}
    if not named or (len(named) > 1 and not several):
        return None
    return JOINT.join(choice for choice in choices if choice in named)


def _spans(words: Sequence[str], choices: Mapping[str, Sequence[str]]) -> list[tuple[int, int, str]]:
    """Return start, end and value of listed values; of overlapping ones the longest, then the first."""
    phrases = [(words_of(phrase), choice) for choice, aliases in choices.items() for phrase in (choice, *aliases)]
    # "No" and "other" are values only as a whole text.
    denials = phrases_of_forms("denial")
    spans = [
        (start, start + len(phrase), choice)
        for phrase, choice in phrases
        for start in range(len(words) - len(phrase) + 1)
        if words[start : start + len(phrase)] == phrase and not all((word,) in denials for word in phrase)
    ]
    kept: list[tuple[int, int, str]] = []
    for start, end, choice in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if all(end <= other_start or other_end <= start for other_start, other_end, _ in kept):
            kept.append((start, end, choice))
    return kept


@dataclass(frozen=True)
class NamedValues:
    """Values of a field that a text names: ``held`` ones of the profile, and ``others`` without an article."""

    field: FilterField
    held: frozenset[str]
    others: frozenset[str]

    @property
    def words(self) -> str:
        return ", ".join(sorted((*self.held, *self.others)))


@dataclass(frozen=True)
class Conflict:
    """A filter field for which an inquiry names another value; ``is_held``: the profile has articles for it."""

    field: str
    given: str
    message: str
    is_held: bool


def named_values(text: str, fields: Iterable[FilterField]) -> list[NamedValues]:
    """Return the names of each field, except the topic, in a text; fields without a name are left out."""
    named = [_named(_words_of(text), field) for field in fields if field.name != TOPIC]
    return [each for each in named if each.held or each.others]


def conflicts(named: Iterable[NamedValues], filters: Mapping[str, str], language: Language) -> list[Conflict]:
    """Return the fields for which an inquiry names other values than the filter's own."""
    differing = []
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
        differing.append(Conflict(each.field.name, given, message, is_held))
    return differing


def fill_open_filters(named: Iterable[NamedValues], filters: Mapping[str, str]) -> dict[str, str]:
    """Fill the open filters for which a text names exactly one value of the profile and no other name."""
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
    def all_names() -> Iterator[tuple[str, str, bool]]:
        # Values that are ordinary words ("general") have names of their own; else they are named as they are written.
        own = field.named_by or {value: (value, *names) for value, names in field.values.items()}
        for value, names in own.items():
            yield from ((_words_of(name), value, True) for name in names)
        for value, names in field.others.items():
            yield from ((_words_of(name), value, False) for name in (value, *names))

    return sorted(all_names(), key=lambda name: -len(name[0]))


def _words_of(text: str) -> str:
    return f" {' '.join(_MARKS.sub(' ', fold(text)).split())} "
