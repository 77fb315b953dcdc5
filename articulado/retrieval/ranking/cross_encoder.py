"""Cross-encoder reranker: an ONNX model in this process, through fastembed."""

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from articulado.config.settings import Settings
from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError, ModelError, ModelTimeout
from articulado.values.protocols import Reranked, TokenCounter

if TYPE_CHECKING:
    from fastembed.rerank.cross_encoder import TextCrossEncoder
    from tokenizers import Tokenizer


DEFAULT_MODEL = "cross-encoder/mmarco-mMiniLMv2-L12-H384-v1"
"""118 million parameters, trained on questions in 14 languages with Spanish, Apache-2.0.

bge-reranker-v2-m3 needs 14 times the computation: too slow for two cores. jina-reranker-v2 is not for commercial use.
"""

DEFAULT_FILE = "onnx/model.onnx"
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")
_ONNX_FILES = (DEFAULT_FILE, "model.onnx")


@dataclass(frozen=True)
class ModelFiles:
    """A model by name in a download cache, or in a folder of its own; ``file`` is its ONNX file."""

    model: str
    file: str
    folder: Path | None
    cache: Path

    @classmethod
    def of(cls, settings: Settings) -> "ModelFiles":
        rerank = settings.rerank
        return cls(rerank.model or DEFAULT_MODEL, rerank.file, rerank.path, rerank.cache or settings.home / "models")

    @property
    def name(self) -> str:
        return self.model if self.folder is None else str(self.folder)

    def find(self, *, download: bool = False) -> tuple[Path, str]:
        """Return the folder and the ONNX file below it; raise ``ConfigurationError``. ``download`` may take minutes."""
        if self.folder:
            return self._in_folder(self.folder)
        located = self._in_cache()
        if located is None and download:
            self._fetch()
            located = self._in_cache()
        if located is None:
            raise self._missing(translate("rerank.files_not_cached", cache=self.cache))
        return located

    def _fetch(self) -> None:
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        source, file, others = self._published()
        try:
            # fastembed's constructor would try three times, with pauses of 39 seconds in all.
            TextCrossEncoder.download_files_from_huggingface(
                source, cache_dir=str(self.cache), extra_patterns=[file, *others]
            )
        except Exception as error:  # the hub's own errors, those of its HTTP client, and those of the disk
            raise self._missing(translate("rerank.not_downloaded", kind=type(error).__name__)) from error

    def _missing(self, why: str) -> ConfigurationError:
        return ConfigurationError(
            translate(
                "rerank.files_missing", name=self.name, why=why, tokenizer=translate("system.and").join(TOKENIZER_FILES)
            )
        )

    def _in_folder(self, folder: Path) -> tuple[Path, str]:
        if not folder.is_dir():
            raise self._missing(translate("rerank.no_folder"))
        candidates = (self.file,) if self.file else _ONNX_FILES
        file = next((candidate for candidate in candidates if (folder / candidate).is_file()), "")
        if not file:
            raise self._missing(
                translate("rerank.file_missing", candidates=translate("system.or").join(candidates), folder=folder)
            )
        missing = [name for name in TOKENIZER_FILES if not (folder / name).is_file()]
        if missing:
            raise self._missing(
                translate("rerank.tokenizer_missing", missing=translate("system.and").join(missing), folder=folder)
            )
        return folder, file

    def _in_cache(self) -> tuple[Path, str] | None:
        # Asked first, so that a machine without models does not pay for loading the libraries.
        is_named = "/" in self.model  # a name that is none is told by the list of the library
        if not self.cache.is_dir() or (is_named and not any(self.cache.glob("models--*"))):
            return None
        source, file, others = self._published()
        snapshots = self.cache / f"models--{source.replace('/', '--')}" / "snapshots"
        needed = (file, *TOKENIZER_FILES, *others)
        for snapshot in sorted(snapshots.glob("*")):
            if all((snapshot / name).is_file() for name in needed):
                return snapshot, file
        return None

    def _published(self) -> tuple[str, str, list[str]]:
        """Return the published repository of the model, its ONNX file and other needed files."""
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        for model in TextCrossEncoder.list_supported_models():
            if model["model"].lower() == self.model.lower() and model["sources"]["hf"]:
                if self.file in ("", model["model_file"]):
                    return model["sources"]["hf"], model["model_file"], model["additional_files"]
                return model["sources"]["hf"], self.file, []
        if self.model.count("/") != 1 or not all(self.model.split("/")):
            raise ConfigurationError(translate("rerank.model_name", model=self.model))
        return self.model, self.file or DEFAULT_FILE, []


def sigmoid(logit: float) -> float:
    """Return 1 / (1 + e^-logit), without overflow."""
    return 0.5 * (1.0 + math.tanh(0.5 * logit))


def relevances(scores: Sequence[float | None]) -> tuple[list[float | None], bool]:
    """Return the scores in [0, 1], and True if a sigmoid was applied: one score outside shows that all are logits.

    >>> relevances([0.5, None, 1.0]), relevances([0.0, None, -1000.0])
    (([0.5, None, 1.0], False), ([0.5, None, 0.0], True))
    """
    if all(score is None or 0.0 <= score <= 1.0 for score in scores):
        return list(scores), False
    return [None if score is None else sigmoid(score) for score in scores], True


T = TypeVar("T")

BATCH = 4
"""Passages of a batch; all are padded to the longest, and small batches are as fast on a CPU."""

_REGISTERING = Lock()
"""Two graphs of one process may open the same model at once, each in its own thread."""


class PieceCounter:
    """Counts the tokens of a model; satisfies ``TokenCounter``."""

    def __init__(self, tokenizer: "Tokenizer") -> None:
        self._tokenizer = tokenizer

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


@dataclass(frozen=True)
class _Loaded:
    encoder: "TextCrossEncoder"
    counter: PieceCounter


class CrossEncoder:
    """Satisfies ``PassageScorer``: relevance = sigmoid(logit).

    One thread loads the model at first use and scores. Loading continues after a question has timed out, for the next
    one.
    """

    def __init__(self, files: ModelFiles, *, download: bool = False, clock: Callable[[], float] = time.time) -> None:
        self._files = files
        self._download = download
        self._clock = clock
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="cross-encoder")
        self._loaded: _Loaded | None = None
        self._load_error = ""

    @property
    def name(self) -> str:
        return f"cross_encoder:{self._files.name}:{self._files.file}"

    async def open(self, deadline: float) -> TokenCounter:
        """Load the model once, and return its token counter; raise ``ConfigurationError`` or ``ModelError``."""
        return (await self._in_thread(self._load, deadline)).counter

    async def score(self, question: str, passages: Sequence[str], *, deadline: float) -> Reranked:
        """Score the passages in batches of similar length; raise ``ModelError`` without scores in time."""
        return Reranked(await self._in_thread(lambda: self._score(question, passages, deadline), deadline))

    async def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._loaded = None

    async def _in_thread(self, work: Callable[[], T], deadline: float) -> T:
        try:
            async with asyncio.timeout(deadline - self._clock()):
                return await asyncio.get_running_loop().run_in_executor(self._thread, copy_context().run, work)
        except TimeoutError as error:
            raise self._timed_out() from error

    def _load(self) -> _Loaded:
        if self._load_error:
            raise ModelError(self._load_error)
        if self._loaded is None:
            folder, file = self._files.find(download=self._download)
            try:
                self._loaded = _open_model(folder, file)
            except Exception as error:  # ONNX Runtime and tokenizers raise a dozen types without a common base
                self._load_error = translate("rerank.unusable", name=self._files.name, kind=type(error).__name__)
                raise ModelError(self._load_error) from error
        return self._loaded

    def _score(self, question: str, passages: Sequence[str], deadline: float) -> list[float | None]:
        encoder = self._load().encoder
        by_length = sorted(range(len(passages)), key=lambda index: len(passages[index]))
        scores: list[float | None] = [None] * len(passages)
        for start in range(0, len(passages), BATCH):
            # A computation cannot be stopped, but nobody waits for it any longer.
            if self._clock() >= deadline:
                raise self._timed_out()
            batch = by_length[start : start + BATCH]
            logits = encoder.rerank(question, [passages[index] for index in batch], batch_size=BATCH)
            for index, logit in zip(batch, logits, strict=True):
                scores[index] = sigmoid(logit) if math.isfinite(logit) else None
        if all(score is None for score in scores):
            raise ModelError(translate("rerank.unusable_scores", name=self._files.name))
        return scores

    def _timed_out(self) -> ModelTimeout:
        return ModelTimeout(translate("rerank.late", name=self._files.name))


def _open_model(folder: Path, file: str) -> _Loaded:
    from fastembed.common.model_description import ModelSource
    from fastembed.rerank.cross_encoder import TextCrossEncoder
    from tokenizers import Tokenizer

    # A name of its own for each file: fastembed keeps one table of models for the whole process.
    name = str(folder / file)
    weights = [weight_name for weight_name in (f"{file}_data", f"{file}.data") if (folder / weight_name).is_file()]
    with _REGISTERING:
        if all(registered["model"].lower() != name.lower() for registered in TextCrossEncoder.list_supported_models()):
            TextCrossEncoder.add_custom_model(name, ModelSource(hf=name), file, additional_files=weights)
    # The path of the files themselves, so that fastembed has nothing to look for.
    encoder = TextCrossEncoder(name, str(folder), specific_model_path=str(folder))
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # The first run is the slowest, and shows whether the model is one that reads pairs.
    list(encoder.rerank("¿Cuántos días?", ["Treinta días."]))
    return _Loaded(encoder, PieceCounter(tokenizer))
