"""The answering graph over small real services: routes, the retry, carryover, the stream."""

import pytest
from doubles import FakeEmbedder, FakeStore, FixedReranker, QueueChat, make_chunk, make_services
from langgraph.checkpoint.memory import InMemorySaver

from graph.rag import build_rag
from services.errors import InvalidInput, ModelError
from services.settings import Settings
from state.context import RunContext

VACATION = make_chunk(38, "Artículo 38", title="Vacaciones anuales", refs=[48])
SUSPENSION = make_chunk(48, "Artículo 48")
DISMISSAL = make_chunk(55, "Artículo 55")
NOTICE = make_chunk(49, "Artículo 49")
RULING = make_chunk(900, "STS 1/2024", collection="sentencias", rank=5, law_id="ECLI:1")
CHUNKS = [VACATION, SUSPENSION, DISMISSAL, NOTICE, RULING]
RANKINGS = {
    "vacaciones anuales": [(38, 1.0), (900, 1.0)],
    "despido": [(55, 0.9)],
    "preaviso": [(49, 0.8)],
}
PLAIN = "Son 30 días [C1].\n===META===\nUSED|1\nDROP|ninguno"


def services(reader='["vacaciones anuales"]', *answers, **fields):
    return make_services(FakeStore(CHUNKS, RANKINGS), QueueChat(reader), QueueChat(*(answers or (PLAIN,))), **fields)


async def ask(live, question="¿Cuántos días de vacaciones tengo?", **values):
    return await build_rag(live).ainvoke({"question": question, **values})


async def test_a_simple_question_is_answered_with_three_model_calls():
    live = services()
    result = await ask(live)
    assert result["answer"] == "Son 30 días [C1]."
    assert result["queries"] == ["vacaciones anuales"]
    assert [(c["mark"], c["chunk_id"], c["provision"]) for c in result["citations"]] == [("C1", 38, "Artículo 38")]
    assert result["used_chunk_ids"] == result["context_chunk_ids"] == [38]
    assert (result["retried"], result["abstained"], result["needs"]) == (False, False, [])
    assert result["usage"]["model_calls"] == 3
    assert result["usage"]["tokens"] == {"input": 21, "output": 6}
    assert {"decompose", "embed_queries", "hybrid_search", "answer", "verify"} <= set(result["usage"]["stages"])


async def test_every_collection_is_searched_with_all_queries_at_once():
    live = services('["vacaciones anuales", "despido"]')
    await ask(live)
    assert [search[:4] for search in live.store.searches] == [
        ("normativa", 2, 40, 20),
        ("sentencias", 2, 40, 20),
        ("criterios_inss", 2, 40, 20),
    ]
    assert live.embedder.batches == [["vacaciones anuales", "despido"]]


async def test_scores_are_weighted_and_references_follow_their_source():
    graph = build_rag(services(), InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    await graph.ainvoke({"question": "vacaciones"}, thread)
    values = (await graph.aget_state(thread)).values
    assert {found["chunk"]["id"]: found["score"] for found in values["candidates"]} == {38: 1.0, 900: 0.8, 48: 0.8}


async def test_a_model_that_always_asks_for_more_gets_exactly_one_retry():
    live = services('["vacaciones anuales"]', "Falta [C1].\n===META===\nUSED|1\nDROP|ninguno\nNEED|artículo 49|ET")
    result = await ask(live)
    assert len(live.principal.calls) == 2
    assert result["retried"] is True
    assert "Artículo 49" in live.principal.calls[1][1][-1]["content"]
    assert "Artículo 49" not in live.principal.calls[0][1][-1]["content"]
    assert result["usage"]["model_calls"] == 4


async def test_keywords_asked_for_are_searched():
    first = "Falta [C1].\n===META===\nUSED|1\nDROP|ninguno\nNEED|preaviso"
    live = services('["vacaciones anuales"]', first, "Ya está [C2].\n===META===\nUSED|2\nDROP|ninguno")
    result = await ask(live)
    assert "Artículo 49" in live.principal.calls[1][1][-1]["content"]
    assert live.embedder.batches[-1] == ["preaviso"]
    assert result["usage"]["model_calls"] == 5


@pytest.mark.parametrize("need", ["NEED|artículo 38|ET", "NEED|vacaciones anuales"])
async def test_nothing_new_means_no_second_answer(need):
    live = services('["vacaciones anuales"]', f"Primera [C1].\n===META===\nUSED|1\nDROP|ninguno\n{need}", "Segunda.")
    result = await ask(live)
    assert len(live.principal.calls) == 1
    assert result["answer"] == "Primera [C1]."
    assert result["retried"] is True


async def test_two_questions_in_one_thread_each_get_their_own_retry():
    live = services(
        '["vacaciones anuales"]',
        "Falta [C1].\n===META===\nUSED|1\nDROP|ninguno\nNEED|artículo 49|ET",
        "Primera [C2].\n===META===\nUSED|2\nDROP|1",
        "Falta [C1].\n===META===\nUSED|1\nDROP|ninguno\nNEED|preaviso",
        "Segunda [C1].\n===META===\nUSED|1\nDROP|ninguno",
    )
    live.reader.replies = ['["vacaciones anuales"]', '["despido"]']
    graph = build_rag(live, InMemorySaver())
    thread = {"configurable": {"thread_id": "hilo"}}
    one = await graph.ainvoke({"question": "¿Vacaciones?"}, thread)
    two = await graph.ainvoke({"question": "¿Y si me despiden?"}, thread)
    assert (one["answer"], one["retried"], two["answer"], two["retried"]) == (
        "Primera [C2].",
        True,
        "Segunda [C1].",
        True,
    )
    assert two["queries"] == ["despido"]
    assert two["usage"]["model_calls"] == 5
    assert one["usage"]["model_calls"] == 4
    candidates = (await graph.aget_state(thread)).values["candidates"]
    origins = {found["chunk"]["id"]: found["origins"] for found in candidates}
    assert one["context_chunk_ids"] == [38]
    assert origins[38] == ["carryover"]
    assert set(origins) == {
        38,
        55,
        48,
        49,
    }  # 48 is cited by 38; 49 was dropped, and is asked for again
    assert origins[49] == ["hybrid", "need"]
    assert live.reader.calls[1][1][0]["content"] == "¿Vacaciones?"


async def test_follow_up_without_new_concepts_skips_the_search():
    live = services("[]")
    result = await ask(live, "¿Y eso?", previous_chunk_ids=[38], history=[{"role": "user", "content": "vacaciones"}])
    assert live.store.searches == []
    assert live.embedder.batches == []
    assert result["citations"][0]["chunk_id"] == 38
    assert "hybrid_search" not in result["usage"]["stages"]
    assert live.reader.calls[0][0].startswith("MODO: SEGUIMIENTO")


async def test_no_queries_and_nothing_carried_over_searches_the_question():
    live = services("[]")
    assert (await ask(live, "vacaciones anuales"))["queries"] == ["vacaciones anuales"]


async def test_what_is_carried_over_and_gone_is_skipped_with_a_warning():
    result = await ask(services("[]"), previous_chunk_ids=[38, 12345])
    assert "12345" in result["warnings"][0]


async def test_the_law_of_another_day_comes_with_a_warning():
    live = services()
    result = await ask(live, "¿Cuántos días de vacaciones había en 2019?")
    assert "31/12/2019" in result["warnings"][0]
    assert {str(search[4].as_of) for search in live.store.searches} == {"2019-12-31"}
    assert (await ask(services()))["warnings"] == []


async def test_history_and_ids_of_one_turn_do_not_stick_to_the_thread():
    live = services()
    graph = build_rag(live, InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    await graph.ainvoke(
        {"question": "uno", "previous_chunk_ids": [55], "history": [{"role": "user", "content": "x"}]}, thread
    )
    await graph.ainvoke({"question": "dos"}, thread)
    values = (await graph.aget_state(thread)).values
    assert [found["chunk"]["id"] for found in values["carried"]] == [38]
    assert [message["content"] for message in values["transcript"]] == [
        "x",
        "uno",
        "Son 30 días [C1].",
        "dos",
        "Son 30 días [C1].",
    ]


async def test_dropped_chunks_are_never_handed_on():
    live = services('["vacaciones anuales"]', "Sí [C1][C2].\n===META===\nUSED|1,2\nDROP|2")
    result = await ask(live)
    assert len(result["dropped_chunk_ids"]) == 1
    assert not set(result["dropped_chunk_ids"]) & set(result["context_chunk_ids"])


async def test_named_provision_is_fetched_and_comes_first():
    live = services('["vacaciones anuales"]')
    await ask(live, "¿Qué dice el artículo 49 del ET sobre las vacaciones?")
    assert "[C1] Estatuto de los Trabajadores > Artículo 49" in live.principal.calls[0][1][-1]["content"]


async def test_marks_that_point_to_nothing_are_removed_and_reported():
    result = await ask(services('["vacaciones anuales"]', "Son 30 días [C1][C9].\n===META===\nUSED|1\nDROP|ninguno"))
    assert result["answer"] == "Son 30 días [C1]."
    assert [(v["mark"], v["valid"]) for v in result["verdicts"]] == [("C1", True), ("C9", False)]


@pytest.mark.parametrize("scores", [None, {38: 0.1, 900: 0.15, 48: 0.19}])
async def test_abstains_without_the_principal_and_says_what_was_searched(scores):
    reader = '["algo que no existe"]' if scores is None else '["vacaciones anuales"]'
    live = services(reader, rerankers={"heuristic": FixedReranker(scores)})
    result = await ask(live)
    assert live.principal.calls == []
    assert result["abstained"] is True
    assert result["answer"].startswith("No tengo esa información verificada")
    assert result["queries"][0] in result["answer"]
    assert "Normativa" in result["answer"]
    assert result["citations"] == result["context_chunk_ids"] == []


async def test_the_models_own_refusal_counts_as_abstention():
    live = services('["vacaciones anuales"]', "No tengo esa información verificada.\n===META===\nUSED|ninguno\nDROP|1")
    assert (await ask(live))["abstained"] is True


async def test_a_reader_that_is_down_costs_no_answer():
    live = services(ModelError("El lector no responde."))
    live.store.rankings["¿Vacaciones?"] = [(38, 1.0)]
    result = await ask(live, "¿Vacaciones?")
    assert result["answer"] == "Son 30 días [C1]."
    assert "no responde" in result["warnings"][0]


async def test_the_stream_is_typed_and_shows_no_metadata():
    first = "Falta [C1].\n===META===\nUSED|1\nDROP|ninguno\nNEED|artículo 49|ET"
    for piece in (1, 3, 1000):
        live = services('["vacaciones anuales"]', first, "Segunda [C1].\n===META===\nUSED|1\nDROP|2")
        live.principal.piece = piece
        events = [e async for e in build_rag(live).astream({"question": "vacaciones"}, stream_mode="custom")]
        kinds = [event["type"] for event in events if event["type"] != "stage"]
        retry = kinds.index("retry")
        texts = ["".join(e["text"] for e in part if e["type"] == "token") for part in split_at_retry(events)]
        assert texts == ["Falta [C1].", "Segunda [C1]."]
        assert kinds.count("retry") == 1
        assert kinds[retry + 1] == "token"
        assert kinds[-1] == "final"
        assert events[-1]["result"]["answer"] == "Segunda [C1]."
        assert [e["stage"] for e in events if e["type"] == "stage"].count("refetch") == 1


def split_at_retry(events):
    parts = [[]]
    for event in events:
        if event["type"] == "retry":
            parts.append([])
        parts[-1].append(event)
    return parts


async def test_a_forked_checkpoint_makes_its_vectors_again():
    live, saver = services(), InMemorySaver()
    thread = {"configurable": {"thread_id": "1"}}
    await build_rag(live, saver).ainvoke({"question": "vacaciones"}, thread)
    other = services(embedder=FakeEmbedder())
    graph = build_rag(other, saver)
    history = [snapshot async for snapshot in graph.aget_state_history(thread)]
    before_search = next(snapshot for snapshot in history if snapshot.next == ("hybrid_search",))
    result = await graph.ainvoke(None, before_search.config)
    assert result["answer"] == "Son 30 días [C1]."
    assert other.embedder.batches == [["vacaciones anuales"]]
    assert "dense_keys" in before_search.values
    assert not any("array" in repr(value) for value in before_search.values.values())


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"question": ""}, "vacía"),
        ({"question": " \n"}, "vacía"),
        ({"question": None}, "vacía"),
        ({"question": "a" * 4001}, "4000"),
        ({"question": "x", "previous_chunk_ids": ["abc"]}, "«abc»"),
        ({"question": "x", "previous_chunk_ids": [2**53]}, "identificador"),
        ({"question": "x", "previous_chunk_ids": [-1]}, "identificador"),
        ({"question": "x", "previous_chunk_ids": "38"}, "lista"),
        ({"question": "x", "history": [{"role": "bot", "content": "x"}]}, "mensaje 1"),
        ({"question": "x", "history": "hola"}, "historial"),
    ],
)
async def test_bad_input_is_told_in_spanish(values, message):
    with pytest.raises(InvalidInput, match=message):
        await build_rag(services()).ainvoke(values)


async def test_the_longest_question_is_taken():
    assert (await ask(services(), "a" * 4000))["answer"]


async def test_run_context_overrides_the_settings():
    live = services(settings=Settings.read(env_file=None, max_chunks_in_prompt=1))
    await build_rag(live).ainvoke({"question": "vacaciones"})
    assert "[C2]" not in live.principal.calls[0][1][-1]["content"]
    await build_rag(live).ainvoke({"question": "vacaciones"}, context=RunContext(max_chunks_in_prompt=4))
    assert "[C3]" in live.principal.calls[1][1][-1]["content"]


async def test_strategy_none_leaves_search_scores_to_decide():
    reranker = FixedReranker({900: 1.0, 38: 0.3})
    live = services(rerankers={"heuristic": reranker})
    await build_rag(live).ainvoke({"question": "vacaciones"})
    assert "[C1] Estatuto de los Trabajadores > STS 1/2024" in live.principal.calls[0][1][-1]["content"]
    await build_rag(live).ainvoke({"question": "vacaciones"}, context={"rerank_strategy": "none"})
    assert "[C1] Estatuto de los Trabajadores > Artículo 38" in live.principal.calls[1][1][-1]["content"]


async def test_classic_prompting_uses_no_marks():
    live = services('["vacaciones anuales"]', "Son 30 días.")
    result = await build_rag(live).ainvoke({"question": "vacaciones"}, context={"grounded_prompting": False})
    system, messages = live.principal.calls[0]
    assert "META" not in system
    assert "[C1]" not in messages[-1]["content"]
    assert result["answer"] == "Son 30 días."
    assert {c["chunk_id"] for c in result["citations"]} == {38, 48, 900}


def test_every_stage_is_a_node_of_its_own():
    names = set(build_rag(services()).get_graph().nodes)
    assert names >= {
        "analyze_question", "decompose", "load_carryover", "embed_queries", "encode_sparse", "hybrid_search",
        "merge_candidates", "expand_references", "rerank", "select_context", "answer", "verify", "refetch", "abstain",
        "finalize",
    }  # fmt: skip
