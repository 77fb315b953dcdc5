"""Retrieval of one question through the graph, as a ranking of whole provisions.

The ranking is filled beyond the caps from the same search. Each provision appears once. Times are in
milliseconds.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from articulado.config.sections import Caps
from articulado.retrieval.fusion import preference
from articulado.retrieval.search import search_filter
from articulado.values.chunks import Candidate, Origin, relevance
from articulado.values.protocols import SearchFilter
from evaluation.gold.questions import Key, Provision, key_of, make_provision
from evaluation.retrieval.run import Ranked
from graph.rag import build_retrieval
from graph.services import Services
from nodes.stage import default_options
from state.context import RunContext
from state.rag import RagState, days_of

LAW = "normativa"
"""The collection whose chunks are provisions of laws; rulings and criteria have no row of a run."""

MIN_ROWS = 20
"""Rankings are searched deeper until they have so many rows: what recall@20 looks at."""
MAX_ROWS = 100
"""Filling goes no further: enough to tell what is near from what is lost."""
DEEPER, ATTEMPTS = 4, 3
"""A filling search takes so many times more parents than the search of the graph, and at each further attempt again."""

RERANKED, MERGED, FILLED = 2.0, 1.0, 0.0
"""What is added to a score in [0, 1]: reranked candidates go before the others, and these before what was filled."""

_STATE = [
    *("searches", "lexical_only", "analysis", "as_of", "today"),
    *("candidates", "abstained", "warnings", "usage"),
]


@dataclass(frozen=True)
class Row:
    """A provision of a ranking. ``score`` never rises from row to row; it orders, and is no relevance: ``RERANKED``."""

    provision: Provision
    score: float
    law: str
    origins: tuple[Origin | Literal["fill"], ...]


@dataclass(frozen=True)
class Retrieved:
    """What retrieval gave for one question: each provision once, best first.

    ``queries`` are the searches made. ``top_score`` in [0, 1] is the relevance of the best candidate; ``None`` where
    none was reranked, because a search score says who is first, not how well it fits. Times are milliseconds: of each
    stage, and of all together by the clock; filling the ranking is no part of either.
    """

    rows: tuple[Row, ...]
    queries: tuple[str, ...]
    abstained: bool
    top_score: float | None
    stages: Mapping[str, float]
    milliseconds: float
    warnings: tuple[str, ...] = ()

    @property
    def ranking(self) -> list[Ranked]:
        """The rows as a run has them."""
        return [Ranked(row.provision, row.score) for row in self.rows]


class Retriever:
    """Asks the retrieval graph, and fills its ranking beyond the caps from the same search."""

    def __init__(self, services: Services, context: RunContext | None = None) -> None:
        self._graph = build_retrieval(services)
        self._search = services.search
        self._context = context
        self._profile = services.profile
        resolved = default_options(services.settings).overridden_by(context)
        self._searches_law = LAW in (resolved.collections or services.profile.names)
        self._law_alone = resolved.model_copy(update={"collections": (LAW,)})

    async def retrieve(self, question: str) -> Retrieved:
        """Run the stages up to the chosen context; a question that is abstained from has its ranking all the same.

        Raises:
            ArticuladoError: the question or an option cannot be used, or a service does not work.
        """
        started = time.perf_counter()
        result = await self._graph.ainvoke({"question": question}, context=self._context, output_keys=_STATE)
        milliseconds = (time.perf_counter() - started) * 1000
        state = cast(RagState, result)
        candidates = sorted(state["candidates"], key=preference)
        return Retrieved(
            rows=tuple(await self._filled(_each_once(map(_row, _of_laws(candidates))), state)),
            queries=tuple(state["searches"]),
            abstained=state["abstained"],
            top_score=max(
                (relevance(candidate) for candidate in candidates if "rerank_score" in candidate), default=None
            ),
            stages=state["usage"]["stages"],
            milliseconds=round(milliseconds, 3),
            warnings=tuple(state["warnings"]),
        )

    async def _filled(self, merged: dict[Key, Row], state: RagState) -> list[Row]:
        """Add what the same search finds beyond its caps; deeper while there are too few rows and more is found."""
        rows, reached, searches = merged, -1, state["searches"]
        attempts = range(1, ATTEMPTS + 1) if searches and self._searches_law else ()
        for depth in (self._profile.search.caps.prefetch * DEEPER**attempt for attempt in attempts):
            candidates, _ = await self._search.run(
                searches,
                self._filter(state),
                collections=self._law_alone.collections,
                lexical_only=state["lexical_only"],
                caps=_caps(depth, len(searches)),
            )
            rows = _each_once([*merged.values(), *map(_filling_row, _of_laws(candidates))])
            if len(rows) >= MIN_ROWS or len(candidates) == reached:
                break
            reached = len(candidates)
        if len(rows) < MIN_ROWS and self._searches_law:
            # Words that no provision has find nothing: what the field is about stands in, so that no run lacks rows.
            rows = _each_once([*rows.values(), *map(_filling_row, _of_laws(await self._of_the_field(state)))])
        return list(rows.values())[: max(len(merged), MAX_ROWS)]

    def _filter(self, state: RagState) -> SearchFilter:
        return search_filter(state["analysis"], days_of(state).as_of, self._law_alone.territory)

    async def _of_the_field(self, state: RagState) -> list[Candidate]:
        """Return what a search for the title of the profile finds, its scores below 0."""
        title = [self._profile.title]
        where = self._filter(state)
        candidates, _ = await self._search.run(title, where, collections=self._law_alone.collections)
        return [{**candidate, "score": candidate["score"] - 1} for candidate in candidates]


def _caps(depth: int, searches: int) -> Caps:
    """Return caps that let everything through down to a depth, which may be beyond what a profile can have."""
    return Caps.model_construct(prefetch=depth, per_collection=depth, per_query=depth, overall=depth * searches)


def _of_laws(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    return (candidate for candidate in candidates if candidate["chunk"]["collection"] == LAW)


def _each_once(rows: Iterable[Row]) -> dict[Key, Row]:
    """Keep each provision at its best place."""
    kept: dict[Key, Row] = {}
    for row in rows:
        kept.setdefault(key_of(row.provision), row)
    return kept


def _row(candidate: Candidate) -> Row:
    above = RERANKED if "rerank_score" in candidate else MERGED
    return _row_of(candidate, above + relevance(candidate), tuple(candidate["origins"]))


def _filling_row(candidate: Candidate) -> Row:
    return _row_of(candidate, FILLED + candidate["score"], ("fill",))


def _row_of(candidate: Candidate, score: float, origins: tuple[Origin | Literal["fill"], ...]) -> Row:
    chunk = candidate["chunk"]
    return Row(make_provision(chunk["law_id"], chunk["provision"]), round(score, 6), chunk["law_name"], origins)
