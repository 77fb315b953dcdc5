"""Count tokens without a network: exactly if tiktoken's table is on disk, else an upper bound.

The bound covers OpenAI's encodings. It uses the patterns that cut a text before merging, and the pieces in
``token_pieces.txt``. Byte pair encoding joins neighbours within a piece until no two neighbours together
are a token (Sennrich et al. 2016, and tiktoken's ``byte_pair_merge``); a piece that is a token stays whole.
"""

import hashlib
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import regex

from articulado.language.folding import MemoTable
from articulado.values.protocols import TokenCounter

if TYPE_CHECKING:
    import tiktoken


# Comes with tiktoken, whose own reference implementation cuts with it.


_PATTERNS = {
    "cl100k_base": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++\Z|\s*[\r\n]|\s+(?!\S)|\s",
    "o200k_base": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}
"""Patterns that cut a text into pieces, by encoding, as tiktoken publishes them (``tiktoken_ext.openai_public``)."""

ENCODINGS = tuple(_PATTERNS)

SHORT_BYTES = 4  # bytes of the longest part that the list holds for the sake of longer words

DIGITS = 3  # number of digits (0 to 9) that the patterns leave together; each such number is a token of both encodings

LEADS = frozenset(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\t«¿¡“‘—–")
"""Characters that may open a piece before its letters."""

MAX_PIECE = 256
"""Longest piece that is taken apart; a longer one that is not listed is charged its bytes: it is no word."""

_FORMS = 3  # counts of a word without a capital: alone, after a space, after one of `LEADS`; as many again with one

_UNSTABLE = re.compile(
    "[^\\0-\u0294\u0296-\u036f\u0391-\u03a1\u03a3-\u03ce\u0400-\u0481\u048a-\u0527\u05d0-\u05ea\u0621-\u063a"
    "\u0641-\u064a\u1e00-\u1eff\u2000-\u2063\u20a0-\u20b5\u2190-\u23e8\u2460-\u26b2\u3000-\u303f\u3041-\u3096"
    "\u309b-\u30ff\u4e00-\u9fa5\uac00-\ud7a3\ufe00-\ufe0f\uff01-\uff5e\ufffd"
    "\U0001f000-\U0001f02b\U0001f1e6-\U0001faff]"
)
"""Characters that one version of Unicode calls letters and an earlier one does not know: libraries cut them apart."""

_BLANK_RUN = regex.compile(r"\s ")
"""White space before a blank: elsewhere, no piece reaches over the beginning of a blank."""

_BLOCK = regex.compile(r"\s*\S(?:\S+|\s++\Z|\s*[\r\n])*+")
"""White space and what follows up to the next that holds no line break: no piece reaches over its ends."""


class TokenBound:
    """Bounds the tokens of any text in one encoding.

    A piece that is listed costs its true count, another the most parts that merging can leave of it.
    """

    def __init__(self, encoding: str) -> None:
        self._pattern = regex.compile(_PATTERNS[encoding])
        self._token_list = token_list(encoding)
        self._cached_count = lru_cache(1 << 16)(self._count_piece)
        self._after_blank = MemoTable(lambda word: self.count_pieces(f" {word}"))

    def count(self, text: str) -> int:
        """Return at least the number of tokens, at most the bytes in UTF-8."""
        return greatest_bound(text, (self,))

    def count_words(self, words: Sequence[str]) -> int:
        """Return the bound of a text by its words (``_words_of``), most of which were met before."""
        return self.count_pieces(words[0]) + sum(map(self._after_blank.__getitem__, words[1:]))

    def count_blocks(self, text: str) -> int:
        """Return the bound of a text of which libraries may cut some parts otherwise than others: those by size."""
        blocks = _BLOCK.findall(text) if _UNSTABLE.search(text) else [text]
        return sum(_size(block) if _UNSTABLE.search(block) else self._count_stable(block) for block in blocks)

    def _count_stable(self, text: str) -> int:
        words = _words_of(text)
        return self.count_pieces(text) if words is None else self.count_words(words)

    def count_pieces(self, text: str) -> int:
        """Return the bound of a text piece by piece."""
        return sum(
            times * (self._cached_count(piece) if len(piece) <= MAX_PIECE else _size(piece))
            for piece, times in Counter(self._pattern.findall(text)).items()
        )

    def _count_piece(self, piece: str) -> int:
        """Return the bound of one piece: its true count where it is listed."""
        listed = self._token_list.count(piece)
        if listed is not None:
            return listed
        raw = _as_latin_1(piece)
        if raw in self._token_list.short:
            return 1
        return len(raw) if len(raw) > MAX_PIECE else max_parts(raw, self._token_list.short)


def greatest_bound(text: str, bounds: Sequence[TokenBound]) -> int:
    """Return the greatest of the bounds of a text, which is taken apart once for all of them."""
    text = encodable(text)
    words = None if _is_unstable(text) else _words_of(text)
    if words is None:
        return max(bound.count_blocks(text) for bound in bounds)
    counts = _counts_after_blank(tuple(bounds))
    total = sum(map(counts.__getitem__, words[1:]))
    firsts = (bound.count_words(words[:1]) for bound in bounds)
    return max(first + (total >> place * _COUNT_BITS & _MOST) for place, first in enumerate(firsts))


_COUNT_BITS = 48
_MOST = (1 << _COUNT_BITS) - 1


@cache
def _counts_after_blank(bounds: tuple[TokenBound, ...]) -> MemoTable[int]:
    """Return a table of the bounds of a word behind a blank, all in one number: one sum counts for all of them."""
    return MemoTable(
        lambda word: sum(bound.count_pieces(f" {word}") << place * _COUNT_BITS for place, bound in enumerate(bounds))
    )


def _is_unstable(text: str) -> bool:
    """Tell whether libraries may cut a text in different ways; of Latin letters and their signs, never."""
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return _UNSTABLE.search(text) is not None
    return False


def _words_of(text: str) -> list[str] | None:
    """Return what stands between the blanks of a text; ``None`` where a piece may reach over a blank."""
    return None if _BLANK_RUN.search(text) else text.split(" ")


@cache
def token_bound(encoding: str) -> TokenBound:
    """Return the bound of an encoding, built once for the process."""
    return TokenBound(encoding)


@dataclass(frozen=True)
class TokenList:
    """What is listed of one encoding.

    ``words`` maps a word in small letters to its counts: a digit each for the word alone, after a space, after one of
    ``LEADS`` (the most), then the same with a capital; first those of cl100k_base, then those of o200k_base. Those of
    this encoding begin at ``offset``.
    ``symbols`` maps pieces without letters to their count; ``short`` are tokens of 2 to 4 bytes, as Latin-1 text.
    """

    words: dict[str, str]
    symbols: dict[str, int]
    short: frozenset[str]
    offset: int

    def count(self, piece: str) -> int | None:
        """Return the tokens of a piece, exactly or (after one of ``LEADS``) at least; ``None`` if it is not listed."""
        if piece.isascii() and (len(piece) == 1 or (piece.isdecimal() and len(piece) <= DIGITS)):
            return 1
        listed = self.symbols.get(piece)
        if listed is not None:
            return listed
        form, word = (1 if piece[0] == " " else 2, piece[1:]) if piece[0] in LEADS else (0, piece)
        counts = self.words.get(word)
        if counts is None:
            lowered = word[:1].lower() + word[1:]
            # Not all capitals are the capital of their small letter: that of "K" in kelvin is another.
            counts = self.words.get(lowered) if lowered[:1].upper() + lowered[1:] == word else None
            form += _FORMS
        return None if counts is None else int(counts[self.offset + form])


@cache
def token_list(encoding: str) -> TokenList:
    """Return what is listed of an encoding."""
    index = ENCODINGS.index(encoding)
    words, parts, symbol_rows = _read_pieces()
    short = {part for encodings, group in parts.items() if encodings[index] == "1" for part in group}
    symbols = {piece: counts[index] for counts, pieces in symbol_rows for piece in pieces}
    short.update(_as_latin_1(piece) for piece, count in symbols.items() if count == 1 and len(piece) <= SHORT_BYTES)
    return TokenList(words, symbols, frozenset(part for part in short if len(part) <= SHORT_BYTES), index * 2 * _FORMS)


@cache
def _read_pieces() -> tuple[dict[str, str], dict[str, list[str]], list[tuple[tuple[int, int], list[str]]]]:
    """Return words with their counts, parts by the encodings that have them, and symbols with their counts."""
    text = resources.files("articulado.models").joinpath("token_pieces.txt").read_text(encoding="utf-8")
    words: dict[str, str] = {}
    parts: dict[str, list[str]] = {}
    symbols: list[tuple[tuple[int, int], list[str]]] = []
    for line in text.split("\n"):
        kind, _, rest = line.partition(" ")
        match kind:
            case "#" | "":
                pass
            case "part":
                encodings, _, group = rest.partition(" ")
                parts[encodings] = [part.replace("_", " ") for part in _as_latin_1(group).split(" ")]
            case "symbol":
                *symbol_counts, pieces = json.loads(rest)
                symbols.append((tuple(symbol_counts), pieces))
            case counts:
                words.update(dict.fromkeys(rest.split(), counts))
    return words, parts, symbols


def max_parts(piece: str, short: frozenset[str]) -> int:
    """Return the most parts into which a piece falls so that no two neighbours together are in ``short``.

    ``piece`` and ``short``: bytes as Latin-1 text. What merging leaves is such a division, if all of ``short``
    are tokens; so that it is never of more parts, whatever the other tokens are, and in whatever order they merge.
    """
    longer = SHORT_BYTES  # stands for every length from there on: with a neighbour it is no short token
    none = -len(piece)
    rows = [[none] * longer + [0]]  # by end: the most parts up to there, by the length of the last
    longest = none
    for end in range(1, len(piece) + 1):
        row = [none] * (longer + 1)
        for length in range(1, min(longer, end + 1)):
            start = end - length
            before = rows[start]
            best = before[longer]
            for previous in range(1, min(longer, start + 1)):
                if before[previous] > best and (
                    previous + length > SHORT_BYTES or piece[start - previous : end] not in short
                ):
                    best = before[previous]
            row[length] = best + 1
        if end >= longer:
            longest = max(longest, max(rows[end - longer]))
            row[longer] = longest + 1
        rows.append(row)
    return max(rows[-1])


def encodable(text: str) -> str:
    """Return a text that UTF-8 can hold: halves of characters are replaced, as tiktoken does."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _size(text: str) -> int:
    """Return the bytes of a text in UTF-8."""
    return len(text.encode())


def _as_latin_1(text: str) -> str:
    """Return the UTF-8 bytes of a text, each as the character of its number."""
    return text.encode().decode("latin-1")


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
