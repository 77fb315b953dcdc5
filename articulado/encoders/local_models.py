"""ONNX text models on this machine, run by fastembed: of a folder, or by a name that fastembed knows.

Only an ingest downloads the weights of a named model, never a question.
"""

import asyncio
import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from articulado.config.settings import DEFAULT_MODELS, Settings
from articulado.language.translation import translate
from articulado.models.habits import TextKinds, kinds_of
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import Embedded, Keep, Vector, keep_nothing

ONNX_FILES = ("onnx/model.onnx", "model.onnx")
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "config.json")
_POOLING = "1_Pooling/config.json"  # pooling configuration of sentence-transformers
BATCH = 32  # texts of a batch; larger ones are not faster
KEPT = 8 * BATCH  # texts whose vectors are stored together: the most that an interruption loses

DEFAULT_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
"""118 million parameters, 50 languages, Apache-2.0."""

_REGISTERING = Lock()


@dataclass(frozen=True)
class OnnxFolder:
    """ONNX model in a folder; ``pooling`` of token vectors is "CLS" or "MEAN" (default)."""

    folder: Path
    file: str
    weights: tuple[str, ...]
    pooling: str

    @classmethod
    def find(cls, folder: Path | None, variable: str) -> "OnnxFolder":
        """Find the files of a model; raise ``ConfigurationError``, which names the folder's setting ``variable``."""
        if folder is None or not folder.is_dir():
            files = ", ".join((ONNX_FILES[0], *TOKENIZER_FILES))
            raise ConfigurationError(translate("encoders.no_folder", files=files, variable=variable))
        file = next((file for file in ONNX_FILES if (folder / file).is_file()), "")
        missing = [name for name in (file or ONNX_FILES[0], *TOKENIZER_FILES) if not (folder / name).is_file()]
        if missing:
            listed = translate("system.and").join(missing)
            raise ConfigurationError(
                translate("encoders.files_missing", folder=folder, missing=listed, variable=variable)
            )
        weights = (name for name in (f"{file}_data", f"{file}.data") if (folder / name).is_file())
        return cls(folder, file, tuple(weights), _pooling(folder))

    def digest(self, prefix: object = "") -> str:
        """Return 16 hexadecimal digits of files, pooling and prefix, which determine the vectors."""
        contents = [digest_of(self.folder / name) for name in (self.file, *self.weights, *TOKENIZER_FILES)]
        return hashlib.sha256(repr((contents, self.pooling, prefix)).encode()).hexdigest()[:16]

    @property
    def dimensions(self) -> int | None:
        """Length of the vectors according to the model's configuration."""
        try:
            told = json.loads((self.folder / "config.json").read_text(encoding="utf-8")).get("hidden_size")
        except (OSError, ValueError, AttributeError):
            return None
        return told if isinstance(told, int) else None

    def load(self) -> Any:
        """Return the model, a ``fastembed.TextEmbedding`` with vectors of length 1."""
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType

        # A name of its own for each way to read a file: fastembed keeps one table of models for the whole process.
        name = f"{self.folder / self.file}:{self.pooling}"
        with _REGISTERING:
            if all(registered["model"].lower() != name.lower() for registered in TextEmbedding.list_supported_models()):
                TextEmbedding.add_custom_model(
                    name,
                    pooling=PoolingType(self.pooling),
                    normalization=True,
                    sources=ModelSource(hf=name),
                    dim=1,
                    model_file=self.file,
                    additional_files=list(self.weights),
                )
        return TextEmbedding(name, str(self.folder), specific_model_path=str(self.folder))


class FastembedEmbedder:
    """``Embedder`` by a local model, loaded at first use."""

    def __init__(self, model: str, cache: Path, dimensions: int | None, kinds: TextKinds | None = None) -> None:
        self._model = model
        self._cache = cache
        self._folder = OnnxFolder.find(path, VARIABLE) if (path := _path_of(model)) else None
        self._kinds = kinds or kinds_of(model)
        self.dimensions = dimensions or self._known_dimensions()
        self._loading = Lock()
        self._loaded: Any = None

    @classmethod
    def of(cls, settings: Settings) -> "FastembedEmbedder":
        """Return the embedder of the settings (default ``DEFAULT_MODEL``); raise ``ConfigurationError`` if unknown."""
        embedder = settings.embedder
        is_unset = embedder.model in ("", DEFAULT_MODELS["embedder"])
        model = DEFAULT_MODEL if is_unset else embedder.model
        kinds = kinds_of(model, embedder.query_prefix, embedder.passage_prefix)
        return cls(model, settings.home / "models", embedder.dimensions, kinds)

    @cached_property
    def fingerprint(self) -> str:
        """Model name or digest of the folder, length of the vectors, and prefixes."""
        prefixes = (self._kinds.query, self._kinds.passage)
        name = self._folder.digest(prefixes) if self._folder else self._model
        own = "" if self._folder or self._kinds == kinds_of(self._model) else f":{self._kinds.digest}"
        return f"fastembed:{name}:{self.dimensions}{own}"

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        return Embedded(await asyncio.to_thread(self._embed, texts, self._kinds.query, False))

    async def embed_documents(self, texts: Sequence[str], *, keep: Keep = keep_nothing) -> Embedded:
        """Embed texts of the corpus, after downloading missing weights of a named model."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), KEPT):
            batch = texts[start : start + KEPT]
            made = await asyncio.to_thread(self._embed, batch, self._kinds.passage, True)
            await keep(batch, made)
            vectors += made
        return Embedded(vectors)

    async def close(self) -> None: ...

    def _embed(self, texts: Sequence[str], prefix: str, download: bool) -> list[Vector]:
        if not texts:
            return []
        with usable(self._model, VARIABLE):
            model = self._load(download)
            prefixed = [text if text.startswith(prefix) else prefix + text for text in texts]
            vectors = np.array(list(model.embed(prefixed, batch_size=BATCH)), np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if vectors.shape[1] != self.dimensions or not (np.isfinite(lengths).all() and (lengths > 0).all()):
            raise ConfigurationError(
                translate("encoders.wrong_length", name=self._model, expected=self.dimensions, given=vectors.shape[1])
            )
        return list(vectors / lengths)

    def _load(self, download: bool) -> Any:
        with self._loading:
            if self._loaded is None:
                if self._folder:
                    self._loaded = self._folder.load()
                else:
                    from fastembed import TextEmbedding

                    try:
                        self._loaded = TextEmbedding(self._model, str(self._cache), local_files_only=not download)
                    except Exception as error:  # the hub's own errors, those of its HTTP client, and those of the disk
                        raise ConfigurationError(
                            translate(
                                "encoders.not_downloaded", name=self._model, folder=self._cache, variable=VARIABLE
                            )
                        ) from error
            return self._loaded

    def _known_dimensions(self) -> int:
        if self._folder:
            dimensions = self._folder.dimensions
        else:
            from fastembed import TextEmbedding

            known = {str(each["model"]).lower(): each["dim"] for each in TextEmbedding.list_supported_models()}
            if self._model.lower() not in known:
                raise ConfigurationError(
                    translate(
                        "encoders.unknown_model", name=self._model, variable=VARIABLE, models=", ".join(sorted(known))
                    )
                )
            dimensions = int(known[self._model.lower()])
        if dimensions is None:
            raise ConfigurationError(translate("encoders.what_dimensions", name=self._model))
        return dimensions


VARIABLE = "ARTICULADO_EMBEDDER_MODEL"


def _path_of(model: str) -> Path | None:
    path = Path(model).expanduser()
    return path if path.is_absolute() or model.startswith((".", "~")) or path.is_dir() else None


def _pooling(folder: Path) -> str:
    try:
        told = json.loads((folder / _POOLING).read_text(encoding="utf-8"))
        return "CLS" if told.get("pooling_mode_cls_token") else "MEAN"
    except (OSError, ValueError, AttributeError):
        return "MEAN"


@contextmanager
def usable(name: str, variable: str = "ARTICULADO_SENTENCES") -> Iterator[None]:
    """Convert a library's errors into ``ConfigurationError``; ``variable``: setting of the model."""
    try:
        yield
    except ConfigurationError:
        raise
    except Exception as error:  # ONNX Runtime, tokenizers and ctypes raise a dozen types without a common base
        kind = type(error).__name__
        raise ConfigurationError(translate("encoders.unusable", name=name, kind=kind, variable=variable)) from error


def digest_of(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
