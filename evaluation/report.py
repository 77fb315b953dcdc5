"""Findings of one run of the harness, derived comparisons, and rows of tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from articulado.language.formats import NONE, figure, format_share
from articulado.legal.laws.registry import known_laws
from evaluation.answers.answers import AnswerResult, Trait, cited_by_question
from evaluation.answers.tally import (
    Answerable,
    Calibration,
    Lengths,
    Outcomes,
    RelevanceReport,
    Share,
    Tally,
    Unanswerable,
    report_relevance,
    tally,
)
from evaluation.conversations import ConversationTally, TurnResult, Turns
from evaluation.gold.questions import Provision, Question, key_of
from evaluation.peers.measure import PeerFindings
from evaluation.retrieval.evaluate import Configuration, Failure, Outcome, failures, measure_run, worst
from evaluation.retrieval.run import MAIN
from evaluation.statistics import Interval, Paired, Point, Prediction, Reliability, compare, interval, reliability


def interval_text(mean: float, bounds: tuple[float, float]) -> str:
    """Return a mean with its interval.

    >>> interval_text(0.553, (0.487, 0.615))
    '0,553 [0,487; 0,615]'
    """
    low, high = bounds
    return f"{figure(mean, 3)} [{figure(low, 3)}; {figure(high, 3)}]"


def bin_rows(measured: Reliability) -> list[list[str]]:
    return [
        [figure(bin_.confidence, 3), interval_text(bin_.right, (bin_.low, bin_.high)), str(bin_.count)]
        for bin_ in measured.bins
    ]


def display_name(provision: Provision) -> str:
    law_id, label = provision
    law = known_laws().get(law_id)
    return f"{law.short if law else law_id}, {label}"


def display_names(provisions: Sequence[Provision]) -> str:
    return "; ".join(map(display_name, provisions)) or "nada"


ANSWERABLE_HEAD = ("Preguntas con respuesta en la norma", "De todas")
UNANSWERABLE_HEAD = ("Sin respuesta", "Declinadas", "Repregunta", "Con aviso", "Contestadas")
FORM_HEAD = ("Lo que escribe el modelo", "De todo")
RISK_HEAD = ("Cobertura", "Relevancia mínima", "Riesgo")
CATEGORIES_HEAD = ("Categoría", "Relevancia media", "Con respuesta", "ECE", "Brier")
ALL = "todas"

_TRAITS: Mapping[Trait, str] = {
    "no_delimiter": "Sin el separador",
    "no_used": "Sin la línea USED",
    "no_drop": "Sin la línea DROP",
    "unknown_marks": "Con marcas de fragmentos que no hay",
    "protocol_words": "Con palabras de la autoevaluación a la vista",
    "fragment_words": "Con la palabra «fragmento» a la vista",
    "needs": "Pide algo con NEED",
    "second_answer": "Responde otra vez, con lo que pedía",
    "asked_again": "Se le pide lo mismo otra vez",
}

_COVERAGES = 10
_CLOSE = 1e-9


def answerable_rows(answerable: Answerable) -> list[tuple[str, str]]:
    shares, refused_by = answerable.outcomes.shares, answerable.outcomes.refused_by
    return [
        ("Contestadas", _share(shares["answer"])),
        ("Con los preceptos más próximos y un aviso", _share(shares["near"])),
        ("  con uno que responde, de estas", _share(answerable.near_right)),
        ("Se repregunta", _share(shares["ask"])),
        ("Declinadas sin razón", _share(shares["decline"])),
        ("  sin llamar al modelo, de estas", _share(refused_by["gate"])),
        ("  por el modelo, de estas", _share(refused_by["principal"])),
        ("Se cita primero un precepto que responde", _share(answerable.first)),
        ("  entre los dos primeros", _share(answerable.first_two)),
        ("Hechos esperados que las respuestas contienen", _share(answerable.facts)),
        ("Palabras: mediana, percentil 90, máximo (respuestas)", _lengths(answerable.words)),
    ]


def unanswerable_rows(unanswerable: Unanswerable) -> list[tuple[str, ...]]:
    groups = {ALL: unanswerable.outcomes, **unanswerable.by_category}
    return [(name, *_outcome_cells(outcomes)) for name, outcomes in groups.items()]


def form_rows(form: Mapping[Trait, Share]) -> list[tuple[str, str]]:
    return [(_TRAITS[trait], _share(share)) for trait, share in form.items()]


def describe_refusers(outcomes: Outcomes) -> str:
    gate, principal = outcomes.refused_by["gate"], outcomes.refused_by["principal"]
    return f"De las declinadas, sin llamar al modelo {_share(gate)}; por el modelo {_share(principal)}."


def describe_relevance(report: RelevanceReport) -> str:
    whole = report.calibration
    return (
        f"Relevancia de {whole.answerable.total} preguntas, de {report.risk.total}: área de riesgo y cobertura "
        f"{figure(report.risk.area, 3)}, ECE {figure(whole.reliability.ece, 3)}, Brier {figure(whole.brier, 3)}."
    )


def risk_rows(report: RelevanceReport) -> list[tuple[str, str, str]]:
    """Return the first point that reaches each tenth of the questions, each point once, and the last one."""
    points = report.risk.points
    shown: dict[Point, None] = {}
    for tenth in range(1, _COVERAGES + 1):
        reached = (point for point in points if point.coverage >= tenth / _COVERAGES - _CLOSE)
        shown[next(reached, points[-1])] = None
    return [
        (
            format_share(point.questions, report.risk.total),
            figure(point.threshold, 3),
            format_share(point.wrong, point.questions),
        )
        for point in shown
    ]


def category_rows(report: RelevanceReport) -> list[tuple[str, ...]]:
    return [_calibration(name, group) for name, group in {ALL: report.calibration, **report.by_category}.items()]


def _calibration(name: str, group: Calibration) -> tuple[str, ...]:
    errors = (group.reliability.ece, group.brier)
    return (name, figure(group.mean, 3), _share(group.answerable), *(figure(error, 3) for error in errors))


def _outcome_cells(outcomes: Outcomes) -> tuple[str, ...]:
    shares = outcomes.shares
    return tuple(map(_share, (shares["decline"], shares["ask"], shares["near"], shares["answer"])))


def _lengths(words: Lengths | None) -> str:
    if words is None:
        return NONE
    return f"{figure(words.median)}, {figure(words.p90)}, {words.maximum} ({words.answers})"


def _share(share: Share) -> str:
    return format_share(share.count, share.total)


TURNS_HEAD = ("Turnos", "n", "hit@3", "leído", "conserva", "n", "sobra", "citado", "n", "rechaza")
TURNS_LEGEND = (
    "hit@3: un precepto que responde está entre los tres primeros que se citan; leído: está entre lo que leyó el "
    "modelo (los turnos que no preguntan nada no cuentan en ninguno de los dos). Conserva: preceptos de turnos "
    "anteriores que aún debía leer y lee. Sobra: preceptos que no debía leer y lee; citado: y además cita. Rechaza: "
    "no se contesta."
)

_TURN_DECIMALS = 3


def turn_rows(tally: ConversationTally) -> list[tuple[str, ...]]:
    """Return the rows of all turns, by number, after the first, and by kind."""
    groups = {"todos": tally.all}
    groups |= {f"turno {number}": turns for number, turns in tally.by_number.items()}
    if tally.later.turns:
        groups["del 2 en adelante"] = tally.later
    return [(name, *_cells(turns)) for name, turns in [*groups.items(), *tally.by_kind.items()]]


def describe_turn(result: TurnResult) -> str:
    """Return the expected and cited provisions of a turn, with lost and intruding ones."""
    parts = [f"Se esperaba: {display_names(_best(result))}. Se cita: {display_names(result.cited)}"]
    if lost := [provision for provision in result.turn.must_keep if provision not in result.kept]:
        parts.append(f"Se pierde: {display_names(lost)}")
    if result.intruding:
        parts.append(f"Sobra: {display_names(result.intruding)}")
    return ". ".join(parts) + "."


def _best(result: TurnResult) -> Sequence[Provision]:
    return [provision for provision in result.turn.relevant if key_of(provision) in result.turn.answering]


def _cells(turns: Turns) -> tuple[str, ...]:
    return (
        str(turns.turns),
        _value(turns.hit),
        _value(turns.read),
        _value(turns.kept),
        str(turns.kept.total),
        _value(turns.intruding),
        _value(turns.intruding_cited),
        str(turns.intruding.total),
        _value(turns.refused),
    )


def _value(share: Share) -> str:
    return NONE if share.value is None else figure(share.value, _TURN_DECIMALS)


WORST = 15
RIGHT = "hit@3"


@dataclass(frozen=True)
class Step:
    """Configuration, compared with the one before it (``None`` for the first)."""

    configuration: Configuration
    against: Paired | None


@dataclass(frozen=True)
class Findings:
    """Findings on one gold set; parts that were not requested are empty."""

    outcome: Outcome
    environment: Mapping[str, str]
    configurations: Sequence[Configuration] = ()
    answers: Sequence[AnswerResult] = ()
    peers: PeerFindings = field(default_factory=lambda: PeerFindings((), {}, 0))

    @property
    def questions(self) -> Sequence[Question]:
        return self.outcome.gold.questions

    @cached_property
    def steps(self) -> list[Step]:
        """Configurations of the ablation, each compared with the one before on nDCG@10; else the one in use."""
        configurations = [*(self.configurations or [self.outcome.measured])]
        return [
            Step(configuration, compare_configurations(configurations[index - 1], configuration) if index else None)
            for index, configuration in enumerate(configurations)
        ]

    @cached_property
    def rivals(self) -> list[Step]:
        ours = self.outcome.measured
        rivals = [measure_run(run.name, list(self.questions), run.run) for run in self.peers.runs]
        return [Step(run, compare_configurations(run, ours)) for run in rivals]

    @cached_property
    def voices(self) -> dict[str, list[str]]:
        names = dict.fromkeys(question.voice for question in self.outcome.positives if question.voice)
        return {name: [question.id for question in self.outcome.positives if question.voice == name] for name in names}

    @cached_property
    def failures(self) -> list[Failure]:
        cited = cited_by_question(self.answers) if self.answers else None
        return failures(self.questions, self.outcome.measured.run, cited)

    @cached_property
    def worst(self) -> list[Failure]:
        measured = self.outcome.measured
        return worst(self.questions, measured.per_question, measured.run, WORST)

    @cached_property
    def tally(self) -> Tally:
        return tally(self.answers)

    @cached_property
    def relevance(self) -> RelevanceReport | None:
        return report_relevance(self.answers)

    @cached_property
    def confidence(self) -> Reliability:
        values = self.outcome.measured.per_question
        return reliability(
            [
                Prediction(
                    self.outcome.retrieved[question.id].top_score or 0.0,
                    values[question.id][RIGHT] if question.relevant else 0.0,
                )
                for question in self.questions
            ]
        )


def compare_configurations(before: Configuration, after: Configuration) -> Paired | None:
    """Compare two configurations on nDCG@10 by question; ``None`` without answerable questions."""
    ids = list(before.per_question)
    if not ids:
        return None
    return compare([before.per_question[id_][MAIN] for id_ in ids], [after.per_question[id_][MAIN] for id_ in ids])


def mean_of(configuration: Configuration, ids: Sequence[str]) -> tuple[float, Interval]:
    """Return the mean nDCG@10 over some questions (by id) and its interval, both with NumPy's rounding."""
    values = [configuration.per_question[id_][MAIN] for id_ in ids]
    return float(np.mean(values)), interval(values)
