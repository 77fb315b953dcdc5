"""The files of a cross-encoder: where they are, what is missing, and how they are fetched when that is asked for."""

from dataclasses import dataclass
from pathlib import Path

from articulado.config.extras import require
from articulado.config.settings import Settings
from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError

DEFAULT_MODEL = "cross-encoder/mmarco-mMiniLMv2-L12-H384-v1"
"""Small (118 million parameters, most of them its vocabulary), trained on questions in 14 languages, Spanish among
them, and Apache-2.0. BAAI/bge-reranker-v2-m3 (Apache-2.0) computes fourteen times as much for a token: too slow for two
cores. jina-reranker-v2-base-multilingual may not be used commercially (CC-BY-NC-4.0), so it is nobody's default."""

DEFAULT_FILE = "onnx/model.onnx"
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")
_ONNX_FILES = (DEFAULT_FILE, "model.onnx")


@dataclass(frozen=True)
class ModelFiles:
    """A model by name, in a cache of downloads, or in a folder of its own; ``file`` is its ONNX file, below either."""

    model: str
    file: str
    folder: Path | None
    cache: Path

    @classmethod
    def of(cls, settings: Settings) -> "ModelFiles":
        """Return the files that the settings name."""
        rerank = settings.rerank
        return cls(rerank.model or DEFAULT_MODEL, rerank.file, rerank.path, rerank.cache or settings.home / "models")

    @property
    def name(self) -> str:
        """The model, for a person."""
        return self.model if self.folder is None else str(self.folder)

    def find(self, *, download: bool = False) -> tuple[Path, str]:
        """Return the folder and the ONNX file below it. Nothing is loaded.

        ``download`` fetches what the cache lacks, in one attempt, which may take minutes; a folder of the user's own
        is never written to. Without it the network is never asked.

        Raises:
            ConfigurationError: files, or what reads them, are missing; the message names them and says what to do.
        """
        require("rerank")
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
        if not self.cache.is_dir():
            return None
        source, file, others = self._published()
        snapshots = self.cache / f"models--{source.replace('/', '--')}" / "snapshots"
        needed = (file, *TOKENIZER_FILES, *others)
        for snapshot in sorted(snapshots.glob("*")):
            if all((snapshot / name).is_file() for name in needed):
                return snapshot, file
        return None

    def _published(self) -> tuple[str, str, list[str]]:
        """Return where the model is published, its ONNX file, and the files that this one needs beside it.

        Raises:
            ConfigurationError: the name is none of a published model.
        """
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        for model in TextCrossEncoder.list_supported_models():
            if model["model"].lower() == self.model.lower() and model["sources"]["hf"]:
                if self.file in ("", model["model_file"]):
                    return model["sources"]["hf"], model["model_file"], model["additional_files"]
                return model["sources"]["hf"], self.file, []
        if self.model.count("/") != 1 or not all(self.model.split("/")):
            raise ConfigurationError(translate("rerank.model_name", model=self.model))
        return self.model, self.file or DEFAULT_FILE, []
