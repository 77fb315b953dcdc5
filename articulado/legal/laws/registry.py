"""Registry of laws (``data/laws.toml``), ranks of norms (``data/ranks.toml``), and provisions without object."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from typing import Any

from articulado.language.folding import fold
from articulado.legal.data import read_table
from articulado.legal.labels import provision_key
from articulado.values.chunks import Emptied

_FILLER = re.compile(r"^(?:(?:de|texto refundido|tr|vigente|actual|nuev[oa]|en|segun) )+")
_ARTICLES = re.compile(r"\b(?:(de)(?:l\b| (?:el|la|los|las)\b)|(?:el|la|los|las)\b)")
SHORTENED = {"general": "gral", "seguridad": "seg", "codigo": "cod"}
_WHOLE = {short: word for word, short in SHORTENED.items()}
_DOTTED = re.compile(r"(?<![\w.])[a-z](?:\. ?[a-z])+\.?(?!\.?\w)")
# How else a name that begins so is written: the "decreto de alta dirección" is the "RD de alta dirección".
_BEGINNINGS = {
    "real decreto ley": ("real decreto ley", "decreto ley", "rd ley", "rdl"),
    "decreto ley": ("real decreto ley", "decreto ley", "rd ley", "rdl"),
    "real decreto": ("real decreto", "decreto", "rd"),
    "decreto": ("real decreto", "decreto", "rd"),
    "ley organica": ("ley organica", "ley"),
    "reglamento general": ("reglamento general", "reglamento"),
}


@dataclass(frozen=True)
class KnownLaw:
    """One law of the registry; ``data/laws.toml`` explains the fields."""

    id: str
    title: str
    short: str
    english: str
    abbreviation: str
    kind: str
    number: str
    published: date
    rank: int
    aliases: tuple[str, ...]
    general: bool = False
    superseded_by: str | None = None
    begins: date | None = None
    valid_to: date | None = None
    same_numbers: bool = False
    namesakes: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in (self.short, self.abbreviation, self.english, *self.aliases) if name)


@lru_cache(maxsize=4_096)
def plain_name(name: str) -> str:
    """Return a name folded and whole, without articles, punctuation and leading words."""
    joined = _DOTTED.sub(lambda dotted: re.sub(r"[. ]", "", dotted[0]), fold(name))
    words = " ".join(_WHOLE.get(word, word) for word in re.findall(r"[\w/ºª]+", joined))
    return _FILLER.sub("", " ".join(_ARTICLES.sub(lambda match: match[1] or "", words).split()))


def name_key(name: str) -> str:
    """Return the key shared by "Ley General de la Seguridad Social" and "ley general seguridad social"."""
    return " ".join(word for word in plain_name(name).split() if word != "de")


def spellings(name: str) -> list[str]:
    """Return the plain spellings of a name: "real decreto de …", "decreto de …", "rd de …"."""
    name = plain_name(name)
    for beginning, others in _BEGINNINGS.items():
        if name.startswith(beginning + " "):
            return [other + name.removeprefix(beginning) for other in others]
    return [name]


@cache
def _data() -> dict[str, Any]:
    return read_table("laws.toml")


@cache
def known_laws() -> dict[str, KnownLaw]:
    """Read the registry: laws by BOE identifier, oldest first; raise ``ValueError`` if an entry breaks the schema."""
    laws = {}
    for entry in _data()["law"]:
        days = {key: date.fromisoformat(entry[key]) for key in ("published", "begins", "valid_to") if key in entry}
        try:
            law = KnownLaw(**(entry | days | {"aliases": tuple(entry["aliases"])}))
        except (TypeError, KeyError) as error:
            raise ValueError(f"laws.toml, «{entry.get('id', '?')}»: {error}") from error
        laws[law.id] = law
    return laws


def name_in(code: str, law_id: str, name: str) -> str:
    """Return the name of a law in a language: "Estatuto de los Trabajadores (Workers’ Statute)" in English."""
    law = known_laws().get(law_id)
    return f"{name} ({law.english})" if law and code == "en" else name


@cache
def laws_by_name() -> dict[str, KnownLaw]:
    return {
        name_key(spelling): law for law in known_laws().values() for name in law.names for spelling in spellings(name)
    }


@cache
def other_names() -> tuple[str, ...]:
    return tuple(_data()["others"])


@cache
def acronyms() -> frozenset[str]:
    names = [name for law in known_laws().values() for name in law.names]
    return frozenset(fold(name) for name in (*names, *other_names()) if name.isalpha() and name.isupper())


@cache
def laws_by_number() -> dict[tuple[str, str], KnownLaw]:
    """Return the laws by kind and official number, folded: ``("orden", "pjc/297/2026")``."""
    return {(law.kind, law.number.lower()): law for law in known_laws().values() if law.number}


@cache
def predecessors() -> dict[str, KnownLaw]:
    return {law.superseded_by: law for law in known_laws().values() if law.superseded_by}


def law_named_on(law: KnownLaw, day: date | None) -> KnownLaw | None:
    """Return the law that a name without a year meant on a day; ``None`` for one older than the registry."""
    if day is None or day >= law.published:
        return law
    older = predecessors().get(law.id)
    if older is None:
        return None if law.namesakes else law
    return older if day >= older.published else None


def law_in_force_on(law: KnownLaw, day: date | None) -> KnownLaw | None:
    """Return the law named on a day, or its successor if that kept the numbers of the articles."""
    older = predecessors().get(law.id)
    return law if older is not None and older.same_numbers else law_named_on(law, day)


@cache
def _emptied() -> Mapping[str, tuple[tuple[frozenset[str], Emptied], ...]]:
    """Read ``data/emptied.toml``: by law, the provision keys (none: all) and the change."""
    raw = read_table("emptied.toml")
    changes: dict[str, list[tuple[frozenset[str], Emptied]]] = {}
    for entry in raw["emptied"]:
        keys = {label: provision_key(label) for label in entry.get("provisions", ["?"])}
        if entry.get("law") not in known_laws() or None in keys.values():
            raise ValueError(f"emptied.toml, «{entry.get('law', '?')}»: unknown law, or a label that is none: {keys}")
        try:
            since = date.fromisoformat(entry["since"]).isoformat()
            reason = " ".join(entry["reason"].split())
            change = Emptied(since=since, by=entry["by"], law_id=entry["by_id"], reason=reason)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"emptied.toml, «{entry['law']}»: {error}") from error
        changes.setdefault(entry["law"], []).append((frozenset(filter(None, keys.values())), change))
    return {law: tuple(entries) for law, entries in changes.items()}


def emptied_by(law_id: str, provision_key: str) -> Emptied | None:
    """Return the change that left a provision without object although it is not repealed, or ``None``."""
    entries = _emptied().get(law_id, ())
    return next((change for keys, change in entries if not keys or provision_key in keys), None)


LOWEST = 5


@dataclass(frozen=True)
class NormKind:
    """A kind of norm; ``data/ranks.toml`` explains the fields."""

    kind: str
    name: str
    rank: int
    code: str


@cache
def norm_kinds() -> dict[str, NormKind]:
    """Read the kinds of norm by name; raise ``ValueError`` if an entry breaks the schema."""
    raw = read_table("ranks.toml")
    kinds = {}
    for entry in raw["kind"]:
        try:
            kind = NormKind(**entry)
        except TypeError as error:
            raise ValueError(f"ranks.toml, «{entry.get('kind', '?')}»: {error}") from error
        if not 1 <= kind.rank <= LOWEST:
            raise ValueError(f"ranks.toml, «{kind.kind}»: rank {kind.rank} is not from 1 to {LOWEST}")
        kinds[kind.kind] = kind
    return kinds


def kind_of_code(code: str) -> str:
    """Return the kind of norm with a code of the BOE; empty for an unknown code."""
    return next((kind.kind for kind in norm_kinds().values() if kind.code == code), "")


def rank_of(law_id: str, kind: str) -> int:
    """Return the rank of a law, from 1 (Constitution) to 5: its own in the registry, else that of its kind."""
    if law := known_laws().get(law_id):
        return law.rank
    return norm_kinds()[kind].rank if kind in norm_kinds() else LOWEST
