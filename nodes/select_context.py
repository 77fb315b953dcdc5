"""Select the chunks that the principal model reads, within a number and a token budget."""

import re
from collections.abc import Callable, Mapping, Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.calculations.parameters import DatedValue, asks_for_value_alone, kinds_named, values_on
from articulado.config.profile import Profile
from articulado.language.folding import fold
from articulado.language.languages import Language
from articulado.language.table_text import is_row
from articulado.legal.dates.forms import dates_in
from articulado.legal.validity import in_force, is_of_day
from articulado.prompting.citation_markers import share_marks
from articulado.prompting.fragments import SEPARATOR, render
from articulado.prompting.notes import shown_apartados
from articulado.retrieval.fusion import (
    EXTRA_AFTER_REFETCH,
    Cut,
    by_provision,
    is_kept,
    is_of_card,
    of_community,
    preference,
    pruned,
    reserved_first,
    with_cards,
)
from articulado.retrieval.ranking.table import effective_strategy
from articulado.retrieval.search import community_asked
from articulado.values.answers import Days, RerankStrategy, whole_text
from articulado.values.chunks import Candidate, Chunk, ProvisionRef, ordering_score, provision_of, relevance
from articulado.values.protocols import RerankerTable, TokenCounter
from nodes.turn import language_of_turn
from state.context import ResolvedContext
from state.rag import RagState
from state.run import days_of

READ: Mapping[RerankStrategy, Cut] = {"learnt": Cut(0.06, 14), "heuristic": Cut(0.45, 8)}
"""Cut of the candidates by ranking strategy (docs/decisions/0059); other strategies are not cut."""


class SelectContextUpdate(TypedDict):
    """Fragments for the principal, in its order, then the reference values."""

    context: list[Candidate]


async def select_context(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    rerankers: RerankerTable,
    counter: TokenCounter,
    context_tokens: int,
    profile: Profile,
    language: Language,
    model_decides: bool = False,
) -> SelectContextUpdate:
    """Keep the best whole chunks that fit; those with a reserved place come first (``reserved_first``).

    With ``model_decides`` (a chat model writes), repealed law and irrelevant parts are left out, the parts of a
    provision share a marker, and reference values that the context names are added. Reads ``candidates``, ``cards``,
    ``own``, ``dated_values`` and ``refetched``.
    """
    limit = runtime.context.max_chunks_in_prompt + (EXTRA_AFTER_REFETCH if state["refetched"] else 0)
    candidates = with_cards(state["candidates"], state["cards"])
    by_card = not model_decides and any(each.get("purpose") == "card" for each in candidates)
    # Offline, nothing is said beside a card but what bears it.
    ranked = sorted(filter(is_of_card, candidates) if by_card else candidates, key=preference)
    strategy = effective_strategy(runtime.context.rerank_strategy, rerankers)
    if strategy in READ:
        ranked = pruned(ranked, READ[strategy])
    if asked := community_asked(state["turn_question"]["territory"], runtime.context.territory):
        ranked = [each for each in ranked if of_community(each) in (None, asked) or is_kept(each)]
    ranked = [_for_community(each) for each in ranked]
    if model_decides:
        ranked = without_repealed(ranked, whole_text(state["turn_question"]), days_of(state), is_kept)
        ranked = chosen_parts(ranked, is_kept, PROVISIONS[strategy]) if strategy in PROVISIONS else ranked
    own = _own_within(state["own"], context_tokens // 3, counter)
    context_tokens -= sum(_cost(each, counter) for each in own)
    separator = counter.count(f"\n{SEPARATOR}\n")
    chosen: dict[int, Candidate] = {}
    spent: dict[ProvisionRef, int] = {}
    for candidate in reserved_first(ranked, limit):
        ref = provision_of(candidate["chunk"])
        parts = by_provision([*(part for part in chosen.values() if provision_of(part["chunk"]) == ref), candidate])
        # What the parts of a provision share is written once.
        cost = counter.count(render(share_marks(parts) if model_decides else parts, brief=model_decides))
        cost += len(parts) * separator
        if not chosen or sum(spent.values()) - spent.get(ref, 0) + cost <= context_tokens:
            chosen[candidate["chunk"]["id"]] = candidate
            spent[ref] = cost
        if len(chosen) == limit:
            break
    context = by_provision([candidate for candidate in ranked if candidate["chunk"]["id"] in chosen])
    named = profile.features.spanish_law and model_decides
    values = _reference_values(state, context, language_of_turn(state, language), of_context=named)
    room = context_tokens - sum(spent.values())
    values = [value for value in values if value in state["dated_values"] or _cost(value, counter) <= room]
    context = share_marks(context) if model_decides else context
    return {"context": [*own, *context, *values]}


def _own_within(own: Sequence[Candidate], tokens: int, counter: TokenCounter) -> list[Candidate]:
    kept: list[Candidate] = []
    for candidate in own:
        tokens -= _cost(candidate, counter)
        if kept and tokens < 0:
            break
        kept.append(candidate)
    return kept


def _for_community(candidate: Candidate) -> Candidate:
    community = None if "purpose" in candidate or is_kept(candidate) else of_community(candidate)
    return {**candidate, "purpose": "community", "says": community} if community else candidate


def _reference_values(
    state: RagState, context: Sequence[Candidate], language: Language, *, of_context: bool
) -> list[Candidate]:
    """Return the values whose provision is not in the context; all if the question asks for them alone."""
    values = list(state["dated_values"])
    if of_context:
        day = days_of(state).as_of or days_of(state).today
        kinds = kinds_named(candidate["chunk"]["text"] for candidate in context)
        dated = values_on(kinds, [day])
        values += [value.candidate(language) for value in dated if isinstance(value, DatedValue)]
    present = {provision_of(candidate["chunk"]) for candidate in context}
    once = {value["chunk"]["id"]: value for value in reversed(values)}
    alone = asks_for_value_alone(whole_text(state["turn_question"]))
    return [value for value in reversed(once.values()) if alone or provision_of(value["chunk"]) not in present]


def _cost(value: Candidate, counter: TokenCounter) -> int:
    return counter.count(f"\n{SEPARATOR}\n{render([value])}")


PROVISIONS: Mapping[RerankStrategy, Cut] = {"learnt": Cut(0.25, 8), "heuristic": Cut(0.65, 6)}
"""Cut of the provisions that a chat model reads, by ranking strategy (docs/decisions/0059)."""

FIRST_PROVISIONS, NEAR_IN_FIRST, NEAR_IN_OTHERS = 3, 0.1, 0.05
"""Leading provisions, and the maximum distance of a part from its provision's best: in them, in others."""

_ITEM = re.compile(r"(?:[a-zñ]{1,2}|\d{1,2}[.]?[ªº])\)?[.)] |[-–—•·] ", re.IGNORECASE)
_OPENS = re.compile(r":\s*$", re.MULTILINE)
_APARTADO = re.compile(r"\b(?:apartados?|números?) (\d{1,2})(?:\.[\w.ªº]+\)?)?(?: y (\d{1,2}))?")
_OF_ANOTHER = re.compile(
    r"[^.;]{0,30}?\bdel? (?:la |el |los |las )?(?:art|ley|real|disposici|anexo|reglamento)", re.IGNORECASE
)
_BEFORE = re.compile(r"\b(?:apartado|párrafo|número)s? (?:anterior|precedente)", re.IGNORECASE)


def without_repealed(
    candidates: Sequence[Candidate], question: str, days: Days, is_kept: Callable[[Candidate], bool]
) -> list[Candidate]:
    """Drop wordings not in force, except future ones and those of a day in the question; if none is left, keep all."""
    mentioned = [mention.day for mention in dates_in(fold(question), today=days.today)]
    kept = [
        candidate
        for candidate in candidates
        if in_force(candidate["chunk"], *days)
        or is_kept(candidate)
        or (days.as_of is None and (candidate["chunk"]["valid_from"] or "") > days.today.isoformat())
        or any(is_of_day(candidate["chunk"], day) and day < days.today for day in mentioned)
    ]
    return kept or list(candidates)


def chosen_parts(
    ranked: Sequence[Candidate], is_kept: Callable[[Candidate], bool], cut: Cut = PROVISIONS["heuristic"]
) -> list[Candidate]:
    """Return the candidates that a chat model reads, in their order.

    A provision is read if ``is_kept`` accepts one of its parts (it is reserved), if it is among the first
    ``cut.least``, or if its final score reaches ``cut.share`` of the best one that is not reserved.
    """
    by_provision: dict[ProvisionRef, list[Candidate]] = {}
    for candidate in ranked:
        by_provision.setdefault(provision_of(candidate["chunk"]), []).append(candidate)
    scores = {ref: max(map(ordering_score, parts)) for ref, parts in by_provision.items()}
    reserved = {ref for ref, parts in by_provision.items() if any(map(is_kept, parts))}
    best = max((score for ref, score in scores.items() if ref not in reserved), default=0.0)
    read: set[int] = set()
    for place, ref in enumerate(sorted(scores, key=lambda ref: -scores[ref])):
        if ref in reserved or place < cut.least or scores[ref] >= cut.share * best:
            near = NEAR_IN_FIRST if place < FIRST_PROVISIONS else NEAR_IN_OTHERS
            read |= _parts_of(by_provision[ref], near, is_kept)
    return [candidate for candidate in ranked if candidate["chunk"]["id"] in read]


def _parts_of(parts: Sequence[Candidate], near: float, is_kept: Callable[[Candidate], bool]) -> set[int]:
    best = max(map(relevance, parts))
    chosen = [part["chunk"] for part in parts if relevance(part) >= best - near or is_kept(part)]
    chunks = [part["chunk"] for part in parts]
    besides = [other for chunk in chosen for other in chunks if _goes_with(chunk, other, chunks)]
    return {chunk["id"] for chunk in (*chosen, *besides)}


def _goes_with(chunk: Chunk, other: Chunk, parts: Sequence[Chunk]) -> bool:
    if other["valid_from"] != chunk["valid_from"]:
        return False
    lead_in = opening_part(chunk, parts)
    return other["part"] in (1, lead_in) or bool(apartados_referred_to(chunk) & shown_apartados([other]))


def opening_part(chunk: Chunk, parts: Sequence[Chunk]) -> int | None:
    """Return the number of the part with the lead-in of the enumeration, table or apartado that ``chunk`` continues."""
    begin = chunk["text"].strip().partition("\n")[0]
    before = sorted((each for each in parts if each["part"] < chunk["part"]), key=lambda each: -each["part"])
    if is_row(begin) or _BEFORE.search(begin):
        return chunk["part"] - 1
    if not _ITEM.match(begin):
        return None
    return next((each["part"] for each in before if _OPENS.search(each["text"])), chunk["part"] - 1)


def apartados_referred_to(chunk: Chunk) -> frozenset[int]:
    """Return the numbers of the apartados of its own provision that a part refers to.

    >>> sorted(apartados_referred_to({"text": "Se aplica el apartado 2. Véase el apartado 3 del artículo 5."}))
    [2]
    """
    text = chunk["text"]
    return frozenset(
        int(number)
        for match in _APARTADO.finditer(text)
        if not _OF_ANOTHER.match(text, match.end())
        for number in match.groups()
        if number
    )
