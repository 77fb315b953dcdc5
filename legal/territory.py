"""Find the autonomous community that a question is about, or whose law a law is."""

import re
import tomllib
from functools import cache
from importlib import resources

from legal.folding import fold

_IN = r"(?:en|desde|provincia de|ciudad de|ayuntamiento de|comunidad de|diputacion de|municipio de)\s+"


@cache
def communities() -> tuple[str, ...]:
    """Return the canonical names of the communities and autonomous cities."""
    return tuple(str(entry["name"]) for entry in _entries())


@cache
def _entries() -> list[dict[str, str | list[str]]]:
    raw = resources.files("legal.data").joinpath("territory.toml").read_text(encoding="utf-8")
    entries: list[dict[str, str | list[str]]] = tomllib.loads(raw)["community"]
    return entries


@cache
def _places() -> tuple[re.Pattern[str], dict[str, str]]:
    table: dict[str, str] = {}
    plain: list[str] = []
    ambiguous: list[str] = []
    for entry in _entries():
        name = str(entry["name"])
        sure = [fold(one) for one in (name, *entry["aliases"], *entry["places"])]
        unsure = [fold(one) for one in entry["ambiguous"]]
        plain += sure
        ambiguous += unsure
        table |= dict.fromkeys(sure + unsure, name)
    longest = sorted(plain, key=len, reverse=True)
    pattern = (
        rf"(?<![\w-])(?:(?P<sure>{'|'.join(map(re.escape, longest))})"
        rf"|{_IN}(?:la\s+)?(?P<unsure>{'|'.join(map(re.escape, sorted(ambiguous, key=len, reverse=True)))}))(?![\w-])"
    )
    return re.compile(pattern), table


def find_territory(text: str) -> str | None:
    """Return the canonical name of the one community that the text names, by itself or by a place in it.

    ``None`` if it names none, or several: there is no single law to look in then.
    """
    pattern, table = _places()
    named = {table[match["sure"] or match["unsure"]] for match in pattern.finditer(fold(text))}
    return named.pop() if len(named) == 1 else None


def community_of(scope: str, department: str) -> str | None:
    """Return the community whose law it is, by the BOE's code of scope and the name of the department.

    Scope "2" is autonomous, and the department then is the community ("Comunidad Foral de Navarra"); every other law
    is of the whole state, ``None``.
    """
    return find_territory(department) if scope == "2" else None
