"""All calculations by their kind, and their list with the JSON schemas of their inputs."""

from collections.abc import Mapping
from typing import Any

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
from articulado.calculations.values import Missing
from articulado.calculations.written import cited
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput

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
"""All calculations by their kind ("compensation/objective")."""
GROUPS: Mapping[str, str] = {
    "compensation": "Indemnizaciones",
    "settlement": "Finiquito y salarios debidos",
    "deadline": "Plazos",
    "benefit": "Prestaciones, permisos y salario mínimo",
    "work": "Jornada y vacaciones",
    "payroll": "Nómina",
}
"""Titles of the groups of calculations, by the first part of their kinds."""


class ListedCalculation(TypedDict):
    """A calculation, its provision, and its inputs: a JSON schema each.

    ``first`` are the inputs that are asked for if nothing is given; most others are other ways to say the same.
    """

    calculation: str
    title: str
    group: str
    provision: str
    first: list[str]
    inputs: dict[str, dict[str, Any]]


def calculation_of(kind: str) -> Calculation:
    """Return a calculation by its kind.

    Raises:
        InvalidInput: there is none of this kind.
    """
    if kind not in CALCULATIONS:
        raise InvalidInput(translate("calculation.unknown", kind=kind[:100]))
    return CALCULATIONS[kind]


def listed(calculation: Calculation) -> ListedCalculation:
    """Return what an interface needs to offer a calculation."""
    empty = calculate(calculation, {})
    return {
        "calculation": calculation.kind,
        "title": calculation.title,
        "group": GROUPS[calculation.kind.partition("/")[0]],
        "provision": cited(calculation.provision),
        "first": [each.field for each in empty.fields] if isinstance(empty, Missing) else [],
        "inputs": {name: FIELDS[name].json_schema() for name in calculation.fields},
    }
