"""Match an inquiry with the articles of the knowledge base by logistic regression on the evidence.

``StoredArticles`` reads the articles of a store once, at the first inquiry. It returns every article, best
log odds first, ties by article id. Weights are the same for every profile (``weights.json``, trained by
``tools.train_matching``). Articles compete with the outside matters of the profile and with general
matters.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from articulado.cases.confidence import Curve
from articulado.cases.evidence import EVIDENCE, EvidenceReader, Guide, article_guides, general_matters, outside_guides
from articulado.config.companions import load_outside
from articulado.config.profile import Profile
from articulado.encoders.dual import DualEncoder
from articulado.language.translation import translate
from articulado.legal.domain.base import Domain
from articulado.values.chunks import Chunk
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import ChunkStore, SearchFilter

FILE = Path(str(resources.files("articulado.cases"))) / "weights.json"
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


@cache
def packaged_model() -> MatchModel:
    """Return the weights of the package.

    Raises:
        ConfigurationError: the package is damaged.
    """
    try:
        model = MatchModel.model_validate_json(FILE.read_bytes())
        if model.evidence != EVIDENCE:
            raise ValueError("evidence")
        return model
    except (OSError, ValueError, ValidationError) as error:
        raise ConfigurationError(translate("case.weights_damaged", file=FILE)) from error


class Match(NamedTuple):
    """An article, and the log odds that it handles an inquiry, whatever topic or data come along."""

    guide: Guide
    log_odds: float


class ArticleMatcher(Protocol):
    """Matches inquiries with the articles of a knowledge base."""

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
    without an index, there are no articles. Event loops of several threads may share one.
    """

    def __init__(
        self,
        store: ChunkStore,
        profile: Profile,
        domain: Domain,
        encoder: DualEncoder | None,
        model: Callable[[], MatchModel] = packaged_model,
    ) -> None:
        self._store, self._profile, self._domain, self._encoder, self._model = store, profile, domain, encoder, model
        self._reader: EvidenceReader | None = None
        self._lock = Lock()

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
        return matches(self._reader, self._model(), inquiry)

    def _read_once(self, chunks: Sequence[Chunk], encoder: DualEncoder) -> None:
        # Inquiries that come in meanwhile wait for the first one's reader: each has all texts embedded.
        with self._lock:
            if self._reader is None:
                self._reader = article_reader(chunks, self._profile, self._domain, encoder)


def article_reader(chunks: Sequence[Chunk], profile: Profile, domain: Domain, encoder: DualEncoder) -> EvidenceReader:
    """Return what reads the evidence for the articles that some chunks are of (half a second for 16)."""
    general = general_matters(profile.language)
    guides = [*article_guides(chunks, profile), *outside_guides([*load_outside(profile), *general])]
    background = [text for matter in general for text in (*matter.inquiries, *matter.texts)]
    return EvidenceReader(guides, domain, encoder, background)


def matches(reader: EvidenceReader, model: MatchModel, inquiry: str) -> list[Match]:
    """Return every article of a reader, the best match first; ties by the id of the article."""
    if not reader.articles:
        return []
    odds = model.log_odds(reader.read(inquiry))
    found = [Match(guide, float(value)) for guide, value in zip(reader.articles, odds, strict=True)]
    return sorted(found, key=lambda match: (-match.log_odds, match.guide.article_id))
