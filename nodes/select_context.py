"""Select the chunks that the principal model reads, within a number and a token budget.

Chunks are kept whole. Needs, answer cards with the law that bears them, and carryover have reserved places.
The chunks of one provision stand together, in the order of its text. A chat model of a provider reads fewer
provisions, of each the parts that matter, and cites them by one marker. Dated reference values follow: those that
the question names and, for a chat model, those that the chosen chunks name.
"""

from collections.abc import Mapping, Sequence
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.calculations.parameters import DatedValue, kinds_named, values_on
from articulado.config.profile import Profile
from articulado.language.languages import Language
from articulado.language.table_text import is_row
from articulado.prompting.citation_markers import share_marks
from articulado.prompting.fragments import SEPARATOR, render
from articulado.retrieval.fusion import EXTRA_AFTER_REFETCH, preference
from articulado.retrieval.parts import PROVISIONS, Cut, chosen_parts, without_repealed
from articulado.retrieval.ranking.table import effective_strategy
from articulado.values.answers import RerankStrategy
from articulado.values.chunks import Candidate, Chunk, ProvisionRef, provision_of
from articulado.values.protocols import RerankerTable, TokenCounter
from nodes.turn import language_of_turn
from state.context import ResolvedContext
from state.rag import RagState, days_of

RESERVED = frozenset(("direct", "need", "carryover", "card"))
"""Origins that say more for a candidate than its score does."""
CARRYOVER_SHARE = 2
"""One place in so many is kept for what the last answer rested on."""

READ: Mapping[RerankStrategy, Cut] = {"learnt": Cut(0.06, 14), "heuristic": Cut(0.45, 8)}
"""Which candidates are read, by what ordered them (docs/retrieval.md); what others ordered is not cut."""


class SelectContextUpdate(TypedDict):
    """What the principal will read, in its order; the ``candidates`` with the reference values that it reads."""

    context: list[Candidate]
    candidates: NotRequired[list[Candidate]]


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

    What has a reserved place is let in before the others (``by_claim``); where a ranking of ours ordered them, what
    falls far behind the best is left out (``worth_reading``). The order is that of ``by_provision``. With
    ``model_decides``, law that is no longer in force and parts that do not matter are left out
    (``articulado.retrieval.parts``), and the parts of a provision share a marker.
    """
    limit = runtime.context.max_chunks_in_prompt + (EXTRA_AFTER_REFETCH if state["refetched"] else 0)
    found = [known for known in state["candidates"] if "value" not in known["origins"]]
    by_card = not model_decides and any(known.get("purpose") == "card" for known in found)
    # Offline, nothing is said beside a card but what bears it.
    ranked = sorted(filter(_is_of_card, found) if by_card else found, key=preference)
    strategy = effective_strategy(runtime.context.rerank_strategy, rerankers)
    if strategy in READ:
        ranked = worth_reading(ranked, READ[strategy])
    if model_decides:
        ranked = without_repealed(ranked, state["contextualized_question"], days_of(state), _is_kept)
        ranked = chosen_parts(ranked, _is_kept, PROVISIONS[strategy]) if strategy in PROVISIONS else ranked
    separator = counter.count(f"\n{SEPARATOR}\n")
    chosen: dict[int, Candidate] = {}
    spent: dict[ProvisionRef, int] = {}
    for candidate in by_claim(ranked, limit):
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
    values = [value for value in values if value in state.get("dated_values", []) or _cost(value, counter) <= room]
    context = share_marks(context) if model_decides else context
    return {"context": [*context, *values], "candidates": [*found, *values]} if values else {"context": context}


def _reference_values(
    state: RagState, context: Sequence[Candidate], language: Language, *, of_context: bool
) -> list[Candidate]:
    """Return the reference values of the question, then those that the context names, each once.

    A value is left out if the context has the provision that sets it.
    """
    values = list(state.get("dated_values", []))
    if of_context:
        day = days_of(state).as_of or days_of(state).today
        kinds = kinds_named(candidate["chunk"]["text"] for candidate in context)
        dated = values_on(kinds, [day])
        values += [value.candidate(language) for value in dated if isinstance(value, DatedValue)]
    present = {provision_of(candidate["chunk"]) for candidate in context}
    once = {value["chunk"]["id"]: value for value in reversed(values)}
    return [value for value in reversed(once.values()) if provision_of(value["chunk"]) not in present]


def _cost(value: Candidate, counter: TokenCounter) -> int:
    return counter.count(f"\n{SEPARATOR}\n{render([value])}")


def worth_reading(ranked: Sequence[Candidate], cut: Cut) -> list[Candidate]:
    """Leave out what is far less relevant than the best; not what was named or has a reserved place, nor the first.

    A provision that was named is beyond doubt: the others are measured by the best of themselves.
    """
    best = max((candidate.get("rerank_score", 0.0) for candidate in ranked if not _is_kept(candidate)), default=0.0)
    return [
        candidate
        for place, candidate in enumerate(ranked)
        if place < cut.least or _is_kept(candidate) or candidate.get("rerank_score", best) >= cut.share * best
    ]


def _is_of_card(candidate: Candidate) -> bool:
    return "card" in candidate["origins"]


def _is_kept(candidate: Candidate) -> bool:
    return not RESERVED.isdisjoint(candidate["origins"])


def by_claim(ranked: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Return the candidates in the order in which they are let in, each once.

    A candidate that the model asked for (``need``) comes first: it was fetched for that. Then a chosen answer card
    with the law that bears it (``card``), the best of all, of what the last answer rested on (``carryover``) the best,
    up to half of the places, and the rest as it is ranked. With a single place nothing is carried over. What begins
    with rows of a table comes with the part before it, which says what the table is of.
    """
    by_part = {_part(candidate["chunk"], candidate["chunk"]["part"]): candidate for candidate in ranked}

    def of(origin: str) -> list[Candidate]:
        return [candidate for candidate in ranked if origin in candidate["origins"]]

    carried = of("carryover")[: limit // CARRYOVER_SHARE]
    claims = [*of("need"), *of("card"), *ranked[:1], *carried, *ranked]
    claimed: dict[int, Candidate] = {}
    for candidate in claims:
        chunk = candidate["chunk"]
        claimed.setdefault(chunk["id"], candidate)
        if is_row(chunk["text"].partition("\n")[0]) and (base := by_part.get(_part(chunk, chunk["part"] - 1))):
            claimed.setdefault(base["chunk"]["id"], base)
    return list(claimed.values())


def _part(chunk: Chunk, number: int) -> tuple[str, str, str, str | None, int]:
    """Return what names a part of the same wording as a chunk."""
    return chunk["collection"], *provision_of(chunk), chunk["valid_from"], number


def by_provision(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates so that those of one provision stand together, in the order of its text; the best one first.

    Several wordings of a provision follow one another in time.
    """
    provisions: dict[ProvisionRef, list[Candidate]] = {}
    for candidate in ranked:
        provisions.setdefault(provision_of(candidate["chunk"]), []).append(candidate)
    return [candidate for parts in provisions.values() for candidate in sorted(parts, key=_place)]


def _place(candidate: Candidate) -> tuple[str, str, int, int]:
    chunk = candidate["chunk"]
    return chunk["source"], chunk["valid_from"] or "", chunk["part"], chunk["id"]
