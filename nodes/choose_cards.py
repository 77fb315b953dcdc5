"""Choose the answer cards of a question: at most two, the second only for a second need."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.answering.rating import stems_and_numbers
from articulado.calculations.parameters import asks_for_value_alone, caveat
from articulado.calculations.written import Worked
from articulado.cases.rules import stated_data
from articulado.encoders.phrasings import Phrasings
from articulado.guides.card_answers import (
    card_text,
    deadlines_of,
    exclusions,
    is_for,
    next_questions,
    regime_names,
    regimes_named,
    stale_provisions,
)
from articulado.guides.cards import Card, Pin, Regime, Statement, card_of, sentence_at
from articulado.guides.translations import CardInLanguage, translated
from articulado.language.formats import long_day
from articulado.language.languages import Language
from articulado.language.table_text import without_heads
from articulado.legal.domain.base import Domain
from articulado.legal.validity import in_force
from articulado.legal.wordings import certainty, of_law, tracked_laws, with_article
from articulado.prompting.citation_markers import GAP
from articulado.retrieval.fusion import LEAST_ON_TOPIC, NEAR_THE_BEST, candidate, of_community, preference
from articulado.retrieval.ranking.cards import CardReader, probable_cards
from articulado.retrieval.ranking.comparison import SURE, is_unlearnt
from articulado.retrieval.search import community_asked
from articulado.values.answers import CaseGuide, Days, StoreName, Suggestion, whole_text
from articulado.values.cases import details_of
from articulado.values.chunks import (
    REPEALED,
    Candidate,
    Chunk,
    ProvisionRef,
    Purpose,
    is_card,
    ordering_score,
    with_changed,
)
from articulado.values.protocols import ChunkStore, SearchFilter
from nodes.turn import language_of_turn, question_to_score
from state.context import ResolvedContext
from state.rag import RagState
from state.run import carried_over, days_of

LIKELY, SECOND = 0.2, 0.45  # Minimum probabilities of the first and the second card (docs/decisions/0060)
MAX_CARDS = 2
BEST_CHUNKS = 5  # Best chunks of law that are checked for the day and the regime of a question
SURE_OF_CALCULATION = 0.9  # Minimum probability of a calculation that is shown although no card leads to it
MAX_FIRST, MAX_QUOTED = 80, 60  # Words of the first quoted sentence of law, and of all; a single one may be longer
_STEP = 0.001


class ChooseCardsUpdate(TypedDict):
    """The chosen cards followed by their provisions, and the values and calculations that stay."""

    cards: list[Candidate]
    calculations: NotRequired[list[Worked]]
    dated_values: NotRequired[list[Candidate]]
    guides: NotRequired[list[CaseGuide]]
    suggestions: NotRequired[list[Suggestion]]


async def choose_cards(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    stores: Mapping[StoreName, ChunkStore],
    domain: Domain,
    phrasings: Phrasings | None = None,
    cards: CardReader | None = None,
) -> ChooseCardsUpdate:
    """Choose likely cards for the regime of the question whose provisions still have the wording that they quote.

    No card answers a lookup, a question that the user's document answers, or one on a community with law of its own.
    Reads ``candidates``, ``carried``, ``calculations`` and ``dated_values``.
    """
    others, question = [each for each in state["candidates"] if not is_card(each["chunk"])], state["turn_question"]
    store, days = stores[state["store"]], days_of(state)
    asked_in = community_asked(question["territory"], runtime.context.territory)
    spoken = language_of_turn(state, domain.language)
    elsewhere = [caveat(text) for text in _elsewhere(others, asked_in, spoken)]
    is_of_force = bool(question["is_lookup"] and question["laws"] and not question["citations"])
    force = [caveat(text) for text in _force(others, days, spoken, is_asked=is_of_force)]
    best = min(others, key=preference, default=None)
    says_it = best is not None and (_is_own_and_sure(best) or (of_community(best) or "") == asked_in)
    is_answered_by_text = question["is_lookup"] or question["about_answer"] or question["agreements"] or says_it
    said = {each["chunk"]["id"]: each for each in carried_over(state) if is_card(each["chunk"])}
    has_cards = len(others) < len(state["candidates"]) or (question["asks_deadline"] and said)
    if not has_cards or is_answered_by_text:
        return {"cards": [], "dated_values": [*state["dated_values"], *force, *elsewhere]}
    probable = await asyncio.to_thread(_probable, state, phrasings, cards)
    repeated = _asked_again(said.values(), probable) if question["asks_deadline"] else None
    if repeated:
        on_deadlines = [each for each, probability in probable if _is_on_deadline(each) and probability >= LIKELY]
        probable = [(each, 1.0) for each in (repeated, *on_deadlines[:1])]
    named = {(each["law_id"], each["provision_key"]) for each in question["provisions"]}
    asked = whole_text(question)
    regimes = regimes_named(asked)
    worked, sure = (_kinds_worked(state["dated_values"], regimes, least) for least in (0.0, SURE_OF_CALCULATION))
    chosen: list[Candidate] = []
    bearing: dict[int, Candidate] = {}
    answered: set[ProvisionRef] = set()
    guides: list[CaseGuide] = []
    for each, probability in probable:
        if probability < (SECOND if chosen else LIKELY) or len(chosen) == MAX_CARDS:
            break
        if each["chunk"]["id"] in said and each is not repeated:
            continue
        card = card_of(each["chunk"])
        excluding = exclusions(card, regimes)
        asked_for = deadlines_of(card) if each is repeated else []
        statements = excluding or [card.shown[index] for index in asked_for] or card.shown
        answer, borne = (
            {pin.ref for pin in statements[0].pins},
            {pin.ref for statement in statements for pin in statement.pins},
        )
        suits = is_for(card, regimes) or (bool(excluding) and not chosen)
        led_to = sure | (worked & _kinds_led_to(chosen))
        if not suits or (led_to and led_to.isdisjoint(card.calculations)):
            continue
        if (chosen and answer & answered) or (named and not named & borne):
            continue
        if await stale_provisions(borne, store, *days):
            # A less likely card is on another need: it does not stand in for this one.
            break
        guide = await _guide_of(card, asked, state["calculations"], store) if not excluding else None
        guides += [guide] if guide and guide not in guides else []
        version = translated(card, spoken.code)
        spoken_card = version.card if version else card
        only = exclusions(spoken_card, regimes) or [spoken_card.shown[index] for index in asked_for]
        chosen.append(_shown(each, version, only, guide["title"] if guide else "", domain.language))
        answered |= answer
        for part in await _bearing(statements, each, store, days, domain, version.law if version else {}):
            bearing.setdefault(part["chunk"]["id"], part)
    denied = {each["calculation"] for each in state["calculations"] if chosen and each["status"] == "not_entitled"}
    values = [
        each for each in _of_day(state, days) if denied.isdisjoint(each["found_by"]) and _fitting(each, chosen, regimes)
    ]
    if not chosen and not (asks_for_value_alone(asked) and values):
        values += force
        values += _caveats(others, regimes, days, spoken)
    values += elsewhere
    kinds = {kind for each in values for kind in each["found_by"]}
    likely = [card_of(each["chunk"]) for each, _ in probable if chosen and each["chunk"]["id"] not in said]
    answering = [card_of(each["chunk"]) for each in chosen]
    return {
        "cards": [*chosen, *bearing.values()],
        "calculations": [
            each for each in state["calculations"] if each["status"] == "none" or each["calculation"] in kinds
        ],
        "dated_values": values,
        "guides": guides,
        "suggestions": await next_questions(likely, answering, regimes, store, days, spoken),
    }


def _asked_again(said: Iterable[Candidate], probable: Sequence[tuple[Candidate, float]]) -> Candidate | None:
    """Return the first card of the last answer, ranked first, if it names a deadline and no other surely answers."""
    first = next(iter(said), None)
    if first is None or not deadlines_of(card_of(first["chunk"])):
        return None
    others = [(each, probability) for each, probability in probable if each["chunk"]["id"] != first["chunk"]["id"]]
    if max((probability for _, probability in others), default=0.0) >= SECOND:
        return None
    best = max(ordering_score(each) for each in (first, *(other for other, _ in others)))
    return {**first, "final_score": best + _STEP}


def _is_on_deadline(card: Candidate) -> bool:
    return card_of(card["chunk"]).asks == "until_when"


def _shown(
    chosen: Candidate, spoken: CardInLanguage | None, only: Sequence[Statement], guide: str, language: Language
) -> Candidate:
    card = spoken.card if spoken else card_of(chosen["chunk"])
    text = card_text(card, spoken.language if spoken else language, only, guide)
    shown = with_changed(_with(chosen, "card", ""), text=text, provision=card.need)
    return {**shown, "language": spoken.language.code} if spoken else shown


def _kinds_worked(values: Sequence[Candidate], regimes: frozenset[Regime], min_probability: float) -> set[str]:
    """Return the kinds of calculation with a result whose probability is at least ``least``."""
    worked = [each for each in values if each.get("purpose") == "calculation" and each["score"] >= min_probability]
    return {kind for each in worked for kind in each["found_by"]} if not regimes else set()


def _kinds_led_to(chosen: Sequence[Candidate]) -> set[str]:
    return {kind for each in chosen for kind in card_of(each["chunk"]).calculations}


def _of_day(state: RagState, days: Days) -> list[Candidate]:
    # A calculation without its data has followed no law yet.
    worked = [each for each in state["calculations"] if each["status"] != "missing"]
    of_today = {each["calculation"] for each in worked if not each["law_day"]}
    past = days.as_of is not None and days.as_of < days.today
    return [each for each in state["dated_values"] if not past or of_today.isdisjoint(each["found_by"])]


def _fitting(value: Candidate, chosen: Sequence[Candidate], regimes: frozenset[Regime]) -> bool:
    """Tell if a value goes with the answer: a calculation must be surely asked for, or a chosen card lead to it."""
    purpose = value.get("purpose")
    if purpose not in ("calculation", "missing_data"):
        return True
    if not _kinds_led_to(chosen).isdisjoint(value["found_by"]):
        return True
    return value["score"] >= SURE_OF_CALCULATION and not regimes and not (chosen and purpose == "missing_data")


def _caveats(
    others: Sequence[Candidate], regimes: frozenset[Regime], days: Days, language: Language
) -> list[Candidate]:
    """Return the caveats on another wording on a past day, or other rules in the regime that the question names."""
    best = [each["chunk"] for each in sorted(others, key=preference)[:BEST_CHUNKS]]
    texts = []
    if days.as_of and days.as_of < days.today:
        tracked = tracked_laws(best)
        if not all(
            in_force(each, days.as_of, days.as_of) and certainty(each, days.as_of, tracked) == "sure" for each in best
        ):
            texts.append(language.translate("caveat_day", day=long_day(days.as_of.isoformat())))
    if regimes:
        texts.append(language.translate("caveat_regime", regimes=regime_names(sorted(regimes), language)))
    return [caveat(text) for text in texts]


def _is_own_and_sure(best: Candidate) -> bool:
    return is_unlearnt(best["chunk"]) and best.get("rerank_score", 0.0) >= SURE


def _force(others: Sequence[Candidate], days: Days, language: Language, *, is_asked: bool) -> list[str]:
    """Return the sentence on when one of the two best laws enters into force or lost its object."""
    ranked = sorted((each for each in others if each["chunk"]["chunk_type"] == "provision"), key=preference)[:2]
    min_score = NEAR_THE_BEST * max((ordering_score(each) for each in ranked), default=0.0)
    today, day = days.today.isoformat(), (days.as_of or days.today).isoformat()
    for chunk in (each["chunk"] for each in ranked if ordering_score(each) >= min_score):
        emptied, begins, law = chunk.get("emptied"), chunk["valid_from"] or "", chunk["law_name"]
        if emptied and emptied["since"] <= day:
            since, by = long_day(emptied["since"], language.code), with_article(emptied["by"], emptied["law_id"])
            return [language.translate("caveat_emptied", law=law, day=since, by=by)]
        if begins > max(today, day):
            return [language.translate("caveat_upcoming", law=law, day=long_day(begins, language.code))]
    return _force_asked(ranked[0]["chunk"], language) if ranked and is_asked else []


def _elsewhere(others: Sequence[Candidate], asked: str | None, language: Language) -> list[str]:
    """Return the sentence on communities with law of their own on the topic (``with_communities``)."""
    ranked = sorted((each for each in others if "final_score" in each), key=preference)
    if not ranked:
        return []
    own = {community: each["chunk"] for each in reversed(ranked) if (community := of_community(each))}
    named = [
        f"{community} ({chunk['provision'].lower()} {of_law(chunk['law_name'])})"
        for community, chunk in reversed(own.items())
        if community != asked
    ]
    places = f" {language.translate('value_and')} ".join(filter(None, (", ".join(named[:-1]), *named[-1:])))
    if asked and asked == of_community(ranked[0]):
        return [language.translate("caveat_own_law", community=asked)]
    if not named:
        return []
    has_general = not of_community(ranked[0]) and ranked[0]["final_score"] >= LEAST_ON_TOPIC
    kind = "caveat_general_law" if has_general else "caveat_only_communities"
    none = [language.translate("caveat_no_own_law", community=asked)] if asked else []
    return [" ".join([*none, language.translate(kind, places=places)])]


def _force_asked(chunk: Chunk, language: Language) -> list[str]:
    names = {"law": chunk["law_name"], "day": long_day(chunk["valid_from"] or "", language.code)}
    if chunk["status"] in REPEALED:
        ends = chunk["valid_to"]
        return [
            language.translate("caveat_repealed", **{**names, "day": long_day(ends, language.code) if ends else "–"})
        ]
    return [language.translate("caveat_in_force", **names)] if chunk["valid_from"] else []


async def _guide_of(card: Card, asked: str, worked: Sequence[Worked], store: ChunkStore) -> CaseGuide | None:
    for first in await store.find(card.guide, f"{card.guide}#1") if card.guide else []:
        title, stated = first["law_name"], [each for each in worked if each["inputs"]]
        guide = SearchFilter(fields=(("law_id", (card.guide,)),))
        chunks = await store.select((first["collection"],), guide) if stated else []
        rules = [rule for chunk in chunks for rule in details_of(chunk).get("rules", [])]
        return {
            "article_id": card.guide,
            "title": title,
            "topic": first["topic"],
            "inquiry": f"{asked} ({title})",
            "collected_data": stated_data(rules, stated),
        }
    return None


def _probable(state: RagState, phrasings: Phrasings | None, reader: CardReader | None) -> list[tuple[Candidate, float]]:
    if phrasings is None:
        cards = (each for each in sorted(state["candidates"], key=preference) if is_card(each["chunk"]))
        return [(card, ordering_score(card)) for card in cards]
    question = whole_text(question_to_score(state))
    return probable_cards(state["candidates"], phrasings.around(question), reader.asked(question) if reader else {})


async def _bearing(
    statements: Sequence[Statement],
    card: Candidate,
    store: ChunkStore,
    days: Days,
    domain: Domain,
    glosses: Mapping[Pin, str],
) -> list[Candidate]:
    refs = list(dict.fromkeys(pin.ref for statement in statements for pin in statement.pins))
    wordings = await asyncio.gather(*(store.find(*ref) for ref in refs))
    parts = {
        ref: [chunk for chunk in chunks if in_force(chunk, *days)] for ref, chunks in zip(refs, wordings, strict=True)
    }
    bearing: dict[int, Candidate] = {}
    decisive: list[tuple[str, int]] = []
    gloss_of: dict[str, str] = {}
    for number, statement in enumerate(statements):
        for pin in filter(lambda pin: parts[pin.ref], statement.pins):
            chunk = _part_with(pin, parts[pin.ref])
            score = ordering_score(card) - _STEP * (len(bearing) + 1)
            bearer: Candidate = {**candidate(chunk, 0.0, "card", card["chunk"]["provision_key"]), "final_score": score}
            bearing.setdefault(chunk["id"], bearer)
            text = "\n".join(without_heads(part["text"] for part in parts[pin.ref]))
            sentence = sentence_at(text, pin) if number == 0 and chunk["source"] == "official" else ""
            decisive += [(sentence, chunk["id"])] if sentence else []
            gloss_of[sentence] = gloss_of.get(sentence) or glosses.get(pin, "")
    for id, sentences in _decisive(statements[0].text, decisive, domain).items():
        gloss = f" {GAP} ".join(filter(None, map(gloss_of.__getitem__, sentences)))
        bearing[id] = {**_with(bearing[id], "decisive", f" {GAP} ".join(sentences)), "gloss": gloss}
    return list(bearing.values())


def _decisive(answer: str, borne: Sequence[tuple[str, int]], domain: Domain) -> Mapping[int, Sequence[str]]:
    """Return by chunk id the sentences to quote: the first pin's unless long, then those most like the answer."""
    answer_stems = stems_and_numbers(answer, domain)
    borne = list(dict.fromkeys(borne))
    lengths = [len(sentence.split()) for sentence, _ in borne]
    shared = [len(answer_stems & stems_and_numbers(sentence, domain)) for sentence, _ in borne]
    ranked = sorted(range(len(borne)), key=lambda place: (lengths[place] > MAX_QUOTED, -shared[place], place))
    if lengths and lengths[0] <= MAX_FIRST:
        ranked = [0, *(place for place in ranked if place)]
    chosen = ranked[:1]
    for place in ranked[1:]:
        fits = sum(lengths[each] for each in (*chosen, place)) <= MAX_QUOTED
        if fits and 2 * shared[place] >= shared[ranked[0]]:
            chosen.append(place)
    shown: dict[int, list[str]] = {}
    for place in sorted(chosen):
        sentence, id = borne[place]
        shown.setdefault(id, []).append(sentence)
    return shown


def _part_with(pin: Pin, parts: Sequence[Chunk]) -> Chunk:
    anchor = " ".join(pin.anchor.split())
    return next((part for part in parts if anchor in " ".join(part["text"].split())), parts[0])


def _with(base: Candidate, purpose: Purpose, says: str) -> Candidate:
    return {**base, "origins": ["card"], "purpose": purpose, "says": says}
