"""Choose the article of an inquiry, and estimate the confidence of the choice."""

import asyncio
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from articulado.cases.comparison import FEATURES, GuideComparer, TextVectors, comparer_of
from articulado.cases.confidence import IDENTITY, CaseGraph, ConfidenceEstimator, Curve, read_calibration
from articulado.cases.guides import Guide, guides_of, load_inquiries
from articulado.cases.typed_data import sent_values
from articulado.config.profile import Profile
from articulado.config.sections import Section
from articulado.language.languages import language
from articulado.language.translation import translate
from articulado.values.chunks import Chunk
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import ChunkStore, SearchFilter

WEIGHTS_FILE = Path(str(resources.files("articulado.cases"))) / "weights.json"


class Priors(Section):
    """Weights in the choice of an article: log odds of the match, named topic, share of data sent."""

    match: float
    topic: float
    data: float


class MatchModel(Section):
    """A logistic regression over ``FEATURES``, each scaled to mean 0 and deviation 1; the same for every profile.

    ``scope`` maps the best log odds to the probability that any article handles the inquiry; ``curves`` calibrate each
    graph.
    """

    features: tuple[str, ...]
    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    scope: Curve
    priors: Priors
    curves: dict[CaseGraph, Curve] = Field(default_factory=dict)

    def fingerprint(self) -> str:
        """Return 12 hexadecimal digits that identify the weights, so that a calibration can refer to them."""
        weights = self.model_dump_json(exclude={"curves"})
        return blake2b(weights.encode(), digest_size=6).hexdigest()

    def curve(self, graph: CaseGraph) -> Curve:
        return self.curves.get(graph, IDENTITY)

    def estimator(self, graph: CaseGraph, profile: Profile) -> ConfidenceEstimator:
        """Return the confidence estimator of a graph, with the calibration of a profile if it has one."""
        return ConfidenceEstimator(graph, self.fingerprint(), self.curve(graph), read_calibration(profile.own_folder))

    def log_odds(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        scaled = (features - np.array(self.mean)) / np.array(self.deviation)
        odds: NDArray[np.float64] = scaled @ np.array(self.weights) + self.bias
        return odds


class MatchModels(Section):
    """The weights with a sentence encoder and by terms alone."""

    sentences: MatchModel
    words: MatchModel


@cache
def packaged_models() -> MatchModels:
    """Return the weights of the package; raise ``ConfigurationError`` if they are damaged."""
    try:
        models = MatchModels.model_validate_json(WEIGHTS_FILE.read_bytes())
        if {models.words.features, models.sentences.features} != {FEATURES}:
            raise ValueError("features")
        return models
    except (OSError, ValueError, ValidationError) as error:
        raise ConfigurationError(translate("case.weights_damaged", file=WEIGHTS_FILE)) from error


class Match(NamedTuple):
    """An article, and the log odds that it handles an inquiry, without regard to topic and data."""

    guide: Guide
    log_odds: float


@dataclass(frozen=True)
class Choice:
    """The article chosen for a case, its probabilities, and the alternatives."""

    guide: Guide
    in_scope: float  # probability that any article handles the inquiry
    share: float  # probability that this article handles it, if any does
    is_redirected: bool
    of_data: Guide | None  # another article that all collected data belong to
    rival: Guide | None  # the next best article

    @property
    def log_odds(self) -> float:
        probability = min(max(self.in_scope * self.share, 1e-9), 1 - 1e-9)
        return math.log(probability / (1 - probability))


def choose(model: MatchModel, matches: Sequence[Match], topic: str, collected: Mapping[str, Any]) -> Choice | None:
    """Return the article of a case among matches that pass its filter; ``None`` without a match.

    ``share`` is the softmax of match, topic and data: P(a) ∝ exp(w₁ · log odds + w₂ · [topic] + w₃ · share of data).
    """
    if not matches:
        return None
    priors = model.priors
    scores = np.array(
        [
            priors.match * match.log_odds
            + priors.topic * (bool(topic) and match.guide.topic == topic)
            + priors.data * share_sent(match.guide, collected)
            for match in matches
        ]
    )
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    best, *others = sorted(range(len(matches)), key=lambda index: (-scores[index], matches[index].guide.article_id))
    chosen = matches[best].guide
    return Choice(
        guide=chosen,
        in_scope=model.scope(max(match.log_odds for match in matches)),
        share=float(shares[best]),
        is_redirected=bool(topic) and chosen.topic != topic,
        of_data=_of_data(chosen, [match.guide for match in matches], collected),
        rival=matches[others[0]].guide if others else None,
    )


def unasked_data(guides: Iterable[Guide], collected: Mapping[str, Any]) -> list[str]:
    """Return the names of collected data that no article requires."""
    asked = {name for guide in guides for name in _asked(guide, collected)}
    return [name for name in collected if name not in asked]


def _of_data(chosen: Guide, guides: Iterable[Guide], collected: Mapping[str, Any]) -> Guide | None:
    """Return another article that asks for more of the sent data, all of whose required data were sent."""
    if share_sent(chosen, collected) == 1:
        return None
    own = _asked(chosen, collected)
    others = [guide for guide in guides if share_sent(guide, collected) == 1 and own < _asked(guide, collected)]
    return max(others, key=lambda guide: len(_asked(guide, collected)), default=None)


def _asked(guide: Guide, collected: Mapping[str, Any]) -> set[str]:
    return {name for spec in guide.fields for name in sent_values(spec, collected)}


def share_sent(guide: Guide, collected: Mapping[str, Any]) -> float:
    """Return the share in [0, 1] of an article's required data that were sent; 0 if it requires none."""
    required = [spec for spec in guide.fields if spec["required"]]
    return sum(bool(sent_values(spec, collected)) for spec in required) / len(required) if required else 0.0


class ArticleMatcher(Protocol):
    """Matches inquiries with the articles of a knowledge base, by the weights of ``model``."""

    @property
    def model(self) -> MatchModel: ...

    async def match(self, inquiry: str) -> list[Match]:
        """Return every article, the best match first."""
        ...


class StoredArticles:
    """Satisfies ``ArticleMatcher`` with the articles of a store, read once, at the first inquiry; thread-safe."""

    def __init__(
        self,
        store: ChunkStore,
        profile: Profile,
        vectors: TextVectors | None,
        *,
        has_index: bool = True,
        models: Callable[[], MatchModels] = packaged_models,
    ) -> None:
        self._store, self._profile, self._has_index = store, profile, has_index
        self._vectors, self._models = vectors, models
        self._comparer: GuideComparer | None = None
        self._lock = Lock()

    @property
    def model(self) -> MatchModel:
        models = self._models()
        return models.sentences if self._vectors else models.words

    async def match(self, inquiry: str) -> list[Match]:
        """Return every article, the best match first (``ArticleMatcher.match``)."""
        if not self._has_index:
            return []
        if self._comparer is None:
            case = self._profile.case
            # Documents beside the articles have none of these types.
            types = tuple(dict.fromkeys((*case.required_data.types, *case.tiers.types)))
            chunks = await self._store.select(self._profile.for_cases, SearchFilter(chunk_types=types))
            await asyncio.to_thread(self._compare_once, chunks)
        assert self._comparer is not None
        return matches(self._comparer, self.model, inquiry)

    def _compare_once(self, chunks: Sequence[Chunk]) -> None:
        # Inquiries that come in meanwhile wait for the first one's comparer: each has all texts encoded.
        with self._lock:
            if self._comparer is None:
                articles, outside = guides_of(chunks, self._profile, load_inquiries(self._profile))
                spoken = language(self._profile.language)
                self._comparer = comparer_of(tuple(articles), tuple(outside), spoken, self._vectors)


def matches(comparer: GuideComparer, model: MatchModel, inquiry: str) -> list[Match]:
    """Return every article of a comparer, the best match first; ties by the id of the article."""
    if not comparer.articles:
        return []
    odds = model.log_odds(comparer.features(inquiry))
    unsorted = [Match(guide, float(value)) for guide, value in zip(comparer.articles, odds, strict=True)]
    return sorted(unsorted, key=lambda match: (-match.log_odds, match.guide.article_id))
