"""Counting tokens without a network: exact where the tables are on the machine, else a bound from above."""

import hashlib
import os
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from articulado.values.protocols import TokenCounter
from services.models.token_bound import ENCODINGS, encodable, greatest_bound, token_bound

if TYPE_CHECKING:
    import tiktoken

_TABLES = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
"""SHA-256 of the published tables; tiktoken downloads a table whose file is missing or differs."""

_SAME_MERGES = {"o200k_harmony": "o200k_base"}
"""Encodings that differ in their markers alone from the one that stands behind them."""


class EstimatedCounter:
    """Bounds the tokens of any text from above: closely for Spanish, English and JSON, up to a token a byte otherwise.

    Holds for one of ``ENCODINGS``, or, where none is named, for all of them. They are OpenAI's: the tokenizers of other
    models cut and merge otherwise, and may count more.

    Counts do not add up: what is joined may take more tokens than its parts. To keep a budget, count the joined text.
    """

    def __init__(self, encoding: str | None = None) -> None:
        self._bounds = [token_bound(name) for name in ([encoding] if encoding else ENCODINGS)]

    def count(self, text: str) -> int:
        """Return at least the number of tokens."""
        return greatest_bound(text, self._bounds)


class ByteCounter:
    """Bounds the tokens of any encoding that starts from bytes, as OpenAI's do: merging only makes them fewer."""

    def count(self, text: str) -> int:
        """Return the bytes in UTF-8."""
        return len(encodable(text).encode())


class TiktokenCounter:
    """Counts with a tiktoken encoding; markers such as ``<|endoftext|>`` count as the text that they are."""

    def __init__(self, encoding: "tiktoken.Encoding") -> None:
        self._encoding = encoding

    def count(self, text: str) -> int:
        """Return the number of tokens."""
        return len(self._encoding.encode_ordinary(text))


@lru_cache
def token_counter(model: str = "") -> TokenCounter:
    """Return a counter for a model: exact if tiktoken knows it and its table is here, else a bound from above.

    A model that tiktoken does not know, or that is not named, gets the larger bound of OpenAI's encodings, which need
    not hold for it.

    Never downloads. Tables are looked for where tiktoken keeps them (``TIKTOKEN_CACHE_DIR``).

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
    if _on_machine(encoding):
        return TiktokenCounter(tiktoken.get_encoding(encoding))
    return EstimatedCounter(encoding) if encoding in ENCODINGS else ByteCounter()


def _on_machine(encoding: str) -> bool:
    """Tell whether tiktoken would find the table of an encoding without asking the network."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder == "" or encoding not in _TABLES:
        return False
    # tiktoken names a cached file by the SHA-1 of its address.
    address = f"https://openaipublic.blob.core.windows.net/encodings/{encoding}.tiktoken"
    file = Path(folder or Path(tempfile.gettempdir(), "data-gym-cache"), hashlib.sha1(address.encode()).hexdigest())
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == _TABLES[encoding]
