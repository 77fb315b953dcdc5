"""The lexicon: in how many texts of an index each stem occurs; stored beside the index, whatever its embedder."""

import json
import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Protocol, runtime_checkable

from articulado.language.translation import translate
from articulado.values.errors import IndexMissing

_FILE = "lexicon.json"


@runtime_checkable
class StemWeights(Protocol):
    """Weighs stems by how much they say."""

    def idf(self, stem: str) -> float:
        """Return the weight of a stem in [0, 1]."""
        ...

    def __hash__(self) -> int:
        """Tell weights apart: what was worked out with some holds for no others."""
        ...


class EqualWeights:
    """All stems say as much; stands in where there is no lexicon."""

    def idf(self, stem: str) -> float:
        """Return 1.0."""
        return 1.0


class WordCount:
    """In how many of some texts each stem occurs, where texts come and go."""

    def __init__(self, texts: int = 0, frequencies: Mapping[str, int] | None = None) -> None:
        self.texts = texts
        self.frequencies = Counter(frequencies or {})

    @classmethod
    def of(cls, texts: Iterable[str], stems: Callable[[str], Iterable[str]]) -> "WordCount":
        """Count texts."""
        count = cls()
        for text in texts:
            count.texts += 1
            count.frequencies.update(set(stems(text)))
        return count

    def add(self, other: "WordCount") -> None:
        """Count texts that have come."""
        self.texts += other.texts
        self.frequencies.update(other.frequencies)

    def subtract(self, other: "WordCount") -> None:
        """Count texts no more, that have gone."""
        self.texts -= other.texts
        self.frequencies.subtract(other.frequencies)

    def dumps(self) -> bytes:
        """Return the count as bytes."""
        return zlib.compress(json.dumps([self.texts, self.frequencies], ensure_ascii=False).encode(), level=1)

    @classmethod
    def loads(cls, stored: bytes) -> "WordCount":
        """Read what ``dumps`` has written; of nothing, a count of no texts."""
        return cls(*json.loads(zlib.decompress(stored))) if stored else cls()


class Lexicon:
    """Document frequencies of stems, the most frequent first, ties in alphabetical order."""

    def __init__(self, texts: int, frequencies: dict[str, int]) -> None:
        self.texts = texts
        self.frequencies = frequencies

    @classmethod
    def build(cls, texts: Iterable[str], stems: Callable[[str], Iterable[str]]) -> "Lexicon":
        """Count the texts that each stem occurs in; ``stems`` are those of their language."""
        return cls.of(WordCount.of(texts, stems))

    @classmethod
    def of(cls, count: WordCount) -> "Lexicon":
        """Return the lexicon of texts that were counted."""
        counted = ((stem, texts) for stem, texts in count.frequencies.items() if texts > 0)
        return cls(count.texts, dict(sorted(counted, key=lambda item: (-item[1], item[0]))))

    def save(self, folder: Path) -> None:
        """Write the lexicon into the ``models`` folder of an index."""
        folder.joinpath(_FILE).write_bytes(self._serialised)

    @classmethod
    def load(cls, folder: Path) -> "Lexicon":
        """Read the lexicon of an index.

        Raises:
            IndexMissing: there is none, or it cannot be read.
        """
        try:
            stored = json.loads(folder.joinpath(_FILE).read_bytes())
            return cls(stored["texts"], stored["frequencies"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise IndexMissing(translate("store.vocabulary_damaged", file=folder / _FILE)) from error

    def idf(self, stem: str) -> float:
        """Return the inverse document frequency, scaled to [0, 1].

        idf(s) = ln((N + 1) / (df(s) + 1)) / ln(N + 1): 1 for a stem that no text has, 0 for one that all have.
        """
        if not self.texts:
            return 1.0
        return math.log((self.texts + 1) / (self.frequencies.get(stem, 0) + 1)) / math.log(self.texts + 1)

    @cached_property
    def digest(self) -> str:
        """Name the content in 12 hexadecimal digits, so that a model can tell the lexicon that it was fitted on."""
        return blake2b(self._serialised, digest_size=6).hexdigest()

    @cached_property
    def _serialised(self) -> bytes:
        return json.dumps({"texts": self.texts, "frequencies": self.frequencies}, ensure_ascii=False).encode()
