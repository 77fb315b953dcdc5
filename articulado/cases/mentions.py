"""Filter values named in the text of an inquiry, and their conflicts with the values of the caller.

A mention names a value such as the record keeper, the plan, the regime or the contract, with the role
``own``, ``former`` or ``denied``. Names of other people's cases and doubtful names are left out. Words of
proper names with 7 letters or more may have one wrong letter. ``conflicts`` compares mentions with given
filters; ``fill_open_filters`` completes the open ones.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain, pairwise
from typing import Literal, NamedTuple

from articulado.config.sections import NAME_MARK, SMALL_NAME_MARK, TOPIC, FilterField
from articulado.language.folding import fold, without_accents
from articulado.language.languages import Language, MentionPatterns

Role = Literal["own", "former", "denied"]
"""Whether a name is that of the case, that of what came before it, or what the case is said not to be."""

REACH = 200
"""Characters on either side of a name that decide on its role."""

MIN_MISSPELT = 7
"""Letters that a word of a proper name needs to be known with one of them wrong."""

MAX_GAP = 3
"""Characters that may stand between two words of a name, as in "401 (k)"."""

_WORD = re.compile(r"[^\W\d_]+|\d+")


class Mention(NamedTuple):
    """What a text names of a field: the value of the knowledge base, empty where it holds none of that name."""

    field: str
    value: str
    words: str
    role: Role

    @property
    def held(self) -> bool:
        """Whether the knowledge base holds what is named."""
        return bool(self.value)


class _Word(NamedTuple):
    """A word or a number, folded, what is left of it without its ending, and where in the text it is."""

    text: str
    base: str
    start: int
    end: int


class _Name(NamedTuple):
    """A name that a profile knows; ``proper`` has a capital letter, ``free`` needs no frame."""

    words: tuple[_Word, ...]
    proper: bool
    value: str
    free: bool


def mentions(inquiry: str, fields: Sequence[FilterField], language: Language) -> list[Mention]:
    """Return what an inquiry names of the fields but the topic, in the order of the fields and of the text, each once.

    What it names as somebody else's, as where money goes or as wished for is not of the case and left out, and so is
    whatever the text leaves in doubt.
    """
    text = _searchable(inquiry)
    patterns = language.mention_patterns
    of_others = () if patterns.about_another.search(text) else (patterns.another,)
    words = _words(text, patterns)
    named: dict[Mention, None] = {}
    for field in (field for field in fields if field.name != TOPIC):
        not_of_case = (*field.aside, *of_others)
        for name, start, last in _occurrences(words, _names(field, patterns)):
            end = _with_bracket(inquiry, start, last)
            mark = SMALL_NAME_MARK if name.proper and not _has_capital(inquiry[start:end]) else NAME_MARK
            around = f"{text[max(0, start - REACH) : start]}{mark}{text[end : end + REACH]}"
            if any(pattern.search(around) for pattern in not_of_case):
                continue
            framed = name.free or not field.frames or any(pattern.search(around) for pattern in field.frames)
            if framed and (role := _role(around, patterns)):
                named[Mention(field.name, name.value, inquiry[start:end], role)] = None
    return list(named)


def named_anywhere(inquiry: str, fields: Sequence[FilterField], language: Language) -> frozenset[tuple[str, str]]:
    """Return field and value of all that an inquiry names, whosever it is and however it is named, but the topic."""
    patterns = language.mention_patterns
    words = _words(_searchable(inquiry), patterns)
    return frozenset(
        (field.name, name.value)
        for field in fields
        if field.name != TOPIC
        for name, _, _ in _occurrences(words, _names(field, patterns))
        if name.value
    )


def _with_bracket(text: str, start: int, end: int) -> int:
    """Return where a name ends with the bracket that closes one of its own, as in "401(k)"."""
    is_open = "(" in text[start:end] and ")" not in text[start:end]
    return end + 1 if is_open and text[end : end + 1] == ")" else end


def _searchable(text: str) -> str:
    """Return a text as patterns search it, of the same length; nothing in it can be taken for a mark."""
    return re.sub(f"[{NAME_MARK}{SMALL_NAME_MARK}]", " ", fold(text))


def _role(around: str, patterns: MentionPatterns) -> Role | None:
    # A denial goes first: what else stands aside may hold the same words, and less of them.
    if patterns.denied.search(around):
        return "denied"
    if patterns.aside.search(around):
        return None
    return "former" if patterns.former.search(around) else "own"


def _words(text: str, patterns: MentionPatterns) -> tuple[_Word, ...]:
    return tuple(
        _Word(match[0], patterns.ending.sub("", match[0]), match.start(), match.end()) for match in _WORD.finditer(text)
    )


def _names(field: FilterField, patterns: MentionPatterns) -> dict[str, list[_Name]]:
    """Return the names of a field by their first letter, which no form and no misspelling changes; long ones first."""
    told = ((value, word, True) for value, words in field.named_by.items() for word in words)
    held = ((value, word, False) for value, words in field.values.items() for word in (value, *words))
    others = (("", word, False) for value, words in field.others.items() for word in (value, *words))
    names: dict[str, list[_Name]] = {}
    for value, written, free in chain(told, held, others):
        if words := _words(fold(without_accents(written)), patterns):
            names.setdefault(words[0].text[0], []).append(_Name(words, _has_capital(written), value, free))
    return {first: sorted(group, key=lambda name: -len(name.words)) for first, group in names.items()}


def _has_capital(text: str) -> bool:
    return any(map(str.isupper, text))


def _occurrences(words: Sequence[_Word], names: Mapping[str, Sequence[_Name]]) -> Iterator[tuple[_Name, int, int]]:
    """Yield the names in a text with where they begin and end; of names that overlap, the first, and the longest."""
    position = 0
    while position < len(words):
        here = names.get(words[position].text[0], ())
        name = next((name for name in here if _stands_at(words, position, name)), None)
        if name:
            last = position + len(name.words) - 1
            yield name, words[position].start, words[last].end
            position = last
        position += 1


def _stands_at(words: Sequence[_Word], position: int, name: _Name) -> bool:
    there = words[position : position + len(name.words)]
    return (
        len(there) == len(name.words)
        and all(_same_word(word, wanted, name.proper) for word, wanted in zip(there, name.words, strict=True))
        and all(after.start - before.end <= MAX_GAP for before, after in pairwise(there))
    )


def _same_word(word: _Word, wanted: _Word, proper: bool) -> bool:
    """Tell whether a word is that of a name: in any of its forms, or, of a proper name, with one letter wrong."""
    if not proper:
        return word.base == wanted.base
    return word.text == wanted.text or (
        min(len(word.text), len(wanted.text)) >= MIN_MISSPELT
        and word.text[0] == wanted.text[0]
        and _one_letter_off(word.text, wanted.text)
    )


def _one_letter_off(word: str, wanted: str) -> bool:
    """Tell whether a letter too many, too few or wrong, or two that changed places, make one word of the other."""
    letters = zip(word, wanted, strict=False)
    same = next((index for index, (here, there) in enumerate(letters) if here != there), min(len(word), len(wanted)))
    rest, goal = word[same:], wanted[same:]
    changed_places = rest[:2] == goal[1::-1] and rest[2:] == goal[2:]
    return changed_places or rest[1:] in (goal, goal[1:]) or rest == goal[1:]


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
