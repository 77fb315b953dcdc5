"""Select the chunks that the principal model reads, within a number and a token budget.

Chunks are kept whole. Needs, answer cards with the law that bears them, and carryover have reserved places.
The chunks of one provision stand together, in the order of its text. A chat model of a provider reads fewer
provisions, of each the parts that matter, and cites them by one marker. Dated reference values follow: those that
the question names and, for a chat model, those that the chosen chunks name.
"""

from collections.abc import Mapping, Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.calculations.parameters import DatedValue, asks_for_value_alone, kinds_named, values_on
from articulado.config.profile import Profile
from articulado.language.languages import Language
from articulado.prompting.citation_markers import share_marks
from articulado.prompting.fragments import SEPARATOR, render
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
from articulado.retrieval.parts import PROVISIONS, chosen_parts, without_repealed
from articulado.retrieval.ranking.table import effective_strategy
from articulado.retrieval.search import community_asked
from articulado.values.answers import RerankStrategy, whole_text
from articulado.values.chunks import Candidate, ProvisionRef, provision_of
from articulado.values.protocols import RerankerTable, TokenCounter
from nodes.turn import language_of_turn
from state.context import ResolvedContext
from state.rag import RagState
from state.run import days_of

READ: Mapping[RerankStrategy, Cut] = {"learnt": Cut(0.06, 14), "heuristic": Cut(0.45, 8)}
"""Which candidates are read, by what ordered them (docs/retrieval.md); what others ordered is not cut."""


class SelectContextUpdate(TypedDict):
    """The fragments that the principal reads, in its order, and the reference values behind them."""

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
    """Keep the best chunks, whole, within their number and the token budget; the first let in always fits.

    Chunks with a reserved place are let in before the others (``reserved_first``); where a ranking of ours ordered
    them, what falls far behind the best is left out (``pruned``). The order is that of ``by_provision``. With
    ``model_decides``, law that is no longer in force and parts that do not matter are left out
    (``articulado.retrieval.parts``), and the parts of a provision share a marker.
    """
    limit = runtime.context.max_chunks_in_prompt + (EXTRA_AFTER_REFETCH if state["refetched"] else 0)
    found = with_cards(state["candidates"], state["cards"])
    by_card = not model_decides and any(known.get("purpose") == "card" for known in found)
    # Offline, nothing is said beside a card but what bears it.
    ranked = sorted(filter(is_of_card, found) if by_card else found, key=preference)
    strategy = effective_strategy(runtime.context.rerank_strategy, rerankers)
    if strategy in READ:
        ranked = pruned(ranked, READ[strategy])
    if asked := community_asked(state["turn_question"]["territory"], runtime.context.territory):
        ranked = [each for each in ranked if of_community(each) in (None, asked) or is_kept(each)]
    ranked = [_for_community(each) for each in ranked]
    if model_decides:
        ranked = without_repealed(ranked, whole_text(state["turn_question"]), days_of(state), is_kept)
        ranked = chosen_parts(ranked, is_kept, PROVISIONS[strategy]) if strategy in PROVISIONS else ranked
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
    return {"context": [*context, *values]}


def _for_community(candidate: Candidate) -> Candidate:
    """Return a candidate; law of a community says that it is told beside the general rule."""
    community = None if "purpose" in candidate or is_kept(candidate) else of_community(candidate)
    return {**candidate, "purpose": "community", "says": community} if community else candidate


def _reference_values(
    state: RagState, context: Sequence[Candidate], language: Language, *, of_context: bool
) -> list[Candidate]:
    """Return the reference values of the question, then those that the context names, each once.

    A value is left out if the context has the provision that sets it, unless the question asks for nothing else.
    """
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
