"""Find the places that a text names, and the territory that a question is about.

The words around a name decide between a place and a person, a firm, a court or a street. A mention with a
lower ``phase`` is more certain. All returned names are canonical.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from articulado.language.folding import fold
from articulado.legal.territory.table import Place, PlaceName, gazetteer, place_names

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


MARKED, PHRASE, WORD = 1, 2, 3
"""The phases: a name marked as a place by what is before it ("en", "alcalde de"), one of several words, one of one."""

_AND = re.compile(r"\s*(?:,|/|\by\b|\be\b|\bo\b|\bu\b|\bni\b)\s*(?:en\s+)?(?:(?:la|el|las|los)\s+)?")
_IN_BRACKETS = re.compile(r"\s*[,(]\s*(?:provincia\s+de\s+)?")


@dataclass(frozen=True)
class PlaceMention:
    """A place that ``text[start:end]`` names, and the phase that finds it: the lower, the surer.

    ``province`` is the one that it is or lies in, ``None`` of a community of several.
    """

    place: Place
    start: int
    end: int
    phase: int
    province: str | None = None


@cache
def _pattern() -> re.Pattern[str]:
    longest = sorted(place_names(), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])")


def place_name_at(folded: str, position: int) -> tuple[PlaceName, int] | None:
    """Return what the name that begins at a position of a folded text means, whatever is around it, and its end."""
    match = _pattern().match(folded, position)
    return (place_names()[match[0]], match.end()) if match else None


def place_mentions(text: str) -> list[PlaceMention]:
    """Return the places that a text names, in order, without overlap; of names that overlap the longer."""
    folded = fold(text)
    mentions: list[PlaceMention] = []
    for match in _pattern().finditer(folded):
        last = mentions[-1] if mentions else None
        mention = _mention(text, folded, match, last)
        if mention:
            mentions.append(mention)
    return mentions


def _mention(text: str, folded: str, match: re.Match[str], last: PlaceMention | None) -> PlaceMention | None:
    """Return the place that a match names, ``None`` where it names none; ``last`` is the mention before it."""
    name, start, end = place_names()[match[0]], match.start(), match.end()
    marker = marker_before(folded, start)
    gap = folded[last.end : start] if last else ""
    if marker is None and last and last.phase == MARKED and _AND.fullmatch(gap):
        marker = ""
    if name.adjective:
        counts = is_of_something_local(text, folded, start, linked=True)
    else:
        counts = not is_elsewhere(folded, start) and _is_place(text, folded, match, name, marker)
    if not counts:
        return None
    place = name.place
    # "Getafe (Madrid)", "Alcoy, Alicante": the second is the province.
    of_last = last is not None and last.place.city and last.place.community == place.community
    if name.region and ((marker and names_region(marker)) or (of_last and _IN_BRACKETS.fullmatch(gap))):
        place = name.region
    phase = MARKED if marker is not None else PHRASE if len(match[0].split()) > 1 else WORD
    return PlaceMention(place, start, end, phase, name.province)


def _is_place(text: str, folded: str, match: re.Match[str], name: PlaceName, marker: str | None) -> bool:
    """Tell whether a name is one of a place here; ``marker`` is the word that makes it one, empty for "en"."""
    if not name.doubt or marker:
        return True
    start, end = match.span()
    if next_is_name(text, end) or (name.doubt == "word" and not is_written_as_name(text, start, end)):
        return False
    return (
        marker is not None
        or (name.doubt == "word" and " " in match[0])
        or is_followed_as_place(folded, start, end)
        or is_of_something_local(text, folded, start)
    )


def communities() -> tuple[str, ...]:
    """Return the canonical names of the communities and autonomous cities."""
    return tuple(community.name for community in gazetteer().community)


def provinces() -> tuple[str, ...]:
    """Return the canonical names of the provinces."""
    return tuple(province.name for community in gazetteer().community for province in community.province)


def province_called(name: str) -> tuple[str, str] | None:
    """Return the canonical names of the province that is called so or has a city of that name, and of its community.

    >>> province_called("provincia de Vizcaya"), province_called("Jerez"), province_called("Aragón")
    (('Bizkaia', 'País Vasco'), ('Cádiz', 'Andalucía'), None)
    """
    called, _ = without_place_word(" ".join(fold(name).split()))
    meaning = place_names().get(called)
    return (meaning.province, meaning.place.community) if meaning and meaning.province else None


def find_place(text: str) -> Place | None:
    """Return the one place that a text names.

    Names after "en" or "ayuntamiento de" decide, without them those of several words, without these single words; a
    surname, a court or a street is no place. ``None`` if none is named, or by what decides several communities: there
    is no single law to look in then. The city is ``None`` where none of the community is named, or several are.

    >>> find_place("el convenio del metal de Getafe (Madrid)")
    Place(community='Comunidad de Madrid', city='Getafe')
    >>> find_place("en Cádiz o en Vigo") is None
    True
    """
    return place_of(place_mentions(text))


def place_of(mentions: Sequence[PlaceMention]) -> Place | None:
    """Return the one place that mentions name (``find_place``)."""
    best = min((mention.phase for mention in mentions), default=0)
    named = {mention.place.community for mention in mentions if mention.phase == best}
    if len(named) != 1:
        return None
    community = named.pop()
    cities = {mention.place.city for mention in mentions if mention.place.community == community and mention.place.city}
    return Place(community, cities.pop() if len(cities) == 1 else None)


def place_words(text: str) -> frozenset[str]:
    """Return the folded words that name places: they say where, and seldom anything of the topic."""
    folded = fold(text)
    return frozenset(
        word for mention in place_mentions(text) for word in re.findall(r"\w+", folded[mention.start : mention.end])
    )


def place_called(name: str) -> Place | None:
    """Return the place that is called so, whatever else the name may mean; failing that, the place that it names.

    For what is said to be a place: an option, a field. "León", "provincia de León", "Junta de Castilla y León".
    """
    called, region = without_place_word(" ".join(fold(name).split()))
    meaning = place_names().get(called)
    if meaning is None or meaning.adjective:
        return find_place(name)
    return meaning.region or Place(meaning.place.community) if region else meaning.place


def find_territory(name: str) -> str | None:
    """Return the canonical name of the community of the place that ``place_called`` returns, ``None`` without one.

    >>> find_territory("Vigo"), find_territory("Junta de Castilla y León")
    ('Galicia', 'Castilla y León')
    """
    place = place_called(name)
    return place.community if place else None


def community_of(scope: str, department: str) -> str | None:
    """Return the community whose law it is, by the BOE's code of scope and the name of the department.

    Scope "2" is autonomous, and the department then is the community ("Comunidad Foral de Navarra"); every other law
    is of the whole state, ``None``.
    """
    return find_territory(department) if scope == "2" else None
