"""Tell where cited sources of different rank speak of one point, and which of them goes first."""

from collections.abc import Mapping
from itertools import combinations

from articulado.language.languages import Language
from articulado.language.quantities import quantities
from articulado.values.chunks import Candidate, Chunk

MIN_SHARED = 2
"""Content words that the titles of two provisions share at least, to be of one point."""
_STATUTES = 2
"""The lowest rank of what parliament or government has made law."""


def precedence_notes(cited: Mapping[int, Candidate], language: Language) -> list[str]:
    """Return a note for each pair of cited sources that the reader has to weigh, each kind of pair once.

    An agreement beside the law may only better it where that is a minimum (art. 3.3 ET). Of two norms of different rank
    with other figures on one point, the higher one decides (art. 9.3 CE, art. 1.2 CC).
    """
    notes: dict[str, str] = {}
    for (one, first), (two, second) in combinations(cited.items(), 2):
        above, below = sorted(((first["chunk"], one), (second["chunk"], two)), key=lambda pair: pair[0]["rank"])
        if above[0]["rank"] == below[0]["rank"]:
            continue
        marks = {"above": _name(*above), "below": _name(*below)}
        if "agreement" in below[0] and above[0]["rank"] <= _STATUTES:
            notes.setdefault("agreement", language.translate("verify_agreement_and_law", **marks))
        elif _is_norm(above[0]) and _is_norm(below[0]) and _differ_on_one_point(above[0], below[0], language):
            notes.setdefault("rank", language.translate("verify_rank", **marks))
    return list(notes.values())


def _name(chunk: Chunk, number: int) -> str:
    return f"{chunk['law_name']}, {chunk['provision'].lower()} [C{number}]"


def _is_norm(chunk: Chunk) -> bool:
    return chunk["chunk_type"] == "provision" and "agreement" not in chunk


def _differ_on_one_point(one: Chunk, other: Chunk, language: Language) -> bool:
    """Tell whether two provisions of one title have figures of one unit, and none of them in common."""
    shared = set(language.stems(one["title"])) & set(language.stems(other["title"]))
    if len(shared) < MIN_SHARED:
        return False
    first, second = _figures(one["text"]), _figures(other["text"])
    return any(not first[unit] & second[unit] for unit in first.keys() & second.keys())


def _figures(text: str) -> dict[str, set[object]]:
    figures: dict[str, set[object]] = {}
    for quantity in quantities(text):
        if not quantity.is_count:
            figures.setdefault(quantity.unit, set()).add(quantity.value)
    return figures
