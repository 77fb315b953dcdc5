"""Find the place that a question is about, a community or a city, or the community whose law a law is."""

import re

from language.folding import fold
from legal.territory_mentions import mentions_of
from legal.territory_table import Place, gazetteer, names
from legal.territory_words import without_place_word

__all__ = ["Place", "communities", "community_of", "find_place", "find_territory", "place_called", "place_words"]


def communities() -> tuple[str, ...]:
    """Return the canonical names of the communities and autonomous cities."""
    return tuple(community.name for community in gazetteer().community)


def find_place(text: str) -> Place | None:
    """Return the one place that a text names.

    Names after "en" or "ayuntamiento de" decide, without them those of several words, without these single words; a
    surname, a court or a street is no place. ``None`` if none is named, or by what decides several communities: there
    is no single law to look in then. The city is ``None`` where none of the community is named, or several are.
    """
    found = mentions_of(text)
    best = min((mention.phase for mention in found), default=0)
    named = {mention.place.community for mention in found if mention.phase == best}
    if len(named) != 1:
        return None
    community = named.pop()
    cities = {one.place.city for one in found if one.place.community == community and one.place.city}
    return Place(community, cities.pop() if len(cities) == 1 else None)


def place_words(text: str) -> frozenset[str]:
    """Return the folded words that name places: they say where, and seldom anything of the matter."""
    folded = fold(text)
    return frozenset(word for one in mentions_of(text) for word in re.findall(r"\w+", folded[one.start : one.end]))


def place_called(name: str) -> Place | None:
    """Return the place that is called so, whatever else the name may mean; failing that, the place that it names.

    For what is said to be a place: an option, a field. "León", "provincia de León", "Junta de Castilla y León".
    """
    called, region = without_place_word(" ".join(fold(name).split()))
    known = names().get(called)
    if known is None or known.adjective:
        return find_place(name)
    return known.region or Place(known.place.community) if region else known.place


def find_territory(name: str) -> str | None:
    """Return the canonical name of the community of the place that ``place_called`` returns."""
    place = place_called(name)
    return place.community if place else None


def community_of(scope: str, department: str) -> str | None:
    """Return the community whose law it is, by the BOE's code of scope and the name of the department.

    Scope "2" is autonomous, and the department then is the community ("Comunidad Foral de Navarra"); every other law
    is of the whole state, ``None``.
    """
    return find_territory(department) if scope == "2" else None
