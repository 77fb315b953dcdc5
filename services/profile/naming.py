"""What contradicts itself in how a filter field says that its values are written and named."""

from collections.abc import Iterator

from articulado.language.folding import letters_and_digits
from articulado.language.translation import translate
from services.profile.sections import NAME_MARK, SMALL_NAME_MARK, TOPIC, FilterField


def naming_problems(field: FilterField) -> Iterator[str]:
    """Yield what contradicts itself, each with what to do about it."""
    yield from _ambiguous_values(field)
    yield from _ambiguous_names(field)
    if field.name == TOPIC and (field.named_by or field.others or field.frames or field.aside):
        yield translate("profile.topic_by_names", name=field.name)
    for value in field.named_by:
        if value not in field.values:
            yield translate("profile.named_by_unlisted", name=field.name, value=value)
    for key, patterns in (("frames", field.frames), ("aside", field.aside)):
        for number, pattern in enumerate(patterns, start=1):
            if not {NAME_MARK, SMALL_NAME_MARK} & set(pattern.pattern):
                yield translate("profile.no_name_mark", name=field.name, key=key, number=number, mark=NAME_MARK)


def _ambiguous_values(field: FilterField) -> Iterator[str]:
    claimed: dict[str, str] = {}
    for value, variants in field.values.items():
        for variant in (value, *variants):
            if claimed.setdefault(letters_and_digits(variant), value) != value:
                other = claimed[letters_and_digits(variant)]
                yield translate("profile.ambiguous_value", name=field.name, variant=variant, other=other, value=value)


def _ambiguous_names(field: FilterField) -> Iterator[str]:
    """Yield the words that name two things of a field; those of ``values`` alone are told apart before."""
    claimed = {letters_and_digits(word): value for value, words in field.values.items() for word in (value, *words)}
    for key, names in (
        ("named_by", field.named_by.items()),
        ("others", ((name, (name, *words)) for name, words in field.others.items())),
    ):
        for value, words in names:
            for word in words:
                if (other := claimed.setdefault(letters_and_digits(word), value)) != value:
                    yield translate(
                        "profile.ambiguous_name", name=field.name, key=key, word=word, other=other, value=value
                    )
