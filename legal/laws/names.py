"""Patterns for the names of laws in folded texts: with articles or without, with dots in acronyms or without."""

import re
from functools import cache

from articulado.language.folding import fold
from legal.laws.registry import SHORTENED, acronyms, known_laws, other_names, spellings
from legal.territory.mentions import communities

_ABBREVIATED = frozenset(("rd", "rdl"))


_FOLLOWING = re.compile(r"\.?[\s,-]+(?:(?:del|de)\s+)?(?:(?:la|el|los|las)\s+)?(\w)")
"""What stands after the first word of a name up to the initial of the next that counts; see ``_spaced``."""
_UNDOTTED = re.compile(r"[.\s]")


def match_name(folded: str, first: re.Match[str]) -> re.Match[str] | None:
    """Match the longest name that begins with a word of a folded text, as ``first_words`` found it."""
    word, following = _UNDOTTED.sub("", first[0]), _FOLLOWING.match(folded, first.end())
    return _name_pattern(word, following[1] if following else "").match(folded, first.start())


@cache
def _names_by_first_word() -> dict[str, set[str]]:
    """Return the spellings of names by their first words."""
    groups: dict[str, set[str]] = {}
    names = [name for law in known_laws().values() for name in law.names]
    for spelling in {spelling for name in (*names, *other_names()) for spelling in spellings(name)}:
        groups.setdefault(spelling.split()[0], set()).add(spelling)
    return groups


@cache
def _name_pattern(first: str, following: str) -> re.Pattern[str]:
    """Return a pattern of the names that begin with a word and go on with an initial, if at all; longest first.

    Compiled where a text has both: hundreds of names begin with "ley".

    Raises:
        KeyError: no name begins with the word.
    """
    group = [name for name in _names_by_first_word()[first] if _second_initial(name) in ("", following)]
    names = "|".join(map(_spaced, sorted(group, key=len, reverse=True)))
    return re.compile(f"(?:{names})" + r"(?!\.?\w)" if group else r"(?!)")


def _second_initial(name: str) -> str:
    """Return the first letter of the second word of a name but for "de"; empty where there is none."""
    return next((word[0] for word in name.split()[1:] if word != "de"), "")


def _spaced(name: str) -> str:
    """Return a pattern for a name in a folded text: with articles or without, "de" written or left out."""
    pattern, gap = "", ""
    for word in name.split():
        if word == "de":
            gap = r"(?:[\s,-]+(?:del|de)\s+(?:(?:la|el|los|las)\s+)?|[ -])"
            continue
        pattern += gap + _written(word)
        gap = r"[\s,-]+(?:(?:la|el|los|las)\s+)?"
    return pattern


def _written(word: str) -> str:
    """Return a pattern for a word: an acronym may have dots, some words are often cut."""
    if word in _ABBREVIATED or word in acronyms():
        return rf"(?:{word}|" + r"\.\s?".join(word) + r"\.?)"
    return rf"(?:{word}|{SHORTENED[word]}\.?)" if word in SHORTENED else re.escape(word)


@cache
def first_words() -> re.Pattern[str]:
    """Return a pattern of the words that names begin with."""
    return re.compile(
        r"(?<![\w/])(?:"
        + "|".join(_written(first) for first in sorted(_names_by_first_word(), key=len, reverse=True))
        + r")(?![\w/])"
    )


@cache
def of_community() -> re.Pattern[str]:
    """Return a pattern for what makes of a name that of a law of an autonomous community: "de Galicia"."""
    names = "|".join(re.escape(fold(name)) for name in communities())
    return re.compile(rf"\s+(?:del?|de\s+la)\s+(?:comunidad\s+(?:autonoma\s+)?(?:de\s+)?)?(?:{names})\b")
