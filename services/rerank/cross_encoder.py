"""A cross-encoder in this process: question and passage are read together by an ONNX model, through fastembed."""

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

from articulado.language.translation import translate
from articulado.values.errors import ModelError, ModelTimeout
from articulado.values.protocols import Reranked, TokenCounter
from services.rerank.logits import sigmoid
from services.rerank.model_files import ModelFiles

if TYPE_CHECKING:
    from fastembed.rerank.cross_encoder import TextCrossEncoder
    from tokenizers import Tokenizer

T = TypeVar("T")

BATCH = 4
"""Passages of a batch: a processor is no slower with few at once, and all are padded to the longest one."""

_REGISTERING = Lock()
"""Two graphs of one process may open the same model at once, each in its own thread."""


class PieceCounter:
    """Counts the tokens of a model; satisfies ``TokenCounter``."""

    def __init__(self, tokenizer: "Tokenizer") -> None:
        self._tokenizer = tokenizer

    def count(self, text: str) -> int:
        """Return the number of tokens, without the special ones around a pair."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


@dataclass(frozen=True)
class _Loaded:
    encoder: "TextCrossEncoder"
    counter: PieceCounter


class CrossEncoder:
    """Satisfies ``PassageScorer``: relevance = sigmoid(logit).

    One thread loads the model, at first use, and scores: more would share the same cores, and each question would wait
    for all. Loading that a question does not wait for any longer goes on, for the next one. ``download`` allows
    fetching files that are not here; without it the network is never asked.
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
        """Strategy and model."""
        return f"cross_encoder:{self._files.name}:{self._files.file}"

    async def open(self, deadline: float) -> TokenCounter:
        """Load the model, once, and return the counter of its tokens.

        Raises:
            ConfigurationError: its files are not here; the message says what to do.
            ModelError: they are, and are no cross-encoder that can be run; or loading takes too long.
        """
        return (await self._in_thread(self._load, deadline)).counter

    async def score(self, question: str, passages: Sequence[str], *, deadline: float) -> Reranked:
        """Score the passages in batches of about the same length.

        Raises:
            ModelError: the model gives no scores, or takes too long.
        """
        return Reranked(await self._in_thread(lambda: self._score(question, passages, deadline), deadline))

    async def close(self) -> None:
        """End the thread and free the memory of the model."""
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
