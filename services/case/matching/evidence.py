"""What speaks for it that an article handles an inquiry: the features that the match is weighed by."""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from articulado.encoders.dual import DualEncoder
from articulado.legal.domain.base import Domain, Lexicon
from articulado.values.protocols import Vector
from services.case.matching.guides import Guide
from services.case.matching.terms import TermIndex

_OWN = (
    "asked_best",
    "asked_mean",
    "text_mean",
    "covered",
    "asked_nearest",
    "asked_near",
    "text_nearest",
    "text_near",
)
"""By words: the inquiry and the sentences that people ask with, and the texts; how much of it the guide covers. By
meaning: the same sentences and texts. "Mean" and "near" are means of the three best."""

EVIDENCE = (*_OWN, *(f"{name}_lead" for name in _OWN), "known_share", "words", "unknown_words")
"""Names of the features, in their order; a lead is over the best guide of another topic."""

_BEST = 3
_NAMED, _ASKED, _TOLD = 1.0, 0.9, 0.6
"""How prominent a word is by where a guide has it; how people ask in their own words counts like a name."""


class EvidenceReader:
    """Reads the features of an inquiry and each article among ``guides``, which may be of any domain.

    Similarity by meaning is taken by the share of the inquiry whose words any article has: of what is not known,
    vectors say nothing. ``background`` are texts of any matter.
    """

    def __init__(
        self, guides: Sequence[Guide], domain: Domain, encoder: DualEncoder, background: Sequence[str]
    ) -> None:
        self.articles = [guide for guide in guides if guide.is_article]
        self._guides = [*self.articles, *(guide for guide in guides if not guide.is_article)]
        self._domain, self._encoder = domain, encoder
        asked = [list(guide.asked) for guide in self._guides]
        texts = [list(guide.texts) for guide in self._guides]
        flat_asked, flat_texts = _flat(asked), _flat(texts)
        self._asked_bounds, self._text_bounds = _bounds(asked), _bounds(texts)
        self._asked_terms = len(flat_asked)
        self._asked_vectors = _stacked([encoder.embed_question(text) for text in flat_asked], encoder.dimensions)
        self._text_vectors = _stacked(encoder.embed_all(flat_texts), encoder.dimensions)
        wording = _wording((*flat_asked, *flat_texts), tuple(self._guides), tuple(background), domain)
        self._terms, self._weights, self._strengths = wording
        self._known = {stem for strengths in self._strengths[: len(self.articles)] for stem in strengths}
        topics = np.array([guide.topic for guide in self._guides])
        self._others = [topics != guide.topic for guide in self.articles]

    def read(self, inquiry: str) -> NDArray[np.float64]:
        """Return the features of an inquiry and each article, (articles, features)."""
        stems = list(dict.fromkeys(self._domain.stems(inquiry)))
        rarities = np.array([self._weights.idf(stem) for stem in stems] or [1.0])
        is_known = np.array([stem in self._known for stem in stems] or [False])
        total = float(rarities.sum()) or 1.0
        known_share = float(rarities[is_known].sum()) / total
        own = self._own(inquiry, stems, rarities / total, known_share)
        count = len(self.articles)
        leads = np.stack(
            [own[row] - (own[others].max(axis=0) if others.any() else 0.0) for row, others in enumerate(self._others)]
        )
        shared = np.tile([known_share, math.log1p(len(stems)), 1 - float(is_known.mean())], (count, 1))
        features: NDArray[np.float64] = np.hstack([own[:count], leads, shared])
        return features

    def _own(
        self, inquiry: str, stems: Sequence[str], shares: NDArray[np.float64], known_share: float
    ) -> NDArray[np.float64]:
        """Return the features of each guide by itself, (guides, 8)."""
        cosines = self._terms.cosines(inquiry)
        of_asked, of_texts = cosines[: self._asked_terms], cosines[self._asked_terms :]
        vector = self._encoder.embed_question(inquiry) * np.float32(known_share)
        near_asked, near_texts = self._asked_vectors @ vector, self._text_vectors @ vector
        rows = []
        for strengths, asked, texts in zip(self._strengths, self._asked_bounds, self._text_bounds, strict=True):
            covered = float(sum(share * strengths.get(stem, 0.0) for stem, share in zip(stems, shares, strict=False)))
            rows.append(
                [
                    *_best_and_mean(of_asked[asked]),
                    _best_and_mean(of_texts[texts])[1],
                    covered,
                    *_best_and_mean(near_asked[asked]),
                    *_best_and_mean(near_texts[texts]),
                ]
            )
        return np.array(rows)


class _Wording(NamedTuple):
    """What is read from words alone; ``strengths`` of each guide are those of its stems."""

    terms: TermIndex
    weights: Lexicon
    strengths: list[dict[str, float]]


# The same in every index of the same guides: one that is opened anew, with another encoder, has it at once.
@lru_cache(maxsize=4)
def _wording(
    texts: tuple[str, ...], guides: tuple[Guide, ...], background: tuple[str, ...], domain: Domain
) -> _Wording:
    return _Wording(
        TermIndex(texts, background, domain.language),
        Lexicon.build([*texts, *background], domain.stems),
        [_strengths(guide, domain) for guide in guides],
    )


def _best_and_mean(values: NDArray[np.floating]) -> tuple[float, float]:
    """Return the best of some values, and the mean of the three best; 0 where there are none."""
    if not values.size:
        return 0.0, 0.0
    best = np.sort(values)[::-1][:_BEST]
    return float(best[0]), float(best.sum()) / _BEST


def _strengths(guide: Guide, domain: Domain) -> dict[str, float]:
    """Return how prominent each stem of a guide is, in (0, 1]."""
    strengths: dict[str, float] = {}
    for strength, texts in ((_TOLD, guide.texts), (_ASKED, guide.asked), (_NAMED, guide.names)):
        for text in texts:
            strengths.update(dict.fromkeys(domain.stems(text), strength))
    return strengths


def _flat(texts: Sequence[Sequence[str]]) -> list[str]:
    return [text for of_guide in texts for text in of_guide]


def _bounds(texts: Sequence[Sequence[str]]) -> list[slice]:
    """Return where the texts of each guide stand among all of them."""

    def slices() -> Iterator[slice]:
        start = 0
        for of_guide in texts:
            yield slice(start, start + len(of_guide))
            start += len(of_guide)

    return list(slices())


def _stacked(vectors: Sequence[Vector], dimensions: int) -> NDArray[np.float32]:
    return np.stack(vectors) if vectors else np.zeros((0, dimensions), dtype=np.float32)
