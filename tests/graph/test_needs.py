"""What the model says that it lacks: what is fetched for it, and what is still lacking in the end."""

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from support.doubles import FakeStore, FixedReranker, QueueChat, make_chunk, make_services

from articulado.retrieval.fusion import EXTRA_AFTER_REFETCH
from graph.rag import build_rag

QUESTION = "vacaciones anuales"
VACATION = make_chunk(38, "Artículo 38")
LONG = [
    make_chunk(100 + n, "Artículo 37", text=f"{n}. Apartado número {n}.", part=n, parts=EXTRA_AFTER_REFETCH + 2)
    for n in range(1, EXTRA_AFTER_REFETCH + 3)
]
NOTICE = make_chunk(49, "Artículo 49")
DEADLINE = make_chunk(59, "Artículo 59")
RANKINGS = {QUESTION: [(38, 1.0), (101, 0.9)], "plazo preaviso": [(49, 0.8)]}
RANKINGS |= {
    "prescripción acciones": [(59, 0.8)],
    "días descanso": [(38, 0.5)],
    "plazo vacaciones anuales": [(59, 0.8)],
}


CHUNKS = [VACATION, *LONG, NOTICE, DEADLINE]


def reply(text, *needs):
    return "\n".join([text, "===META===", "USED|1", "DROP|ninguno", *(f"NEED|{need}" for need in needs)])


async def answered(*replies, chunks=CHUNKS, rankings=RANKINGS, scores=None):
    """Return the result, the principal, and the ids of what was fetched; ``scores`` are those of the heuristic."""
    store, principal = FakeStore(chunks, rankings), QueueChat(*replies)
    table = {"heuristic": FixedReranker(scores, is_cheap=True)}
    live = make_services(store, QueueChat(f'["{QUESTION}"]'), principal, rerankers=table)
    graph, thread = build_rag(live, InMemorySaver()), {"configurable": {"thread_id": "1"}}
    result = await graph.ainvoke({"question": QUESTION}, thread)
    candidates = (await graph.aget_state(thread)).values["candidates"]
    fetched = {found["chunk"]["id"] for found in candidates if "need" in found["origins"]}
    return result, principal, fetched


@pytest.mark.parametrize("need", ["artículo 37|ET", "37|ET", "art. 37 ET", "descansos y permisos art 37 ET"])
async def test_refetch_adds_the_unread_parts_of_a_provision(need):
    _, _, fetched = await answered(reply("Falta [C1].", need), reply("Ya está [C1]."))
    # The first part was in the context already; there is room for five more.
    assert fetched == {102, 103, 104, 105, 106}


async def test_the_parts_around_the_apartado_that_is_meant_go_first():
    _, principal, fetched = await answered(reply("Falta [C1].", "artículo 37.6|ET"), reply("Ya está [C1]."))
    assert fetched == {103, 104, 105, 106, 107}
    assert "Apartado número 6." in principal.calls[1][1][-1]["content"]


async def test_needs_that_were_met_are_no_needs_in_the_end():
    result, _, fetched = await answered(
        reply("Falta [C1].", "artículo 49|ET", "prescripción acciones"), reply("Ya está [C1].")
    )
    assert fetched == {49, 59}
    assert (result["needs"], result["warnings"]) == ([], [])


async def test_needs_of_two_topics_alternate():
    _, principal, fetched = await answered(
        reply("Falta [C1].", "plazo preaviso", "prescripción acciones"), reply("Ya está [C1].")
    )
    assert fetched == {49, 59}
    assert len(principal.calls) == 2


async def test_a_missing_provision_stays_a_need_with_a_warning():
    result, _, fetched = await answered(
        reply("Falta [C1].", "artículo 9999|ET", "artículo 49|ET"), reply("Ya está [C1].")
    )
    assert fetched == {49}
    assert result["needs"] == [{"kind": "article", "article": "artículo 9999", "law": "ET", "keywords": ""}]
    assert result["warnings"] == [
        "La respuesta puede estar incompleta: haría falta consultar también artículo 9999 (ET)."
    ]


async def test_needs_of_the_second_answer_are_reported_once():
    lacking = reply("Falta [C1].", "artículo 9999|ET", "plazo preaviso")
    result, principal, _ = await answered(lacking, reply("Aún falta [C1].", "artículo 9999|ET", "plazo preaviso"))
    assert len(principal.calls) == 2
    assert [need["article"] or need["keywords"] for need in result["needs"]] == ["artículo 9999", "plazo preaviso"]
    assert result["warnings"][-1].endswith("artículo 9999 (ET); plazo preaviso.")


async def test_a_search_that_finds_nothing_new_leaves_its_need():
    result, principal, _ = await answered(reply("Falta [C1].", "días descanso"))
    assert len(principal.calls) == 1
    assert [need["keywords"] for need in result["needs"]] == ["días descanso"]
    assert result["warnings"] != []


async def test_a_provision_that_the_model_had_before_it_is_no_need():
    result, principal, _ = await answered(reply("Falta [C1].", "artículo 38|ET"))
    assert len(principal.calls) == 1
    assert (result["needs"], result["warnings"]) == ([], [])


async def test_an_article_of_a_law_that_is_not_known_is_searched_by_the_words_of_the_law():
    asked = reply("Falta [C1].", "artículo 12|Ley de descansos de oficina")
    rankings = RANKINGS | {f"Ley de descansos de oficina {QUESTION}": [(49, 0.9)]}
    _, principal, fetched = await answered(asked, reply("Ya está [C1]."), rankings=rankings)
    assert (len(principal.calls), fetched) == (2, {49})


async def test_an_article_of_a_law_that_no_search_finds_stays_a_need():
    result, principal, fetched = await answered(reply("Falta [C1].", "artículo 12|Convenio de oficinas"))
    assert (len(principal.calls), fetched) == (1, set())
    assert [need["law"] for need in result["needs"]] == ["Convenio de oficinas"]


async def test_a_single_word_is_searched_with_the_topic_of_the_question():
    _, _, fetched = await answered(reply("Falta [C1].", "plazo"), reply("Ya está [C1]."))
    assert fetched == {59}


async def test_refetch_takes_the_most_relevant_law_in_force():
    many = [make_chunk(200 + n, f"Artículo {200 + n}") for n in range(8)]
    gone = make_chunk(300, "Artículo 300", status="derogada", valid_from="2000-01-01", valid_to="2010-01-01")
    ranking = [(chunk["id"], 0.9 - n / 100) for n, chunk in enumerate([gone, *many])]
    rankings = RANKINGS | {"plazo preaviso": ranking}
    scores = {chunk["id"]: n / 10 for n, chunk in enumerate(many)} | {300: 1.0}
    needing = reply("Falta [C1].", "plazo preaviso")
    _, _, fetched = await answered(
        needing, reply("Ya está [C1]."), chunks=[*CHUNKS, *many, gone], rankings=rankings, scores=scores
    )
    assert fetched == {203, 204, 205, 206, 207}
