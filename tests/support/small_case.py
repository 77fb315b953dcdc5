"""The real case graphs over an article of four chunks, with made-up scores."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Any

from fastapi import FastAPI
from support.doubles import FakeStore, FixedMatcher, FixedReranker, QueueChat, make_chunk, make_services
from support.reference_search import passes
from support.small_graph import Hang

from articulado.cases.guides import article_guides
from articulado.cases.matching import Match
from articulado.config.profile import Profile, load_profile
from articulado.config.settings import ModelSettings, Settings
from articulado.language.languages import language
from articulado.legal.domain.base import PlainDomain
from articulado.values.answers import Message
from articulado.values.chunks import Chunk
from articulado.values.protocols import Hit, HybridQuery, S, SearchFilter, Structured
from graph.open_graphs import OpenGraphs
from graph.services import Services
from server.app import app_over

ARTICLE = "lt-trust-loan"
TITLE = "Loans from an LT Trust account"
FRAME = "A participant may borrow up to half of the vested balance."
STEPS = ["Fill in Form LT-310.", "Send it to LT Trust."]
RELEVANT = 0.8
"""Cosine and rerank score of every chunk: so is their mean, the raw confidence without a bonus."""

SURE, ALIEN = 50.0, -50.0
"""Log odds of an inquiry that is beyond doubt of an article, and of one that is of no article."""


def field(name: str, group: str, data_type: str, *, required: bool) -> dict[str, Any]:
    return {
        "field": name,
        "group": group,
        "description": f"The {name}",
        "why_needed": "It decides",
        "data_type": data_type,
        "required": required,
        "aliases": [],
    }


def part(number: int, chunk_type: str, tier: str, text: str, **details: Any) -> Chunk:
    return make_chunk(
        number,
        collection="articles",
        law_id=ARTICLE,
        law_name=TITLE,
        title=f"Part {number}",
        text=text,
        part=number,
        parts=4,
        chunk_type=chunk_type,
        tier=tier,
        topic="loan",
        attributes={"record_keeper": "LT Trust", "plan_type": "401(k)"},
        valid_from=None,
        url="",
        details={"article_title": TITLE, **details},
    )


FIELDS = [
    field("vested_balance", "plan_data", "currency", required=True),
    field("birth_date", "participant_data", "date", required=False),
]
RULES = [{"when": {"field": "vested_balance", "below": 2000}, "decision": "out_of_scope", "because": "Too little"}]
GUARDS = [{"id": "no-promise", "rule": "Do not promise approval", "violated_by": ["will be approved"]}]
CHUNKS = [
    part(1, "required_data", "CRITICAL", "Collect the vested balance and the birth date.", fields=FIELDS),
    part(2, "decision_guide", "CRITICAL", "Below 2,000 dollars there is no loan.", rules=RULES, guards=GUARDS),
    part(3, "response_frames", "CRITICAL", FRAME, frames=[{"topic": "Amount", "text": FRAME}]),
    part(4, "steps", "HIGH", " ".join(STEPS), steps=STEPS),
]


class SmallBase(FakeStore):
    """Finds every chunk that passes the filter, all equally alike, but for those that its search misses."""

    def __init__(self, similarity: float, chunks: Sequence[Chunk] = CHUNKS, missed: Sequence[int] = ()) -> None:
        super().__init__(chunks)
        self.similarity = similarity
        self.missed = missed

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        passing = [chunk for chunk in self.chunks.values() if passes(chunk, where, date.today())]
        found = [chunk for chunk in passing if chunk["id"] not in self.missed]
        return [[Hit(chunk, 0.9, self.similarity) for chunk in found] for _ in queries]


class HangingChat(QueueChat):
    """A model whose answer never comes."""

    def __init__(self, hang: Hang) -> None:
        super().__init__("")
        self.hang = hang

    async def structured(
        self,
        system: str,
        messages: Sequence[Message],
        schema: type[S],
        *,
        max_tokens: int | None = None,
        deadline: float | None = None,
    ) -> Structured[S]:
        await self.hang.forever()
        raise AssertionError("the wait has ended by itself")


def log_odds_of(confidence: float) -> float:
    """Return the log odds of the only match of a case that has a confidence."""
    return math.log(confidence / (1 - confidence))


def matching(chunks: Iterable[Chunk], profile: Profile, log_odds: Mapping[str, float]) -> FixedMatcher:
    """Match every inquiry with the articles of some chunks; one that ``log_odds`` does not name is of no inquiry."""
    guides = article_guides(chunks, profile)
    return FixedMatcher([Match(guide, log_odds.get(guide.article_id, ALIEN)) for guide in guides])


def case_services(
    principal: QueueChat | None = None,
    *,
    base: SmallBase,
    least: int = 40,
    scores: Mapping[int, float] | None = None,
    log_odds: Mapping[str, float] = MappingProxyType({ARTICLE: SURE}),
) -> Services:
    """Return the services of the profile ``plan_401k``; cases are written by ``principal``, else by the offline author.

    ``least`` is the least context, in characters, that a case is answered from; ``scores`` are those of reranking,
    ``log_odds`` those of the match of each article.
    """
    profile = load_profile("plan_401k")
    profile = profile.model_copy(update={"case": profile.case.model_copy(update={"min_context_tokens": least})})
    model = ModelSettings(provider="openai", model="m") if principal else ModelSettings()
    return make_services(
        base,
        None,
        principal or QueueChat(""),
        settings=Settings.read(env_file=None, profile="plan_401k", principal=model),
        profile=profile,
        domain=PlainDomain(language("en")),
        matcher=matching(base.chunks.values(), profile, log_odds),
        rerankers={"heuristic": FixedReranker({**dict.fromkeys(base.chunks, RELEVANT), **(scores or {})})},
    )


def case_app(
    principal: QueueChat | None = None, *, log_odds: float = SURE, least: int = 40, playground: bool = False
) -> FastAPI:
    """Serve the graphs over ``case_services``; ``log_odds`` are those of its article."""
    services = case_services(principal, base=SmallBase(RELEVANT), least=least, log_odds={ARTICLE: log_odds})
    return app_over(OpenGraphs.over(services), playground=playground)
