"""Turn the question into keyword searches with the reader model."""

import json
import re
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from services.domain.base import Domain
from services.domain.question import searched_topic
from services.prompting.prompts import Prompts
from services.protocols import ChatModel
from state.context import ResolvedContext
from state.errors import ModelError
from state.rag import RagState
from state.values import Cost, Message, cost_of, cost_of_failure

MAX_QUERIES = 4
MAX_FOLLOWUP_QUERIES = 3
HISTORY_MESSAGES = 4
HISTORY_CHARACTERS = 200
MAX_QUERY_CHARACTERS = 300

_FENCE = re.compile(r"^\s*```[a-zA-Z]*\s*|\s*```\s*$")
_ARRAY = re.compile(r"\[.*\]", re.DOTALL)


class DecomposeUpdate(TypedDict):
    """What the reader makes of the question, what is searched for, and a warning where the reader failed."""

    queries: list[str]
    searches: list[str]
    warnings: NotRequired[list[str]]
    cost: NotRequired[Cost]


async def decompose(
    state: RagState, runtime: Runtime[ResolvedContext], *, reader: ChatModel, prompts: Prompts, domain: Domain
) -> DecomposeUpdate:
    """Ask for searches; a reader that is down or talks nonsense costs quality, never the answer."""
    question, carried = state["contextualized_question"], bool(state.get("carried"))
    recent: list[Message] = [
        {"role": message["role"], "content": message["content"][:HISTORY_CHARACTERS]}
        for message in state["conversation"][-HISTORY_MESSAGES:]
    ]
    system = prompts["decompose_followup" if carried else "decompose"]
    try:
        reply = await reader.complete(
            system, [*recent, {"role": "user", "content": question}], deadline=state.get("deadline")
        )
    except ModelError as error:
        return {
            "queries": [question],
            "searches": searches_of(state, [question], domain),
            "warnings": [*state["warnings"], domain.language.say("rag_searched_as_asked", problem=error)],
            "cost": cost_of_failure(error),
        }
    queries = parse_queries(reply.text, MAX_FOLLOWUP_QUERIES if carried else MAX_QUERIES)
    if not queries and not carried:
        queries = [question]
    return {"queries": queries, "searches": searches_of(state, queries, domain), "cost": cost_of(reply)}


def parse_queries(text: str, limit: int) -> list[str]:
    r"""Read a JSON array of searches.

    Code fences and talk around the array are stripped, whatever is no text is dropped, more than ``limit`` are cut.
    Without a valid array the text itself is the one search.

    >>> parse_queries('```json\n["despido embarazo", "nulidad despido", "readmisión"]\n```', limit=2)
    ['despido embarazo', 'nulidad despido']
    >>> parse_queries("despido por embarazo", limit=4)
    ['despido por embarazo']
    """
    bare = _FENCE.sub("", text).strip()
    for attempt in (bare, *(_ARRAY.findall(bare)[:1])):
        try:
            parsed = json.loads(attempt)
        except (ValueError, RecursionError):
            continue
        if isinstance(parsed, list):
            texts = [" ".join(item.split())[:MAX_QUERY_CHARACTERS] for item in parsed if isinstance(item, str)]
            return list(dict.fromkeys(item for item in texts if item))[:limit]
    return [" ".join(bare.split())[:MAX_QUERY_CHARACTERS]] if bare else []


def searches_of(state: RagState, queries: list[str], domain: Domain) -> list[str]:
    """Return the searches to make: those of the reader, and beside them a first question as it was asked.

    Keywords lose what the encoders have learnt of how people ask (docs/retrieval.md). A follow-up says too little by
    itself, and a search that has all of the question's words makes it superfluous.
    """
    topic = searched_topic(state["question"], domain)
    topic_stems = set(domain.stems(topic))
    if state.get("carried") or not queries or any(topic_stems <= set(domain.stems(query)) for query in queries):
        return queries
    return [*queries, topic]
