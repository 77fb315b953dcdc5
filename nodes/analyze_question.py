"""Read off the question what needs no model: named provisions, dates, territory, acronyms; open the turn."""

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import date, timedelta

from langgraph.runtime import Runtime

from legal.acronyms import find_acronyms
from legal.citation_owners import CitationContext
from legal.citations import parse_citations
from legal.dates import find_date
from legal.laws import law_mentions
from legal.registry import known_laws
from legal.territory import find_place
from nodes.candidates import NAMED_SCORE, candidate, merged
from nodes.inputs import check_options, checked_history, checked_question
from nodes.wordings import told_apart
from services.profile import Profile
from services.protocols import ChunkStore
from services.question import matter_of
from services.store.layout import parts_in_order
from services.text import content_words
from state.chunks import Candidate, Chunk, in_force, provision_of
from state.context import ResolvedContext
from state.rag import RagState
from state.turn import Turn, fresh_turn
from state.values import Analysis, Message, NamedProvision

MAX_DIRECT_PROVISIONS = 8
# "¿Qué dice el artículo 38 del ET?" has no more words of its own than these.
MAX_LOOKUP_WORDS = 2


class AnalyzeQuestionUpdate(Turn):
    """A fresh turn, and what the question says."""

    question: str
    turn: int
    deadline: float
    rag_enabled: bool
    analysis: Analysis


async def analyze_question(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    store: ChunkStore,
    profile: Profile,
    seconds: float,
    clock: Callable[[], float] = time.time,
) -> AnalyzeQuestionUpdate:
    """Reset the turn, check what the caller sent, and look up the provisions that the question names.

    ``seconds`` is what all model calls of the question may take together. Provisions named are candidates of their own
    with score 1.0; those that the index does not have, or not of the day asked about, are told in a warning.

    Raises:
        InvalidInput: the question, the history or an option cannot be used.
    """
    check_options(runtime.context, profile)
    question = checked_question(state.get("question"))
    history = state.get("history")
    conversation = checked_history(history) if history is not None else state.get("transcript", [])
    today = date.fromtimestamp(clock())
    analysis = read_question(question, conversation, profile.default_law, today, runtime.context.as_of)
    as_of = date.fromisoformat(analysis["as_of"]) if analysis["as_of"] else None
    rag_enabled = runtime.context.rag_enabled
    direct = await look_up(analysis["provisions"], store, as_of, today) if rag_enabled else []
    found = {provision_of(one["chunk"]): one["chunk"] for one in direct}
    missing = [one for one in analysis["provisions"] if (one["law_id"], one["provision_key"]) not in found]
    others = [chunk for chunk in found.values() if not in_force(chunk, as_of, today)]
    warnings = [*map(not_held, missing), *(not_in_force(chunk, as_of, today) for chunk in others)]
    return {
        **fresh_turn(),
        "question": question,
        "turn": state.get("turn", 0) + 1,
        "deadline": clock() + seconds,
        "rag_enabled": rag_enabled,
        "analysis": analysis,
        "direct": direct,
        "warnings": warnings if rag_enabled else [],
        "conversation": conversation,
    }


def read_question(
    question: str, conversation: Sequence[Message], default_law: str, today: date, as_of: date | None = None
) -> Analysis:
    """Return what the question names.

    An article without a law is of the law that the conversation spoke of last, else of ``default_law``. A law's name
    means the law of the day that is asked about; ``as_of`` of the caller goes before a date in the question.
    """
    day = as_of or find_date(question, today=today)
    place = find_place(question)
    citations = parse_citations(question, CitationContext(day=day))
    law = _law_spoken_of(conversation) or default_law
    named = [(one.law_id or ("" if one.law_named else law), one.provision_key) for one in citations]
    return {
        "provisions": [NamedProvision(law_id=law_id, provision_key=key) for law_id, key in dict.fromkeys(named)],
        "is_lookup": bool(named) and len(content_words(matter_of(question))) <= MAX_LOOKUP_WORDS,
        "acronyms": find_acronyms(question),
        "as_of": day.isoformat() if day else None,
        "territory": place.name if place else None,
    }


def _law_spoken_of(conversation: Sequence[Message]) -> str | None:
    """Return the law that the last message naming one names first."""
    for message in reversed(conversation):
        named = [mention.law_id for mention in law_mentions(message["content"]) if mention.law_id and not mention.weak]
        if named:
            return named[0]
    return None


async def look_up(
    provisions: Sequence[NamedProvision], store: ChunkStore, as_of: date | None, today: date
) -> list[Candidate]:
    """Fetch named provisions, all their parts: of several wordings the one of the day, else the nearest to it."""
    wanted = provisions[:MAX_DIRECT_PROVISIONS]
    found = await asyncio.gather(*(store.find(named["law_id"], named["provision_key"]) for named in wanted))
    return merged(
        candidate(
            told_apart(chunk, as_of) if as_of else chunk,
            NAMED_SCORE,
            "direct",
            f"{named['law_id']}#{chunk['provision']}",
        )
        for named, chunks in zip(wanted, found, strict=True)
        for chunk in ([chunk for chunk in chunks if in_force(chunk, as_of, today)] or _nearest(chunks, as_of or today))
    )


def _nearest(chunks: Sequence[Chunk], day: date) -> list[Chunk]:
    """Return the next wording after a day, else the last before it."""
    in_turn = parts_in_order(chunks, day)
    return [chunk for chunk in in_turn if chunk["valid_from"] == in_turn[0]["valid_from"]]


def not_held(named: NamedProvision) -> str:
    """Return the warning for a provision that was named and is not in the index."""
    law = known_laws().get(named["law_id"])
    where = f"del índice ({law.short})" if law else "de las normas del índice"
    kind, _, number = named["provision_key"].partition(":")
    label = f"artículo {number}" if kind == "art" else f"precepto nombrado ({number})"
    return f"El {label} no está entre los preceptos {where}."


def not_in_force(chunk: Chunk, as_of: date | None, today: date) -> str:
    """Return the warning for a provision that was named and has another wording than that of the day asked about."""
    day = as_of or today
    begins, ends = (date.fromisoformat(chunk[bound] or "9999-12-31") for bound in ("valid_from", "valid_to"))
    if chunk["valid_from"] and begins > day:
        instead = f"la que rige desde el {begins:%d/%m/%Y}"
    elif ends <= day:
        instead = f"la que rigió hasta el {ends - timedelta(days=1):%d/%m/%Y}"
    else:
        instead = "la última"
    when = f"el {as_of:%d/%m/%Y}" if as_of else "hoy"
    return f"{chunk['provision']} ({chunk['law_name']}): no consta ninguna redacción en vigor {when}; se usa {instead}."
