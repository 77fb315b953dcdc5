"""The answering graph on a profile that is neither law nor Spanish: over its articles, offline and with a model."""

import json
import re

import pytest
from support.doubles import CharacterCounter, FakeStore, QueueChat, make_chunk, make_services
from support.openai_server import running_server

from articulado.config.profile import load_profile
from articulado.config.settings import ModelSettings, Settings
from articulado.values.errors import ConfigurationError, ModelError
from graph.compose import open_rag, open_services
from graph.rag import build_rag

SETTINGS = {"env_file": None, "profile": "plan_401k"}
ROLLOVER = "How do I roll over my account?"
REFUSAL = "I do not have verified information on that"
SPANISH = re.compile(r"[¿¡«»ñáéíóú]|\b(?:que|para|los|las|una|con|por|del)\b", re.IGNORECASE)


@pytest.fixture(scope="session")
def rag():
    """The graph over the profile's own index, built as on a fresh machine."""
    return open_rag(Settings.read(**SETTINGS))


async def ask(rag, question, **values):
    return await rag.ainvoke({"question": question, **values})


async def test_offline_it_quotes_the_knowledge_base_in_english(rag):
    result = await ask(rag, ROLLOVER)
    assert result["abstained"] is False
    assert result["answer"].startswith("What the knowledge base says:")
    assert not SPANISH.search(result["answer"])
    quotations = re.findall(r"“([^”]+)”[^“]*?\[(C\d+)\]", result["answer"])
    assert quotations
    read, ids = await texts_read(result), {citation["mark"]: citation["chunk_id"] for citation in result["citations"]}
    for quotation, mark in quotations:
        assert all(piece.strip() in read[ids[mark]] for piece in quotation.split("[…]"))
    assert result["citations"]
    assert all("olling over" in citation["law"] for citation in result["citations"])
    assert (result["warnings"], result["usage"]["model_calls"]) == ([], 0)


async def texts_read(result):
    """Return the text of every chunk that an answer rests on, in one line, by its id."""
    services = await open_services(Settings.read(**SETTINGS))
    try:
        chunks = await services.store.fetch(result["used_chunk_ids"])
    finally:
        await services.close()
    return {chunk["id"]: " ".join(chunk["text"].split()) for chunk in chunks}


async def test_a_fee_that_is_asked_for_is_quoted_with_its_source(rag):
    result = await ask(rag, "What does LT Trust charge for a loan?")
    first = result["citations"][0]
    assert (first["mark"], first["law"]) == ("C1", "Borrowing from an LT Trust 401(k) account")
    assert re.search(r"charges \$100 at set-up and \$40 a year.* \[C1\]", result["answer"])


@pytest.mark.parametrize("question", ["What is the capital of France?", "recipe for paella"])
async def test_other_matters_are_declined_in_english(rag, question):
    result = await ask(rag, question)
    assert result["abstained"] is True
    assert result["answer"] == (f"{REFUSAL}.\n\nYou may try other words.")
    assert result["citations"] == []


async def test_a_follow_up_is_about_what_was_carried_over(rag):
    first = await ask(rag, "How do I take a loan at LT Trust?")
    history = [
        {"role": "user", "content": "How do I take a loan at LT Trust?"},
        {"role": "assistant", "content": first["answer"]},
    ]
    second = await ask(rag, "and what does it cost?", previous_chunk_ids=first["context_chunk_ids"], history=history)
    assert second["abstained"] is False
    assert "$100" in second["answer"]
    assert not SPANISH.search(second["answer"])
    thanks = await ask(rag, "thanks a lot", previous_chunk_ids=first["context_chunk_ids"], history=history)
    assert thanks["answer"] == "At your service. If you have another question, please write it."
    assert thanks["context_chunk_ids"] == first["context_chunk_ids"]


async def test_other_profiles_do_not_parse_spanish_citations(rag):
    result = await rag.ainvoke({"question": f"{ROLLOVER} It was in 2019, art. 38 ET, Galicia."})
    assert result["warnings"] == []
    assert all(citation["wording"] == "" for citation in result["citations"])


async def test_a_day_of_the_caller_brings_no_notes_on_the_law(rag):
    result = await rag.ainvoke({"question": ROLLOVER}, context={"as_of": "2026-11-20"})
    assert result["warnings"] == []
    assert all(citation["wording"] == "" for citation in result["citations"])


async def test_without_retrieval_there_is_nothing_to_look_up(rag):
    with pytest.raises(ConfigurationError, match=r"“plan_401k” brings no summaries.*ARTICULADO_RAG_ENABLED=true"):
        await rag.ainvoke({"question": ROLLOVER}, context={"rag_enabled": False})


async def test_a_model_is_instructed_in_english_and_told_what_the_knowledge_base_is_of(rag):
    with running_server() as server:
        server.script("reader", json.dumps(["LT Trust rollover form"]), "[]")
        refused = f"{REFUSAL}.\n===META===\nUSED|none\nDROP|none"
        server.script("principal", "Use Form LT-210 [C1].\n===META===\nUSED|1\nDROP|none", refused)
        model = {"provider": "compatible", "base_url": server.url}
        roles = {role: ModelSettings(model=role, **model) for role in ("reader", "principal")}
        services = await open_services(Settings.read(**SETTINGS, **roles))
        graph = build_rag(services)
        try:
            first = await ask(graph, ROLLOVER)
            history = [{"role": "user", "content": ROLLOVER}, {"role": "assistant", "content": first["answer"]}]
            second = await ask(graph, "and that?", previous_chunk_ids=first["context_chunk_ids"], history=history)
        finally:
            await services.close()
    reader, principal, follow_up, _ = (request.body["messages"] for request in server.requests)
    title = load_profile("plan_401k").title
    for system, told in (
        (reader[0]["content"], f"You search a knowledge base on {title}. You turn a person's question"),
        (principal[0]["content"], f"You answer questions on {title} with what the knowledge base says."),
        (
            follow_up[0]["content"],
            "MODO: SEGUIMIENTO\n\nThe line above marks a follow-up. You search a knowledge base",
        ),
    ):
        assert system.startswith(told)
    assert f"write literally: {REFUSAL}\n" in principal[0]["content"]
    assert first["answer"] == "Use Form LT-210 [C1]."
    assert (first["used_chunk_ids"], first["dropped_chunk_ids"]) == ([first["citations"][0]["chunk_id"]], [])
    assert first["queries"] == ["LT Trust rollover form"]
    # What a model refuses in the language of the profile is an abstention, and says what was searched.
    assert second["abstained"] is True
    assert second["answer"].endswith("\n\nYou may try other words.")


def small(reader, *answers):
    """Services of the profile over one made-up article."""
    chunk = make_chunk(1, "Step 1", collection="articles", law_id="rollover", chunk_type="article", url="")
    store = FakeStore([chunk], {"rollover": [(1, 1.0)], ROLLOVER: [(1, 1.0)]})
    return make_services(
        store, QueueChat(reader), QueueChat(*answers), profile=load_profile("plan_401k"), counter=CharacterCounter()
    )


PLAIN = "Fill in the form [C1].\n===META===\nUSED|1\nDROP|none"
MORE = "Something is missing [C1].\n===META===\nUSED|1\nDROP|none\nNEED|request deadline"


@pytest.mark.parametrize(
    ("reader", "carried", "warning"),
    [
        (ModelError("X"), [], "The question was searched as it is: X"),
        (
            '["rollover"]',
            [7],
            "These fragments of the last answer are no longer in the index and were not used: 7.",
        ),
    ],
)
async def test_warnings_are_in_english(reader, carried, warning):
    result = await ask(build_rag(small(reader, PLAIN)), ROLLOVER, previous_chunk_ids=carried)
    assert result["warnings"] == [warning]


async def test_a_model_that_asks_for_more_is_announced_in_english():
    live = small('["rollover"]', MORE, PLAIN)
    live.store.chunks[2] = make_chunk(2, "Step 2", collection="articles", law_id="deadline", chunk_type="article")
    live.store.rankings["request deadline"] = [(2, 1.0)]
    events = [event async for event in build_rag(live).astream({"question": ROLLOVER}, stream_mode="custom")]
    [retry] = [event for event in events if event["type"] == "retry"]
    assert retry["reason"] == "More texts were consulted and the answer is being written again."


async def test_marks_that_point_to_nothing_are_reported_in_english():
    result = await ask(build_rag(small('["rollover"]', "Yes [C1][C9].\n===META===\nUSED|1\nDROP|none")), ROLLOVER)
    [verdict] = [verdict for verdict in result["verdicts"] if not verdict["valid"]]
    assert verdict["reason"] == "The mark does not belong to any fragment and was removed."
