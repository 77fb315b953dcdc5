"""Look up packaged records by question and named provision, without an index or an embedder."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from articulado.language.spanish import stem_word, stems
from articulado.legal.domain.base import Lexicon
from articulado.legal.vocabulary.synonyms import expand
from articulado.store.filters import satisfies, selection_clauses
from articulado.store.layout import order_articles
from articulado.store.records.chunks import packaged_records
from articulado.store.records.schema import Record
from articulado.values.answers import NamedProvision
from articulado.values.chunks import NAMED_SCORE, Chunk, ProvisionRef, provision_of
from articulado.values.protocols import MAX_SELECTED, Hit, HybridQuery, SearchFilter

MIN_SCORE = 0.2  # records below it share hardly a word with the question

SYNONYM_WEIGHT = 0.35  # weight of a legal synonym, beside 1 for the question's own words

COVERAGE_SHARE = 0.8  # weight of coverage of the question's words; the rest is similarity to a question of the record

TITLE_REPEATS = 3  # repetitions of the title, which is dense in meaning


@dataclass(frozen=True)
class _Entry:
    """Search data of a record: strength of each stem in [0, 1), and the stems of its questions."""

    chunk: Chunk
    strengths: Mapping[str, float]
    questions: tuple[frozenset[str], ...]


class PackagedRecords:
    """Packaged (or other) records; a ``ChunkStore`` whose searches are empty: records have no vectors."""

    def __init__(self, pairs: Sequence[tuple[Record, Chunk]] | None = None) -> None:
        self._own_pairs = pairs

    def lookup(self, question: str, provisions: Sequence[NamedProvision], limit: int) -> list[Hit]:
        """Return the named records (score 1.0), then the most similar ones from ``MIN_SCORE``, at most ``limit``.

        score = 0.8 * Σ w(s) n(s)/(n(s) + 1) / Σ w(s)  +  0.2 * max over the record's questions of Σ w(s ∩) / Σ w(s ∪),
        in [0, 1], ties by ascending id; w: IDF of a stem (times 0.35 for synonyms), n: its frequency in the record.
        """
        named = [
            chunk
            for provision in provisions
            for chunk in self._by_provision.get((provision["law_id"], provision["provision_key"]), [])
        ]
        hits = {chunk["id"]: Hit(chunk, NAMED_SCORE) for chunk in named}
        weights = self._weights(question)
        if weights:
            scored = (Hit(entry.chunk, round(self._score(entry, weights), 6)) for entry in self._entries)
            others = [hit for hit in scored if hit.score >= MIN_SCORE and hit.chunk["id"] not in hits]
            hits |= {hit.chunk["id"]: hit for hit in sorted(others, key=lambda hit: (-hit.score, hit.chunk["id"]))}
        return list(hits.values())[:limit]

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        return [[] for _ in queries]

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        return [self._by_id[chunk_id] for chunk_id in ids if chunk_id in self._by_id]

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        return list(self._by_provision.get((law_id, provision_key), []))

    async def citing(self, ids: Sequence[int]) -> list[Chunk]:
        cited = set(ids)
        return [chunk for _, chunk in sorted(self._by_id.items()) if cited.intersection(chunk["refs"])]

    async def select(
        self, collections: Sequence[str], where: SearchFilter, *, limit: int = MAX_SELECTED
    ) -> list[Chunk]:
        must = selection_clauses(where, date.today())
        chunks = (chunk for chunk in self._by_id.values() if chunk["collection"] in collections)
        return order_articles(chunk for chunk in chunks if satisfies(chunk, must))[:limit]

    async def counts(self) -> dict[str, int]:
        return dict(Counter(chunk["collection"] for chunk in self._by_id.values()))

    async def close(self) -> None: ...

    @cached_property
    def _pairs(self) -> Sequence[tuple[Record, Chunk]]:
        return packaged_records() if self._own_pairs is None else self._own_pairs

    @cached_property
    def _by_id(self) -> dict[int, Chunk]:
        return {chunk["id"]: chunk for _, chunk in self._pairs}

    @cached_property
    def _by_provision(self) -> dict[ProvisionRef, list[Chunk]]:
        chunks: dict[ProvisionRef, list[Chunk]] = {}
        for chunk in self._by_id.values():
            chunks.setdefault(provision_of(chunk), []).append(chunk)
        return chunks

    @cached_property
    def _entries(self) -> list[_Entry]:
        return [_entry(record, chunk) for record, chunk in self._pairs]

    @cached_property
    def lexicon(self) -> Lexicon:
        return Lexicon(len(self._entries), Counter(stem for entry in self._entries for stem in entry.strengths))

    def _weights(self, question: str) -> dict[str, float]:
        weights: dict[str, float] = {}
        for term, weight in expand(question, stem_word):
            # A synonym that no record uses cannot be missed in any.
            for stem in filter(self.lexicon.frequencies.__contains__, stems(term)):
                weights[stem] = max(weights.get(stem, 0.0), weight * SYNONYM_WEIGHT * self.lexicon.idf(stem))
        return weights | {stem: self.lexicon.idf(stem) for stem in stems(question)}

    def _score(self, entry: _Entry, weights: Mapping[str, float]) -> float:
        total = sum(weights.values())
        covered = sum(weight * entry.strengths.get(stem, 0.0) for stem, weight in weights.items()) / total
        if not covered:
            return 0.0
        similarity = max((self._similarity(question, weights, total) for question in entry.questions), default=0.0)
        return COVERAGE_SHARE * covered + (1 - COVERAGE_SHARE) * similarity

    def _similarity(self, question: frozenset[str], weights: Mapping[str, float], total: float) -> float:
        """Return the weighted Jaccard similarity of two questions."""
        shared = sum(weights.get(stem, 0.0) for stem in question)
        return shared / (total + sum(self.lexicon.idf(stem) for stem in question if stem not in weights))


def _entry(record: Record, chunk: Chunk) -> _Entry:
    questions = tuple(frozenset(stems(question)) for question in record.questions)
    heading = [f"{record.title} {chunk['provision']}"] * TITLE_REPEATS
    counts = Counter(stems("\n".join([*heading, *record.lines, *record.keywords, *record.questions])))
    return _Entry(chunk, {stem: count / (count + 1) for stem, count in counts.items()}, questions)
