"""Comparison of a question or a search with chunks: covered words, learnt similarity, named rows or passages."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise, takewhile
from threading import Lock
from typing import Generic, TypeVar

from articulado.encoders.dual import DualEncoder
from articulado.language.folding import fold
from articulado.language.sentences import sentences
from articulado.language.table_text import PATH, cells_of, has_rows, head_of, is_amount, is_year, rows_of
from articulado.legal.domain.base import NUMBER_WEIGHT, Coverage, Domain, EqualWeights, StemWeights
from articulado.legal.laws.registry import known_laws
from articulado.legal.territory.mentions import place_mentions
from articulado.values.chunks import Chunk, indexed_text

SURE = 0.9
"""Least relevance of a named row."""

_SEVERAL = re.compile(r"[,;]|\s/\s")
_NUMBERS = {
    stem: number
    for number, stems in {
        "1": ("i", "primer"),
        "2": ("ii", "segund"),
        "3": ("iii", "tercer"),
        "4": ("iv", "cuart"),
        "5": ("v", "quint"),
        "6": ("vi", "sext"),
    }.items()
    for stem in stems
}


def names_a_row(question: str, text: str, domain: Domain) -> bool:
    """Return True if a question names a row of a table, and asks for an amount or names a column."""
    if not has_rows(text):
        return False
    tables = [paragraph for paragraph in text.split("\n\n") if next(rows_of(paragraph), None)]
    if not tables:
        return False
    asked = words_of_names(question, domain)
    amount = domain.language.query_patterns.asked.get("amount")
    asks_amount = amount is not None and amount.question.search(fold(question)) is not None
    heads = [cells_of(head_of(table).rpartition("\n")[2]) for table in tables]
    columns = words_of_names(" ".join(cell for head in heads for cell in head[1:]), domain)
    named = (
        named_words(row, head, asked, domain)
        for table, head in zip(tables, heads, strict=True)
        for row in rows_of(table)
    )
    return any(asks_amount or (asked - name) & columns for name in named if name)


def named_words(row: str, head: Sequence[str], asked: frozenset[str], domain: Domain) -> frozenset[str]:
    """Return the words of a question that name a table row: those of the names of the row that it has in full.

    A lone number or letter ("3") counts with the name of its column in ``head`` ("Nivel"); a year does not count.

    >>> from articulado.legal.domain.spanish_law import SPANISH_LAW
    >>> asked = words_of_names("¿Qué gana un oficial de segunda?", SPANISH_LAW)
    >>> sorted(named_words("Nivel 4 | Guarda, oficial 2.ª | 1.100,00", (), asked, SPANISH_LAW))
    ['2', 'oficial']
    """
    words = frozenset[str]()
    for column, name in _names_of(row):
        name_words = words_of_names(name, domain)
        if all(word.isdigit() or len(word) == 1 for word in name_words):
            of_column = words_of_names(head[column], domain) if column < len(head) else frozenset()
            name_words = name_words | of_column if of_column and not is_year(name) else frozenset()
        if name_words <= asked:
            words |= name_words
    return words


def words_of_names(text: str, domain: Domain) -> frozenset[str]:
    """Return the stems of a text, numbers in figures."""
    return frozenset(_NUMBERS.get(stem, stem) for stem in domain.stems(text))


def _names_of(row: str) -> Iterator[tuple[int, str]]:
    first, *others = cells_of(row)
    for column, cell in enumerate([first, *takewhile(lambda cell: not is_amount(cell), others)]):
        yield from ((column, name.strip()) for name in _SEVERAL.split(cell.rpartition(PATH)[2]))


NEARLY_ALL = 0.8
"""Least share of the requested words, weighted by rarity, in one passage."""

RARE = 0.5
"""Weight from which a word must not be missing; everyday verbs and words of every law are below."""

_LACKING = 0.5

_RUNNING_TEXT = ("document", "provision")


class Wanted:
    """Words of the question that an answer must have, and the kinds of value it asks for (time, price, number)."""

    def __init__(self, question: str, domain: Domain, weights: StemWeights) -> None:
        self._question = question
        self._domain = domain
        topic = fold(question)
        for place in place_mentions(question) if domain.language.code == "es" else ():
            # It says whose law is asked for, and is no word of that law.
            topic = topic[: place.start] + " " * (place.end - place.start) + topic[place.end :]
        forms = [form for form in domain.language.query_patterns.forms.values() if form.question.search(topic)]
        for form in forms:
            topic = form.question.sub(" ", topic)
        self._kinds = [form.answer for form in forms]
        self._weights = {
            stem: min(weights.idf(stem), NUMBER_WEIGHT) if stem.isdigit() else weights.idf(stem)
            for stem in domain.stems(topic)
        }
        self._rare = {stem for stem, weight in self._weights.items() if weight >= RARE}

    def reconsidered(self, relevances: Sequence[float], chunks: Sequence[Chunk]) -> list[float]:
        """Raise the relevances in [0, 1] of chunks that contain the answer above ``SURE``.

        Beside a user's text that does, chunks without a rare word of the question lose half.
        """
        said = [self.is_said_by(chunk) for chunk in chunks]
        by_own = any(sure and is_unlearnt(chunk) for sure, chunk in zip(said, chunks, strict=True))
        return [
            SURE + (1 - SURE) * relevance
            if sure
            else relevance * (_LACKING if by_own and not self._rare <= self._stems_in(indexed_text(chunk)) else 1.0)
            for relevance, chunk, sure in zip(relevances, chunks, said, strict=True)
        ]

    def is_said_by(self, chunk: Chunk) -> bool:
        """Return True if a chunk has a named table row, or a user's text has two adjacent sentences with the answer.

        With the names around it, that passage has every rare word of the question, nearly all others, and each
        requested kind.
        """
        if names_a_row(self._question, chunk["text"], self._domain):
            return True
        return bool(self._rare) and is_unlearnt(chunk) and self._has_passage(chunk)

    def _has_passage(self, chunk: Chunk) -> bool:
        around = self._stems_in(chunk["law_name"], chunk["breadcrumb"])
        title = self._stems_in(chunk["provision"], chunk["title"])
        # A note without a title is called by its first line, which says what it says all the same.
        is_first_line = chunk["text"].startswith(chunk["law_name"])
        return self._has_passage_below(around, title, chunk) or (
            is_first_line and self._has_passage_below(set(), set(), chunk)
        )

    def _has_passage_below(self, around: set[str], title: set[str], chunk: Chunk) -> bool:
        said = [(sentence, self._stems_in(sentence)) for sentence in sentences(chunk["text"])]
        # Most chunks lack something, and need not be looked at passage by passage.
        if not self._are_said(title.union(*(own for _, own in said)), around):
            return False
        return any(
            self._are_said(title | of_first | of_second, around) and self._is_of_kind(f"{first} {second}")
            for (first, of_first), (second, of_second) in pairwise([*said, ("", set[str]())])
        )

    def _stems_in(self, *texts: str) -> set[str]:
        return {stem for text in texts for stem in self._domain.stems(text) if stem in self._weights}

    def _are_said(self, own: set[str], around: set[str]) -> bool:
        asked = {stem: weight for stem, weight in self._weights.items() if stem not in around}
        said = sum(weight for stem, weight in asked.items() if stem in own)
        return self._rare <= own | around and 0 < said >= NEARLY_ALL * sum(asked.values())

    def _is_of_kind(self, passage: str) -> bool:
        folded = fold(passage)
        return all(kind.search(folded) for kind in self._kinds)


def is_unlearnt(chunk: Chunk) -> bool:
    """Return True for running text of no registered law, unknown to the trained models."""
    return chunk["chunk_type"] in _RUNNING_TEXT and chunk["law_id"] not in known_laws()


MAX_KEPT = 4_096
"""Chunks with cached stems: about 40 MB; a question reads about a hundred."""
MAX_COMPARED = 128

_TITLE, _LAY_PHRASINGS, _TEXT, _BREADCRUMB, _LAW = 1.0, 0.9, 0.75, 0.6, 0.4


T = TypeVar("T")
ChunkKey = tuple[int, str]


def key_of(chunk: Chunk) -> ChunkKey:
    return chunk["id"], chunk["content_hash"]


class KeptByChunk(Generic[T]):
    """Cache of values that depend on a chunk alone; the oldest of ``MAX_KEPT`` are dropped."""

    def __init__(self, work_out: Callable[[Chunk], T]) -> None:
        self._work_out = work_out
        self._values: dict[ChunkKey, T] = {}
        self._lock = Lock()

    def __call__(self, chunk: Chunk) -> T:
        key = key_of(chunk)
        if (value := self._values.get(key)) is None:
            value = self._work_out(chunk)
            with self._lock:
                self._values[key] = value
                while len(self._values) > MAX_KEPT:
                    del self._values[next(iter(self._values))]
        return value


class Prominence:
    """Returns the prominence of each stem of a chunk in (0, 1], by the part of the chunk that has the stem."""

    def __init__(self, domain: Domain, lay_phrasings: Callable[[Chunk], str] = lambda chunk: "") -> None:
        self._stems = domain.stems
        self._lay_phrasings = lay_phrasings
        self._of = KeptByChunk(self._worked_out)

    def __call__(self, chunk: Chunk) -> Mapping[str, float]:
        return self._of(chunk)

    def _worked_out(self, chunk: Chunk) -> Mapping[str, float]:
        topic = chunk["topic"].replace("_", " ")
        strengths: dict[str, float] = {}
        for strength, part in (
            (_LAW, chunk["law_name"]),
            (_BREADCRUMB, chunk["breadcrumb"]),
            (_TEXT, chunk["text"]),
            (_LAY_PHRASINGS, " ".join((self._lay_phrasings(chunk), topic, *chunk["attributes"].values()))),
            (_TITLE, f"{chunk['provision']} {chunk['title']}"),
        ):
            strengths.update(dict.fromkeys(self._stems(part), strength))
        return strengths


Similarity = Callable[[str, Sequence[Chunk]], Sequence[float]]
"""Returns the cosine in [−1, 1] of a question and each chunk, in order; 0 if no word of a text is known."""


class EncodedSimilarity:
    """Similarity by the learnt encoder; vectors of chunks are cached."""

    def __init__(self, encoder: DualEncoder) -> None:
        self._encoder = encoder
        self._vector = KeptByChunk(lambda chunk: encoder.embed_document(indexed_text(chunk)))

    def __call__(self, question: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        question_vector = self._encoder.embed_question(question)
        return [float(question_vector @ self._vector(chunk)) for chunk in chunks]


class Comparison:
    """A text compared with chunks; values are cached by chunk."""

    def __init__(self, text: str, comparer: "Comparer") -> None:
        self.text = text
        self._comparer = comparer
        self._words: dict[ChunkKey, float] = {}
        self._cosines: dict[ChunkKey, float] = {}

    @cached_property
    def coverage(self) -> Coverage:
        domain, weights = self._comparer.domain, self._comparer.weights
        return Coverage(domain.concepts(self.text, weights), weights)

    @cached_property
    def wanted(self) -> Wanted:
        return Wanted(self.text, self._comparer.domain, self._comparer.weights)

    def words(self, chunk: Chunk) -> float:
        """Return the share in [0, 1] of the concepts of the text that a chunk covers."""
        key = key_of(chunk)
        if key not in self._words:
            self._words[key] = self.coverage(self._comparer.prominence(chunk))
        return self._words[key]

    def cosines(self, chunks: Sequence[Chunk]) -> list[float]:
        """Return the cosine in [−1, 1] of the text and each chunk, in order; 0 without a similarity."""
        similarity = self._comparer.similarity
        if similarity is None:
            return [0.0] * len(chunks)
        if new := [chunk for chunk in chunks if key_of(chunk) not in self._cosines]:
            self._cosines |= zip(map(key_of, new), similarity(self.text, new), strict=True)
        return [self._cosines[key_of(chunk)] for chunk in chunks]


class Comparer:
    """Compares texts with chunks; the comparisons of the last texts are cached."""

    def __init__(
        self,
        domain: Domain,
        weights: StemWeights | None = None,
        prominence: Prominence | None = None,
        similarity: Similarity | None = None,
    ) -> None:
        self.domain = domain
        self.weights = weights or EqualWeights()
        self.prominence = prominence or Prominence(domain)
        self.similarity = similarity
        self.of = lru_cache(MAX_COMPARED)(self._of)

    def _of(self, text: str) -> Comparison:
        return Comparison(text, self)
