"""Decline the question and show an alternative: the nearest provisions, or a body to ask.

No model is called. The stage also replies to thanks and farewells. A question that says too little is
answered with a request for the missing data.
"""

from collections.abc import Iterable, Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.config.profile import Profile
from articulado.language.folding import fold
from articulado.language.languages import Language
from articulado.language.spanish import sentences
from articulado.legal.domain.spanish_law import is_courtesy
from articulado.prompting.abstention import declined, excerpt
from articulado.prompting.citation_markers import defuse_markers, write_marker
from articulado.prompting.outgoing_links import source_addresses, without_foreign_links
from articulado.retrieval.fusion import nearest
from articulado.store.records.chunks import record_questions
from articulado.values.answers import AnswerOutcome, NearestNeed
from articulado.values.chunks import Candidate, Chunk
from nodes.turn import (
    declined_question,
    is_in_other_language,
    is_translated,
    language_of_turn,
    question_to_score,
)
from state.context import ResolvedContext
from state.rag import RagState

MAX_NEAREST = 3
"""Choices of a question that the program is unsure about."""
MAX_LINE = 200
"""Characters of the answer to a need."""
ASKED_BACK = {"amount": "amount", "deadline": "time", "duration": "time"}
"""What is asked back by what is asked for."""


class AbstainUpdate(TypedDict):
    """The text in place of an answer; ``context`` has the candidates that it shows, each cited once.

    ``choices`` are the needs that the text numbers.
    """

    answer: str
    choices: list[NearestNeed]
    outcome: AnswerOutcome
    abstained: bool
    context: list[Candidate]


async def abstain(
    state: RagState, runtime: Runtime[ResolvedContext], *, profile: Profile, language: Language
) -> AbstainUpdate:
    """Write what there is to say without any model."""
    of_index, language = language, language_of_turn(state, language)
    outcome: AnswerOutcome = "decline"
    shown: list[Candidate] = []
    choices: list[NearestNeed] = []
    if is_courtesy(state["question"], language):
        text, outcome = language.translate("courtesy"), "answer"
    elif state["outcome"] == "near":
        outcome, shown = "near", nearest(state["candidates"], MAX_NEAREST)
        # Words of another language are like those of the index by accident alone.
        is_foreign = is_in_other_language(state) and not is_translated(state)
        choices = nearest_needs("" if is_foreign else question_to_score(state), shown, of_index)
        text = without_foreign_links(
            _near(choices, language), source_addresses(shown), language.translate("rag_link_left_out")
        )
    elif state["outcome"] == "ask" or _says_nothing(state, language):
        outcome, text = "ask", _question_back(state["question"], language)
    else:
        text = declined(declined_question(state), profile, language)
    runtime.stream_writer({"type": "token", "text": text})
    abstained = outcome != "answer"
    return {"answer": text, "choices": choices, "outcome": outcome, "abstained": abstained, "context": shown}


def _says_nothing(state: RagState, language: Language) -> bool:
    """Tell whether a question found nothing because it has no word of any topic ("¿me corresponde?")."""
    unsearchable = not language.content_words(state["contextualized_question"] or state["question"])
    return unsearchable and not state["candidates"] and not state["analysis"]["provisions"]


def nearest_needs(question: str, candidates: Sequence[Candidate], language: Language) -> list[NearestNeed]:
    """Return a choice for each candidate, numbered from 1.

    The need is the question of the provision's packaged record that is most like ``question``: by the share of the
    stems of both that they have in common, the first of equals. Without a common stem it is the provision's title.
    ``language`` is that of the texts of the index.
    """
    asked = frozenset(language.stems(question))

    def choice(number: int, chunk: Chunk) -> NearestNeed:
        need = _most_alike(asked, record_questions(chunk), language) or chunk["title"] or chunk["provision"]
        need = f"{need[:1].upper()}{need[1:]}"
        place = [name for name in (chunk["provision"], chunk["law_name"]) if name != need]
        lines = sentences(excerpt(chunk)) or [""]
        answer = _most_alike(asked, lines, language) or _most_alike(frozenset(language.stems(need)), lines, language)
        return {
            "number": number,
            "need": need,
            "answer": _shortened(answer or lines[0]),
            "question": f"{need} ({', '.join(place)})" if place else need,
            "law_id": chunk["law_id"],
            "law": chunk["law_name"],
            "provision": chunk["provision"],
            "provision_key": chunk["provision_key"],
            "title": chunk["title"],
            "url": chunk["url"],
        }

    return [choice(number, candidate["chunk"]) for number, candidate in enumerate(candidates, start=1)]


def _most_alike(asked: frozenset[str], texts: Iterable[str], language: Language) -> str:
    """Return the text with the most stems in common with those asked (Jaccard index), "" if no text has one."""

    def alike(text: str) -> float:
        stems = set(language.stems(text))
        return len(asked & stems) / max(1, len(asked | stems))

    best = max(texts, key=alike, default="")
    return best if alike(best) else ""


def _shortened(line: str) -> str:
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE].rsplit(' ', 1)[0]} […]"


def _near(choices: Sequence[NearestNeed], language: Language) -> str:
    # A bracket in the text of a provision is no marker.
    lines = [
        defuse_markers(f"{each['number']}. {each['question']}: {each['answer']}") + f" {write_marker(each['number'])}"
        for each in choices
    ]
    return "\n\n".join([language.translate("rag_near"), "\n".join(lines), language.translate("rag_near_add")])


def _question_back(question: str, language: Language) -> str:
    """Ask for the two or three data that an answer needs, by what is asked for."""
    folded, asked = fold(question), language.query_patterns.asked
    kind = next((kind for kind in ASKED_BACK if asked[kind].question.search(folded)), "any")
    return language.translate(f"rag_ask_{ASKED_BACK.get(kind, kind)}")
