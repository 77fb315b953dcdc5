"""Tell which apartado or letter of a provision bears a claim better than the one that it is pinned to."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from articulado.legal.citations.parser import Citation
from articulado.retrieval.references import excerpt
from services.verification.fit import fits

MARGIN = 0.25
"""How much better another apartado has to bear a claim than the one that is named."""
MOST_BORNE = 0.5
"""How much of a claim the apartado that is named may bear at most; what it bears better is its own."""
_APARTADOS = tuple(map(str, range(1, 21)))
_LETTERS = tuple("abcdefghijklmnñopqrstuvwxyz")


@dataclass(frozen=True)
class Subdivision:
    """An apartado or, where ``is_letter``, a letter, as the law labels it."""

    label: str
    is_letter: bool


def better_subdivision(claim: str, citation: Citation, text: str) -> Subdivision | None:
    """Return the apartado, or the letter beside the one that is named, that bears a claim far better than that.

    ``None`` where the text does not have what is named: a context may leave parts of a provision out.
    """
    apartado, letter = citation.apartado or "", citation.letter or ""
    parts = subdivisions(text, apartado if letter else None)
    own = parts.get(letter or apartado)
    others = [label for label in parts if label != (letter or apartado)]
    if own is None or not others:
        return None
    borne, *scores = fits(claim, [own, *(parts[label] for label in others)])
    best = max(range(len(others)), key=scores.__getitem__)
    is_better = borne <= MOST_BORNE and scores[best] - borne >= MARGIN
    return Subdivision(others[best], bool(letter)) if is_better else None


@lru_cache(maxsize=1024)
def subdivisions(text: str, of_apartado: str | None = None) -> Mapping[str, str]:
    """Return the apartados of a text by their labels, or the letters of one of them (of the whole text where empty)."""
    if of_apartado is None:
        found = {label: excerpt(text, label, "") for label in _APARTADOS}
    else:
        found = {label: excerpt(text, of_apartado, label) for label in _LETTERS}
    return {label: part for label, part in found.items() if part}
