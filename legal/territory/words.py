"""What the words around a name tell: that it names a place, or a person, a court, a street."""

import re
from collections.abc import Iterable
from functools import cache

from articulado.language.folding import fold
from legal.territory.table import gazetteer

REACH = 80
"""Characters before a name that are looked at."""
MAX_WORDS_BETWEEN = 5
"""Words between "convenio" and the name of the place that it is of."""

_ARTICLE = r"(?:(?:la|el|las|los)\s+)?"
_WORD = re.compile(r"\w+|[^\w\s]")
_OF = frozenset(("de", "del", "para"))
_ARTICLES = frozenset(("la", "el", "las", "los"))


def _alternatives(words: Iterable[str]) -> str:
    """Return alternatives of a pattern, the longest first."""
    return "|".join(re.escape(fold(word)) for word in sorted(words, key=len, reverse=True))


@cache
def _place_markers() -> re.Pattern[str]:
    """Return a pattern of what stands right before a name and makes it a place."""
    words = gazetteer().words
    return re.compile(
        rf"(?<!\w)(?:(?P<place>{_alternatives(words.places)})\s+(?:del?\s+)?|(?:{_alternatives(words.prepositions)})\s+){_ARTICLE}$"
    )


@cache
def _other_markers() -> re.Pattern[str]:
    """Return a pattern of what stands right before a name and makes it one of something else."""
    words = gazetteer().words
    return re.compile(
        rf"(?<!\w)(?:(?:{_alternatives(words.beside)})[.ªº]*\s+|(?:{_alternatives(words.others)})\s+(?:del?\s+)?{_ARTICLE})$"
    )


@cache
def _followers() -> re.Pattern[str]:
    return re.compile(rf"\s+(?:{_alternatives(gazetteer().words.after)})(?!\w)")


@cache
def _word_sets() -> tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str]]:
    """Return the folded words of matters, of what is local, of regions, and of all that parts them from a name."""
    words = gazetteer().words
    return (
        frozenset(map(fold, words.matters)),
        frozenset(map(fold, words.local)),
        frozenset(map(fold, words.regions)),
        frozenset(map(fold, (*words.breaks, *words.beside, *words.others))),
    )


def marker_before(folded: str, start: int) -> str | None:
    """Return the word that makes a place of the name that begins at ``start``.

    It is "ayuntamiento" or the like, or empty for a mere "en"; ``None`` if there is none.
    """
    match = _place_markers().search(folded, max(0, start - REACH), start)
    return (match["place"] or "") if match else None


def names_region(word: str) -> bool:
    """Tell whether what follows such a word is the community or the province, and not the city."""
    return word in _word_sets()[2]


def without_place_word(folded: str) -> tuple[str, bool]:
    """Return a name without "provincia de" or the like before it, and whether that word means the whole region."""
    match = re.match(rf"(?P<place>{_alternatives(gazetteer().words.places)})\s+del?\s+{_ARTICLE}", folded)
    return (folded[match.end() :], names_region(match["place"])) if match else (folded, False)


def is_elsewhere(folded: str, start: int) -> bool:
    """Tell whether the name at ``start`` is plainly that of a person, a firm, a court or a street."""
    return _other_markers().search(folded, max(0, start - REACH), start) is not None


def is_followed_as_place(folded: str, start: int, end: int) -> bool:
    """Tell whether a name is called a place after it, or stands in brackets of its own."""
    in_brackets = folded[start - 1 : start] == "(" and folded[end : end + 1] == ")"
    return in_brackets or _followers().match(folded, end) is not None


def is_of_something_local(text: str, folded: str, start: int, *, linked: bool = False) -> bool:
    """Tell whether the name at ``start`` says where something is, or where it is law: "convenio del metal de Toledo".

    Words between must not be of another clause, nor a person's. A capital right before the name is a first name's.
    What is local needs a "de" before the name, unless it is ``linked`` without one, as an adjective is.
    """
    matters, local, _, breaks = _word_sets()
    words = list(reversed(list(_WORD.finditer(folded, max(0, start - REACH), start))))
    linked = linked or next((word[0] in _OF for word in words if word[0] not in _ARTICLES), False)
    between = 0
    for word in words:
        if word[0] in matters or (linked and word[0] in local):
            return True
        first_name = word is words[0] and is_written_as_name(text, word.start(), word.end())
        if first_name or word[0] in breaks or not word[0].isalnum() or between == MAX_WORDS_BETWEEN:
            return False
        between += word[0] not in _OF | _ARTICLES
    return False


def is_written_as_name(text: str, start: int, end: int) -> bool:
    """Tell whether the last word of ``text[start:end]`` has a capital and small letters."""
    last = re.split(r"[\s-]+", text[start:end])[-1]
    return len(last) > 1 and last[0].isupper() and last[1:].islower()


def next_is_name(text: str, end: int) -> bool:
    """Tell whether the next word is written as a name: the name before it is then but a part of another."""
    following = re.match(r" (\w+)", text[end:])
    return following is not None and is_written_as_name(following[1], 0, len(following[1]))
