"""A cross-encoder in this process: question and passage are read together by an ONNX model, through fastembed."""

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from services.protocols import Reranked, TokenCounter
from services.rerank.model_files import ModelFiles
from state.errors import ModelError, ModelTimeout

if TYPE_CHECKING:
    from fastembed.rerank.cross_encoder import TextCrossEncoder
    from tokenizers import Tokenizer

T = TypeVar("T")

BATCH = 4
"""Passages of a batch. A processor is no slower with few at once, and a batch is as long as its longest passage."""

PATIENCE = 30.0
"""Seconds; loading the model takes one or two of the first question."""

_REGISTERING = Lock()
"""Two graphs of one process may open the same model at once, each in its own thread."""


class PieceCounter:
    """Counts the tokens of a model; satisfies ``TokenCounter``."""

    def __init__(self, tokenizer: "Tokenizer") -> None:
        self._tokenizer = tokenizer

    def count(self, text: str) -> int:
        """Return the number of tokens, without those that frame a pair."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


@dataclass(frozen=True)
class _Loaded:
    encoder: "TextCrossEncoder"
    counter: PieceCounter


class CrossEncoder:
    """Satisfies ``PassageScorer``: relevance = sigmoid(logit).

    One thread loads the model, at first use, and scores: more would share the same cores, and each question would wait
    for all. ``download`` allows fetching files that are not here; without it the network is never asked.
    """

    patience = PATIENCE

    def __init__(self, files: ModelFiles, *, download: bool = False, clock: Callable[[], float] = time.time) -> None:
        self._files = files
        self._download = download
        self._clock = clock
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="cross-encoder")
        self._loaded: _Loaded | None = None
        self._broken = ""

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
        """Let the thread end and the memory of the model go."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._loaded = None

    async def _in_thread(self, work: Callable[[], T], deadline: float) -> T:
        try:
            async with asyncio.timeout(deadline - self._clock()):
                return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except TimeoutError as error:
            raise self._late() from error

    def _load(self) -> _Loaded:
        if self._broken:
            raise ModelError(self._broken)
        if self._loaded is None:
            folder, file = self._files.find(download=self._download)
            try:
                self._loaded = _opened(folder, file)
            except Exception as error:  # ONNX Runtime and tokenizers raise a dozen types without a common base
                self._broken = (
                    f"El modelo de reordenación {self._files.name} no se puede usar ({type(error).__name__}): sus "
                    "ficheros están incompletos o no son los de un cross-encoder en formato ONNX."
                )
                raise ModelError(self._broken) from error
        return self._loaded

    def _score(self, question: str, passages: Sequence[str], deadline: float) -> list[float | None]:
        encoder = self._load().encoder
        by_length = sorted(range(len(passages)), key=lambda place: len(passages[place]))
        scores: list[float | None] = [None] * len(passages)
        for start in range(0, len(passages), BATCH):
            # A computation cannot be stopped, but nobody waits for it any longer.
            if self._clock() >= deadline:
                raise self._late()
            batch = by_length[start : start + BATCH]
            logits = encoder.rerank(question, [passages[place] for place in batch], batch_size=BATCH)
            for place, logit in zip(batch, logits, strict=True):
                scores[place] = sigmoid(logit) if math.isfinite(logit) else None
        if all(score is None for score in scores):
            raise ModelError(f"El modelo de reordenación {self._files.name} no da puntuaciones: no es utilizable.")
        return scores

    def _late(self) -> ModelTimeout:
        return ModelTimeout(
            f"El modelo de reordenación {self._files.name} no ha terminado a tiempo (puede estar cargándose o "
            "descargándose, o ser demasiado grande para esta máquina)."
        )


def _opened(folder: Path, file: str) -> _Loaded:
    from fastembed.common.model_description import ModelSource
    from fastembed.rerank.cross_encoder import TextCrossEncoder
    from tokenizers import Tokenizer

    # A name of its own for each file: fastembed keeps one table of models for the whole process.
    name = str(folder / file)
    data = [place for place in (f"{file}_data", f"{file}.data") if (folder / place).is_file()]
    with _REGISTERING:
        if all(known["model"].lower() != name.lower() for known in TextCrossEncoder.list_supported_models()):
            TextCrossEncoder.add_custom_model(name, ModelSource(hf=name), file, additional_files=data)
    # The path of the files themselves, so that fastembed has nothing to look for.
    encoder = TextCrossEncoder(name, str(folder), specific_model_path=str(folder))
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # The first run is the slowest, and shows whether the model is one that reads pairs.
    list(encoder.rerank("¿Cuántos días?", ["Treinta días."]))
    return _Loaded(encoder, PieceCounter(tokenizer))


def sigmoid(logit: float) -> float:
    """Return 1 / (1 + e^-logit), in a form that no logit overflows."""
    return 0.5 * (1.0 + math.tanh(0.5 * logit))
