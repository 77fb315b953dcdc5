"""The registry of laws in ``data/laws.toml``, by identifier, name and number."""

import re
import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources

from legal.folding import fold

_FILLER = re.compile(r"^(?:(?:el|la|los|las|del?|texto refundido|tr|vigente|actual|nuev[oa]|en|segun)\s+)+")


@dataclass(frozen=True)
class KnownLaw:
    """One law of the registry; the fields are explained at the top of ``data/laws.toml``."""

    id: str
    title: str
    short: str
    abbreviation: str
    kind: str
    number: str
    published: date
    rank: int
    aliases: tuple[str, ...]
    general: bool = False
    superseded_by: str | None = None
    valid_to: date | None = None
    same_numbers: bool = False
    namesakes: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Every name of the law that is no official number, as people write it."""
        return tuple(name for name in (self.short, self.abbreviation, *self.aliases) if name)


def plain(name: str) -> str:
    """Return a name folded, without punctuation and without the words before the name proper."""
    words = re.sub(r"[^\w/ºª]+", " ", fold(name)).strip()
    return _FILLER.sub("", words)


@cache
def known_laws() -> dict[str, KnownLaw]:
    """Read the registry: laws by BOE identifier, oldest first.

    Raises:
        ValueError: an entry of the file breaks the schema; the message names it.
    """
    raw = tomllib.loads(resources.files("legal.data").joinpath("laws.toml").read_text(encoding="utf-8"))
    laws = {}
    for entry in raw["law"]:
        days = {key: date.fromisoformat(entry[key]) for key in ("published", "valid_to") if key in entry}
        try:
            law = KnownLaw(**(entry | days | {"aliases": tuple(entry["aliases"])}))
        except (TypeError, KeyError) as error:
            raise ValueError(f"laws.toml, «{entry.get('id', '?')}»: {error}") from error
        laws[law.id] = law
    return laws


@cache
def laws_by_name() -> dict[str, KnownLaw]:
    """Return the laws by each of their names, as ``plain`` writes them."""
    return {plain(name): law for law in known_laws().values() for name in law.names}


@cache
def laws_by_number() -> dict[tuple[str, str], KnownLaw]:
    """Return the laws by kind and official number, folded: ``("orden", "pjc/297/2026")``."""
    return {(law.kind, law.number.lower()): law for law in known_laws().values() if law.number}


@cache
def predecessors() -> dict[str, KnownLaw]:
    """Return for a law (by id) the one that it replaced."""
    return {law.superseded_by: law for law in known_laws().values() if law.superseded_by}


def named_on(law: KnownLaw, day: date | None) -> KnownLaw | None:
    """Return the law that a name without a year meant on a day: this one, or an older one of the same name.

    ``None`` means a law older than the registry.
    """
    if day is None or day >= law.published:
        return law
    older = predecessors().get(law.id)
    if older is None:
        return None if law.namesakes else law
    return older if day >= older.published else None


def in_force_on(law: KnownLaw, day: date | None) -> KnownLaw | None:
    """Return the law that ``named_on`` gives, or its successor where that kept the numbers of the articles."""
    older = predecessors().get(law.id)
    return law if older is not None and older.same_numbers else named_on(law, day)
