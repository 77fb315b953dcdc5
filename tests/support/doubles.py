"""Small real classes that stand in for the outside world: they satisfy our Protocols and record what they are asked."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import numpy as np
from support.chunks import make_chunk as plain_chunk
from support.guides import weighing
from support.reference_search import passes

from articulado.answering.answer_writer import ExtractivePrincipal
from articulado.answering.reader import KeywordReader
from articulado.cases.matching import Match, MatchModel
from articulado.config.profile import domain_of, load_profile
from articulado.config.settings import Settings
from articulado.language.languages import Language, language
from articulado.legal.domain.spanish_law import SPANISH_LAW, points_back
from articulado.retrieval.relevance.judge import BestScoreJudge
from articulado.values.answers import Message
from articulado.values.chunks import Candidate, Chunk
from articulado.values.protocols import (
    MAX_SELECTED,
    Completion,
    Embedded,
    Hit,
    HybridQuery,
    Keep,
    Reranked,
    S,
    SearchFilter,
    SparseVector,
    Structured,
    keep_nothing,
)
from graph.services import Services


def make_chunk(id_: int, provision: str = "Artículo 1", **fields: Any) -> Chunk:
    """Make a chunk that is known by its provision."""
    defaults = {
        "provision": provision,
        "provision_key": provision.lower().replace("artículo ", "art:"),
        "title": "Título",
        "breadcrumb": "TÍTULO I",
        "text": f"Texto del {provision.lower()}, y son 30 días.",
        "url": f"https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a{id_}",
    }
    return plain_chunk(id_, **{**defaults, **fields})


class WrittenTurns:
    """Decides on turns by opening, pronouns and length; ``about_answer`` are the turns that ask about the answer."""

    about_answer = ("explícamelo mejor", "¿en qué artículo lo pone?")

    def __init__(self, spoken: Language) -> None:
        self.language = spoken

    def leans(self, question: str, subject: str) -> bool:
        return points_back(question, self.language) or len(set(self.language.content_words(question))) <= 2

    def is_about_answer(self, question: str, subject: str) -> bool:
        return question in self.about_answer

    def resumed(self, question: str, subject: str, left: Sequence[str]) -> int | None:
        return None

    def asks_deadline(self, question: str, subject: str) -> bool:
        return "plazo" in question


class FakeStore:
    """Holds chunks in memory; ``rankings`` says what each query text's number (its first term id) finds."""

    def __init__(self, chunks: Sequence[Chunk], rankings: dict[str, list[tuple[int, float]]] | None = None) -> None:
        self.chunks = {chunk["id"]: chunk for chunk in chunks}
        self.rankings = rankings or {}
        self.searches: list[tuple[str, int, int, int, SearchFilter]] = []
        self.fetched: list[list[int]] = []
        self.selected: list[tuple[list[str], SearchFilter]] = []
        self.similarities: dict[int, float] = {}

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        self.searches.append((collection, len(queries), limit, prefetch, where))
        found = []
        for query in queries:
            text = QUERY_TEXTS.get(query.sparse.indices[0], "") if query.sparse.indices else ""
            hits = [(self.chunks[i], score) for i, score in self.rankings.get(text, [])]
            here = [(chunk, score) for chunk, score in hits if chunk["collection"] == collection][:limit]
            found.append([Hit(chunk, score, self.similarities.get(chunk["id"])) for chunk, score in here])
        return found

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        self.fetched.append(list(ids))
        return [self.chunks[i] for i in ids if i in self.chunks]

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        found = [c for c in self.chunks.values() if (c["law_id"], c["provision_key"]) == (law_id, provision_key)]
        return sorted(found, key=lambda chunk: chunk["part"])

    async def select(
        self, collections: Sequence[str], where: SearchFilter, *, limit: int = MAX_SELECTED
    ) -> list[Chunk]:
        self.selected.append((list(collections), where))
        here = (chunk for chunk in self.chunks.values() if chunk["collection"] in collections)
        found = [chunk for chunk in here if chunk["parent_id"] is None and passes(chunk, where, date.today())]
        return sorted(found, key=lambda chunk: (chunk["law_id"], chunk["part"], chunk["id"]))[:limit]

    async def counts(self) -> dict[str, int]:
        return {"normativa": len(self.chunks)}

    async def close(self) -> None:
        return None


QUERY_TEXTS: dict[int, str] = {}


class FakeSparse:
    """Gives each text a number of its own, by which ``FakeStore`` knows it."""

    fingerprint = "fake-sparse"

    def encode_queries(self, texts: Sequence[str]) -> list[SparseVector]:
        vectors = []
        for text in texts:
            number = next((n for n, known in QUERY_TEXTS.items() if known == text), len(QUERY_TEXTS) + 1)
            QUERY_TEXTS[number] = text
            vectors.append(SparseVector((number,), (1.0,)))
        return vectors

    encode_documents = encode_queries


class FakeEmbedder:
    """Counts its requests; every text has the same direction."""

    fingerprint = "fake-dense"
    dimensions = 2

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        self.batches.append(list(texts))
        return Embedded([np.array([1.0, 0.0], dtype=np.float32) for _ in texts], requests=1, tokens=len(texts))

    async def embed_documents(self, texts: Sequence[str], *, keep: Keep = keep_nothing) -> Embedded:
        embedded = await self.embed_queries(texts)
        await keep(texts, embedded.vectors)
        return embedded

    async def close(self) -> None:
        return None


class QueueChat:
    """Replies from a queue (the last reply repeats) and keeps every call; of ``structured``, its limit, too."""

    def __init__(self, *replies: str | Exception, requests: int = 1, piece: int = 5, takes_limit: bool = False) -> None:
        self.replies = list(replies)
        self.calls: list[tuple[str, list[Message]]] = []
        self.limits: list[int | None] = []
        self.deadlines: list[float | None] = []
        self.requests = requests
        self.piece = piece
        self.takes_limit = takes_limit

    @property
    def name(self) -> str:
        return "cola"

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        self.calls.append((system, list(messages)))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return Completion(reply, self.requests, input_tokens=10, output_tokens=3)

    async def stream(
        self,
        system: str,
        messages: Sequence[Message],
        *,
        on_text: Callable[[str], None],
        on_restart: Callable[[], None],
        deadline: float | None = None,
    ) -> Completion:
        completion = await self.complete(system, messages)
        for start in range(0, len(completion.text), self.piece):
            on_text(completion.text[start : start + self.piece])
        return completion

    async def structured(
        self,
        system: str,
        messages: Sequence[Message],
        schema: type[S],
        *,
        max_tokens: int | None = None,
        deadline: float | None = None,
    ) -> Structured[S]:
        self.limits.append(max_tokens)
        self.deadlines.append(deadline)
        reply = await self.complete(system, messages)
        value = schema.model_validate_json(reply.text)
        return Structured(value, reply.requests, reply.input_tokens, reply.output_tokens)

    async def close(self) -> None:
        return None


class FixedReranker:
    """Scores chunks by their id; 0.5 for one that it does not know. ``error`` makes it fail instead."""

    def __init__(
        self,
        scores: dict[int, float | None] | None = None,
        *,
        is_cheap: bool = False,
        squashed: bool = False,
        requests: int = 0,
        error: Exception | None = None,
    ) -> None:
        self.scores = scores or {}
        self.limit = None if is_cheap else 20
        self.squashed = squashed
        self.requests = requests
        self.error = error
        self.seen: list[list[int]] = []
        self.questions: list[str] = []
        self.deadlines: list[float | None] = []
        self.closed = 0

    async def score(
        self,
        question: str,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        self.seen.append([found["chunk"]["id"] for found in candidates])
        self.questions.append(question["text"])
        self.deadlines.append(deadline)
        if self.error:
            raise self.error
        scores = [self.scores.get(found["chunk"]["id"], 0.5) for found in candidates]
        tokens = 10 * self.requests, 3 * self.requests
        return Reranked(scores, self.requests, *tokens, squashed=self.squashed)

    async def close(self) -> None:
        self.closed += 1


class FixedMatcher:
    """Matches every inquiry alike; ``inquiries`` keeps what it was asked. Its scope and curves are the identity."""

    model: MatchModel = weighing()

    def __init__(self, matches: Sequence[Match] = ()) -> None:
        self.matches = sorted(matches, key=lambda match: -match.log_odds)
        self.inquiries: list[str] = []

    async def match(self, inquiry: str) -> list[Match]:
        self.inquiries.append(inquiry)
        return list(self.matches)


class CharacterCounter:
    """One token a character."""

    def count(self, text: str) -> int:
        return len(text)


class NoRecords(FakeStore):
    """Packaged records that hold nothing."""

    def __init__(self) -> None:
        super().__init__([])

    def lookup(self, question: str, provisions: Sequence[Any], limit: int) -> list[Hit]:
        return []


def make_services(store: FakeStore, reader: QueueChat | None, principal: QueueChat | None, **fields: Any) -> Services:
    settings = fields.pop("settings", None) or Settings.read(env_file=None)
    parts: dict[str, Any] = {
        "settings": settings,
        "profile": load_profile("laboral"),
        "store": store,
        "reader_model": reader,
        "principal_model": principal,
        "offline_reader": KeywordReader(SPANISH_LAW),
        "offline_principal": ExtractivePrincipal(SPANISH_LAW),
        "embedder": FakeEmbedder(),
        "sparse": FakeSparse(),
        "rerankers": {"heuristic": FixedReranker()},
        "judge": BestScoreJudge(),
        "phrasings": None,
        "leaning": WrittenTurns(language("es")),
        "matcher": FixedMatcher(),
        "records": NoRecords(),
        "counter": CharacterCounter(),
    }
    parts |= fields
    if "heuristic" in parts["rerankers"]:
        # As in the table of a domain that nothing was learnt of.
        parts["rerankers"] = {"learnt": parts["rerankers"]["heuristic"], **parts["rerankers"]}
    return Services(**{"domain": domain_of(parts["profile"]), **parts})
