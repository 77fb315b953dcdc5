"""Decline the question and show an alternative: the nearest provisions, or a body to ask.

No model is called. The stage also replies to thanks and farewells. A question that says too little is
answered with a request for the missing data.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.config.profile import Profile
from articulado.language.folding import fold
from articulado.language.languages import Language
from articulado.legal.domain.spanish_law import is_courtesy
from articulado.prompting.abstention import declined, listed
from articulado.prompting.outgoing_links import source_addresses, without_foreign_links
from articulado.retrieval.fusion import nearest
from articulado.values.answers import AnswerOutcome
from articulado.values.chunks import Candidate
from nodes.turn import declined_question, language_of_turn
from state.context import ResolvedContext
from state.rag import RagState

MAX_NEAREST = 3
"""How many provisions a question that is nearly answered is shown, to choose from."""
ASKED_BACK = {"amount": "amount", "deadline": "time", "duration": "time"}
"""What is asked back by what is asked for."""


class AbstainUpdate(TypedDict):
    """The text in place of an answer; ``context`` is what it shows, each cited once."""

    answer: str
    outcome: AnswerOutcome
    abstained: bool
    context: list[Candidate]


async def abstain(
    state: RagState, runtime: Runtime[ResolvedContext], *, profile: Profile, language: Language
) -> AbstainUpdate:
    """Write what there is to say without any model."""
    language = language_of_turn(state, language)
    outcome: AnswerOutcome = "decline"
    shown: list[Candidate] = []
    if is_courtesy(state["question"], language):
        text, outcome = language.translate("courtesy"), "answer"
    elif state["outcome"] == "near":
        outcome, shown = "near", nearest(state["candidates"], MAX_NEAREST)
        text = without_foreign_links(
            _near(shown, language), source_addresses(shown), language.translate("rag_link_left_out")
        )
    elif state["outcome"] == "ask" or _says_nothing(state, language):
        outcome, text = "ask", _question_back(state["question"], language)
    else:
        text = declined(declined_question(state), profile, language)
    runtime.stream_writer({"type": "token", "text": text})
    return {"answer": text, "outcome": outcome, "abstained": outcome != "answer", "context": shown}


def _says_nothing(state: RagState, language: Language) -> bool:
    """Tell whether a question found nothing because it has no word of any topic ("¿me corresponde?")."""
    unsearchable = not language.content_words(state["contextualized_question"] or state["question"])
    return unsearchable and not state["candidates"] and not state["analysis"]["provisions"]


def _near(shown: Sequence[Candidate], language: Language) -> str:
    return "\n\n".join(
        [language.translate("rag_near"), listed(shown, numbered=True), language.translate("rag_near_add")]
    )


def _question_back(question: str, language: Language) -> str:
    """Ask for the two or three data that an answer needs, by what is asked for."""
    folded, asked = fold(question), language.query_patterns.asked
    kind = next((kind for kind in ASKED_BACK if asked[kind].question.search(folded)), "any")
    return language.translate(f"rag_ask_{ASKED_BACK.get(kind, kind)}")
