"""Precedents: vectors of answered questions, and the provisions that answer each.

A new question is likely answered by the provisions of the nearest answered questions (nearest neighbours;
Cover and Hart, "Nearest neighbor pattern classification", 1967). Vectors are those of the packaged encoder,
(questions, dim), L2-normalised. ``Precedents.support`` returns a cosine per provision; a provision that is
not the most direct answer counts 0.8 of it. ``open_arrays`` opens an ``.npz`` file lazily.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from articulado.language.translation import translate
from articulado.values.chunks import ProvisionRef
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import Vector

UNREADABLE = (OSError, ValueError, KeyError, IndexError, EOFError, BadZipFile, zlib.error, NotImplementedError)
"""What is raised for a file that is missing or damaged, when it is opened or when an array is read from it."""


@contextmanager
def open_arrays(file: Path) -> Iterator[NpzFile]:
    """Open a file, whose arrays are read as they are asked for.

    Raises:
        UNREADABLE: the file is missing or damaged.
    """
    # Opened here: numpy leaves a damaged file open.
    with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
        yield stored


FILE = Path(str(resources.files("articulado.encoders"))) / "precedents.npz"
"""Where those of the package lie (``tools.train_encoder``)."""

BESIDE = 0.8
"""What a precedent says for a provision that answers beside the most direct one, of what it says for that."""

_SEPARATOR = "#"


class Precedents:
    """Vectors of questions, (questions, dim) of unit length, and the provisions that answer each, the direct first."""

    def __init__(
        self,
        vectors: NDArray[np.floating],
        refs: Sequence[ProvisionRef],
        rows: NDArray[np.integer],
        places: NDArray[np.integer],
    ) -> None:
        """Take the provisions that answer (``refs``), and which answer which: a row and a place in ``refs`` for each.

        Rows are ascending, and of each row the direct provision is first.
        """
        self._vectors = vectors.astype(np.float32)
        self._refs = list(refs)
        self._rows, self._places = rows.astype(np.intp), places.astype(np.intp)
        is_direct = np.diff(self._rows, prepend=-1) != 0
        self._shares = np.where(is_direct, 1.0, BESIDE).astype(np.float32)

    @classmethod
    def of(cls, vectors: NDArray[np.floating], provisions: Sequence[Sequence[ProvisionRef]]) -> "Precedents":
        """Return the precedents of these vectors, and of the provisions that answer each."""
        refs = list(dict.fromkeys(ref for answers in provisions for ref in answers))
        places = {ref: place for place, ref in enumerate(refs)}
        pairs = [(row, places[ref]) for row, answers in enumerate(provisions) for ref in answers]
        rows, columns = np.array(pairs or np.empty((0, 2)), dtype=np.intp).T
        return cls(vectors, refs, rows, columns)

    @property
    def dimensions(self) -> int:
        """Length of the vectors."""
        return int(self._vectors.shape[1])

    def similarities(self, question: Vector) -> Vector:
        """Return the cosine of a question's vector, (dim,), and of each precedent, in [−1, 1]."""
        similarities: Vector = self._vectors @ question
        return similarities

    def support(self, question: Vector, without: Sequence[int] = ()) -> Mapping[ProvisionRef, float]:
        """Return for each provision the cosine of the nearest precedent that it answers, less where it is not direct.

        Provisions of no precedent are left out, and so are those of which none is near (a cosine of 0 or less).
        ``without`` are the rows of precedents that do not count.
        """
        similarities = self.similarities(question)
        similarities[list(without)] = 0
        best = np.zeros(len(self._refs), dtype=np.float32)
        np.maximum.at(best, self._places, similarities[self._rows] * self._shares)
        return {self._refs[place]: float(best[place]) for place in np.flatnonzero(best > 0).tolist()}

    def reduced(self, dimensions: int) -> "Precedents":
        """Return them in the first dimensions only, as ``DualEncoder.reduced``."""
        vectors = self._vectors[:, :dimensions]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return Precedents(vectors / np.where(lengths > 0, lengths, 1), self._refs, self._rows, self._places)

    def save(self, file: Path) -> None:
        """Write them, vectors in two bytes a number; uncompressed, for they are read at every start."""
        np.savez(
            file,
            vectors=self._vectors.astype(np.float16),
            refs=np.array([_SEPARATOR.join(ref) for ref in self._refs], dtype=np.str_),
            rows=self._rows.astype(np.int32),
            places=self._places.astype(np.int32),
        )

    @classmethod
    def load(cls, file: Path) -> "Precedents":
        """Read what ``save`` has written.

        Raises:
            ConfigurationError: the file is missing or damaged.
        """
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


def _ref(text: str) -> ProvisionRef:
    law_id, _, key = text.partition(_SEPARATOR)
    return law_id, key


@cache
def packaged_precedents(dimensions: int) -> Precedents:
    """Return the precedents of the package, reduced to the dimensions of the encoder that asks.

    Raises:
        ConfigurationError: the package is damaged.
    """
    precedents = Precedents.load(FILE)
    return precedents if dimensions == precedents.dimensions else precedents.reduced(dimensions)
