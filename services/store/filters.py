"""What a search filter means, in terms that both adapters translate into their own filter objects."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import get_args

from services.protocols import SearchFilter
from state.chunks import REPEALED, Status

IN_FORCE = tuple(status for status in get_args(Status) if status not in REPEALED)


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
class UpTo:
    """The field holds this day or an earlier one."""

    field: str
    day: date


@dataclass(frozen=True)
class After:
    """The field holds a later day than this."""

    field: str
    day: date


@dataclass(frozen=True)
class Holds:
    """The field is a list with at least one of these numbers."""

    field: str
    values: tuple[int, ...]


Condition = IsNull | OneOf | UpTo | After | Holds

Clause = tuple[Condition, ...]
"""Conditions of which at least one holds."""


def clauses(where: SearchFilter, today: date) -> list[Clause]:
    """Return the clauses that must all hold.

    On the day asked for (today if none is) a provision must have begun and not have ended. Its status speaks of
    today, so it only counts where no day is asked for.
    """
    day = where.as_of or today
    must: list[Clause] = [
        (IsNull("valid_from"), UpTo("valid_from", day)),
        (IsNull("valid_to"), After("valid_to", day)),
        _somewhere(where.territory),
    ]
    if where.as_of is None:
        must.append((OneOf("status", IN_FORCE),))
    return must


def provision(law_id: str, provision_key: str) -> list[Clause]:
    """Return the clauses that single out the parts of one provision of a law, without their children."""
    return [(OneOf("law_id", (law_id,)),), (OneOf("provision_key", (provision_key,)),), (IsNull("parent_id"),)]


def citing(ids: Sequence[int]) -> list[Clause]:
    """Return the clauses that single out the chunks that refer to one of these."""
    return [(Holds("refs", tuple(ids)),)]


def _somewhere(territory: str | None) -> Clause:
    if territory is None:
        return (IsNull("territory_ccaa"),)
    return (
        IsNull("territory_ccaa"),
        OneOf("territory_ccaa", (territory,)),
        OneOf("territory_municipio", (territory,)),
    )
