"""Labelled cases in JSON Lines: inquiry, article and correct decision.

``id``, ``profile``, ``inquiry`` and ``article`` are obligatory. ``article`` is ``null`` if no article of
the profile handles the inquiry; ``answerable`` says the same, and must agree with it. ``filters`` are
values of the filter fields of the profile, ``collected_data`` the data at hand on the day ``today``.
``class`` is the kind of case, ``decision`` and ``outcome`` the correct results of the two graphs,
``fields`` the data that are bad or missing. Other keys are ignored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from articulado.cases.fields import canonical_value
from articulado.config.profile import Profile
from articulado.config.settings import Settings
from articulado.values.answers import DataOutcome
from articulado.values.cases import Decision
from articulado.values.errors import InvalidInput
from evaluation.gold.questions import json_lines

OWN_DECISIONS, OWN_TEST = "decisions.jsonl", "decisions_test.jsonl"

Kind = Literal["complete", "rule", "bad_value", "missing", "other_matter", "other_article", "wrong_keeper"]
"""What is to be seen in a case: nothing in the way; a rule that stops it; data that say nothing; data that lack; an
inquiry that no article handles, or another one than the data and topic are of; one that names another provider, plan or
regime than its filter."""

KINDS: tuple[Kind, ...] = get_args(Kind)
MIN_CASES = 20
"""Least cases of a profile: fewer say nothing."""


@dataclass(frozen=True)
class LabelledCase:
    """An inquiry to a profile. ``article`` is the id of the one that handles it; empty where none does.

    ``kind``, ``decision``, ``outcome`` and ``today`` are ``None`` where the case is labelled with its article alone.
    """

    id: str
    profile: str
    inquiry: str
    article: str
    filters: Mapping[str, str] = field(default_factory=dict)
    kind: Kind | None = None
    collected: Mapping[str, Any] = field(default_factory=dict)
    today: date | None = None
    decision: Decision | None = None
    outcome: DataOutcome | None = None
    fields: tuple[str, ...] = ()

    @property
    def answerable(self) -> bool:
        """Whether the profile has an article for it: for the wrong provider, plan or regime, it has none."""
        return bool(self.article) and self.kind != "wrong_keeper"

    def canonical(self, profile: Profile) -> "LabelledCase":
        """Return the case with its filters as the knowledge base writes them."""
        fields = {entry.name: entry for entry in profile.filter_fields}
        filters = {name: canonical_value(fields[name], value) for name, value in self.filters.items() if name in fields}
        return replace(self, filters=filters)


Word = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^\S+$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Day = Annotated[date, BeforeValidator(lambda written: date.fromisoformat(str(written)))]


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: Word
    profile: Word
    inquiry: Text
    article: Word | None
    answerable: bool | None = None
    filters: dict[Word, Text] = {}
    kind: Kind | None = Field(default=None, alias="class")
    collected_data: dict[str, Any] = {}
    today: Day | None = None
    decision: Decision | None = None
    outcome: DataOutcome | None = None
    fields_: list[Word] = Field(default=[], alias="fields")

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> "_Row":
        if self.answerable is not None and self.answerable != bool(self.article):
            raise ValueError("answerable")
        return self


EXPECTED = {
    "id": "debe ser un identificador sin espacios",
    "profile": "debe ser el nombre de un perfil, como plan_401k",
    "inquiry": "debe ser el texto de la consulta",
    "article": "debe ser el identificador de un artículo, o null si ninguno la resuelve",
    "answerable": "debe ser true o false",
    "filters": 'debe ser un objeto con textos, como {"topic": "loan"}',
    "class": f"debe ser una de estas clases: {', '.join(KINDS)}",
    "collected_data": 'debe ser un objeto con los datos del caso, como {"balance": "$10,000"}',
    "today": "debe ser un día, como 2026-11-20",
    "decision": "debe ser can_proceed, uncertain u out_of_scope",
    "outcome": "debe ser found, uncertain u out_of_scope",
    "fields": "debe ser una lista de nombres de datos",
}
NEEDED = "Son obligatorios id, profile, inquiry y article."


def own_decisions() -> tuple[LabelledCase, ...]:
    """Read the project's own cases with data, on which the weights of the package are trained."""
    return _own(OWN_DECISIONS)


def own_test() -> tuple[LabelledCase, ...]:
    """Read the project's own cases of other writers, on which nothing is trained."""
    return _own(OWN_TEST)


def _own(name: str) -> tuple[LabelledCase, ...]:
    with resources.as_file(resources.files("evaluation").joinpath("datasets", name)) as path:
        return read_cases(path)


def read_cases(path: Path) -> tuple[LabelledCase, ...]:
    """Read labelled inquiries, in the order of the file.

    Raises:
        InvalidInput: the file cannot be read, has no inquiry, or a line breaks the schema; the message names it.
    """
    cases: dict[str, LabelledCase] = {}
    lines: dict[str, int] = {}
    for number, where, value in json_lines(path, NEEDED):
        row = _row(value, where)
        if row.id in lines:
            raise InvalidInput(
                f"{where}: el identificador «{row.id}» ya está en la línea {lines[row.id]}. Dé a cada "
                "consulta uno propio."
            )
        lines[row.id] = number
        cases[row.id] = LabelledCase(
            row.id,
            row.profile,
            row.inquiry,
            row.article or "",
            row.filters,
            kind=row.kind,
            collected=row.collected_data,
            today=row.today,
            decision=row.decision,
            outcome=row.outcome,
            fields=tuple(row.fields_),
        )
    if not cases:
        raise InvalidInput(f"{path} no tiene ninguna consulta. Escriba una por línea, cada una como un objeto JSON.")
    return tuple(cases.values())


def _row(value: Mapping[str, Any], where: str) -> _Row:
    try:
        return _Row.model_validate(value, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        if first["type"] == "missing":
            raise InvalidInput(f"{where}: falta «{name}». {NEEDED}") from error
        if not name:
            raise InvalidInput(
                f"{where}: «answerable» y «article» se contradicen. Una consulta tiene respuesta si, y solo si, tiene "
                "un artículo."
            ) from error
        raise InvalidInput(f"{where}: «{name}» {EXPECTED[name]}.") from error


def cases_of_profile(
    cases: Sequence[LabelledCase], settings: Settings, profile: Profile, source: str
) -> list[LabelledCase]:
    """Return the inquiries of a profile; ``source`` is what they were read from, for a person.

    Raises:
        InvalidInput: they are too few, all or none of them have an article, or there is nothing to search in.
    """
    if not settings.rag_enabled:
        raise InvalidInput(
            "Los casos se buscan en el índice, que ARTICULADO_RAG_ENABLED=false desactiva. Quítelo y repita la orden."
        )
    profile_cases = [case for case in cases if case.profile == profile.name]
    if len(profile_cases) < MIN_CASES:
        raise InvalidInput(
            f"{source} tiene {len(profile_cases)} consultas del perfil «{profile.name}» y hacen falta al menos "
            f"{MIN_CASES}. Escriba más, o indique otro fichero en --gold u otro perfil en --profile."
        )
    if len({case.answerable for case in profile_cases}) == 1:
        raise InvalidInput(
            f"{source} debe tener, del perfil «{profile.name}», consultas con artículo y otras sin él («article»: "
            "null): una tercera parte, por ejemplo."
        )
    return profile_cases
