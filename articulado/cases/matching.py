"""Match an inquiry with the articles of the knowledge base, and the confidence of the match.

``StoredArticles`` reads the articles of a store once, at the first inquiry. It returns every article by logistic
regression on the evidence, best log odds first, ties by article id. Weights are the same for every profile
(``weights.json``, trained by ``tools.train_matching``); with a sentence encoder they are others than without.
Articles compete with the outside matters of the profile and with general matters.

A calibrated curve maps the log odds of a match to the share of correct cases: p = 1 / (1 + e^−(slope · x +
intercept)), fitted by maximum likelihood on targets moved in from 0 and 1 by the class counts (Platt,
"Probabilistic outputs for support vector machines", 1999). ``calibration.json`` holds the curves of a
profile. ``confidence_of`` combines dense cosines, rerank scores and critical chunks, in [0, 1].
``ConfidenceEstimator`` returns at most 0.99, with two decimals.
"""

import asyncio
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from threading import Lock
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from articulado.cases.evidence import (
    EVIDENCE,
    SENTENCE_EVIDENCE,
    EvidenceReader,
    Guide,
    TextVectors,
    article_guides,
    general_matters,
    outside_guides,
)
from articulado.config.extras import importing
from articulado.config.profile import Profile
from articulado.encoders.dual import DualEncoder
from articulado.guides.schema import load_outside
from articulado.language.languages import Language
from articulado.language.translation import reason, translate
from articulado.legal.domain.base import Domain
from articulado.values.chunks import Candidate, Chunk
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import ChunkStore, SearchFilter

FILE = "calibration.json"
CaseGraph = Literal["required_data", "generate_response"]

_RIDGE = 1e-6
"""Weight of slope² / 2 beside the likelihood: without it, log odds that are all alike have no single best slope."""


class Curve(BaseModel):
    """A logistic curve from the log odds of a match to the share of right cases; it never falls."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    slope: float = Field(ge=0)
    intercept: float
    cases: int = Field(ge=1, description="How many cases it was fitted on")

    def __call__(self, log_odds: float) -> float:
        """Return the share of right ones, in [0, 1], among cases that match like this.

        >>> curve = Curve(slope=2.0, intercept=-1.0, cases=40)
        >>> curve(0.5), round(curve(2.0), 4)
        (0.5, 0.9526)
        """
        return 0.5 * (1 + math.tanh(0.5 * (self.slope * log_odds + self.intercept)))


class Calibration(BaseModel):
    """The curves of a profile, and the fingerprint of the weights of matching that they were fitted with.

    A file without one is of an earlier version, which fitted its curves to another measure: they hold for no weights.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    model: str = ""
    curves: dict[CaseGraph, Curve]

    def curve(self, graph: CaseGraph, model: str) -> Curve | None:
        """Return the curve of a graph; ``None`` where there is none for these weights."""
        return self.curves.get(graph) if model == self.model else None


def read_calibration(folder: Path) -> Calibration | None:
    """Read the calibration of a profile; ``None`` where it has none.

    Raises:
        ConfigurationError: the file breaks its schema.
    """
    file = folder / FILE
    if not file.is_file():
        return None
    try:
        return Calibration.model_validate_json(file.read_bytes())
    except (ValidationError, OSError) as error:
        raise ConfigurationError(translate("case.calibration_unreadable", file=file)) from error


def write_calibration(folder: Path, calibration: Calibration) -> Path:
    """Write the calibration of a profile, and return its file.

    Raises:
        ConfigurationError: the folder cannot be written to.
    """
    file = folder / FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(calibration.model_dump(), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(translate("case.calibration_unwritable", file=file, why=reason(error))) from error
    return file


def fit_curve(log_odds: Sequence[float], right: Sequence[bool]) -> Curve:
    """Fit the curve to cases, each with the log odds of its match and whether it was right.

    It is scikit-learn's logistic regression, which knows no targets between 0 and 1: each case is given to it twice,
    as right with its target for a weight and as wrong with the rest, which is the same likelihood.

    Raises:
        ValueError: there are no cases.
    """
    if not log_odds:
        raise ValueError("no cases")
    # Only a calibration is fitted with it: the answering graphs, which read this module, never load it.
    with importing("training"):
        from sklearn.linear_model import LogisticRegression

    count, positives = len(right), sum(right)
    high, low = (positives + 1) / (positives + 2), 1 / (count - positives + 2)
    targets = [high if correct else low for correct in right]
    regression = LogisticRegression(C=1 / _RIDGE, solver="newton-cg", tol=1e-9, max_iter=1_000).fit(
        [[value] for value in log_odds] * 2,
        [1] * count + [0] * count,
        sample_weight=[*targets, *(1 - target for target in targets)],
    )
    slope, intercept = float(regression.coef_[0, 0]), float(regression.intercept_[0])
    if slope < 0:  # better matches, fewer right: the share of all says more
        mean = sum(targets) / count
        slope, intercept = 0.0, math.log(mean / (1 - mean))
    return Curve(slope=round(slope, 6), intercept=round(intercept, 6), cases=count)


BEST_SCORES = 3
CRITICAL_BONUS = 1.1
CRITICAL_CHUNKS = 2
DECIMALS = 2

HIGHEST = 0.99
"""No estimate is a certainty."""

MIN_CONFIDENCE = 0.70
"""Below it, the decision is ``uncertain``."""

MAX_OF_ONE_WORD = 0.60
"""The most that an inquiry of a single content word may reach: what has happened it does not tell."""

MAX_BARE_WORDS = 2
"""Words of an inquiry that asks nothing: one, and an article before it."""

MIN_IN_SCOPE = 0.40
"""Where no article reaches it, the decision is ``out_of_scope``."""


def says_too_little(inquiry: str, language: Language) -> bool:
    """Tell whether an inquiry is a single content word, with an article at most: "loan", "the loan".

    What is asked in more words ("How to rollover?") says what is wanted.
    """
    return len(inquiry.split()) <= MAX_BARE_WORDS and len(language.content_words(inquiry)) <= 1


def confidence_of(similarities: Iterable[float], reranked: Iterable[float] | None, critical: int) -> float:
    """Return the confidence in [0, 1] of what was found, not rounded; 0 where nothing was.

    similarity = mean of the 3 best dense cosines, each clipped to [0, 1] (of fewer, of those there are);
    confidence = similarity, or (similarity + mean of the 3 best rerank scores) / 2 where there are any,
    × 1.1 with 2 or more critical chunks, at most 1.

    >>> round(confidence_of([0.5, 0.4, 0.3, 0.1], [1.0, 0.75, 0.5], critical=0), 3)  # (0.4 + 0.75) / 2
    0.575
    >>> round(confidence_of([0.6], None, critical=2), 3)  # 0.6 · 1.1
    0.66
    """
    base = _mean_of_best(similarities)
    scores = list(reranked or ())
    if scores:
        base = (base + _mean_of_best(scores)) / 2
    return min(1.0, base * CRITICAL_BONUS if critical >= CRITICAL_CHUNKS else base)


def _mean_of_best(scores: Iterable[float]) -> float:
    best = sorted((min(1.0, max(0.0, score)) for score in scores), reverse=True)[:BEST_SCORES]
    return sum(best) / len(best) if best else 0.0


@dataclass(frozen=True)
class ConfidenceEstimator:
    """Tells how sure it is that an inquiry is a case of an article, by the curve of one graph of a profile.

    ``default`` is the curve where the profile has none for the weights of the matching at work (``model``).
    """

    graph: CaseGraph
    model: str
    calibration: Calibration | None
    default: Curve

    @property
    def curve(self) -> Curve:
        """The curve at work: that of the profile, or the default one."""
        own = self.calibration.curve(self.graph, self.model) if self.calibration else None
        return own or self.default

    def confidence(self, log_odds: float) -> float:
        """Return the share of right ones among cases whose article matches like this, in [0, 0.99], two decimals."""
        return min(HIGHEST, round(self.curve(log_odds), DECIMALS))


def raw_confidence(retrieved: Iterable[Candidate], reranked: Iterable[Candidate], critical: int) -> float:
    """Return the confidence of what was found (``confidence_of``), two decimals.

    ``retrieved`` is what the search found of the article by the inquiry alone, ``reranked`` what was reranked of it,
    ``critical`` how many critical chunks the context has.
    """
    similarities = [candidate["similarity"] for candidate in retrieved if "similarity" in candidate]
    rerank_scores = [candidate["rerank_score"] for candidate in reranked if "rerank_score" in candidate]
    return round(confidence_of(similarities, rerank_scores, critical), DECIMALS)


WEIGHTS_FILE = Path(str(resources.files("articulado.cases"))) / "weights.json"
"""Where the weights of the package lie (``tools.train_matching``)."""


class MatchModel(BaseModel):
    """A logistic regression over ``evidence``, each feature of mean 0 and deviation 1; the same for every profile.

    ``curve`` tells how often cases of any log odds are right, for profiles that have no calibration of their own.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    evidence: tuple[str, ...]
    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    curve: Curve

    @cached_property
    def fingerprint(self) -> str:
        """Name the weights in 12 hexadecimal digits, so that a calibration can tell those that it was made with."""
        weights = self.model_dump_json(exclude={"curve"})
        return blake2b(weights.encode(), digest_size=6).hexdigest()

    def log_odds(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log odds of each row of features, (articles, features), that the article handles the inquiry."""
        scaled = (features - np.array(self.mean)) / np.array(self.deviation)
        odds: NDArray[np.float64] = scaled @ np.array(self.weights) + self.bias
        return odds


class MatchModels(BaseModel):
    """The weights of the package: by words and the vectors of the index, and with a sentence encoder, too."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    words: MatchModel
    sentences: MatchModel

    def of(self, *, sentences: bool) -> MatchModel:
        """Return the weights for features with or without those of a sentence encoder."""
        return self.sentences if sentences else self.words


@cache
def packaged_models() -> MatchModels:
    """Return the weights of the package.

    Raises:
        ConfigurationError: the package is damaged.
    """
    try:
        models = MatchModels.model_validate_json(WEIGHTS_FILE.read_bytes())
        if (models.words.evidence, models.sentences.evidence) != (EVIDENCE, SENTENCE_EVIDENCE):
            raise ValueError("evidence")
        return models
    except (OSError, ValueError, ValidationError) as error:
        raise ConfigurationError(translate("case.weights_damaged", file=WEIGHTS_FILE)) from error


class Match(NamedTuple):
    """An article, and the log odds that it handles an inquiry, whatever topic or data come along."""

    guide: Guide
    log_odds: float


class ArticleMatcher(Protocol):
    """Matches inquiries with the articles of a knowledge base, by the weights of ``model``."""

    @property
    def model(self) -> MatchModel:
        """The weights at work.

        Raises:
            ConfigurationError: the package is damaged.
        """
        ...

    async def match(self, inquiry: str) -> list[Match]:
        """Return every article, the best match first; none where there are no articles.

        Raises:
            StoreUnavailable: the articles cannot be read.
        """
        ...


class StoredArticles:
    """Satisfies ``ArticleMatcher`` with the articles of a store, which are read once, at the first inquiry.

    They are compared with what the profile names as outside (``outside.toml``) and with what people ask any desk:
    without anything beside it, any inquiry would be nearest to some article. Without an ``encoder``, as in a process
    without an index, there are no articles. ``vectors`` are those of a sentence encoder, if there is one that the
    weights were trained with. Event loops of several threads may share one.
    """

    def __init__(
        self,
        store: ChunkStore,
        profile: Profile,
        domain: Domain,
        encoder: DualEncoder | None,
        vectors: TextVectors | None = None,
        models: Callable[[], MatchModels] = packaged_models,
    ) -> None:
        self._store, self._profile, self._domain, self._encoder = store, profile, domain, encoder
        self._vectors, self._models = vectors, models
        self._reader: EvidenceReader | None = None
        self._lock = Lock()

    @property
    def model(self) -> MatchModel:
        """The weights at work (``ArticleMatcher.model``)."""
        return self._models().of(sentences=self._vectors is not None)

    async def match(self, inquiry: str) -> list[Match]:
        """Return every article, the best match first (``ArticleMatcher.match``)."""
        if self._encoder is None:
            return []
        if self._reader is None:
            case = self._profile.case
            # Documents beside the articles have none of these types.
            types = tuple(dict.fromkeys((*case.required_data.types, *case.tiers.types)))
            chunks = await self._store.select(self._profile.for_cases, SearchFilter(chunk_types=types))
            await asyncio.to_thread(self._read_once, chunks, self._encoder)
        assert self._reader is not None
        return matches(self._reader, self.model, inquiry)

    def _read_once(self, chunks: Sequence[Chunk], encoder: DualEncoder) -> None:
        # Inquiries that come in meanwhile wait for the first one's reader: each has all texts embedded.
        with self._lock:
            if self._reader is None:
                self._reader = article_reader(chunks, self._profile, self._domain, encoder, self._vectors)


def article_reader(
    chunks: Sequence[Chunk],
    profile: Profile,
    domain: Domain,
    encoder: DualEncoder,
    vectors: TextVectors | None = None,
) -> EvidenceReader:
    """Return what reads the evidence for the articles that some chunks are of (half a second for 16)."""
    general = general_matters(profile.language)
    guides = [*article_guides(chunks, profile), *outside_guides([*load_outside(profile), *general])]
    background = [text for matter in general for text in (*matter.inquiries, *matter.texts)]
    return EvidenceReader(guides, domain, encoder, background, vectors)


def matches(reader: EvidenceReader, model: MatchModel, inquiry: str) -> list[Match]:
    """Return every article of a reader, the best match first; ties by the id of the article."""
    if not reader.articles:
        return []
    odds = model.log_odds(reader.read(inquiry))
    found = [Match(guide, float(value)) for guide, value in zip(reader.articles, odds, strict=True)]
    return sorted(found, key=lambda match: (-match.log_odds, match.guide.article_id))
