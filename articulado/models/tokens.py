"""Count tokens without a network: exactly with a table of tiktoken on this machine, else by an estimate."""

import hashlib
import os
import re
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from articulado.values.protocols import TokenCounter

if TYPE_CHECKING:
    import tiktoken

_UNIT = re.compile(
    r"[A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]{1,6}"  # six letters of a word, and its capital
    r"|[A-ZÀ-ÖØ-Þ]{1,3}|\d{1,3}|\s{2,16}|\n|([^\w\s])\1{0,3}|\S"
)
_OTHER_SCRIPTS = re.compile("[^\0-\u024f\u2000-\u20ff]")

_TABLES = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
"""SHA-256 of the published tables; tiktoken downloads a table whose file is missing or differs."""

_SAME_MERGES = {"o200k_harmony": "o200k_base"}  # encodings that differ only in their markers


class EstimatedCounter:
    """Estimates tokens from characters, mostly above the true count of o200k_base (figures: docs/decisions/0016).

    A token is up to six letters of a word, three capitals or digits, a mark, or a run of white space; a character of
    another script costs its bytes in UTF-8.
    """

    def count(self, text: str) -> int:
        others = "".join(_OTHER_SCRIPTS.findall(text))
        return len(_UNIT.findall(text)) + len(others.encode(errors="replace")) - len(others)


class TiktokenCounter:
    """Counts with a tiktoken encoding; markers such as ``<|endoftext|>`` count as the text that they are."""

    def __init__(self, encoding: "tiktoken.Encoding") -> None:
        self._encoding = encoding

    def count(self, text: str) -> int:
        return len(self._encoding.encode_ordinary(text))


@lru_cache
def token_counter(model: str = "") -> TokenCounter:
    """Return an exact counter if tiktoken knows the model and its table is on this machine, else an estimate.

    Nothing is downloaded; ``TIKTOKEN_CACHE_DIR`` names the folder of the tables.

    >>> token_counter("gpt-5.2").count("Son treinta días naturales.") >= 4
    True
    """
    if not model:
        return EstimatedCounter()
    import tiktoken

    try:
        encoding = tiktoken.encoding_name_for_model(model)
    except KeyError:
        return EstimatedCounter()
    encoding = _SAME_MERGES.get(encoding, encoding)
    return TiktokenCounter(tiktoken.get_encoding(encoding)) if _on_machine(encoding) else EstimatedCounter()


def _on_machine(encoding: str) -> bool:
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder == "" or encoding not in _TABLES:
        return False
    # tiktoken names a cached file by the SHA-1 of its address.
    address = f"https://openaipublic.blob.core.windows.net/encodings/{encoding}.tiktoken"
    file = Path(folder or Path(tempfile.gettempdir(), "data-gym-cache"), hashlib.sha1(address.encode()).hexdigest())
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == _TABLES[encoding]
