"""Measurement of gold sets on an index: retrieval always; ablation, answers and peers on request."""

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from articulado.language.formats import figure
from articulado.store.opening import open_index
from articulado.values.errors import InvalidInput
from evaluation.answers.answers import Answers, evaluate_answers
from evaluation.conversations import ConversationFindings, evaluate_conversations
from evaluation.gold.questions import GoldSet, Provision
from evaluation.gold.sets import Sets, check_ids, check_index, not_indexed, read_sets
from evaluation.recording.recording import REPLIES, WAITING, ReplyMissing
from evaluation.recording.run import RecordedRun
from evaluation.report import Findings
from evaluation.retrieval.evaluate import Outcome, evaluate
from evaluation.retrieval.run import METRICS, Run, per_question, read_trec, write_trec
from evaluation.statistics import Paired, compare
from nodes.stage import default_options

if TYPE_CHECKING:
    from articulado.config.profile import Profile
    from articulado.config.settings import Settings
    from articulado.values.answers import RerankStrategy
    from graph.services import Services
    from state.context import RunContext

TAG = "articulado"


@dataclass(frozen=True)
class Request:
    """Options of a measurement: output paths ``run`` and ``report``, a run ``other``, recordings."""

    gold: Sequence[Path] = ()
    run: Path | None = None
    other: Path | None = None
    ablation: bool = False
    answers: bool = False
    peers: bool = False
    report: Path | None = None
    record: Path | None = None
    replay: Path | None = None


@dataclass(frozen=True)
class SetMeasurement:
    """Measurement of one gold set; ``against`` maps a metric to the comparison of another run (first) with this one."""

    not_indexed: Sequence[Provision]
    findings: Findings
    against: Mapping[str, Paired]

    @property
    def outcome(self) -> Outcome:
        return self.findings.outcome


@dataclass(frozen=True)
class Measurement:
    """Measurements of all gold sets; questions in ``unfinished`` lack replies in a replay and are not measured."""

    request: Request
    index: Path
    strategy: "RerankStrategy"
    sets: Sequence[SetMeasurement]
    conversations: Sequence[ConversationFindings]
    written: Sequence[Path]
    unfinished: Mapping[tuple[str, str], ReplyMissing]
    recorded: RecordedRun | None = None

    @property
    def waiting(self) -> str:
        """Message on the replies that a recording lacks, and the place to write them."""
        assert self.recorded is not None  # else nothing waits
        recording = self.recorded.recording
        waiting, replies = recording.folder / WAITING, recording.folder / REPLIES
        return (
            f"Faltan {len(recording.missing)} respuestas, y {len(self.unfinished)} preguntas o conversaciones no "
            f"se miden. Lea cada consulta en {waiting}, escriba su respuesta en {replies}/<consulta>.txt y repita la "
            "orden."
        )


def read_inputs(request: Request, settings: "Settings", profile: "Profile") -> tuple[Sets, Run]:
    """Return the gold sets, and the run to compare with, empty without one; check the outputs beforehand."""
    sets = read_sets(request.gold, profile)
    if request.run or request.other:
        check_ids(sets.questions)
    if sets.conversations and (request.run or request.other or request.ablation or request.peers):
        raise InvalidInput(
            f"{sets.conversations[0].path} tiene conversaciones, y --run, --compare-run, --ablation y --peers miden la "
            "búsqueda de preguntas sueltas. Quítelas, o evalúe el fichero por separado."
        )
    if request.ablation or request.peers:
        check_index(settings)
    if request.ablation and (request.record or request.replay):
        raise InvalidInput("--record y --replay no se pueden combinar con --ablation: mida las técnicas sin grabación.")
    _check_output(request)
    return sets, read_trec(request.other) if request.other else {}


async def measure(
    request: Request,
    sets: Sets,
    other_run: Run,
    services: "Services",
    context: "RunContext",
    tell: Callable[[str], None],
    recorded: RecordedRun | None = None,
) -> Measurement:
    """Ask every question and hold every conversation of every gold set; write the requested files."""
    if recorded:
        services = await recorded.services(services)
    measurements = []
    unfinished: dict[tuple[str, str], ReplyMissing] = {}
    for gold_set in sets.questions:
        missing = await not_indexed(gold_set.provisions, services.store)
        # Before what is found: a replay tells here which questions have all replies.
        answers = await _answers(gold_set, services, context, tell) if request.answers else Answers()
        unfinished |= {(gold_set.name, id_): missing_reply for id_, missing_reply in answers.unfinished.items()}
        finished = [question for question in gold_set.questions if question.id not in answers.unfinished]
        if not finished:
            continue
        findings = await _findings(
            replace(gold_set, questions=tuple(finished)), answers, services, context, request, tell, recorded
        )
        against = compare_runs(findings.outcome, other_run) if request.other else {}
        measurements.append(SetMeasurement(missing, findings, against))
    conversations = []
    for dialogue_set in sets.conversations:
        missing = await not_indexed(dialogue_set.provisions, services.store)
        tell(f"Conversaciones de {dialogue_set.name}")
        dialogues = await evaluate_conversations(services, dialogue_set.conversations, context=context)
        unfinished |= {(dialogue_set.name, id_): missing_reply for id_, missing_reply in dialogues.unfinished.items()}
        if dialogues.results:
            machine = _environment(services, recorded, dialogues.unfinished) if request.report else {}
            conversations.append(ConversationFindings(dialogue_set, missing, dialogues.results, machine))
    if recorded:
        recorded.recording.end()
    settings = services.settings
    strategy = default_options(settings).overridden_by(context).rerank_strategy
    if request.run:
        _write_run(request.run, measurements)
    written = [request.run] if request.run else []
    return Measurement(
        request, settings.index_folder, strategy, measurements, conversations, written, unfinished, recorded
    )


async def _answers(gold: GoldSet, services: "Services", context: "RunContext", tell: Callable[[str], None]) -> Answers:
    tell(f"Respuestas a {gold.name}")
    return await evaluate_answers(services, gold.questions, context=context)


async def _findings(
    gold: GoldSet,
    answers: Answers,
    services: "Services",
    context: "RunContext",
    request: Request,
    tell: Callable[[str], None],
    recorded: RecordedRun | None,
) -> Findings:
    from evaluation.peers.measure import PeerFindings, run_peers
    from evaluation.retrieval.ablation import ablation
    from evaluation.retrieval.evaluate import Retriever

    tell(f"Evaluando {gold.name}")
    outcome = await evaluate(gold, Retriever(services, context), warm_up=not answers.results)
    configurations = (
        await ablation(gold, services, context, lambda name: tell(f"Evaluando {gold.name} ({name})"))
        if request.ablation
        else []
    )
    peers = await run_peers(services, gold.questions) if request.peers else PeerFindings((), {}, 0)
    machine = _environment(services, recorded, answers.unfinished) if request.report else {}
    return Findings(outcome, machine, configurations, answers.results, peers)


def _environment(
    services: "Services", recorded: RecordedRun | None, unfinished: Mapping[str, ReplyMissing]
) -> dict[str, str]:
    recording = {"Grabación": recorded.describe()} if recorded else {}
    left_out = {"Sin medir, a falta de respuestas grabadas": ", ".join(unfinished)} if unfinished else {}
    return environment(services) | recording | left_out


def compare_runs(outcome: Outcome, other_run: Run) -> dict[str, Paired]:
    """Compare another run with this one, metric by metric; questions that it lacks score 0."""
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
    run = request.run
    if run and (run.is_dir() or not run.absolute().parent.is_dir()):
        raise InvalidInput(f"No se puede escribir {run}: indique en --run un fichero de una carpeta que exista.")
    if request.report and request.report.exists() and not request.report.is_dir():
        raise InvalidInput(f"No se puede escribir el informe: {request.report} no es una carpeta.")


def _write_run(path: Path, measurements: Sequence[SetMeasurement]) -> None:
    outcomes = [set_measurement.outcome for set_measurement in measurements]
    run = {name: retrieved.ranking for outcome in outcomes for name, retrieved in outcome.retrieved.items()}
    write_trec(run, path, TAG)


PACKAGES = (
    "articulado", "langgraph", "qdrant-client", "numpy", "scipy", "scikit-learn", "fastembed",
    "onnxruntime", "ir-measures",
)  # fmt: skip

_GIB = 2**30


def environment(services: "Services") -> dict[str, str]:
    settings = services.settings
    values = {
        "Máquina": ", ".join(filter(None, (platform.machine(), _processor(), f"{os.cpu_count()} núcleos", _memory()))),
        "Sistema": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "Paquetes": ", ".join(filter(None, map(_package, PACKAGES))),
        **(_index(settings) if settings.rag_enabled else {}),
        "Perfil": settings.profile,
        "Reordenación": settings.rerank_strategy,
        "Modelo que busca": services.reader.name,
        "Modelo que responde": services.principal.name,
        "Modelo que comprueba": services.checker.name if services.checker else "",
    }
    return {name: value for name, value in values.items() if value}


def _index(settings: "Settings") -> dict[str, str]:
    manifest = open_index(settings.index_folder).manifest
    return {
        "Índice": f"{manifest.generation}, {manifest.source}",
        "Fragmentos del índice": ", ".join(f"{name} {count}" for name, count in manifest.collections.items()),
        "Vectores densos": manifest.fingerprints.embedder,
        "Pesos BM25": manifest.fingerprints.sparse,
        "División en fragmentos": manifest.fingerprints.chunker,
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    except OSError:
        return platform.processor()
    return names[0] if names else platform.processor()


def _memory() -> str:
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not on this system
        return ""
    return f"{figure(size / _GIB)} GiB"


def _package(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return ""
