"""Measurement of gold sets on an index: retrieval always; ablation, answers and peers on request."""

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from articulado.store.opening import open_index
from articulado.values.errors import InvalidInput
from evaluation.answers.answers import Answers, evaluate_answers
from evaluation.conversations import conversations_report, evaluate_conversations
from evaluation.gold.sets import Sets, check_ids, check_index, not_indexed, read_sets
from evaluation.peers.measure import run_peers
from evaluation.recording.recording import ReplyMissing
from evaluation.recording.run import RecordedRun
from evaluation.report import set_report
from evaluation.retrieval.ablation import ablation
from evaluation.retrieval.evaluate import Outcome, Retriever, evaluate
from evaluation.retrieval.run import METRICS, Ranked, Run, per_question, read_trec, write_trec
from evaluation.statistics import Paired, compare
from nodes.stage import default_options

if TYPE_CHECKING:
    from articulado.config.profile import Profile
    from articulado.config.settings import Settings
    from graph.services import Services
    from state.context import RunContext

TAG = "articulado"
DECIMALS = 6


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
class Measurement:
    """Report of all gold sets as JSON; ``waiting`` is the message on the replies that a replay lacks, or empty."""

    report: dict[str, Any]
    written: Sequence[Path]
    waiting: str


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
    inputs: Sets,
    other_run: Run,
    services: "Services",
    context: "RunContext",
    tell: Callable[[str], None],
    recorded: RecordedRun | None = None,
) -> Measurement:
    """Ask every question and hold every conversation of every gold set; write the requested files."""
    if recorded:
        services = await recorded.services(services)
    strategy = default_options(services.settings).overridden_by(context).rerank_strategy
    sets, dialogues = [], []
    run: dict[str, Sequence[Ranked]] = {}
    unfinished: dict[tuple[str, str], ReplyMissing] = {}
    for gold in inputs.questions:
        tell(f"Evaluando {gold.name}")
        missing = await not_indexed(gold.provisions, services.store)
        # Before what is found: a replay tells here which questions have all replies.
        answers = await evaluate_answers(services, gold.questions, context=context) if request.answers else Answers()
        unfinished |= {(gold.name, id_): missing_reply for id_, missing_reply in answers.unfinished.items()}
        finished = tuple(question for question in gold.questions if question.id not in answers.unfinished)
        if not finished:
            continue
        measured = replace(gold, questions=finished)
        outcome = await evaluate(measured, Retriever(services, context), warm_up=not answers.results)
        run |= outcome.measured.run
        sets.append(
            set_report(
                outcome,
                configurations=await ablation(measured, services, context, tell) if request.ablation else (),
                answers=answers.results,
                peers=await run_peers(services, finished) if request.peers else None,
                against=compare_runs(outcome, other_run) if request.other else None,
                not_indexed=missing,
                environment=_environment(services, recorded, answers.unfinished) if request.report else None,
            )
        )
    for gold_set in inputs.conversations:
        tell(f"Conversaciones de {gold_set.name}")
        missing = await not_indexed(gold_set.provisions, services.store)
        turns = await evaluate_conversations(services, gold_set.conversations, context=context)
        unfinished |= {(gold_set.name, id_): missing_reply for id_, missing_reply in turns.unfinished.items()}
        if turns.results:
            machine = _environment(services, recorded, turns.unfinished) if request.report else None
            dialogues.append(conversations_report(gold_set, turns.results, missing, machine))
    if recorded:
        recorded.recording.end()
    if request.run:
        write_trec(run, request.run, TAG)
    report = {
        "index": str(services.settings.index_folder),
        "rerank": strategy,
        "compared_with": str(request.other) if request.other else None,
        "recording": recorded.as_json(unfinished) if recorded else None,
        "sets": sets,
        "conversations": dialogues,
    }
    waiting = recorded.recording.waiting(len(unfinished)) if recorded and unfinished else ""
    return Measurement(_rounded(report), [request.run] if request.run else [], waiting)


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, DECIMALS)
        case Mapping():
            return {key: _rounded(element) for key, element in value.items()}
        case list() | tuple():
            return [_rounded(element) for element in value]
        case _:
            return value


def _environment(
    services: "Services", recorded: RecordedRun | None, unfinished: Mapping[str, ReplyMissing]
) -> dict[str, str]:
    settings = services.settings
    values = {
        "Máquina": f"{platform.machine()}, {os.cpu_count()} núcleos",
        "Sistema": platform.platform(),
        "Python": platform.python_version(),
        "articulado": version("articulado"),
        **(_index(settings) if settings.rag_enabled else {}),
        "Perfil": settings.profile,
        "Reordenación": settings.rerank_strategy,
        "Modelo que busca": services.reader.name,
        "Modelo que responde": services.principal.name,
        "Modelo que comprueba": services.checker.name if services.checker else "",
        "Grabación": recorded.describe() if recorded else "",
        "Sin medir, a falta de respuestas grabadas": ", ".join(unfinished),
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
