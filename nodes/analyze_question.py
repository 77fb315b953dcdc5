"""Read off the question what needs no model: named provisions, dates, territory, acronyms; open the turn."""

import asyncio
import time
import unicodedata
from collections.abc import Callable
from datetime import date

from langgraph.runtime import Runtime

from legal.acronyms import find_acronyms
from legal.citation_owners import CitationContext
from legal.citations import parse_citations
from legal.dates import find_date
from legal.territory import find_territory
from nodes.candidates import candidate, merged
from services.errors import InvalidInput
from services.profile import Profile
from services.protocols import ChunkStore
from state.chunks import Candidate
from state.context import ResolvedContext
from state.rag import RagState
from state.turn import Turn, fresh_turn
from state.values import Analysis, Message, NamedProvision

MAX_QUESTION_CHARACTERS = 4_000
DIRECT_SCORE = 1.0
MAX_DIRECT_PROVISIONS = 8
ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant"}


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
    """Reset the turn, check the question, and look up the provisions that it names.

    ``seconds`` is what all model calls of the question may take together. Provisions named are candidates of
    their own with score 1.0.

    Raises:
        InvalidInput: the question is empty, too long or no text; the history is malformed.
    """
    question = checked_question(state.get("question"))
    analysis = read_question(question, profile.default_law, date.fromtimestamp(clock()))
    direct: list[Candidate] = []
    if runtime.context.rag_enabled:
        direct = await look_up(analysis["provisions"], store)
    history = state.get("history")
    return {
        **fresh_turn(),
        "question": question,
        "turn": state.get("turn", 0) + 1,
        "deadline": clock() + seconds,
        "rag_enabled": runtime.context.rag_enabled,
        "analysis": analysis,
        "direct": direct,
        "conversation": checked_history(history) if history is not None else state.get("transcript", []),
    }


def checked_question(question: object) -> str:
    """Return the question without surrounding white space.

    Raises:
        InvalidInput: it is empty, too long or no text.
    """
    if not isinstance(question, str) or not question.strip():
        raise InvalidInput(
            "La pregunta está vacía. Escriba qué quiere saber, por ejemplo: ¿cuántos días de vacaciones tengo?"
        )
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise InvalidInput(
            f"La pregunta tiene {len(question)} caracteres y el máximo es {MAX_QUESTION_CHARACTERS}. "
            "Resúmala o divídala en varias preguntas."
        )
    # Composed, so that an accent typed as a letter and a mark is the accent that the law has.
    return unicodedata.normalize("NFC", question).strip()


def checked_history(history: object) -> list[Message]:
    """Return the history as messages.

    Raises:
        InvalidInput: it is not a list of messages with role and content.
    """
    if not isinstance(history, list):
        raise InvalidInput('El historial («history») debe ser una lista de mensajes {"role", "content"}.')
    messages: list[Message] = []
    for number, message in enumerate(history, start=1):
        role = ROLES.get(message.get("role", "")) if isinstance(message, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if role is None or not isinstance(content, str):
            raise InvalidInput(
                f"El mensaje {number} del historial no es válido: "
                "cada uno lleva «role» (user o assistant) y «content» (texto)."
            )
        messages.append({"role": role, "content": content})  # type: ignore[typeddict-item]
    return messages


def read_question(question: str, default_law: str, today: date) -> Analysis:
    """Return what the question names; an article without a law is of ``default_law``."""
    named = [
        NamedProvision(law_id=found.law_id or default_law, provision_key=found.provision_key)
        for found in parse_citations(question, CitationContext())
        if found.law_id or not found.law_named
    ]
    as_of = find_date(question, today=today)
    return {
        "provisions": [dict(pair) for pair in dict.fromkeys(tuple(found.items()) for found in named)],  # type: ignore[misc]
        "acronyms": find_acronyms(question),
        "as_of": as_of.isoformat() if as_of else None,
        "territory": find_territory(question),
    }


async def look_up(provisions: list[NamedProvision], store: ChunkStore) -> list[Candidate]:
    """Fetch named provisions, all their parts."""
    wanted = provisions[:MAX_DIRECT_PROVISIONS]
    found = await asyncio.gather(*(store.find(named["law_id"], named["provision_key"]) for named in wanted))
    return merged(
        candidate(chunk, DIRECT_SCORE, "direct", f"{named['law_id']}#{chunk['provision']}")
        for named, chunks in zip(wanted, found, strict=True)
        for chunk in chunks
    )
