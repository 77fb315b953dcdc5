"""Measuring gold sets on an index: what is found and, where it is asked for, ablation, answers, peers and a report."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.gold.provisions import Provision
from evaluation.gold.questions import GoldSet
from evaluation.gold.sets import check_ids, check_index, not_indexed, read_sets
from evaluation.report.findings import Findings
from evaluation.retrieval.evaluate import Outcome, evaluate
from evaluation.retrieval.metrics import METRICS, per_question
from evaluation.retrieval.run import Run, read_trec, write_trec
from evaluation.statistics.bootstrap import Paired, compare
from state.errors import InvalidInput

if TYPE_CHECKING:
    from services.container import Services
    from services.profile.profile import Profile
    from services.settings import Settings
    from state.context import RerankStrategy, RunContext

TAG = "articulado"


@dataclass(frozen=True)
class Request:
    """What is to be measured. ``run`` and ``report`` are where to write, ``other`` a run to compare with."""

    gold: Sequence[Path] = ()
    run: Path | None = None
    other: Path | None = None
    ablation: bool = False
    answers: bool = False
    peers: bool = False
    report: Path | None = None


@dataclass(frozen=True)
class SetMeasurement:
    """One gold set on the index: the labels that the index lacks, what was found, and how another run compares.

    ``against`` goes by metric; the other run is the first of each pair. It is empty without one.
    """

    not_indexed: Sequence[Provision]
    findings: Findings
    against: Mapping[str, Paired]

    @property
    def outcome(self) -> Outcome:
        """What was found."""
        return self.findings.outcome


@dataclass(frozen=True)
class Measurement:
    """What was measured on every gold set, and the files that were written."""

    request: Request
    index: Path
    strategy: "RerankStrategy"
    sets: Sequence[SetMeasurement]
    written: Sequence[Path]


def read_inputs(request: Request, settings: "Settings", profile: "Profile") -> tuple[list[GoldSet], Run]:
    """Return the gold sets, and the run to compare with, empty without one.

    Raises:
        ArticuladoError: a file cannot be read, the result could not be written, or the index is not searched.
    """
    sets = read_sets(request.gold, profile)
    if request.run or request.other:
        check_ids(sets)
    if request.ablation or request.peers:
        check_index(settings)
    _check_output(request)
    return sets, read_trec(request.other) if request.other else {}


async def measure(
    request: Request,
    sets: Sequence[GoldSet],
    other_run: Run,
    services: "Services",
    context: "RunContext",
    tell: Callable[[str], None],
) -> Measurement:
    """Ask every question of every gold set; write what is to be written.

    ``tell`` hears in Spanish what is being measured.

    Raises:
        ArticuladoError: a service cannot be used, or the other run has none of the questions.
    """
    measurements = []
    for gold_set in sets:
        missing = await not_indexed(gold_set.questions, services.store)
        findings = await _findings(gold_set, services, context, request, tell)
        against = compare_runs(findings.outcome, other_run) if request.other else {}
        measurements.append(SetMeasurement(missing, findings, against))
    settings = services.settings
    strategy = settings.defaults().overridden_by(context).rerank_strategy
    return Measurement(request, settings.index_folder, strategy, measurements, _write(request, measurements))


async def _findings(
    gold: GoldSet, services: "Services", context: "RunContext", request: Request, tell: Callable[[str], None]
) -> Findings:
    from evaluation.answers.answers import evaluate_answers
    from evaluation.peers.measure import PeerFindings, run_peers
    from evaluation.report.environment import environment
    from evaluation.retrieval.ablation import ablation
    from evaluation.retrieval.retrieve import Retriever

    tell(f"Evaluando {gold.name}")
    outcome = await evaluate(gold, Retriever(services, context))
    configurations = (
        await ablation(gold, services, context, lambda name: tell(f"Evaluando {gold.name} ({name})"))
        if request.ablation
        else []
    )
    tell(f"Respuestas a {gold.name}" if request.answers else f"Evaluando {gold.name}")
    answers = await evaluate_answers(services, gold.questions, context=context) if request.answers else []
    peers = await run_peers(services, gold.questions) if request.peers else PeerFindings((), {}, 0)
    return Findings(outcome, environment(services) if request.report else {}, configurations, answers, peers)


def compare_runs(outcome: Outcome, other_run: Run) -> dict[str, Paired]:
    """Compare another run with this one, metric by metric; a question that it leaves out scores 0.

    Raises:
        InvalidInput: it has none of the questions.
    """
    questions = outcome.positives
    if not any(question.id in other_run for question in outcome.gold.questions):
        raise InvalidInput(
            f"La lista de --compare-run no tiene ninguna pregunta de {outcome.gold.path}. Los identificadores de las "
            "preguntas deben ser los mismos."
        )
    own_scores, other_scores = outcome.measured.per_question, per_question(questions, other_run)
    return {
        name: compare(
            [other_scores[question.id][name] for question in questions],
            [own_scores[question.id][name] for question in questions],
        )
        for name in METRICS
        if questions
    }


def _check_output(request: Request) -> None:
    """Say before the work that its result could not be written."""
    run = request.run
    if run and (run.is_dir() or not run.absolute().parent.is_dir()):
        raise InvalidInput(f"No se puede escribir {run}: indique en --run un fichero de una carpeta que exista.")
    if request.report:
        from evaluation.report.write import check_report

        check_report(request.report)


def _write(request: Request, measurements: Sequence[SetMeasurement]) -> list[Path]:
    """Write the run of all sets, and the report of each, in a folder of its own where there are several."""
    written = []
    if request.run:
        outcomes = [set_measurement.outcome for set_measurement in measurements]
        run = {name: retrieved.ranking for outcome in outcomes for name, retrieved in outcome.retrieved.items()}
        write_trec(run, request.run, TAG)
        written.append(request.run)
    if request.report:
        from evaluation.report.write import write_report

        for set_measurement in measurements:
            folder = request.report / set_measurement.outcome.gold.name if len(measurements) > 1 else request.report
            written += write_report(folder, set_measurement.findings)
    return written
