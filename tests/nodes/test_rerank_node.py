"""Which candidates are scored, how many, and what becomes of a model that fails."""

import time

import pytest
from langgraph.runtime import Runtime
from support.doubles import FakeStore, FixedReranker, QueueChat, make_chunk, make_services
from support.states import begun

from articulado.config.profile import load_profile
from articulado.language.languages import language
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.fusion import candidate
from articulado.retrieval.ranking.comparison import Comparer
from articulado.retrieval.ranking.heuristic import WordShare
from articulado.retrieval.ranking.model_reranker import ModelReranker
from articulado.retrieval.ranking.table import ReaderScorer
from articulado.values.errors import ConfigurationError, ModelError
from graph.rag import build_rag
from nodes.rerank import rerank
from state.context import ResolvedContext

PROFILE = load_profile("laboral")


def found(id_, score, origin="hybrid", **fields):
    return {**candidate(make_chunk(id_, f"Artículo {id_}"), score, origin), **fields}


def state_of(candidates, read=None, **said):
    fresh = {
        "question": "x",
        "queries": [],
        "searches": ["x"],
        "conversation": [],
        "refetched": False,
        "warnings": [],
        "as_of": None,
        "today": "2026-11-22",
    }
    return begun(read, candidates=candidates, **{**fresh, **said})


async def reranked(state, *, strategy="auto", profile=PROFILE, **table):
    table = {"heuristic": FixedReranker(is_cheap=True)} | table
    table.setdefault("learnt", table["heuristic"])
    runtime = Runtime(context=ResolvedContext(rerank_strategy=strategy))
    return await rerank(
        state,
        runtime,
        rerankers=table,
        profile=profile,
        language=language(profile.language),
        word_share=WordShare(Comparer(SPANISH_LAW)),
    )


def scores(update):
    return [candidate.get("rerank_score") for candidate in update["candidates"]]


def used(**stages):
    return {"turn": 1, "model_calls": 2, "tokens": {"input": 0, "output": 0}, "stages": stages}


THIRTY = [found(n, n / 100) for n in range(30)]


async def test_a_model_gets_the_twenty_that_the_heuristic_puts_first():
    reranker, heuristic = FixedReranker(), FixedReranker({n: 1 - n / 100 for n in range(30)}, is_cheap=True)
    update = await reranked(state_of(THIRTY), strategy="llm", llm=reranker, heuristic=heuristic)
    assert reranker.seen == [list(range(20))]
    assert [candidate["chunk"]["id"] for candidate in update["candidates"] if "rerank_score" not in candidate] == list(
        range(20, 30)
    )


async def test_the_final_score_has_the_legal_signals_and_a_named_provision_is_first_whatever_they_say():
    old, new = (
        make_chunk(1, law_id="X", rank=5, valid_from="1990-01-01"),
        make_chunk(2, law_id="X", rank=1, valid_from="2026-01-01"),
    )
    gone = {
        **make_chunk(3, law_id="X", rank=1, valid_from="2026-01-01"),
        "status": "derogada",
        "valid_to": "2026-06-01",
    }
    named = {**candidate(old, 0.9, "direct"), "chunk": {**old, "id": 4}}
    update = await reranked(state_of([*(candidate(chunk, 0.5, "hybrid") for chunk in (old, new, gone)), named]))
    # 0.70 · 0.5 + 0.15 · 0.05 + 0.10 · 0 + 0.05; 0.35 + 0.15 + 0.10 + 0.05; 0.35 + 0.15 + 0.10 - 0.30
    finals = [candidate["final_score"] for candidate in update["candidates"]]
    assert finals == [pytest.approx(0.4075), pytest.approx(0.65), pytest.approx(0.30), 1.0]


async def test_the_day_that_is_asked_about_decides_what_is_in_force():
    gone = {
        **make_chunk(3, law_id="X", rank=1, valid_from="2019-01-01"),
        "status": "derogada",
        "valid_to": "2026-06-01",
    }
    state = state_of([candidate(gone, 0.5, "hybrid")], as_of="2020-01-01")
    [then] = (await reranked(state))["candidates"]
    assert then["final_score"] == pytest.approx(0.65)


async def test_a_reranker_without_limit_scores_all_candidates():
    reranker = FixedReranker(is_cheap=True)
    update = await reranked(state_of(THIRTY), heuristic=reranker)
    assert len(reranker.seen[0]) == 30
    assert None not in scores(update)


async def test_scored_candidates_do_not_depend_on_elapsed_time():
    reranker = FixedReranker()
    slow = {"embed_queries": 9_000.0, "hybrid_search": 9_000.0, "rerank": 9_000.0}
    for stages in ({}, slow):
        await reranked(state_of(THIRTY, usage=used(**stages)), strategy="llm", llm=reranker)
    assert [len(seen) for seen in reranker.seen] == [20, 20]
    assert reranker.seen[0] == reranker.seen[1]


async def test_twenty_or_fewer_need_no_choice():
    heuristic, reranker = FixedReranker(is_cheap=True), FixedReranker()
    await reranked(state_of(THIRTY[:20]), strategy="llm", llm=reranker, heuristic=heuristic)
    assert (len(reranker.seen[0]), heuristic.seen) == (20, [])


async def test_named_provisions_need_no_reranker():
    reranker = FixedReranker()
    update = await reranked(state_of([found(1, 1.0, "direct"), found(2, 0.9)]), strategy="llm", llm=reranker)
    assert reranker.seen == [[2]]
    assert scores(update) == [1.0, 0.5]


async def test_strategy_none_scores_nothing_at_all():
    reranker = FixedReranker()
    update = await reranked(state_of([found(1, 1.0, "direct"), found(2, 0.9)]), strategy="none", heuristic=reranker)
    assert update == {}
    assert reranker.seen == []


@pytest.mark.parametrize("strategy", ["cross_encoder", "llm", "api", "heuristic"])
async def test_a_strategy_that_is_named_is_the_one_at_work(strategy):
    table = {name: FixedReranker({1: n / 10}) for n, name in enumerate(("heuristic", "cross_encoder", "llm", "api"))}
    update = await reranked(state_of([found(1, 0.5)]), strategy=strategy, **table)
    assert scores(update) == [table[strategy].scores[1]]


async def test_auto_is_the_learnt_ranking_unless_the_table_says_otherwise():
    learnt, heuristic, encoder = FixedReranker({1: 0.4}), FixedReranker({1: 0.2}), FixedReranker({1: 0.7})
    state, table = state_of([found(1, 0.5)]), {"learnt": learnt, "heuristic": heuristic, "cross_encoder": encoder}
    assert scores(await reranked(state, **table)) == [0.4]
    assert scores(await reranked(state, strategy="heuristic", **table)) == [0.2]
    assert scores(await reranked(state, **table, auto=encoder)) == [0.7]


async def test_the_reranker_gets_the_completed_question():
    reranker = FixedReranker()
    state = state_of([found(1, 0.5)], question="¿y el 39?", read={"text": "¿y el 39? (artículo 39)"}, queries=["x"])
    await reranked(state, heuristic=reranker)
    assert reranker.questions == ["¿y el 39? (artículo 39)"]


async def test_after_a_refetch_only_new_candidates_are_scored():
    reranker = FixedReranker()
    state = state_of([found(1, 0.9, rerank_score=0.3), found(2, 0.8), found(3, 0.1, "need")], refetched=True)
    update = await reranked(state, heuristic=reranker)
    assert reranker.seen == [[3]]
    assert scores(update) == [0.3, None, 0.5]


async def test_candidates_without_a_score_of_the_model_stay_unscored():
    update = await reranked(state_of([found(1, 0.9), found(2, 0.8)]), heuristic=FixedReranker({1: None, 2: 0.0}))
    assert scores(update) == [None, 0.0]


async def test_its_requests_and_tokens_are_counted():
    update = await reranked(state_of([found(1, 0.9)]), strategy="llm", llm=FixedReranker(requests=2))
    assert update["cost"] == {"requests": 2, "input_tokens": 20, "output_tokens": 6}
    assert "warnings" not in update


async def test_it_keeps_to_the_deadline_of_the_question():
    reranker, end = FixedReranker(), time.time() + 60
    await reranked(state_of([found(1, 0.9)], deadline=end), heuristic=reranker)
    assert reranker.deadlines == [end]


async def test_a_model_that_is_down_costs_quality_and_not_the_answer():
    error = ModelError("El servidor no responde.")
    error.attempts = 3
    heuristic, down = FixedReranker({n: n / 100 for n in range(30)}, is_cheap=True), FixedReranker(error=error)
    update = await reranked(state_of(THIRTY), strategy="api", api=down, heuristic=heuristic)
    assert scores(update) == [n / 100 for n in range(30)]
    assert update["warnings"] == ["Se ha ordenado sin el modelo de reordenación: El servidor no responde."]
    assert update["cost"] == {"requests": 3, "input_tokens": 0, "output_tokens": 0}


async def test_squashed_logits_give_a_warning():
    update = await reranked(state_of([found(1, 0.9)]), strategy="api", api=FixedReranker(squashed=True))
    [told] = update["warnings"]
    assert "fuera de [0, 1]" in told
    assert "sigmoide" in told
    assert scores(update) == [0.5]


async def test_a_model_that_is_down_is_told_in_the_language_of_the_profile():
    english, down = load_profile("plan_401k"), FixedReranker(error=ModelError("X"))
    update = await reranked(state_of([found(1, 0.9)]), strategy="api", profile=english, api=down)
    assert update["warnings"] == ["The results were ordered without the reranking model: X"]


async def test_a_strategy_that_cannot_be_used_is_told_and_not_replaced():
    heuristic = FixedReranker(is_cheap=True)
    broken = FixedReranker(error=ConfigurationError("Falta la clave."))
    with pytest.raises(ConfigurationError, match="Falta la clave"):
        await reranked(state_of(THIRTY[:9]), strategy="api", api=broken, heuristic=heuristic)
    assert heuristic.seen == []


async def test_inputs_stay_as_they_are():
    given = [found(1, 0.9)]
    before = [dict(one) for one in given]
    await reranked(state_of(given))
    assert given == before


HOLIDAYS, WAGES = make_chunk(38, "Artículo 38", title="Vacaciones"), make_chunk(26, "Artículo 26", title="Salario")
PLAIN = "Son 30 días [C1].\n===META===\nUSED|1\nDROP|ninguno"


async def through_the_graph(strategy, *replies):
    """Answer a question with one of two rerankers: the heuristic prefers the wages, the reader what it says."""
    store = FakeStore([HOLIDAYS, WAGES], {"vacaciones": [(26, 0.9), (38, 0.8)]})
    table = {"heuristic": FixedReranker({26: 0.6, 38: 0.5}, is_cheap=True)}
    scorer = ReaderScorer(QueueChat(*replies or [""]), load_profile("laboral"))
    table["llm"] = ModelReranker(scorer, tokens=512, timeout=2.0)
    live = make_services(store, QueueChat('["vacaciones"]'), QueueChat(PLAIN), rerankers=table)
    return await build_rag(live).ainvoke({"question": "¿Vacaciones?"}, context={"rerank_strategy": strategy})


async def test_the_call_is_in_the_account_of_the_question_and_its_scores_decide():
    free, paid = await through_the_graph("heuristic"), await through_the_graph("llm", '{"1": 2, "2": 9}')
    assert [free["citations"][0]["chunk_id"], paid["citations"][0]["chunk_id"]] == [26, 38]
    assert paid["usage"]["model_calls"] == free["usage"]["model_calls"] + 1
    assert paid["usage"]["tokens"]["input"] == free["usage"]["tokens"]["input"] + 10
    assert paid["usage"]["tokens"]["output"] == free["usage"]["tokens"]["output"] + 3
    assert paid["warnings"] == []


async def test_a_question_is_answered_though_its_reranker_is_down():
    error = ModelError("El lector no responde.")
    error.attempts = 3
    free, failed = await through_the_graph("heuristic"), await through_the_graph("llm", error)
    assert failed["citations"] == free["citations"]
    assert failed["usage"]["model_calls"] == free["usage"]["model_calls"] + 3
    assert failed["warnings"] == ["Se ha ordenado sin el modelo de reordenación: El lector no responde."]


async def test_a_turn_about_the_last_answer_keeps_the_order_of_its_chunks():
    order = candidate(make_chunk(2, rank=5), 0.5, "carryover")
    law = candidate(make_chunk(1, rank=1), 0.4, "carryover")
    state = state_of([law, order, found(3, 0.3)], searches=[], about_answer=True, carried=[order, law])
    update = await reranked(state, heuristic=FixedReranker({1: 1.0, 3: 0.9}, is_cheap=True))
    final = {one["chunk"]["id"]: one["final_score"] for one in update["candidates"]}
    assert (final[2], final[1]) == (0.99, 0.98)
    assert final[3] < final[1]


async def test_matching_chunks_of_a_named_agreement_come_first():
    texts = {1: "La dieta completa es de 40 euros.", 2: "El descanso semanal es de dos días.", 3: "Dieta completa."}
    chunks = [make_chunk(id_, text=text, law_id="x" if id_ < 3 else "ET") for id_, text in texts.items()]
    candidates = [candidate(chunk, 0.1, "hybrid") for chunk in chunks]
    state = state_of(candidates, question="¿Qué dieta completa hay?", read={"agreements": ["x"]})
    heuristic = FixedReranker({1: 0.15, 2: 0.15, 3: 0.6}, is_cheap=True)
    of_agreement, beside, law = scores(await reranked(state, heuristic=heuristic))
    assert of_agreement >= 0.95
    assert beside < 0.15
    assert law == 0.6
