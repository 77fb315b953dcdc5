"""A chat model cites the parts of a provision by one marker, from its prompt to the citations of the answer."""

from support.doubles import FakeStore, QueueChat, make_chunk, make_services

from articulado.config.profile import load_profile
from articulado.config.settings import ModelSettings, Settings
from articulado.verification.dossier import make_dossier, provenance_of
from graph.rag import build_rag
from nodes.chunk_shelf import ChunkShelf

SHARED = {"parts": 2, "provision_key": "art:37", "url": "https://www.boe.es/#a37"}
FIRST = make_chunk(1, "Artículo 37", part=1, text="1. El descanso semanal es de día y medio.", **SHARED)
SECOND = make_chunk(2, "Artículo 37", part=2, text="3. El permiso por matrimonio es de quince días.", **SHARED)
OTHER = make_chunk(3, "Artículo 34", text="1. La jornada es de cuarenta horas.")
META = "===META===\nUSED|1, 2\nDROP|ninguno"
REPLY = f"La jornada es de cuarenta horas [C2]. Son quince días [C1], y día y medio [C1].\n{META}"


async def asked(provider):
    principal = QueueChat(REPLY)
    store = FakeStore([FIRST, SECOND, OTHER], {"permiso por matrimonio": [(2, 1.0), (1, 0.95), (3, 0.9)]})
    settings = Settings.read(env_file=None)
    settings = settings.model_copy(
        update={"principal": ModelSettings(provider=provider, model="m", base_url="http://127.0.0.1:9/v1")}
    )
    services = make_services(store, QueueChat('["permiso por matrimonio"]'), principal, settings=settings)
    graph = build_rag(services)
    question = "¿Cuántos días de permiso por matrimonio tengo?"
    keys = ["question", "turn_question", "conversation", "today", "as_of", "store", "context", "draft"]
    keys += ["answer", "citations", "verdicts", "used_chunk_ids", "context_chunk_ids", "findings", "abstained"]
    state = await graph.ainvoke({"question": question}, output_keys=keys)
    return await ChunkShelf(services.stores).resolved(state), principal


async def test_a_provision_has_one_marker_for_its_parts():
    state, principal = await asked("compatible")
    _, messages = principal.calls[0]
    prompt = messages[-1]["content"]
    assert state["answer"].startswith("La jornada es de cuarenta horas [C1]. Son quince días [C2]")
    assert [(each["mark"], each["provision"]) for each in state["citations"]] == [
        ("C1", "Artículo 34"),
        ("C2", "Artículo 37"),
    ]
    assert state["used_chunk_ids"] == [1, 2, 3]
    assert [each["chunk"]["id"] for each in state["context"]] == [3, 1, 2]
    assert [finding for finding in state["findings"] if finding["severity"] == "error"] == []
    assert "[C1] Estatuto de los Trabajadores > Artículo 37" in prompt
    assert "Parte: 1, 2 de 2" in prompt
    assert "[C3]" not in prompt
    assert "Fuente:" not in prompt


async def test_a_dossier_gives_all_parts_the_marker_of_their_provision():
    state, _ = await asked("compatible")
    dossier = make_dossier(state, state, {}, provenance_of(load_profile("laboral"), {}, None, "1"))
    assert [fragment["mark"] for fragment in dossier["context"]] == ["C1", "C2", "C2"]


async def test_the_offline_principal_has_a_marker_for_each_part():
    state, _ = await asked("offline")
    assert [each["chunk_id"] for each in state["citations"]] == [2, 1]
    assert not any(each.get("shares_mark") for each in state["context"])
