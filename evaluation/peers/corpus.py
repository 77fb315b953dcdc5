"""Corpus shared by all peers: provisions of an index, each whole, with text and vector.

Vectors are (n, dim) float32, L2-normalised. They are latent semantic vectors of Spanish stems.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

import numpy as np
from numpy.typing import NDArray
from py_rust_stemmers import SnowballStemmer

from articulado.language.spanish import content_words
from articulado.store.layout import order_parts
from articulado.store.opening import open_index
from articulado.store.writer import Points
from articulado.values.chunks import Chunk, provision_of
from articulado.values.errors import NoResultsFound
from evaluation.gold.questions import Provision, make_provision
from evaluation.retrieval.retrieve import LAW
from graph.services import Services

DIMENSIONS = 192
"""As many as our own vectors have by default."""
MIN_TEXTS = 2
"""A stem that fewer texts have relates nothing to anything."""
_SEED = 7
_PAGE = 2_000
"""Chunks that are read at once: about 6 MB."""


def spanish_stems(text: str) -> list[str]:
    """Return the stems of a text in order: lower case, stop words out, Snowball's Spanish algorithm as it is.

    Without what our own analysis adds (accents that are missing, plurals, families of words).
    """
    stems: list[str] = _stemmer().stem_words(content_words(text))
    return stems


@cache
def _stemmer() -> SnowballStemmer:
    return SnowballStemmer("spanish")


class LatentVectors:
    """Embeds texts by their stems; fitted when it is made."""

    def __init__(self, texts: Sequence[str]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.utils.extmath import randomized_svd

        self._weights = TfidfVectorizer(analyzer=spanish_stems, min_df=min(MIN_TEXTS, len(texts)), sublinear_tf=True)
        weighed = self._weights.fit_transform(texts)
        rank = max(1, min(DIMENSIONS, *(size - 1 for size in weighed.shape)))
        # What TruncatedSVD does, without its statistics, which divide by zero on a corpus without variance.
        _, _, self._axes = randomized_svd(weighed, rank, random_state=_SEED)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (texts, dim) float32, L2-normalised; a text without any known stem has the zero vector."""
        vectors = np.asarray(self._weights.transform(texts) @ self._axes.T, dtype=np.float32)
        lengths: NDArray[np.float32] = np.linalg.norm(vectors, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        return vectors / lengths


@dataclass(frozen=True)
class PeerCorpus:
    """Provisions with their texts and vectors, in the same order.

    ``vectors`` is (n, dim) float32, L2-normalised; ``embed`` makes such vectors of questions.
    """

    provisions: tuple[Provision, ...]
    texts: tuple[str, ...]
    vectors: NDArray[np.float32]
    embed: Callable[[Sequence[str]], NDArray[np.float32]]


async def read_corpus(services: Services) -> PeerCorpus:
    """Read all provisions of the configured index.

    Raises:
        IndexMissing, StoreUnavailable: the index cannot be read.
        NoResultsFound: it has no provisions.
    """
    index = await asyncio.to_thread(open_index, services.settings.index_folder)
    parents = sorted({point.parent for point in Points.load(index.folder)})
    pages = [parents[start : start + _PAGE] for start in range(0, len(parents), _PAGE)]
    chunks = [chunk for page in pages for chunk in await services.store.fetch(page)]
    return await asyncio.to_thread(corpus_of, chunks)


def corpus_of(chunks: Iterable[Chunk]) -> PeerCorpus:
    """Join the parts of each provision of a law, and embed the whole.

    Of several wordings those of today are taken, or else the one that comes first in ``order_parts``. Provisions
    follow one another by law and key.

    Raises:
        NoResultsFound: there are none.
    """
    parts: dict[tuple[str, str], list[Chunk]] = {}
    for chunk in chunks:
        if chunk["collection"] == LAW:
            parts.setdefault(provision_of(chunk), []).append(chunk)
    if not parts:
        raise NoResultsFound(
            "El índice no tiene ningún precepto con el que comparar otros buscadores. Añada normas con "
            "«articulado ingest» o indique otro índice con --index."
        )
    wordings = [_of_today(order_parts(parts[key])) for key in sorted(parts)]
    texts = tuple(map(_text, wordings))
    embed = LatentVectors(texts)
    provisions = tuple(make_provision(wording[0]["law_id"], wording[0]["provision"]) for wording in wordings)
    return PeerCorpus(provisions, texts, embed(texts), embed)


def _of_today(parts: Sequence[Chunk]) -> list[Chunk]:
    day = date.today().isoformat()
    in_force = [part for part in parts if (part["valid_from"] or day) <= day < (part["valid_to"] or "9999")]
    first = parts[0]["valid_from"]
    return in_force or [part for part in parts if part["valid_from"] == first]


def _text(parts: Sequence[Chunk]) -> str:
    """Return law, breadcrumb and heading, once for all parts, and the texts of the parts."""
    headings = [
        line
        for part in parts
        for line in (part["law_name"], part["breadcrumb"], f"{part['provision']}. {part['title']}".rstrip(". "))
    ]
    return "\n".join(filter(None, [*dict.fromkeys(headings), *(part["text"] for part in parts)]))
