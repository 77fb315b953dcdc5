"""Findings of one run of the harness, derived comparisons, and the environment.

Reports are views of ``Findings``.
"""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from articulado.config.settings import Settings
from articulado.language.formats import figure
from articulado.store.opening import open_index
from evaluation.answers.answers import AnswerResult, cited_by_question
from evaluation.answers.tally import RelevanceReport, Tally, report_relevance, tally
from evaluation.gold.questions import Question
from evaluation.peers.measure import PeerFindings
from evaluation.retrieval.evaluate import Configuration, Failure, Outcome, failures, measure_run, worst
from evaluation.retrieval.run import MAIN
from evaluation.statistics import Interval, Paired, Prediction, Reliability, compare, interval, reliability
from graph.services import Services

WORST = 15
RIGHT = "hit@3"
"""What counts as right for the confidence: a provision that answers among the first three."""


@dataclass(frozen=True)
class Step:
    """A configuration, and what it gives against the one before it (``None`` for the first)."""

    configuration: Configuration
    against: Paired | None


@dataclass(frozen=True)
class Findings:
    """``outcome`` is the retrieval that is in use; ``configurations`` those of an ablation, in their order.

    ``answers``, ``peers`` and ``configurations`` are empty where they were not asked for.
    """

    outcome: Outcome
    environment: Mapping[str, str]
    configurations: Sequence[Configuration] = ()
    answers: Sequence[AnswerResult] = ()
    peers: PeerFindings = field(default_factory=lambda: PeerFindings((), {}, 0))

    @property
    def questions(self) -> Sequence[Question]:
        """All questions of the gold set."""
        return self.outcome.gold.questions

    @cached_property
    def steps(self) -> list[Step]:
        """The configurations, each compared with the one before on nDCG@10; without an ablation the one in use."""
        configurations = [*(self.configurations or [self.outcome.measured])]
        return [
            Step(configuration, compare_configurations(configurations[index - 1], configuration) if index else None)
            for index, configuration in enumerate(configurations)
        ]

    @cached_property
    def rivals(self) -> list[Step]:
        """The peers, each with what the retrieval in use gives against it."""
        ours = self.outcome.measured
        rivals = [measure_run(run.name, list(self.questions), run.run) for run in self.peers.runs]
        return [Step(run, compare_configurations(run, ours)) for run in rivals]

    @cached_property
    def voices(self) -> dict[str, list[str]]:
        """The ids of the positive questions by voice (lay, professional), in the order of the gold set."""
        names = dict.fromkeys(question.voice for question in self.outcome.positives if question.voice)
        return {name: [question.id for question in self.outcome.positives if question.voice == name] for name in names}

    @cached_property
    def failures(self) -> list[Failure]:
        """The questions that failed, in the order of the gold set; answers count where they were written."""
        cited = cited_by_question(self.answers) if self.answers else None
        return failures(self.questions, self.outcome.measured.run, cited)

    @cached_property
    def worst(self) -> list[Failure]:
        """The questions of the lowest nDCG@10."""
        measured = self.outcome.measured
        return worst(self.questions, measured.per_question, measured.run, WORST)

    @cached_property
    def tally(self) -> Tally:
        """What became of the questions, as their answers have it."""
        return tally(self.answers)

    @cached_property
    def relevance(self) -> RelevanceReport | None:
        """What the relevance of the questions is worth; ``None`` where no answer has one."""
        return report_relevance(self.answers)

    @cached_property
    def confidence(self) -> Reliability:
        """How the relevance of the best candidate (0 where nothing was found) relates to being right.

        Nothing that is said of a negative is right.
        """
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
    """Compare two configurations on nDCG@10, question by question; ``None`` where no question has an answer."""
    ids = list(before.per_question)
    if not ids:
        return None
    return compare([before.per_question[id_][MAIN] for id_ in ids], [after.per_question[id_][MAIN] for id_ in ids])


def mean_of(configuration: Configuration, ids: Sequence[str]) -> tuple[float, Interval]:
    """Return the mean nDCG@10 over some questions (by id; at least one) and its interval.

    The mean is NumPy's, as those are that the interval is drawn from: ``sum`` rounds otherwise, and where all values
    are the same its mean would lie a last digit outside of the interval.
    """
    values = [configuration.per_question[id_][MAIN] for id_ in ids]
    return float(np.mean(values)), interval(values)


PACKAGES = (
    "articulado", "langgraph", "qdrant-client", "numpy", "scipy", "scikit-learn", "fastembed",
    "onnxruntime", "ir-measures",
)  # fmt: skip

_GIB = 2**30


def environment(services: Services) -> dict[str, str]:
    """Return what a reader of a report must know to repeat it, by Spanish name; what is not known is left out.

    Raises:
        IndexMissing, IndexMismatch: the index cannot be read.
    """
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


def _index(settings: Settings) -> dict[str, str]:
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
