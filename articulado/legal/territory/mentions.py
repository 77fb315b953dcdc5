"""Places named in a text, and the territory that a question is about."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from articulado.language.folding import fold
from articulado.legal.territory.table import Place, PlaceName, gazetteer, place_names

REACH = 80
MAX_WORDS_BETWEEN = 5

_ARTICLE = r"(?:(?:la|el|las|los)\s+)?"
_WORD = re.compile(r"\w+|[^\w\s]")
_OF = frozenset(("de", "del", "para"))
_ARTICLES = frozenset(("la", "el", "las", "los"))


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(re.escape(fold(word)) for word in sorted(words, key=len, reverse=True))


@cache
def _place_markers() -> re.Pattern[str]:
    words = gazetteer().words
    return re.compile(
        rf"(?<!\w)(?:(?P<place>{_alternatives(words.places)})\s+(?:del?\s+)?|(?:{_alternatives(words.prepositions)})\s+){_ARTICLE}$"
    )


@cache
def _other_markers() -> re.Pattern[str]:
    words = gazetteer().words
    return re.compile(
        rf"(?<!\w)(?:(?:{_alternatives(words.beside)})[.ªº]*\s+|(?:{_alternatives(words.others)})\s+(?:del?\s+)?{_ARTICLE})$"
    )


@cache
def _followers() -> re.Pattern[str]:
    return re.compile(rf"\s+(?:{_alternatives(gazetteer().words.after)})(?!\w)")


@cache
def _word_sets() -> tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str]]:
    words = gazetteer().words
    return (
        frozenset(map(fold, words.matters)),
        frozenset(map(fold, words.local)),
        frozenset(map(fold, words.regions)),
        frozenset(map(fold, (*words.breaks, *words.beside, *words.others))),
    )


def marker_before(folded: str, start: int) -> str | None:
    """Return the place word before ``start`` ("ayuntamiento", empty for "en"), or ``None``."""
    match = _place_markers().search(folded, max(0, start - REACH), start)
    return (match["place"] or "") if match else None


def names_region(word: str) -> bool:
    return word in _word_sets()[2]


def without_place_word(folded: str) -> tuple[str, bool]:
    """Return a name without "provincia de" or the like, and ``True`` if that word means the whole region."""
    match = re.match(rf"(?P<place>{_alternatives(gazetteer().words.places)})\s+del?\s+{_ARTICLE}", folded)
    return (folded[match.end() :], names_region(match["place"])) if match else (folded, False)


def is_elsewhere(folded: str, start: int) -> bool:
    return _other_markers().search(folded, max(0, start - REACH), start) is not None


def is_followed_as_place(folded: str, start: int, end: int) -> bool:
    in_brackets = folded[start - 1 : start] == "(" and folded[end : end + 1] == ")"
    return in_brackets or _followers().match(folded, end) is not None


def is_of_something_local(text: str, folded: str, start: int, *, linked: bool = False) -> bool:
    """Tell if the name at ``start`` locates something: "convenio del metal de Toledo".

    Local things need a "de" before the name, unless it is ``linked`` (an adjective).
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
    last = re.split(r"[\s-]+", text[start:end])[-1]
    return len(last) > 1 and last[0].isupper() and last[1:].islower()


def next_is_name(text: str, end: int) -> bool:
    following = re.match(r" (\w+)", text[end:])
    return following is not None and is_written_as_name(following[1], 0, len(following[1]))


MARKED, PHRASE, WORD = 1, 2, 3  # "en" or "alcalde de" before it, several words, a single word

_AND = re.compile(r"\s*(?:,|/|\by\b|\be\b|\bo\b|\bu\b|\bni\b)\s*(?:en\s+)?(?:(?:la|el|las|los)\s+)?")
_IN_BRACKETS = re.compile(r"\s*[,(]\s*(?:provincia\s+de\s+)?")


@dataclass(frozen=True)
class PlaceMention:
    """A place in ``text[start:end]``; a lower ``phase`` is more certain."""

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
    match = _pattern().match(folded, position)
    return (place_names()[match[0]], match.end()) if match else None


def place_mentions(text: str) -> list[PlaceMention]:
    """Return the places named in a text, in order; of overlapping names the longer one."""
    folded = fold(text)
    mentions: list[PlaceMention] = []
    for match in _pattern().finditer(folded):
        last = mentions[-1] if mentions else None
        mention = _mention(text, folded, match, last)
        if mention:
            mentions.append(mention)
    return mentions


def _mention(text: str, folded: str, match: re.Match[str], last: PlaceMention | None) -> PlaceMention | None:
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
    """Tell if a doubtful name is a place here; ``marker`` is the place word, empty for "en"."""
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
    return tuple(community.name for community in gazetteer().community)


def provinces() -> tuple[str, ...]:
    return tuple(province.name for community in gazetteer().community for province in community.province)


def province_called(name: str) -> tuple[str, str] | None:
    """Return the canonical names of a province (also by one of its cities) and its community, or ``None``."""
    called, _ = without_place_word(" ".join(fold(name).split()))
    meaning = place_names().get(called)
    return (meaning.province, meaning.place.community) if meaning and meaning.province else None


def find_place(text: str) -> Place | None:
    """Return the only place named in a text, or ``None``.

    The most certain phase decides; several communities give ``None``, several cities a place without city.
    """
    return place_of(place_mentions(text))


def place_of(mentions: Sequence[PlaceMention]) -> Place | None:
    """Return the only place of mentions (``find_place``)."""
    best = min((mention.phase for mention in mentions), default=0)
    named = {mention.place.community for mention in mentions if mention.phase == best}
    if len(named) != 1:
        return None
    community = named.pop()
    cities = {mention.place.city for mention in mentions if mention.place.community == community and mention.place.city}
    return Place(community, cities.pop() if len(cities) == 1 else None)


def place_words(text: str) -> frozenset[str]:
    folded = fold(text)
    return frozenset(
        word for mention in place_mentions(text) for word in re.findall(r"\w+", folded[mention.start : mention.end])
    )


def place_called(name: str) -> Place | None:
    """Return the place with a name, whatever its other meanings, else the place named in it."""
    called, region = without_place_word(" ".join(fold(name).split()))
    meaning = place_names().get(called)
    if meaning is None or meaning.adjective:
        return find_place(name)
    return meaning.region or Place(meaning.place.community) if region else meaning.place


def find_territory(name: str) -> str | None:
    """Return the community of ``place_called``, or ``None``.

    >>> find_territory("Vigo"), find_territory("Junta de Castilla y León")
    ('Galicia', 'Castilla y León')
    """
    place = place_called(name)
    return place.community if place else None


def community_of(scope: str, department: str) -> str | None:
    """Return the community of a law by the BOE's scope ("2": autonomous) and department; ``None`` for the state."""
    return find_territory(department) if scope == "2" else None
