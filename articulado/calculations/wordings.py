"""All calculations by kind, and the wordings of the law that their rules follow."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from importlib import resources
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from articulado.calculations import (
    compensation,
    deadlines_civil,
    deadlines_procedure,
    pay,
    pensions,
    settlement,
    special_compensation,
    unemployment,
    working_time,
)
from articulado.calculations.engine import Calculation, calculate
from articulado.calculations.fields import FIELDS
from articulado.calculations.values import (
    Basis,
    DayOfWording,
    Followed,
    FollowedWording,
    Missing,
    NotEntitled,
    Outcome,
    Refused,
    Result,
    joined,
    written_day,
)
from articulado.calculations.written import cited, parts_of, since_when
from articulado.language.translation import translate
from articulado.legal.labels import provision_key
from articulado.legal.validity import in_force, is_of_day
from articulado.legal.wordings import wording_hash_of
from articulado.values.chunks import Chunk, ProvisionRef
from articulado.values.errors import InvalidInput
from articulado.values.protocols import ChunkStore

ROOMS = (
    compensation,
    special_compensation,
    settlement,
    deadlines_procedure,
    deadlines_civil,
    unemployment,
    pensions,
    pay,
    working_time,
)
CALCULATIONS: Mapping[str, Calculation] = {each.kind: each for room in ROOMS for each in room.CALCULATIONS}
GROUPS: Mapping[str, str] = {
    "compensation": "Indemnizaciones",
    "settlement": "Finiquito y salarios debidos",
    "deadline": "Plazos",
    "benefit": "Prestaciones, permisos y salario mínimo",
    "work": "Jornada y vacaciones",
    "payroll": "Nómina",
}


class ListedCalculation(TypedDict):
    """A calculation, its provision, and the JSON schema of each input.

    ``first`` are the inputs asked for if nothing is given; most others give the same data in other ways.
    """

    calculation: str
    title: str
    group: str
    provision: str
    first: list[str]
    inputs: dict[str, dict[str, Any]]


def calculation_of(kind: str) -> Calculation:
    """Return the calculation of a kind ("settlement"); raise ``InvalidInput`` for an unknown kind."""
    if kind not in CALCULATIONS:
        raise InvalidInput(translate("calculation.unknown", kind=kind[:100]))
    return CALCULATIONS[kind]


def listed(calculation: Calculation) -> ListedCalculation:
    empty = calculate(calculation, {})
    return {
        "calculation": calculation.kind,
        "title": calculation.title,
        "group": GROUPS[calculation.kind.partition("/")[0]],
        "provision": cited(calculation.provision),
        "first": [each.field for each in empty.fields] if isinstance(empty, Missing) else [],
        "inputs": {name: FIELDS[name].json_schema() for name in calculation.fields},
    }


class WrittenAgainst(BaseModel):
    """The wording of a provision that rules follow (see ``FollowedWording``)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    provision: str = Field(pattern=r"^BOE-A-\d{4}-\d+#.")
    content_hash: str = Field(pattern=r"^[0-9a-f]{16}$")
    since: date
    certainty: DayOfWording
    calculations: tuple[str, ...] = Field(min_length=1)  # kinds that follow it


@cache
def wordings_written_against() -> Mapping[str, WrittenAgainst]:
    lines = resources.files("articulado.calculations").joinpath("data", "wordings.jsonl").read_bytes().splitlines()
    return {each.provision: each for each in map(WrittenAgainst.model_validate_json, lines)}


@dataclass(frozen=True)
class IndexedWording:
    """The hash of a wording in an index, and its first chunk for the days."""

    content_hash: str
    chunk: Chunk


async def find_wordings(store: ChunkStore, provision: str) -> list[IndexedWording]:
    law_id, label = parts_of(provision)
    return await wordings_of(store, (law_id, provision_key(label) or ""))


async def wordings_of(store: ChunkStore, ref: ProvisionRef) -> list[IndexedWording]:
    """Return the official wordings of a provision in an index, one for each first day, in the order of the store."""
    chunks = [each for each in await store.find(*ref) if each["source"] == "official"]
    groups = (list(parts) for _, parts in groupby(chunks, lambda chunk: (chunk["breadcrumb"], chunk["valid_from"])))
    return [IndexedWording(wording_hash_of(parts), parts[0]) for parts in groups]


async def confirm(outcome: Outcome, store: ChunkStore, today: date) -> Outcome:
    """Compare the provisions that an outcome follows with the law in an index; see ``compare_wordings``."""
    provisions = list(dict.fromkeys(each.provision for each in _basis(outcome).followed))
    indexed = await asyncio.gather(*(find_wordings(store, provision) for provision in provisions))
    return compare_wordings(outcome, dict(zip(provisions, indexed, strict=True)), today)


def compare_wordings(outcome: Outcome, indexed: Mapping[str, Sequence[IndexedWording]], today: date) -> Outcome:
    """Add the followed wordings to an outcome; refuse it if a provision in the index (``indexed``) has changed.

    A day of the event before a wording adds a warning, unless the rule covers it or the index has the same text. If the
    law of that day was requested, the outcome is refused. ``today`` is the day of the law if the outcome has none.
    """
    basis, pins = _basis(outcome), wordings_written_against()
    day, by_provision = basis.day or today, attrgetter("provision")
    wordings, earlier = [], defaultdict[tuple[date, DayOfWording], list[str]](list)
    for provision, group in groupby(sorted(basis.followed, key=by_provision), key=by_provision):
        pin = pins.get(provision)
        if pin is None:
            continue
        state = _state(pin, indexed.get(provision, ()), day, today)
        if state == "changed":
            return Refused(_changed(pin), provision)
        is_covered = all(each.holds_since and each.holds_since <= day for each in group)
        if state == "earlier" and not is_covered:
            earlier[pin.since, pin.certainty].append(provision)
        is_confirmed = any(each.content_hash == pin.content_hash for each in indexed.get(provision, ()))
        wordings.append(FollowedWording(provision, pin.since, pin.certainty, is_confirmed))
    if earlier and basis.is_asked:
        (since, certainty), provisions = max(earlier.items())
        return Refused(_too_early(since, certainty, provisions, day), provisions[0])
    match outcome:
        case Result():
            warnings = [_earlier(since, how, provisions, day) for (since, how), provisions in sorted(earlier.items())]
            return replace(outcome, wordings=tuple(wordings), warnings=(*outcome.warnings, *warnings))
        case NotEntitled():
            return replace(outcome, wordings=tuple(wordings))
    return outcome


async def find_changed(store: ChunkStore, today: date) -> list[WrittenAgainst]:
    """Return the followed wordings whose text in an index differs today."""
    pins = list(wordings_written_against().values())
    indexed = await asyncio.gather(*(find_wordings(store, pin.provision) for pin in pins))
    return [pin for pin, each in zip(pins, indexed, strict=True) if _state(pin, each, today, today) == "changed"]


def _basis(outcome: Outcome) -> Basis:
    match outcome:
        case Result() | NotEntitled():
            return outcome.basis
        case Missing():
            return Basis((Followed(outcome.provision),) if outcome.provision else ())
    return Basis()


def _state(
    pin: WrittenAgainst, indexed: Sequence[IndexedWording], day: date, today: date
) -> Literal["same", "changed", "earlier"]:
    """Compare the wording of a day with the followed one; without an index, the days decide.

    An index with a single wording may give it the day of its law: then the day stored for the wording decides.
    """
    same = [each.chunk for each in indexed if each.content_hash == pin.content_hash]
    of_day = [each.content_hash for each in indexed if is_of_day(each.chunk, day)]
    if any(day >= pin.since or chunk["wording"].get("tracked") for chunk in same if in_force(chunk, day, today)):
        return "same"
    has_ended = bool(same) and all(chunk["valid_to"] and chunk["valid_to"] <= day.isoformat() for chunk in same)
    is_no_law = day >= pin.since and pin.content_hash in of_day
    if has_ended or is_no_law or (of_day and not same):
        return "changed"
    return "earlier" if day < pin.since or of_day else "same"


def _changed(pin: WrittenAgainst) -> str:
    return (
        f"No se calcula: la norma ha cambiado desde que se programó este cálculo ({cited(pin.provision)}; seguía la"
        f" redacción en vigor {since_when(pin.since, pin.certainty)})."
    )


def _too_early(since: date, certainty: DayOfWording, provisions: list[str], day: date) -> str:
    then = "no consta que rigiera ya" if certainty == "at_least" else "no sirve para"
    return (
        f"Este cálculo sigue la redacción en vigor {since_when(since, certainty)} ({_all(provisions)}): {then} el"
        f" {written_day(day)}."
    )


def _earlier(since: date, certainty: DayOfWording, provisions: list[str], day: date) -> str:
    then = "No consta que rigiera ya" if certainty == "at_least" else "Regía otra redacción que la seguida aquí"
    followed = f"se sigue la redacción en vigor {since_when(since, certainty)} ({_all(provisions)})"
    return f"{then} el {written_day(day)}: {followed}. Compruebe en el BOE que no cambia el cálculo."


def _all(provisions: list[str]) -> str:
    return joined([cited(each) for each in provisions])
