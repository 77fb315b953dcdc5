"""What an inquiry names compared with the filter fields that its caller gave, and fields filled in from it."""

from collections.abc import Mapping, Sequence, Set
from typing import Literal, NamedTuple

from articulado.config.sections import FilterField
from articulado.language.languages import Language
from services.case.mentions import Mention, Role

Verdict = Literal["agrees", "denied", "differs", "not_held", "open"]
"""How the text compares with the value given.

It names that value, or denies another and names none; denies that value; names another that is held; names only what is
not held; or nothing was given to compare with.
"""


class NamedFilter(NamedTuple):
    """A filter field that the text names: what the caller gave, or empty, what is named, and how the two compare."""

    field: str
    given: str
    named: tuple[Mention, ...]
    verdict: Verdict

    @property
    def is_conflict(self) -> bool:
        """Whether the case must not go on as if nothing had been said."""
        return self.verdict in ("denied", "differs", "not_held")


def conflicts(
    mentions: Sequence[Mention], filters: Mapping[str, str], anywhere: Set[tuple[str, str]] = frozenset()
) -> list[NamedFilter]:
    """Return what the text says of each field of which it names or denies a value, in the order of the mentions.

    It agrees where the value given is among what the text names, though as a former one, beside others or beside a
    denial: who names both says more than can be told here. Beside what is not held, it does so wherever the text names
    it (``anywhere``, fields and values: ``named_anywhere``): an old account may have come to the provider of the case.
    ``filters`` has the given values as the knowledge base writes them.
    """
    by_field: dict[str, list[Mention]] = {}
    for mention in mentions:
        by_field.setdefault(mention.field, []).append(mention)
    compared = (
        _compared(field, given, named, (field, given) in anywhere)
        for field, named in by_field.items()
        for given in [filters.get(field, "")]
    )
    return [conflict for conflict in compared if conflict.named]


def _compared(field: str, given: str, named: Sequence[Mention], is_anywhere: bool) -> NamedFilter:
    own, denied = _in_role(named, "own"), _in_role(named, "denied")
    if given and any(mention.value == given and mention.role != "denied" for mention in named):
        return NamedFilter(field, given, own, "agrees")
    if given and (rejected := tuple(mention for mention in denied if mention.value == given)):
        return NamedFilter(field, given, rejected, "denied")
    if not own:
        return NamedFilter(field, given, denied, "agrees" if given else "open")
    if not any(mention.held for mention in own):
        return NamedFilter(field, given, own, "agrees" if is_anywhere else "not_held")
    return NamedFilter(field, given, own, "differs" if given else "open")


def _in_role(mentions: Sequence[Mention], role: Role) -> tuple[Mention, ...]:
    return tuple(mention for mention in mentions if mention.role == role)


def fill_open_filters(mentions: Sequence[Mention], filters: Mapping[str, str]) -> dict[str, str]:
    """Return the filters, with those that the caller left open filled where the text names one value and no other.

    What is named as former, or is not held, counts as another; what is denied does where it is that value itself.
    """
    asserted = {(mention.field, mention.value) for mention in mentions if mention.role != "denied"}
    named: dict[str, set[tuple[str, str]]] = {}
    for mention in mentions:
        if (mention.field, mention.value) in asserted:  # a denial of another value says nothing of this one
            named.setdefault(mention.field, set()).add((mention.value, mention.role))
    single = {field: next(iter(values)) for field, values in named.items() if len(values) == 1}
    return {**{field: value for field, (value, role) in single.items() if value and role == "own"}, **filters}


def conflict_message(conflict: NamedFilter, fields: Sequence[FilterField], language: Language) -> str:
    """Return what to tell the caller about a conflict."""
    field = next(field for field in fields if field.name == conflict.field)
    words = ", ".join(dict.fromkeys(language.quoted(mention.words) for mention in conflict.named))
    if conflict.verdict == "denied":
        return language.translate("case_named_denied", field=field.label, words=words, value=conflict.given)
    if conflict.verdict == "differs":
        return language.translate("case_named_otherwise", field=field.label, words=words, value=conflict.given)
    return language.translate("case_named_not_held", field=field.label, words=words, known=", ".join(field.values))
