"""Gazetteer: the table of territories ``articulado/legal/data/territory.toml``, loaded and validated."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from articulado.language.folding import fold
from articulado.legal.data import read_table


@dataclass(frozen=True)
class Place:
    """A community or one of its cities, by their canonical names, as in chunks."""

    community: str
    city: str | None = None

    @property
    def name(self) -> str:
        return self.city or self.community


Doubt = Literal["", "surname", "word"]


@dataclass(frozen=True)
class PlaceName:
    """A name of a place."""

    place: Place
    region: Place | None = None  # the community, if a province has the same name as a city
    province: str | None = None  # that the place is or lies in
    doubt: Doubt = ""  # another possible meaning
    adjective: bool = False  # no name by itself


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ContextWords(_Table):
    """Words around a name that tell its meaning; the data file explains the fields."""

    prepositions: tuple[str, ...]
    places: tuple[str, ...]
    regions: tuple[str, ...]
    matters: tuple[str, ...]
    local: tuple[str, ...]
    beside: tuple[str, ...]
    others: tuple[str, ...]
    breaks: tuple[str, ...]
    after: tuple[str, ...]


class Province(_Table):
    """One province with its names; the data file explains the fields."""

    name: str = Field(min_length=1)
    aliases: tuple[str, ...]
    adjectives: tuple[str, ...]
    cities: tuple[tuple[str, ...], ...]


class Community(_Table):
    """One community with its names; the data file explains the fields."""

    name: str = Field(min_length=1)
    aliases: tuple[str, ...]
    adjectives: tuple[str, ...]
    surnames: tuple[str, ...]
    words: tuple[str, ...]
    province: tuple[Province, ...] = Field(min_length=1)

    @property
    def cities(self) -> tuple[tuple[str, ...], ...]:
        return tuple(city for province in self.province for city in province.cities)

    def names_by_fold(self) -> dict[str, PlaceName]:
        """Return all folded names in the community; raise ``ValueError`` for shared or unknown ones."""
        whole = Place(self.name)
        only = self.province[0].name if len(self.province) == 1 else None
        names = {fold(name): PlaceName(whole, province=only, adjective=True) for name in self.adjectives}
        for province in self.province:
            own = province.name
            names |= {fold(name): PlaceName(whole, province=own, adjective=True) for name in province.adjectives}
            names |= {fold(name): PlaceName(whole, province=own) for name in (own, *province.aliases)}
        names |= {fold(name): PlaceName(whole, province=only) for name in (self.name, *self.aliases)}
        regions = {name for name, meaning in names.items() if not meaning.adjective}
        taken: dict[str, str] = {}
        for province in self.province:
            for city in province.cities:
                for name in map(fold, city):
                    if taken.setdefault(name, city[0]) != city[0]:
                        raise ValueError(f"territory.toml, «{self.name}»: dos ciudades se llaman «{name}». Deje una.")
                    region = whole if name in regions else None
                    names[name] = PlaceName(Place(self.name, city[0]), region, province.name)
        doubts: tuple[tuple[Doubt, tuple[str, ...]], ...] = (("surname", self.surnames), ("word", self.words))
        for doubt, doubtful in doubts:
            for name in doubtful:
                if fold(name) not in names:
                    raise ValueError(f"territory.toml, «{self.name}»: «{name}» no es un nombre de la tabla. Añádalo.")
                names[fold(name)] = replace(names[fold(name)], doubt=doubt)
        return names


class Gazetteer(_Table):
    """The whole table."""

    words: ContextWords
    community: tuple[Community, ...] = Field(min_length=1)

    def names_by_fold(self) -> dict[str, PlaceName]:
        """Return all folded names of the table; raise ``ValueError`` if two communities share one."""
        names: dict[str, PlaceName] = {}
        for community in self.community:
            own = community.names_by_fold()
            if shared := sorted(set(own) & set(names)):
                raise ValueError(
                    f"territory.toml: «{shared[0]}» está en «{names[shared[0]].place.community}» y en "
                    f"«{community.name}». Deje uno."
                )
            names |= own
        return names


def load_gazetteer(source: str | None = None) -> Gazetteer:
    """Read the table of the package, or a TOML text; raise ``ValueError`` if it breaks its schema."""
    table = Gazetteer.model_validate(read_table("territory.toml", source))
    table.names_by_fold()
    return table


@cache
def gazetteer() -> Gazetteer:
    return load_gazetteer()


@cache
def place_names() -> dict[str, PlaceName]:
    return gazetteer().names_by_fold()
