"""Relevance judgement: a calibrated probability that the best candidates answer the question.

``LearntJudge`` is trained on Spanish law (``tools.train_ranking``, docs/relevance.md). ``BestScoreJudge``
uses the best relevance in other domains. A ``Judgement`` also names the matter of a question without an
answer, empty if unknown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from articulado.encoders.phrasings import UNREADABLE, open_arrays
from articulado.retrieval.fusion import in_order
from articulado.retrieval.ranking.comparison import SURE
from articulado.retrieval.ranking.learnt import own_probability
from articulado.retrieval.relevance.evidence import EVIDENCE, MAX_JUDGED, EvidenceReader, WordingModel
from articulado.values.answers import TurnQuestion, whole_text
from articulado.values.chunks import Candidate, relevance
from articulado.values.errors import ConfigurationError

FILE = Path(str(resources.files("articulado.retrieval.relevance"))) / "judgement.npz"
"""The weights of the package (``tools.train_ranking``)."""

OTHER_COUNTRY, UNDERSPECIFIED = "otro_pais", "indeterminada"
"""The matters of a question on another country's law, and of one that says too little."""
SURE_OF_MATTER = 0.35
"""Share from which on a matter is named."""
SAYS_TOO_LITTLE = 0.4
"""Share from which on a question is held to say too little, whatever it might be about."""


OWN_HANDICAP = 0.12
"""Difference of ``own_probability`` to the relevance that it counts as: from 0.6 on, one question in ten that nothing
answers is answered from texts of one's own (docs/retrieval.md)."""


class Judgement(NamedTuple):
    """The probability in [0, 1] that the best candidates answer, and the matter of the question where they do not.

    ``matter`` is a key of ``articulado.legal.vocabulary.matters``, empty where it is not known; ``matter_share`` is
    how likely it is among all matters, in [0, 1].
    """

    relevance: float
    matter: str = ""
    matter_share: float = 0.0


class RelevanceJudge(Protocol):
    """Judges whether candidates answer a question."""

    async def judge(self, question: TurnQuestion, candidates: Sequence[Candidate]) -> Judgement:
        """Return the judgement of a question and its candidates, at least one, the best first."""
        ...


class BestScoreJudge:
    """The judge of a domain that nothing has been learnt of: the relevance of the best candidate."""

    async def judge(self, question: TurnQuestion, candidates: Sequence[Candidate]) -> Judgement:
        """Return the best relevance; the best search score where no reranker is at work."""
        scored = [relevance(candidate) for candidate in candidates if "rerank_score" in candidate]
        return Judgement(min(1.0, max(scored or [in_order(candidates)[0]["score"]])))


@dataclass(frozen=True)
class JudgementModel:
    """What the judgement has learnt: the words, and a weight for each feature (of mean 0 and deviation 1) and theirs.

    ``mean``, ``deviation`` and ``weights`` are (features + 1,), the last one that of the words.
    """

    wording: WordingModel
    mean: NDArray[np.floating]
    deviation: NDArray[np.floating]
    weights: NDArray[np.floating]
    bias: float

    def probability(self, features: Sequence[float], field_score: float) -> float:
        """Return 1 / (1 + e^−(w · (x − mean) / deviation + bias)) of the features and the score of the words.

        A feature that is not known (NaN) has its mean.
        """
        values = np.nan_to_num((np.array([*features, field_score]) - self.mean) / self.deviation)
        return float(1 / (1 + np.exp(-(values @ self.weights + self.bias))))

    def arrays(self, name: str) -> dict[str, Any]:
        """Return the weights by their names in a file, which begin with its own."""
        bias = np.array(self.bias)
        return {
            f"{name}_mean": self.mean,
            f"{name}_deviation": self.deviation,
            f"{name}_weights": self.weights,
            f"{name}_bias": bias,
        }


def save_judgements(file: Path, alone: JudgementModel, with_neighbours: JudgementModel) -> None:
    """Write both models, of evidence without and with a sentence encoder, and their words, in two bytes a number."""
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
    """The judge of Spanish law: evidence and words, weighed as the training questions taught (docs/relevance.md)."""

    def __init__(self, reader: EvidenceReader, model: Callable[[], JudgementModel]) -> None:
        self.reader = reader
        self._model = model

    async def judge(self, question: TurnQuestion, candidates: Sequence[Candidate]) -> Judgement:
        """Return the probability, and the matter that the question would be of if it were of none that is held."""
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
    """Return the weights of the package, for evidence with or without a sentence encoder.

    Raises:
        ConfigurationError: the package is damaged.
    """
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
