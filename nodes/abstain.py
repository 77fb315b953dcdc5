"""Say that the question is not answered, and what there is instead: the nearest provisions, or where to ask."""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from language.folding import fold
from language.languages import Language
from legal.vocabulary.matters import matters
from nodes.select_context import preference
from services.domain.question import is_courtesy, split_subject
from services.profile.profile import Profile
from services.prompting.citation_markers import defuse_markers, write_marker
from services.prompting.outgoing_links import source_addresses, without_foreign_links
from services.relevance.judge import UNDERSPECIFIED
from state.chunks import Candidate, Chunk, provision_of
from state.context import ResolvedContext
from state.rag import RagState
from state.values import AnswerOutcome

MAX_NEAREST = 2
"""How many provisions a question that is nearly answered is shown."""
MAX_EXCERPT = 60
"""Words of a provision that has no summary."""
MAX_SEARCH_CHARACTERS = 160
MAX_MATTER = 60
"""Characters of the field that the reader finds a question of."""
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
    outcome: AnswerOutcome = "decline"
    shown: list[Candidate] = []
    if is_courtesy(state["question"], language):
        text, outcome = language.say("courtesy"), "answer"
    elif state["outcome"] == "near":
        outcome, shown = "near", nearest(state["candidates"], MAX_NEAREST)
        text = without_foreign_links(_near(shown, language), source_addresses(shown), language.say("rag_link_left_out"))
    elif state["outcome"] == "ask" or _says_nothing(state, language):
        outcome, text = "ask", _question_back(state["question"], language)
    else:
        text = declined(state, runtime.context, profile, language)
    runtime.stream_writer({"type": "token", "text": text})
    return {"answer": text, "outcome": outcome, "abstained": outcome != "answer", "context": shown}


def _says_nothing(state: RagState, language: Language) -> bool:
    """Tell whether a question found nothing because it has no word of any topic ("¿me corresponde?")."""
    unsearchable = not language.content_words(state["contextualized_question"] or state["question"])
    return unsearchable and not state["candidates"] and not state["analysis"]["provisions"]


def declined(state: RagState, context: ResolvedContext, profile: Profile, language: Language) -> str:
    """Say in one sentence that there is no answer, what the matter seems to be and where it is answered, and why.

    The matter is the one that was learnt to be recognised, else the one that the reader names. Other words help only
    where there is none: no words make a question of another field one of this.
    """
    matter = matters().get(state["matter"]) if state["matter"] != UNDERSPECIFIED else None
    about = matter.about if matter else _as_the_reader_names_it(state, language)
    said = [f"{language.say('no_verified_information')}."]
    if about:
        said.append(language.say("rag_seems_law" if profile.features.spanish_law else "rag_seems", about=about))
    if matter and matter.where:
        said.append(matter.where)
    searched = what_was_searched(state, context, profile, language)
    advice = "rag_try_other_words_or_law" if profile.features.spanish_law else "rag_try_other_words"
    return f"{' '.join(said)}\n\n{searched if about else f'{searched} {language.say(advice)}'}"


def _as_the_reader_names_it(state: RagState, language: Language) -> str:
    named = _inert((state["other_matter"] or "")[:MAX_MATTER], language)
    return language.say("rag_other_matter", matter=named) if named else ""


def what_was_searched(state: RagState, context: ResolvedContext, profile: Profile, language: Language) -> str:
    """Say which searches were made, and where, in the language of the profile."""
    searches = ", ".join(map(language.quoted, _as_asked(state, language)))
    names = context.collections or profile.for_questions
    labels = ", ".join(collection.label for collection in profile.collections if collection.name in names)
    places = labels if state["store"] == "index" else language.say("rag_packaged_records")
    return language.say("rag_searched", searches=searches, places=places)


def _as_asked(state: RagState, language: Language) -> Sequence[str]:
    """Return the searches; one that is only what is left of the question is shown as the question.

    What looks like a marker in them points to nothing.
    """
    meant = state["contextualized_question"] or state["question"]
    question = " ".join(split_subject(meant, language)[0].split())
    own = set(language.content_words(meant))
    searches = [question if own >= set(language.content_words(query)) else query for query in state["queries"]]
    return [_cut(_inert(search, language)) for search in dict.fromkeys(searches or [question])]


def _inert(text: str, language: Language) -> str:
    """Return words of others as they may be quoted: without what would look like a marker, and without links."""
    return without_foreign_links(defuse_markers(text), (), language.say("rag_link_left_out"))


def _cut(search: str) -> str:
    if len(search) <= MAX_SEARCH_CHARACTERS:
        return search
    return f"{search[:MAX_SEARCH_CHARACTERS].rsplit(' ', 1)[0].rstrip(' ,.;:')} […]"


def nearest(candidates: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Return the first part of each of the best provisions, ``limit`` of them at most."""
    first: dict[tuple[str, str], Candidate] = {}
    for candidate in sorted(candidates, key=preference):
        first.setdefault(provision_of(candidate["chunk"]), candidate)
    return list(first.values())[:limit]


def listed(candidates: Sequence[Candidate]) -> str:
    """Return a list of provisions in short, each with its marker."""
    return "\n".join(
        f"- {_in_short(candidate['chunk'])} {write_marker(number)}"
        for number, candidate in enumerate(candidates, start=1)
    )


def _near(shown: Sequence[Candidate], language: Language) -> str:
    return "\n\n".join([language.say("rag_near"), listed(shown), language.say("rag_near_add")])


def _in_short(chunk: Chunk) -> str:
    # A bracket in its own text is no marker.
    return defuse_markers(f"{_heading(chunk)}: {_gist(chunk)}")


def _heading(chunk: Chunk) -> str:
    title = f" ({chunk['title']})" if chunk["title"] not in ("", chunk["provision"]) else ""
    return f"{chunk['law_name']}, {chunk['provision']}{title}"


def _gist(chunk: Chunk) -> str:
    """Return the plain-language summary of a provision, else how its text begins."""
    if chunk["summary"]:
        return chunk["summary"]
    words = chunk["text"].split()
    return " ".join(words) if len(words) <= MAX_EXCERPT else f"{' '.join(words[:MAX_EXCERPT])} […]"


def _question_back(question: str, language: Language) -> str:
    """Ask for the two or three data that an answer needs, by what is asked for."""
    folded, asked = fold(question), language.query_patterns.asked
    kind = next((kind for kind in ASKED_BACK if asked[kind].question.search(folded)), "any")
    return language.say(f"rag_ask_{ASKED_BACK.get(kind, kind)}")
