"""What an Agent Server is sent as options and as input of a run."""

from typing import Any

import pytest
from support.doubles import FakeStore, QueueChat, make_chunk, make_services

from articulado.values.errors import InvalidInput
from graph.case import build_required_data
from graph.rag import build_chat, build_rag
from server.agent.graphs import check_options, checking_input
from server.guards import Policy


@pytest.mark.parametrize(
    "context",
    [
        None,
        {},
        {"territory": "Madrid", "as_of": "2024-01-01", "max_chunks_in_prompt": 40, "rerank_strategy": "none"},
        # What servers lay beside options that came as ``configurable``.
        {"thread_id": "1", "checkpoint_id": "2", "langgraph_auth_user": {}, "__request_start_time_ms__": 1},
    ],
)
def test_known_options_pass(context: Any) -> None:
    check_options(context, Policy())


@pytest.mark.parametrize(
    ("context", "told"),
    [
        ({"territorio": "Madrid"}, r"«territorio» no es un campo conocido.*max_chunks_in_prompt, .*territory"),
        ({"as_of": "ayer"}, "«as_of»"),
        ({"max_chunks_in_prompt": 0}, "«max_chunks_in_prompt»"),
        ({"max_chunks_in_prompt": 41}, "puede ser 40 como mucho"),
        ({"rerank_strategy": "cross_encoder"}, "solo lo puede elegir"),
    ],
)
def test_invalid_or_reserved_options_are_refused(context: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        check_options(context, Policy())


HUMAN = {"type": "human", "content": "¿Cuántas vacaciones hay?"}


def sent_block(block: dict[str, Any], *before: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"type": "human", "content": [*before, block]}]}


def services() -> Any:
    store = FakeStore([make_chunk(38, "Artículo 38")], {"vacaciones": [(38, 1.0)]})
    return make_services(store, QueueChat('["vacaciones"]'), QueueChat("Son 30 días [C1]."))


@pytest.mark.parametrize("build", [build_chat, build_rag])
@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"pregunta": "¿Cuántas?"}, "«pregunta».*history, messages, previous_chunk_ids, question"),
        ({"question": "¿Cuántas?", "territory": "Madrid", "as_of": "2024-01-01"}, "«territory», «as_of»"),
        ({"messages": [HUMAN], "ui": []}, "«ui»"),
        ({"messages": [HUMAN], "question": "¿Otra?"}, "«question» junto a unos «messages»"),
        ({"messages": [HUMAN, ("ai", "Treinta.")], "question": "¿Otra?"}, "«question» junto a unos «messages»"),
        ({"messages": "¿Cuántas?", "question": "¿Otra?"}, "«question» junto a unos «messages»"),
        (sent_block({"type": "image", "base64": "aGk=", "mime_type": "image/png"}), r"adjuntos aquí \(imagen\)"),
        (sent_block({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}), r"aquí \(imagen\)"),
        (sent_block({"type": "file", "base64": "aGk=", "mime_type": "application/pdf"}), r"aquí \(fichero\)"),
    ],
)
async def test_input_that_would_not_be_used_is_refused(build: Any, sent: Any, told: str) -> None:
    live = services()
    with pytest.raises(InvalidInput, match=told):
        await checking_input(build(live), "es").ainvoke(sent)
    assert live.reader_model.calls == []


@pytest.mark.parametrize("build", [build_chat, build_rag])
@pytest.mark.parametrize(
    "sent",
    [
        {"messages": [HUMAN], "question": None, "history": None, "ui": None},
        {"messages": [HUMAN], "question": f" {HUMAN['content']}"},
        {"question": HUMAN["content"], "messages": [], "history": [], "previous_chunk_ids": []},
    ],
)
async def test_input_that_is_used_passes(build: Any, sent: Any) -> None:
    result = await checking_input(build(services()), "es").ainvoke(sent)
    assert [message.type for message in result["messages"]] == ["human", "ai"]


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ({"type": "image", "base64": "aGk=", "mime_type": "image/png"}, "imagen"),
        ({"type": "image", "source_type": "base64", "data": "aGk=", "mime_type": "image/png"}, "imagen"),
        ({"type": "file", "base64": "aGk=", "mime_type": "application/pdf"}, "fichero"),
        ({"type": "audio", "base64": "aGk=", "mime_type": "audio/wav"}, "audio"),
        ({"type": "video", "url": "https://example.org/a.mp4"}, "vídeo"),
        ({"type": "de_otro", "dato": 1}, "fichero"),
    ],
)
async def test_an_attachment_beside_a_question_is_told(block: dict[str, Any], told: str) -> None:
    sent = sent_block(block, {"type": "text", "text": HUMAN["content"]})
    answered = await checking_input(build_chat(services()), "es").ainvoke(sent)
    [warning] = [each for each in answered["warnings"] if "adjunto" in each]
    assert f"({told})" in warning
    assert answered["citations"]


async def test_the_graphs_of_cases_refuse_unknown_keys_in_the_language_of_the_profile() -> None:
    with pytest.raises(InvalidInput, match="fields that do not exist: “consulta”"):
        await checking_input(build_required_data(services()), "en").ainvoke({"consulta": "Le han despedido"})
