"""Relevance judgement: a calibrated probability that the best candidates answer the question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from articulado.retrieval.fusion import in_order
from articulado.retrieval.ranking.comparison import SURE
from articulado.retrieval.ranking.learnt import own_probability
from articulado.retrieval.relevance.evidence import EVIDENCE, MAX_JUDGED, EvidenceReader, WordingModel
from articulado.values.answers import TurnQuestion, whole_text
from articulado.values.arrays import UNREADABLE, open_arrays
from articulado.values.chunks import Candidate, relevance
from articulado.values.errors import ConfigurationError

FILE = Path(str(resources.files("articulado.retrieval.relevance"))) / "judgement.npz"

OTHER_COUNTRY, UNDERSPECIFIED = "otro_pais", "indeterminada"
SURE_OF_MATTER = 0.35
SAYS_TOO_LITTLE = 0.4


OWN_HANDICAP = 0.12
"""Subtracted from ``own_probability``: from 0.6 on, users' texts answer 1 unanswerable question in 10."""


class Judgement(NamedTuple):
    """The probability that the best candidates answer, and the matter of the question if they do not."""

    relevance: float
    matter: str = ""
    matter_share: float = 0.0


class RelevanceJudge(Protocol):
    """Judges if candidates answer a question."""

    async def judge(self, question: TurnQuestion, candidates: Sequence[Candidate]) -> Judgement:
        """Return the judgement of a question and at least one candidate, the best first."""
        ...


class BestScoreJudge:
    """The judge of a domain without a trained model: the relevance of the best candidate."""

    async def judge(self, question: TurnQuestion, candidates: Sequence[Candidate]) -> Judgement:
        scored = [relevance(candidate) for candidate in candidates if "rerank_score" in candidate]
        return Judgement(min(1.0, max(scored or [in_order(candidates)[0]["score"]])))


@dataclass(frozen=True)
class JudgementModel:
    """Logistic regression over standardised features, (features + 1,): the last is the score of the words."""

    wording: WordingModel
    mean: NDArray[np.floating]
    deviation: NDArray[np.floating]
    weights: NDArray[np.floating]
    bias: float

    def probability(self, features: Sequence[float], field_score: float) -> float:
        """Return 1 / (1 + e^−(w · (x − mean) / deviation + bias)); a NaN feature has its mean."""
        values = np.nan_to_num((np.array([*features, field_score]) - self.mean) / self.deviation)
        return float(1 / (1 + np.exp(-(values @ self.weights + self.bias))))

    def arrays(self, name: str) -> dict[str, Any]:
        parts = ("mean", "deviation", "weights", "bias")
        return {f"{name}_{part}": np.array(getattr(self, part)) for part in parts}


def save_judgements(file: Path, alone: JudgementModel, with_neighbours: JudgementModel) -> None:
    """Write the models without and with a sentence encoder, and their words, as float16."""
    wording = alone.wording
    np.savez_compressed(
        file,
        evidence=np.array(EVIDENCE),
        idf=wording.idf.astype(np.float16),
        field=wording.field.astype(np.float16),
        field_bias=np.float64(wording.field_bias),
        matters=np.array(wording.matters),
        of_matter=wording.of_matter.astype(np.float16),
        matter_bias=wording.matter_bias,
        **alone.arrays("alone"),
        **with_neighbours.arrays("neighbours"),
    )


class LearntJudge:
    """The judge of Spanish law, trained by ``tools.train_ranking`` (docs/decisions/0062)."""

    def __init__(self, reader: EvidenceReader, model: Callable[[], JudgementModel]) -> None:
        self.reader = reader
        self._model = model

    async def judge(self, question: TurnQuestion, candidates: Sequence[Candidate]) -> Judgement:
        """Return the probability, and the matter of the question if it has no answer."""
        comparer, model = self.reader.comparer, self._model()
        language = comparer.domain.language
        text = whole_text(question)
        features = await self.reader.read(question, candidates)
        score = model.wording.field_score(text, language)
        shares = model.wording.matter_shares(text, language)
        matter = max(shares, key=lambda name: shares[name])
        if shares.get(UNDERSPECIFIED, 0.0) >= SAYS_TOO_LITTLE:
            matter = UNDERSPECIFIED
        relevance = model.probability(features, score)
        wanted = comparer.of(text).wanted
        if any(wanted.is_said_by(candidate["chunk"]) for candidate in candidates[:MAX_JUDGED]):
            relevance = max(relevance, SURE)
        if self.reader.ranking.reader.around:
            around = self.reader.ranking.reader.neighbourhood(text)
            relevance = max(relevance, (own_probability(candidates, around) or 0.0) - OWN_HANDICAP)
        known = matter if shares[matter] >= SURE_OF_MATTER else ""
        return Judgement(round(relevance, 6), known, shares[known] if known else 0.0)


@cache
def packaged_judgement(*, with_neighbours: bool) -> JudgementModel:
    """Return the packaged weights, with or without a sentence encoder; raise ``ConfigurationError``."""
    try:
        with open_arrays(FILE) as stored:
            if tuple(stored["evidence"].tolist()) != EVIDENCE:
                raise ValueError("evidence")
            wording = WordingModel(
                idf=stored["idf"],
                field=stored["field"],
                field_bias=float(stored["field_bias"]),
                matters=tuple(stored["matters"].tolist()),
                of_matter=stored["of_matter"],
                matter_bias=stored["matter_bias"],
            )
            name = "neighbours" if with_neighbours else "alone"
            mean, deviation, weights = (stored[f"{name}_{part}"] for part in ("mean", "deviation", "weights"))
            return JudgementModel(wording, mean, deviation, weights, float(stored[f"{name}_bias"]))
    except UNREADABLE as error:
        raise ConfigurationError(
            f"Falta el modelo de relevancia o está dañado ({FILE}). Vuelva a instalar articulado."
        ) from error
