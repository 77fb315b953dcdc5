"""Search filters as clauses for both stores: every clause must hold, by at least one of its conditions."""

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
    """The field is null."""

    field: str


@dataclass(frozen=True)
class OneOf:
    """The field has one of these values."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class NoneOf:
    """The field has none of these values."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class OnOrBefore:
    """The field is this day or an earlier one."""

    field: str
    day: date


@dataclass(frozen=True)
class After:
    """The field is a later day."""

    field: str
    day: date


@dataclass(frozen=True)
class ContainsAny:
    """The field is a list with at least one of these numbers."""

    field: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class IsMissing:
    """The field is absent or empty. It has no payload index: combine it with another condition."""

    field: str


@dataclass(frozen=True)
class AllOf:
    """All of these conditions hold."""

    conditions: tuple["Condition", ...]


Condition = IsNull | OneOf | NoneOf | OnOrBefore | After | ContainsAny | IsMissing | AllOf

Clause = tuple[Condition, ...]

IS_PARENT: Clause = (IsNull("parent_id"),)


def search_clauses(where: SearchFilter, today: date) -> list[Clause]:
    """Return the clauses of a search: in force on the requested day (default: today), or later if ``upcoming``.

    Without a requested day, repealed law also passes, and provisions that ended with it (``ended_with_law``);
    superseded wordings do not.
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
    by_law: dict[str, list[str]] = defaultdict(list)
    for law_id, key in provisions:
        by_law[law_id].append(key)
    return tuple(
        AllOf((OneOf("law_id", (law_id,)), OneOf("provision_key", tuple(keys)))) for law_id, keys in by_law.items()
    )


def _ended_with_law(today: date) -> Condition:
    return AllOf((OnOrBefore("valid_to", today), IsMissing("wording.last_day")))


def selection_clauses(where: SearchFilter, today: date) -> list[Clause]:
    return [*search_clauses(where, today), IS_PARENT]


def provision_clauses(law_id: str, provision_key: str) -> list[Clause]:
    return [(OneOf("law_id", (law_id,)),), (OneOf("provision_key", (provision_key,)),), IS_PARENT]


def citing_clauses(ids: Sequence[int]) -> list[Clause]:
    return [(ContainsAny("refs", tuple(ids)),)]


def satisfies(chunk: Chunk, clauses: Sequence[Clause]) -> bool:
    """Evaluate the clauses in Python, as both engines do."""
    return all(any(_holds(condition, chunk) for condition in clause) for clause in clauses)


def value_at(chunk: Chunk, path: str) -> Any:
    """Return a field by its path ("attributes.plan"), or ``None``."""
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
    """Return the clauses of a territory: state law always passes, city law only for that city."""
    if where.communities:
        return [(OneOf("territory_ccaa", communities()),), (IsNull("territory_municipio"),)]
    place = place_called(where.territory) if where.territory else None
    community: Clause = (OneOf("territory_ccaa", (place.community,)),) if place else ()
    city: Clause = (OneOf("territory_municipio", (place.city,)),) if place and place.city else ()
    return [(IsNull("territory_ccaa"), *community), (IsNull("territory_municipio"), *city)]
