"""Reply without a model: decline, ask back, offer the nearest needs, or answer thanks."""

import asyncio
import logging
import math
from collections.abc import Callable, Mapping, Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.config.profile import Profile
from articulado.encoders.phrasings import Phrasings
from articulado.guides.card_answers import is_for, regimes_named
from articulado.guides.cards import Card, card_of
from articulado.guides.translations import CardInLanguage, translated
from articulado.language.languages import Language, in_spanish
from articulado.language.sentences import sentences
from articulado.language.translation import DEFAULT_LANGUAGE
from articulado.legal.validity import in_force
from articulado.prompting.abstention import declined, excerpt, near_text, question_back
from articulado.prompting.outgoing_links import source_addresses, without_foreign_links
from articulado.retrieval.fusion import candidate, nearest, preference
from articulado.retrieval.ranking.cards import CardReader
from articulado.store.records.chunks import record_questions
from articulado.values.answers import AnswerOutcome, CaseGuide, NearestNeed, StoreName, whole_text
from articulado.values.chunks import CARDS, Candidate, Chunk, is_card
from articulado.values.errors import ConfigurationError, ModelError
from articulado.values.protocols import ChunkStore
from nodes.turn import (
    declined_question,
    is_in_other_language,
    is_translated,
    language_of_turn,
    question_to_score,
)
from state.context import ResolvedContext
from state.rag import RagState
from state.run import days_of

_log = logging.getLogger(__name__)

MAX_NEAREST = 3
MAX_LINE = 200
MIN_MEANING = 0.2  # Minimum cosine of a similar need
Likeness = Callable[[Sequence[str]], Sequence[float]]  # Similarity of each text to the question; ≤ 0: unrelated


class AbstainUpdate(TypedDict):
    """Text in place of an answer, with the numbered choices and the candidates that it shows."""

    answer: str
    choices: list[NearestNeed]
    guides: list[CaseGuide]
    outcome: AnswerOutcome
    abstained: bool
    context: list[Candidate]


async def abstain(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    stores: Mapping[StoreName, ChunkStore],
    profile: Profile,
    language: Language,
    phrasings: Phrasings | None = None,
    cards: CardReader | None = None,
) -> AbstainUpdate:
    """Write the reply. Reads ``outcome``, ``candidates``, ``dated_values``, ``question``, ``queries``, ``matter``."""
    of_index, language = language, language_of_turn(state, language)
    spoken_throughout = True
    outcome: AnswerOutcome = "decline"
    shown: list[Candidate] = []
    choices: list[NearestNeed] = []
    if state["turn_question"]["kind"] == "courtesy":
        text, outcome = language.translate("courtesy"), "answer"
    elif state["outcome"] == "near":
        outcome, near = "near", await _nearest_cards(state, stores[state["store"]], cards)
        spoken = [translated(card, language.code) for card, _ in near]
        choices = [_choice_of(number, *each) for number, each in enumerate(zip(near, spoken, strict=True), start=1)]
        shown = [source for _, source in near]
        spoken_throughout = bool(spoken) and None not in spoken
        if not choices:
            shown = nearest(state["candidates"], MAX_NEAREST)
            choices = nearest_needs(_likeness(state, of_index, phrasings), shown)
        text = without_foreign_links(
            near_text(choices, language), source_addresses(shown), language.translate("rag_link_left_out")
        )
    elif state["outcome"] == "ask" or _says_nothing(state, language):
        outcome, text = "ask", question_back(state["question"], language)
    elif lacking := [each["chunk"]["text"] for each in state["dated_values"] if each.get("purpose") == "caveat"]:
        text = " ".join([f"{language.translate('no_verified_information')}.", *lacking])
    else:
        missing = " ".join(state["turn_question"]["missing"])
        text = f"{missing}\n\n".lstrip() + declined(declined_question(state), profile, language)
    if of_index.code == DEFAULT_LANGUAGE and (line := _in_spanish(state, language, spoken_throughout)):
        text = f"{line}\n\n{text}"
    runtime.stream_writer({"type": "token", "text": text})
    abstained = outcome != "answer"
    return {
        "answer": text,
        "choices": choices,
        "guides": [],
        "outcome": outcome,
        "abstained": abstained,
        "context": shown,
    }


def _in_spanish(state: RagState, language: Language, spoken_throughout: bool) -> str:
    """Return the notice, in the question's language, that the text is in Spanish; empty if not needed."""
    asked = state["turn_question"]["language"]
    return in_spanish(asked) if asked and (asked != language.code or not spoken_throughout) else ""


def _says_nothing(state: RagState, language: Language) -> bool:
    unsearchable = not language.content_words(whole_text(state["turn_question"]))
    return unsearchable and not state["candidates"] and not state["turn_question"]["provisions"]


async def _nearest_cards(state: RagState, store: ChunkStore, reader: CardReader | None) -> list[tuple[Card, Candidate]]:
    ranked = sorted((each for each in state["candidates"] if is_card(each["chunk"])), key=preference)
    if meant := state["turn_question"]["meant"]:
        of_needs = await asyncio.gather(*(store.find(CARDS, id_) for id_ in meant))
        ranked = [candidate(chunk, 0.0, "card") for chunks in of_needs for chunk in chunks]
    elif reader:
        asked = await asyncio.to_thread(reader.asked, whole_text(question_to_score(state)))
        ranked = sorted(ranked, key=lambda each: -asked.get(each["chunk"]["provision_key"], -math.inf))
    regimes = regimes_named(whole_text(state["turn_question"]))
    cards = [card for card in (card_of(each["chunk"]) for each in ranked) if is_for(card, regimes)][:MAX_NEAREST]
    provisions = await asyncio.gather(*(store.find(*card.answer.pins[0].ref) for card in cards))
    of_day = ([part for part in parts if in_force(part, *days_of(state))] for parts in provisions)
    return [
        (card, candidate(parts[0], 0.0, "card", card.id)) for card, parts in zip(cards, of_day, strict=True) if parts
    ]


def _choice_of(number: int, near: tuple[Card, Candidate], spoken: CardInLanguage | None) -> NearestNeed:
    """Return the choice of a card; its ``question`` stays in the language of the index, which finds the card."""
    card, bearing = near
    shown = spoken.card if spoken else card
    return _choice(number, shown.need, shown.answer.text, card.need, bearing["chunk"])


def _choice(number: int, need: str, answer: str, question: str, chunk: Chunk) -> NearestNeed:
    return {
        "number": number,
        "need": need,
        "answer": answer,
        "question": question,
        "law_id": chunk["law_id"],
        "law": chunk["law_name"],
        "provision": chunk["provision"],
        "provision_key": chunk["provision_key"],
        "title": chunk["title"],
        "url": chunk["url"],
    }


def nearest_needs(alike: Likeness, candidates: Sequence[Candidate]) -> list[NearestNeed]:
    """Return a choice per candidate, numbered from 1, with the most similar question of the provision's record."""

    def choice_of(number: int, chunk: Chunk) -> NearestNeed:
        need, share = _most_alike(alike, record_questions(chunk))
        need = need if share > 0 else chunk["title"] or chunk["provision"]
        need = f"{need[:1].upper()}{need[1:]}"
        place = [name for name in (chunk["provision"], chunk["law_name"]) if name != need]
        lines = sentences(excerpt(chunk)) or [""]
        question = f"{need} ({', '.join(place)})" if place else need
        return _choice(number, need, _shortened(_most_alike(alike, lines)[0]), question, chunk)

    return [choice_of(number, candidate["chunk"]) for number, candidate in enumerate(candidates, start=1)]


def _likeness(state: RagState, language: Language, phrasings: Phrasings | None) -> Likeness:
    """Return the similarity to the question: cosine of embeddings with an encoder, else shared stems."""
    if phrasings is None:
        return _by_stems(state, language)

    def by_meaning(texts: Sequence[str]) -> Sequence[float]:
        try:
            vectors = phrasings.vectors_of([whole_text(question_to_score(state)), *texts])
        except (ConfigurationError, ModelError) as error:
            _log.warning("%s", error)
            return _by_stems(state, language)(texts)
        return [float(cosine) - MIN_MEANING for cosine in vectors[1:] @ vectors[0]]

    return by_meaning


def _by_stems(state: RagState, language: Language) -> Likeness:
    """Return the Jaccard index of the stems; 0 for a question in another language without translation."""
    is_foreign = is_in_other_language(state) and not is_translated(state)
    asked = frozenset() if is_foreign else frozenset(language.stems(whole_text(question_to_score(state))))

    def by_stems(texts: Sequence[str]) -> Sequence[float]:
        each = [frozenset(language.stems(text)) for text in texts]
        return [len(asked & stems) / max(1, len(asked | stems)) for stems in each]

    return by_stems


def _most_alike(alike: Likeness, texts: Sequence[str]) -> tuple[str, float]:
    return max(zip(texts, alike(texts), strict=True), key=lambda pair: pair[1]) if texts else ("", 0.0)


def _shortened(line: str) -> str:
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE].rsplit(' ', 1)[0]} […]"
