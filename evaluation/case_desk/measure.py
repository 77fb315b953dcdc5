"""Labelled cases, and measurement of both case graphs on them: decisions by class, and calibrated confidence.

Cases are JSON Lines with ``id``, ``profile``, ``inquiry`` and ``article`` (``null`` if none handles the inquiry).
Optional: the input ``filters``, ``collected_data`` and ``today``; the correct ``decision`` and ``outcome``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, TypeAdapter, model_validator

from articulado.cases.confidence import MIN_CONFIDENCE, CaseGraph, Curve, fit_curve
from articulado.cases.fields import canonical_value
from articulado.config.profile import Profile
from articulado.config.settings import ModelSettings, Settings
from articulado.values.cases import DataOutcome, Decision
from articulado.values.errors import InvalidInput
from evaluation.gold.questions import DATASETS, rows_of
from evaluation.statistics import Prediction, brier, reliability
from graph.case import Case, build_generate_response, build_required_data
from graph.services import Services

OWN_DECISIONS, OWN_TEST = "decisions.jsonl", "decisions_test.jsonl"

Kind = Literal["complete", "rule", "bad_value", "missing", "other_matter", "other_article", "wrong_keeper"]
"""Difficulty of a case; ``wrong_keeper``: it names another provider, plan or regime than its filter."""

KINDS: tuple[Kind, ...] = get_args(Kind)
MIN_CASES = 20


@dataclass(frozen=True)
class LabelledCase:
    """An inquiry to a profile; ``article`` handles it, or is empty. Labels other than that may be ``None``."""

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
        return bool(self.article) and self.kind != "wrong_keeper"

    def canonical(self, profile: Profile) -> "LabelledCase":
        fields = {entry.name: entry for entry in profile.filter_fields}
        filters = {name: canonical_value(fields[name], value) for name, value in self.filters.items() if name in fields}
        return replace(self, filters=filters)


Word = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^\S+$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Day = Annotated[date, BeforeValidator(lambda written: date.fromisoformat(str(written)))]


class _Row(BaseModel):
    model_config = ConfigDict(strict=True)

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
    "": "«answerable» y «article» se contradicen. Una consulta tiene respuesta si, y solo si, tiene un artículo.",
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


def own_decisions() -> tuple[LabelledCase, ...]:
    return read_cases(DATASETS / OWN_DECISIONS)


def own_test() -> tuple[LabelledCase, ...]:
    return read_cases(DATASETS / OWN_TEST)


def read_cases(path: Path) -> tuple[LabelledCase, ...]:
    """Read labelled inquiries in the order of the file; errors name the line."""
    return tuple(
        LabelledCase(
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
        for _, row in rows_of(path, TypeAdapter(_Row), "consulta", "id, profile, inquiry y article", EXPECTED)
    )


def cases_of_profile(
    cases: Sequence[LabelledCase], settings: Settings, profile: Profile, source: str
) -> list[LabelledCase]:
    """Return the inquiries of a profile, or raise ``InvalidInput`` if they cannot be measured."""
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


GRAPHS: tuple[CaseGraph, ...] = ("required_data", "generate_response")
GOES_ON = ("found", "can_proceed")

_STATE = ["article_id", "log_odds", "confidence", "outcome", "decision", "metadata"]
_BAD = ("missing_data", "unreadable_data", "conflicting_data")


@dataclass(frozen=True)
class CaseResult:
    """Result of one graph for a case; ``bad`` names missing, invalid or contradictory data."""

    case: LabelledCase
    article: str
    confidence: float
    log_odds: float
    verdict: str
    bad: tuple[str, ...] = ()

    @property
    def is_match(self) -> bool:
        return self.case.answerable and self.article == self.case.article


async def run_cases(
    services: Services,
    cases: Sequence[LabelledCase],
    on_case: Callable[[CaseGraph, int], None] = lambda graph, done: None,
    curves: Mapping[CaseGraph, Curve] | None = None,
) -> dict[CaseGraph, list[CaseResult]]:
    """Run every case through both graphs of the profile, each on its day, without a chat model."""
    if of_others := [case.id for case in cases if case.profile != services.profile.name]:
        raise InvalidInput(f"La consulta «{of_others[0]}» no es del perfil «{services.profile.name}».")
    settings = services.settings.model_copy(update={"principal": ModelSettings(provider="offline")})
    by_day: dict[date | None, Mapping[CaseGraph, Case]] = {}
    results: dict[CaseGraph, list[CaseResult]] = {name: [] for name in GRAPHS}
    for case in cases:
        if case.today not in by_day:
            by_day[case.today] = _graphs(replace(services, settings=settings, reader_model=None), case.today, curves)
        for name, graph in by_day[case.today].items():
            results[name].append(await _run(graph, name, case))
            on_case(name, len(results[name]))
    return results


def _graphs(
    services: Services, today: date | None, curves: Mapping[CaseGraph, Curve] | None
) -> Mapping[CaseGraph, Case]:
    on_day = services if today is None else replace(services, calendar=lambda: today)
    estimators = {graph: services.matcher.model.estimator(graph, services.profile) for graph in GRAPHS}
    if curves:
        estimators = {
            graph: replace(estimators[graph], calibration=None, packaged=curve) for graph, curve in curves.items()
        }
    return {
        "required_data": build_required_data(on_day, estimator=estimators["required_data"]),
        "generate_response": build_generate_response(on_day, estimator=estimators["generate_response"]),
    }


async def _run(graph: Case, name: CaseGraph, case: LabelledCase) -> CaseResult:
    asked: dict[str, Any] = {"inquiry": case.inquiry, **case.filters}
    if name == "generate_response" and case.collected:
        asked["collected_data"] = case.collected
    try:
        state = await graph.ainvoke(asked, output_keys=_STATE)
    except InvalidInput as error:
        raise InvalidInput(f"La consulta «{case.id}» no se puede usar. {error}") from error
    return CaseResult(
        case=case,
        article=state["article_id"],
        confidence=state["confidence"],
        log_odds=state["log_odds"],
        verdict=state["outcome" if name == "required_data" else "decision"],
        bad=tuple(dict.fromkeys(field for key in _BAD for field in state["metadata"][key])),
    )


def fit(results: Sequence[CaseResult]) -> Curve:
    """Fit the curve of a graph to the results that have an article; raise ``ValueError`` without any."""
    usable = [result for result in results if result.article and result.case.kind != "wrong_keeper"]
    return fit_curve([result.log_odds for result in usable], [result.is_match for result in usable])


@dataclass(frozen=True)
class KindCounts:
    """Counts of the cases of a class.

    ``right``: verdict and article are the labelled ones. ``on``: the graph goes on; ``wrongly_on``: although the label
    forbids it. ``fields``: labelled bad or missing data; ``fields_named``: those that the result names.
    """

    cases: int
    right: int
    on: int
    wrongly_on: int
    fields: int
    fields_named: int


@dataclass(frozen=True)
class Measured:
    """Measures of one graph; ``accepted`` and ``precision`` are for a confidence of 0.70 or more."""

    kinds: Mapping[Kind, KindCounts]
    total: KindCounts
    ece: float
    brier: float
    accepted: float
    precision: float | None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure(graph: CaseGraph, results: Sequence[CaseResult]) -> Measured:
    """Measure one graph on results, at least one; cases without a label of this graph are not counted."""
    predictions = [Prediction(result.confidence, float(result.is_match)) for result in results]
    sure = [result for result in results if result.confidence >= MIN_CONFIDENCE]
    answerable = [result for result in results if result.case.answerable]
    labelled = [result for result in results if label_of(graph, result)]
    of_kinds = {kind: [result for result in labelled if result.case.kind == kind] for kind in KINDS}
    return Measured(
        kinds={kind: _counts(graph, of_kind) for kind, of_kind in of_kinds.items() if of_kind},
        total=_counts(graph, labelled),
        ece=reliability(predictions)["ece"],
        brier=brier(predictions),
        accepted=sum(result.is_match for result in sure) / len(answerable) if answerable else 0.0,
        precision=sum(result.is_match for result in sure) / len(sure) if sure else None,
    )


def label_of(graph: CaseGraph, result: CaseResult) -> str:
    return (result.case.outcome if graph == "required_data" else result.case.decision) or ""


def is_right(graph: CaseGraph, result: CaseResult) -> bool:
    label = label_of(graph, result)
    rests_on_article = label in GOES_ON or (result.case.kind == "other_article" and bool(result.case.article))
    return result.verdict == label and (not rests_on_article or result.article == result.case.article)


def _counts(graph: CaseGraph, results: Sequence[CaseResult]) -> KindCounts:
    on = [result for result in results if result.verdict in GOES_ON]
    # The first step is sent no data: there is nothing bad in it.
    with_data = results if graph == "generate_response" else []
    return KindCounts(
        cases=len(results),
        right=sum(is_right(graph, result) for result in results),
        on=len(on),
        wrongly_on=sum(not is_right(graph, result) for result in on),
        fields=sum(len(result.case.fields) for result in with_data),
        fields_named=sum(len(set(result.case.fields) & set(result.bad)) for result in with_data),
    )
