"""Outcomes in words and as JSON: the lines of an answer, its citable fragment, and the document of the interfaces."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from hashlib import blake2b
from typing import Literal

from typing_extensions import TypedDict

from articulado.calculations.engine import Calculation
from articulado.calculations.fields import FIELDS
from articulado.calculations.parameters import value_chunk
from articulado.calculations.values import (
    DayOfWording,
    Missing,
    NotEntitled,
    Outcome,
    Refused,
    Result,
    Unit,
    Value,
    joined,
    plain,
    written_day,
    written_value,
)
from articulado.legal.labels import provision_url
from articulado.legal.laws.registry import known_laws
from articulado.values.chunks import Candidate

SATURDAY = 5
UNDERSTOOD, LACKING = "He entendido", "Para calcularlo me falta"
COLLECTION = "calculations"


def lines_of(outcome: Outcome, read: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield the lines of an outcome; ``read`` maps each input to the words of the question that gave it."""
    match outcome:
        case Result():
            yield outcome.lead
            yield from filter(None, [understood(read or {})])
            for number, step in enumerate(outcome.steps, start=1):
                yield f"{number}. {step.text.rstrip('.')} ({cited(step.provision)})."
            yield from notes_on(outcome)
        case NotEntitled():
            yield f"{outcome.reason.rstrip('.')} ({cited(outcome.provision)})."
            yield from filter(None, [understood(read or {})])
        case Missing():
            yield f"{outcome.rule.rstrip('.')} ({cited(outcome.provision)})."
            yield from filter(None, [understood(read or {})])
            yield f"{LACKING}:"
            for wanted in outcome.fields:
                yield f"- {wanted.question} {wanted.why}"
        case Refused():
            yield outcome.reason


def understood(read: Mapping[str, str]) -> str:
    shown = "; ".join(f"{FIELDS[name].label.lower()}, {words}" for name, words in read.items())
    return f"{UNDERSTOOD}: {shown}." if shown else ""


def since_when(since: date, certainty: DayOfWording) -> str:
    before, after = {"exact": ("", ""), "deduced": ("", " (fecha deducida)"), "at_least": ("al menos ", "")}[certainty]
    return f"{before}desde el {written_day(since)}{after}"


def _unconfirmed(result: Result) -> list[str]:
    shown = {step.provision for step in result.steps}
    provisions: dict[str, list[str]] = {}
    for each in result.wordings:
        if not each.confirmed and each.provision in shown:
            provisions.setdefault(since_when(each.since, each.certainty), []).append(cited(each.provision))
    listed = [f"{since}: {joined(names)}" for since, names in provisions.items()]
    return [f"Sigue la redacción en vigor {'; '.join(listed)}. No se ha comparado con un índice."] if listed else []


def notes_on(result: Result) -> list[str]:
    """Return the other readings, excluded days, assumptions, authorities and warnings as sentences."""
    others = [
        f"Otra lectura, {each.rule}: {written_value(each.value.value, each.value.unit)}."
        for each in result.alternatives
    ]
    authorities = dict.fromkeys(each.authority for each in result.steps if each.authority)
    excluded = [f"{written_day(each.day)} ({each.reason})" for each in result.excluded if each.day.weekday() < SATURDAY]
    return [
        *others,
        *([f"No cuentan: {joined(excluded)}."] if excluded else []),
        *(f"Se supone: {each}" for each in result.assumptions),
        *(f"Criterio: {each}." for each in authorities),
        *(f"Aviso: {each}" for each in result.warnings),
        *([result.sensitive] if result.sensitive else []),
        *_unconfirmed(result),
    ]


def cited(provision: str) -> str:
    """Return "artículo 53 ET" for "BOE-A-2015-11430#Artículo 53"."""
    law_id, label = parts_of(provision)
    return f"{label[0].lower()}{label[1:]} {law_named(law_id)}"


def law_named(law_id: str) -> str:
    law = known_laws().get(law_id)
    return (law.abbreviation or law.short) if law else law_id


def parts_of(provision: str) -> tuple[str, str]:
    """Return law id and label of "BOE-A-2015-11430#Artículo 53"."""
    law_id, _, label = provision.partition("#")
    return law_id, label


def provisions_of(outcome: Outcome) -> tuple[str, ...]:
    """Return the provisions of an outcome and of its steps ("BOE-A-2015-11430#Artículo 53"), each once, in order."""
    steps = outcome.steps if isinstance(outcome, Result | NotEntitled) else ()
    own = () if isinstance(outcome, Result) or not outcome.provision else (outcome.provision,)
    return tuple(dict.fromkeys((*own, *(each.provision for each in steps))))


def fragment(
    calculation: Calculation, outcome: Outcome, read: Mapping[str, str] | None = None, certainty: float = 0.0
) -> Candidate:
    """Return an outcome as a citable candidate, which is in no index; its score is the ``certainty`` in [0, 1]."""
    text = "\n".join(lines_of(outcome, read))
    return {
        "chunk": value_chunk(
            collection=COLLECTION,
            name=calculation.kind,
            law_id="",
            law_name="Cálculo",
            label=calculation.title,
            title=calculation.title,
            text=text,
            source=calculation.provision,
            begins=blake2b(text.encode(), digest_size=8).hexdigest(),
            url="",
        ),
        "score": round(certainty, 6),
        "origins": ["value"],
        "found_by": [calculation.kind],
        "purpose": "missing_data" if isinstance(outcome, Missing) else "calculation",
        "says": "",
    }


Status = Literal["result", "missing", "not_entitled", "none"]
_STATUS: Mapping[type[Outcome], Status] = {
    Result: "result",
    Missing: "missing",
    NotEntitled: "not_entitled",
    Refused: "none",
}


class ValueDocument(TypedDict):
    """A value by its name: amounts are decimal strings ("14000.00"), days ISO 8601."""

    name: str
    value: str | int | bool
    unit: Unit


class StepDocument(ValueDocument):
    """One step: its sentence, its figures, its provision, and the ruling that fixes how the provision is applied."""

    text: str
    formula: str
    provision: str
    authority: str


class AlternativeDocument(ValueDocument):
    """The value by another reading of the law, described by ``rule``."""

    rule: str


class NotAppliedDocument(TypedDict):
    """A rule that was considered and does not apply."""

    text: str
    provision: str


class WantedDocument(TypedDict):
    """A datum to ask for."""

    field: str
    question: str
    why: str


class ExcludedDocument(TypedDict):
    """A day that does not count in a term."""

    day: str
    reason: str


class ProvisionDocument(TypedDict):
    """A provision that an outcome names ("BOE-A-2015-11430#Artículo 53"), with the data of a link."""

    provision: str
    law_id: str
    law: str
    label: str
    cited: str
    url: str


class WordingDocument(TypedDict):
    """A wording of the law that the calculation follows (``articulado.calculations.values.FollowedWording``)."""

    provision: str
    since: str
    certainty: DayOfWording
    confirmed: bool


class Worked(TypedDict):
    """An outcome as JSON, with every key in each ``status``.

    ``text`` is the sentence of the result, or the general rule if data are missing; ``reason`` explains a missing
    result, and ``field`` names the unreadable input. ``understood`` repeats the inputs read from a question.
    ``law_day`` is the day whose law applies.
    """

    calculation: str
    title: str
    status: Status
    inputs: dict[str, object]
    understood: str
    text: str
    reason: str
    field: str
    provision: str
    values: list[ValueDocument]
    steps: list[StepDocument]
    not_applied: list[NotAppliedDocument]
    assumptions: list[str]
    warnings: list[str]
    missing: list[WantedDocument]
    alternatives: list[AlternativeDocument]
    sensitive: str
    excluded: list[ExcludedDocument]
    law_day: str
    wordings: list[WordingDocument]
    notes: list[str]
    provisions: list[ProvisionDocument]


def as_document(
    calculation: Calculation | None,
    inputs: Mapping[str, object],
    outcome: Outcome,
    read: Mapping[str, str] | None = None,
) -> Worked:
    """Return an outcome as JSON; ``read`` has the words of the question by input."""
    result = outcome if isinstance(outcome, Result) else None
    missing = outcome if isinstance(outcome, Missing) else None
    reached = outcome if isinstance(outcome, Result | NotEntitled) else None
    steps, day = (reached.steps, reached.basis.day) if reached else ((), None)
    not_applied = result.not_applied if result else ()
    named = dict.fromkeys((*provisions_of(outcome), *(each.provision for each in not_applied)))
    return {
        "calculation": calculation.kind if calculation else "",
        "title": calculation.title if calculation else "",
        "status": _STATUS[type(outcome)],
        "inputs": {name: _json(value) for name, value in inputs.items()},
        "understood": understood(read or {}),
        "text": result.lead if result else missing.rule if missing else "",
        "reason": outcome.reason if isinstance(outcome, NotEntitled | Refused) else "",
        "field": outcome.field if isinstance(outcome, Refused) else "",
        "provision": "" if isinstance(outcome, Result) else outcome.provision,
        "values": [_value(each) for each in result.values] if result else [],
        "steps": [
            {
                "name": each.name,
                "text": each.text,
                "formula": each.formula,
                "value": plain(each.value),
                "unit": each.unit,
                "provision": each.provision,
                "authority": each.authority,
            }
            for each in steps
        ],
        "not_applied": [{"text": each.text, "provision": each.provision} for each in not_applied],
        "assumptions": list(result.assumptions) if result else [],
        "warnings": list(result.warnings) if result else [],
        "missing": [
            {"field": each.field, "question": each.question, "why": each.why}
            for each in (missing.fields if missing else ())
        ],
        "alternatives": [{"rule": each.rule, **_value(each.value)} for each in (result.alternatives if result else ())],
        "sensitive": result.sensitive if result else "",
        "excluded": [
            {"day": each.day.isoformat(), "reason": each.reason} for each in (result.excluded if result else ())
        ],
        "law_day": day.isoformat() if day else "",
        "wordings": [
            {
                "provision": each.provision,
                "since": each.since.isoformat(),
                "certainty": each.certainty,
                "confirmed": each.confirmed,
            }
            for each in (reached.wordings if reached else ())
        ],
        "notes": notes_on(result) if result else [],
        "provisions": [_provision(each) for each in named if each],
    }


@dataclass(frozen=True)
class Calculated:
    """An outcome; ``calculation`` is ``None`` if the question asks for none, ``read`` has its words by input."""

    calculation: Calculation | None
    inputs: Mapping[str, object]
    outcome: Outcome
    read: Mapping[str, str]

    @property
    def document(self) -> Worked:
        return as_document(self.calculation, self.inputs, self.outcome, self.read)

    @property
    def last_day(self) -> date | None:
        """The first date among the values, which is the last day of a term; ``None`` for an amount."""
        # A time is the grace for a writ before a court, not the last day.
        values = [each.value for each in self.outcome.values] if isinstance(self.outcome, Result) else []
        return next((each for each in values if isinstance(each, date) and not isinstance(each, datetime)), None)


def _value(value: Value) -> ValueDocument:
    return {"name": value.name, "value": plain(value.value), "unit": value.unit}


def _provision(provision: str) -> ProvisionDocument:
    law_id, label = parts_of(provision)
    law = known_laws().get(law_id)
    return {
        "provision": provision,
        "law_id": law_id,
        "law": law.short if law else law_id,
        "label": label,
        "cited": cited(provision),
        "url": provision_url(law_id, label),
    }


def _json(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_json(each) for each in value]
    return plain(value) if isinstance(value, Decimal | date) else value
