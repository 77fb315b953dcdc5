"""Search filters as clauses that both stores translate into the filter objects of their engine.

A chunk passes if it satisfies every clause; a clause is satisfied if one of its conditions holds.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from articulado.legal.territory.mentions import communities, place_called
from articulado.values.chunks import REPEALED, Chunk, ProvisionRef
from articulado.values.protocols import SearchFilter


@dataclass(frozen=True)
class IsNull:
    """The field holds null."""

    field: str


@dataclass(frozen=True)
class OneOf:
    """The field holds one of these values."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class NoneOf:
    """The field holds none of these values."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class OnOrBefore:
    """The field holds this day or an earlier one."""

    field: str
    day: date


@dataclass(frozen=True)
class After:
    """The field holds a later day than this."""

    field: str
    day: date


@dataclass(frozen=True)
class ContainsAny:
    """The field is a list with at least one of these numbers."""

    field: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class IsMissing:
    """There is no such field, or nothing in it. It has no payload index: let another condition narrow it down."""

    field: str


@dataclass(frozen=True)
class AllOf:
    """All of these conditions hold."""

    conditions: tuple["Condition", ...]


Condition = IsNull | OneOf | NoneOf | OnOrBefore | After | ContainsAny | IsMissing | AllOf

Clause = tuple[Condition, ...]
"""Conditions of which at least one holds."""

IS_PARENT: Clause = (IsNull("parent_id"),)
"""The chunk is not the child of another one."""


def search_clauses(where: SearchFilter, today: date) -> list[Clause]:
    """Return the clauses that a chunk must all satisfy to be found by a search.

    On the day asked for (today if none is) a provision must have begun, unless it may be ``upcoming``, and not have
    ended. Where no day is asked for, repealed law stays, also that of which the source only said that it would be
    (``articulado.values.chunks.ended_with_law``): it
    is ranked lower, and its note says so. A superseded wording of a provision that is still there has another status,
    and is left out. What the filter says of types and fields comes last.
    """
    day = where.as_of or today
    ended: Clause = () if where.as_of else (OneOf("status", tuple(sorted(REPEALED))), _ended_with_law(today))
    begun: Clause = (IsNull("valid_from"), OnOrBefore("valid_from", day))
    return [
        *([] if where.upcoming and where.as_of is None else [begun]),
        (IsNull("valid_to"), After("valid_to", day), *ended),
        *_territory_clauses(where),
        *([(NoneOf("law_id", where.excluded_laws),)] if where.excluded_laws else []),
        *([(OneOf("chunk_type", where.chunk_types),)] if where.chunk_types else []),
        *((OneOf(field, values),) for field, values in where.fields),
        *([_of_provisions(where.provisions)] if where.provisions else []),
    ]


def _of_provisions(provisions: Sequence[ProvisionRef]) -> Clause:
    """Return the clause of some provisions: for each law one condition, whose keys the law must have."""
    by_law: dict[str, list[str]] = defaultdict(list)
    for law_id, key in provisions:
        by_law[law_id].append(key)
    return tuple(
        AllOf((OneOf("law_id", (law_id,)), OneOf("provision_key", tuple(keys)))) for law_id, keys in by_law.items()
    )


def _ended_with_law(today: date) -> Condition:
    return AllOf((OnOrBefore("valid_to", today), IsMissing("wording.last_day")))


def selection_clauses(where: SearchFilter, today: date) -> list[Clause]:
    """Return the clauses of a search for whole chunks: as ``search_clauses``, without children."""
    return [*search_clauses(where, today), IS_PARENT]


def provision_clauses(law_id: str, provision_key: str) -> list[Clause]:
    """Return the clauses that single out the parts of one provision of a law, without their children."""
    return [(OneOf("law_id", (law_id,)),), (OneOf("provision_key", (provision_key,)),), IS_PARENT]


def citing_clauses(ids: Sequence[int]) -> list[Clause]:
    """Return the clauses that single out the chunks that refer to one of these."""
    return [(ContainsAny("refs", tuple(ids)),)]


def satisfies(chunk: Chunk, clauses: Sequence[Clause]) -> bool:
    """Tell whether a chunk satisfies all clauses, as both engines would judge it."""
    return all(any(_holds(condition, chunk) for condition in clause) for clause in clauses)


def value_at(chunk: Chunk, path: str) -> Any:
    """Return the value of a field by its path ("attributes.plan"); ``None`` where there is none."""
    value: Any = chunk
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _holds(condition: Condition, chunk: Chunk) -> bool:
    if isinstance(condition, AllOf):
        return all(_holds(part, chunk) for part in condition.conditions)
    value = value_at(chunk, condition.field)
    match condition:
        case IsMissing():
            return value is None or value == []
        case IsNull():
            return value is None
        case OneOf(values=values):
            return value in values
        case NoneOf(values=values):
            return value not in values
        case ContainsAny(values=numbers):
            return not set(numbers).isdisjoint(value or ())
        case OnOrBefore(day=day):
            return value is not None and value <= day.isoformat()
        case After(day=day):
            return value is not None and value > day.isoformat()


def _territory_clauses(where: SearchFilter) -> list[Clause]:
    """Return the clauses for a community or a city: state law always, that of a city only where the city is named."""
    if where.communities:
        return [(OneOf("territory_ccaa", communities()),), (IsNull("territory_municipio"),)]
    place = place_called(where.territory) if where.territory else None
    community: Clause = (OneOf("territory_ccaa", (place.community,)),) if place else ()
    city: Clause = (OneOf("territory_municipio", (place.city,)),) if place and place.city else ()
    return [(IsNull("territory_ccaa"), *community), (IsNull("territory_municipio"), *city)]
