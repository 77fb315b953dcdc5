"""Our own API over a small law with two wordings, by real HTTP."""

import base64
import json
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.boe_law import LAW
from support.loopback import serving
from support.served_law import NEW, OLD, index_law, settings_of, v1_client
from support.waiting import PATIENCE

from articulado.config.profile import load_profile
from graph.open_graphs import OpenGraphs
from server.access import KeyRing
from server.app import app_over
from server.settings import ServerSettings

ARTICLE = f"/v1/provisions/{LAW}/1"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("v1")
    index_law(folder)
    return folder


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[httpx.Client]:
    with v1_client(home) as http:
        yield http


def test_a_provision_is_served_in_its_wording_of_a_day(client: httpx.Client) -> None:
    now, then = client.get(ARTICLE).json(), client.get(ARTICLE, params={"date": "2019-12-31"}).json()
    assert (now["provision"]["text"], now["in_force"], now["certainty"]) == (NEW, True, "sure")
    assert (then["provision"]["text"], then["as_of"], then["certainty"]) == (OLD, "2019-12-31", "sure")
    assert (then["provision"]["valid_from"], then["provision"]["valid_to"]) == ("2001-03-01", "2020-01-01")
    assert [one["valid_from"] for one in now["provision"]["wordings"]] == ["2001-03-01", "2020-01-01"]
    assert [one["provision_key"] for one in now["provision"]["cited_by"]] == ["art:3"]
    assert now["index_day"] == date.today().isoformat()


@pytest.mark.parametrize("label", ["1", "art. 1", "art:1", "artículo 1"])
def test_a_provision_goes_by_any_of_its_names(client: httpx.Client, label: str) -> None:
    assert client.get(f"/v1/provisions/{LAW}/{label}").json()["provision"]["provision_key"] == "art:1"


def test_a_repealed_provision_is_not_in_force(client: httpx.Client) -> None:
    now = client.get(f"/v1/provisions/{LAW}/2").json()
    then = client.get(f"/v1/provisions/{LAW}/2", params={"date": "2015-06-01"}).json()
    since = client.get(f"/v1/provisions/{LAW}/2", params={"date": "2022-06-01"}).json()
    assert (now["in_force"], since["in_force"]) == (False, False)
    assert (then["in_force"], then["provision"]["text"]) == (True, "La dieta es de 10 euros.")


def test_two_days_are_compared_word_by_word(client: httpx.Client) -> None:
    compared = client.get(ARTICLE, params={"diff": "2019-01-01..2021-01-01"}).json()
    [paragraph] = compared["paragraphs"]
    assert (compared["same"], paragraph["kind"]) == (False, "changed")
    assert [(piece["kind"], piece["text"]) for piece in paragraph["pieces"][1:3]] == [
        ("removed", "15"),
        ("added", "20"),
    ]
    assert "cambió entre el 1 de enero de 2019 y el 1 de enero de 2021" in compared["summary"]
    same = client.get(ARTICLE, params={"diff": "2021-01-01..2022-01-01"}).json()
    assert (same["same"], {one["kind"] for one in same["paragraphs"]}) == (True, {"same"})


@pytest.mark.parametrize(
    ("path", "status", "told"),
    [
        (f"/v1/provisions/{LAW}/99", 404, "no existe el artículo 99"),
        (f"/v1/provisions/{LAW}/500", 404, "no existe el artículo 500 de «"),
        (f"/v1/provisions/{LAW}/9999", 404, "no existe el artículo 9999 de «"),
        (f"/v1/provisions/{LAW}/99999", 404, "no existe el artículo 99999 de «"),
        (f"/v1/provisions/{LAW}/9999 bis", 404, "no existe el artículo 9999 bis de «"),
        (f"/v1/provisions/{LAW}/art. 9999", 404, "Están: Artículo 1, Artículo 2"),
        (f"/v1/provisions/{LAW}/DA 999", 404, "no existe la disposición adicional 999 de «"),
        (f"/v1/provisions/{LAW}/9999?diff=2020-01-01..2021-01-01", 404, "no existe el artículo 9999 de «"),
        (f"/v1/provisions/{LAW}/12345678", 422, "no nombra ningún precepto"),
        (f"/v1/provisions/{LAW}/-1", 422, "no nombra ningún precepto"),
        ("/v1/provisions/0/0", 422, "«0» no es una norma"),
        ("/v1/provisions/XX/1", 422, "«XX» no es una norma"),
        (f"/v1/provisions/{LAW}/hola", 422, "no nombra ningún precepto"),
        (f"{ARTICLE}?date=ayer", 422, "«date»"),
        (f"{ARTICLE}?date=1700000000", 422, "«date» debe ser una fecha AAAA-MM-DD"),
        (f"{ARTICLE}?date=1990-01-01", 404, "la primera rige desde el 2001-03-01"),
        (f"{ARTICLE}?diff=2020-01-01", 422, "no son dos fechas"),
        (f"{ARTICLE}?diff=2021-01-01..2020-01-01", 422, "es posterior a la segunda"),
        (f"{ARTICLE}?date=2020-01-01&diff=2020-01-01..2021-01-01", 422, "no las dos cosas"),
        ("/v1/search?q=permiso&limit=900", 422, "debe ser 100 o menos"),
        ("/v1/search?q=permiso&collection=nada", 422, "No existe la colección"),
        ("/v1/search?q=permiso&date=2020-01-01T00:00:00", 422, "«date» debe ser una fecha AAAA-MM-DD"),
    ],
)
def test_invalid_provision_requests_are_explained(client: httpx.Client, path: str, status: int, told: str) -> None:
    answered = client.get(path)
    assert answered.status_code == status
    assert told in answered.json()["detail"]


def test_a_search_lists_what_it_finds(client: httpx.Client) -> None:
    found = client.get("/v1/search", params={"q": "permiso por boda", "limit": 1}).json()
    [hit] = found["hits"]
    assert (hit["provision_key"], hit["rank"], hit["excerpt"]) == ("art:1", 1, NEW)


@pytest.mark.parametrize("query", ["art. 9999 {law}", "artículo 96 bis {law}", "permiso por boda, art. 500 {law}"])
def test_a_search_says_first_that_a_provision_does_not_exist(client: httpx.Client, query: str) -> None:
    first, *others = client.get("/v1/search", params={"q": query.format(law=LAW)}).json()["warnings"]
    assert first.startswith("Según el índice, no existe el artículo ")
    assert "Están: Artículo 1, Artículo 2" in first
    assert not any("no está entre los preceptos" in other for other in others)


def test_a_search_is_of_a_day(client: httpx.Client) -> None:
    found = client.get("/v1/search", params={"q": "permiso por boda", "date": "2019-01-01"}).json()
    assert (found["as_of"], found["hits"][0]["excerpt"]) == ("2019-01-01", OLD)


def events_of(response: httpx.Response) -> list[tuple[str, Any]]:
    blocks = [block.split("\n") for block in response.text.replace("\r\n", "\n").split("\n\n") if "event:" in block]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


def test_a_question_is_answered_whole_and_as_events(client: httpx.Client) -> None:
    asked = {"question": f"¿Qué dice el artículo 1 de la {LAW}?"}
    whole = client.post("/v1/ask", json=asked).json()
    events = events_of(client.post("/v1/ask", json=asked, headers={"accept": "text/event-stream"}))
    names = [name for name, _ in events]
    assert NEW in whole["answer"]
    assert OLD not in whole["answer"]
    assert (names[0], names[-2:]) == ("stage", ["sources", "final"])
    assert "token" in names
    assert events[-1][1]["answer"] == whole["answer"]
    assert events[-2][1]["citations"] == whole["citations"] != []


def test_a_question_of_which_it_is_unsure_offers_choices_and_the_thread_takes_one(home: Path) -> None:
    asked = {"question": "permiso por boda en la empresa", "thread_id": "unsure"}
    with v1_client(home, is_unsure=True) as http:
        near = http.post("/v1/ask", json=asked).json()
        events = events_of(
            http.post("/v1/ask", json={**asked, "thread_id": "2"}, headers={"accept": "text/event-stream"})
        )
        kept = http.get("/conversations/unsure").json()
        taken = http.post("/v1/ask", json={"question": "la primera", "thread_id": "unsure"}).json()
        alone = http.post("/v1/ask", json={"question": near["choices"][0]["question"]}).json()
    assert near["outcome"] == "near"
    first = near["choices"][0]
    assert (first["number"], first["provision"], first["provision_key"]) == (1, "Artículo 1", "art:1")
    assert (first["need"], first["question"]) == (
        "Permisos",
        "Permisos (Artículo 1, Ley 9/2001, de 2 de febrero, de Pruebas)",
    )
    assert first["answer"] == NEW
    assert f"1. {first['question']}: {NEW} [C1]" in near["answer"]
    assert events[-1][1]["choices"] == near["choices"] == kept["turns"][0]["choices"]
    for answered in (taken, alone):
        assert (answered["outcome"], answered["choices"]) == ("answer", [])
        assert NEW in answered["answer"]


def test_the_day_of_a_question_counts(client: httpx.Client) -> None:
    asked = {"question": f"¿Qué dice el artículo 1 de la {LAW}?", "as_of": "2019-01-01"}
    assert "15 días" in client.post("/v1/ask", json=asked).json()["answer"]


def test_an_error_of_a_stream_is_an_event(client: httpx.Client) -> None:
    refused = client.post("/v1/ask", json={"question": " "}, headers={"accept": "text/event-stream"})
    name, told = events_of(refused)[-1]
    assert (name, told["status_code"], told["error"]) == ("error", 422, "InvalidInput")
    assert "vacía" in told["message"]


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("/v1/ask", {"question": "a", "idioma": "en"}, "«idioma» no es un campo conocido"),
        ("/v1/ask", {"question": "a", "as_of": 0}, "«as_of»"),
        ("/v1/ask", {"question": "a", "thread_id": "../x"}, "«thread_id»"),
        ("/v1/ask", {"question": "a", "as_of": "1700000000"}, "«as_of»"),
        ("/v1/ask", {"question": "a", "max_chunks": 11}, "«max_chunks» puede ser 10 como mucho"),
        ("/v1/ask", {"question": "a", "rerank_strategy": "llm"}, "«rerank_strategy: llm» solo lo puede elegir"),
        ("/v1/ask", {"question": "a" * 4_001}, "«question»"),
        ("/v1/feedback", {"question": "a", "answer": "b", "rating": "meh"}, "«rating»"),
        ("/v1/verify", {}, "una de las dos cosas"),
        ("/v1/check", {}, "una de las dos cosas"),
        ("/v1/check", {"content": "%%%"}, "no es base64"),
        ("/v1/check", {"content": "añ"}, "no es base64"),
        ("/v1/calculations", {}, "Falta qué calcular"),
        ("/v1/calculations", {"calculation": "compensation/none"}, "«compensation/none» no es un cálculo"),
        ("/v1/calculations", {"calculation": "settlement", "inputs": []}, "«inputs»"),
    ],
)
def test_a_body_that_cannot_be_used_says_why(client: httpx.Client, path: str, body: dict[str, Any], told: str) -> None:
    answered = client.post(path, json=body)
    assert (answered.status_code, answered.json()["error"]) == (422, "InvalidInput")
    assert told in answered.json()["detail"]


def test_a_body_that_is_no_text_is_refused(client: httpx.Client) -> None:
    answered = client.post("/v1/ask", content=b"\xff\xfe{", headers={"content-type": "application/json"})
    assert (answered.status_code, answered.json()["error"]) == (422, "InvalidInput")


def test_an_origin_that_cannot_be_read_is_refused(client: httpx.Client) -> None:
    answered = client.get("/v1/about", headers={"origin": "http://["})
    assert (answered.status_code, answered.json()["error"]) == (403, "HTTPError")


def test_a_wrong_method_gets_the_allowed_ones(client: httpx.Client) -> None:
    answered = client.delete("/v1/ask")
    assert (answered.status_code, answered.headers["allow"]) == (405, "POST")


def test_an_answer_of_any_system_is_verified(client: httpx.Client) -> None:
    context = [{"law_id": LAW, "provision": "Artículo 1", "text": NEW}]
    right = client.post("/v1/verify", json={"answer": "El permiso es de 20 días naturales [C1].", "context": context})
    wrong = client.post("/v1/verify", json={"answer": "El permiso es de 30 días naturales [C1].", "context": context})
    assert right.json()["ok"] is True
    assert [finding["check"] for finding in wrong.json()["findings"]] == ["figure"]


@pytest.mark.parametrize("as_file", [False, True])
def test_a_brief_is_checked_as_text_and_as_a_file(client: httpx.Client, as_file: bool) -> None:
    text = "Según el artículo 1 de la Ley 9/2001, de 2 de febrero, de Pruebas, y el artículo 99 del Estatuto."
    body = {"content": base64.b64encode(text.encode()).decode(), "name": "escrito.md"} if as_file else {"text": text}
    report = client.post("/v1/check", json=body).json()
    assert report["paragraphs"]


@pytest.mark.parametrize("name", ["demanda.docx", "../demanda.pdf", "C:/casos/demanda.docx"])
def test_a_brief_that_cannot_be_read_is_told_by_its_own_name(client: httpx.Client, name: str) -> None:
    content = base64.b64encode(b"nada").decode()
    message = client.post("/v1/check", json={"content": content, "name": name}).text
    assert "demanda." in message
    assert "/tmp" not in message
    assert "escrito" not in message


def test_ratings_are_kept_and_go_with_their_conversation(client: httpx.Client, home: Path) -> None:
    given = {"question": "¿Cuánto?", "answer": "20 días.", "rating": "down", "comment": "falta el convenio"}
    client.post("/v1/ask", json={"question": f"¿Qué dice el artículo 1 de la {LAW}?", "thread_id": "r"})
    assert client.post("/v1/feedback", json=given | {"thread_id": "r"}).status_code == 201
    assert client.delete("/conversations/r").status_code == 204
    assert client.get("/conversations/r").status_code == 404


def test_about_describes_profile_index_and_laws(client: httpx.Client) -> None:
    about = client.get("/v1/about").json()
    assert (about["laws"], about["keys"], about["language"]) == (1, False, "es")
    assert "Galicia" in about["territories"]


def test_a_server_with_keys_refuses_callers_without_one(home: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    key = KeyRing(keys).add("ana", date(2026, 1, 1))
    settings = settings_of(home)
    opened = OpenGraphs(settings, load_profile(settings.profile))
    with serving(app_over(opened, ServerSettings(conversations="memory", keys=keys, per_minute=2))) as url:
        assert httpx.get(f"{url}/v1/search?q=permiso").status_code == 401
        with httpx.Client(base_url=url, headers={"authorization": f"Bearer {key}"}, timeout=PATIENCE) as http:
            assert http.get("/v1/about").json()["keys"] is True
            statuses = [http.get("/v1/search?q=permiso").status_code for _ in range(3)]
    assert statuses == [200, 200, 429]


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [
        ("demanda.docx", b"PK\x03\x04 roto", "demanda.docx"),
        ("recurso.pdf", b"%PDF-1.4 roto", "recurso.pdf"),
        ("escrito vacío.txt", b"", "escrito vacío.txt"),
        ("C:\\Usuarios\\ana\\demanda.docx", b"nada", "demanda.docx"),
        ("../../etc/nota.xyz", b"nada", "nota.xyz"),
        ("nota\n\x1b.md", b"\xff\xfe\x00", "nota.md"),
        ("a" * 190 + ".odt", b"PK\x03\x04", "a" * 190 + ".odt"),
    ],
)
def test_a_file_that_cannot_be_read_goes_by_the_name_that_it_was_sent_with(
    client: httpx.Client, name: str, content: bytes, shown: str
) -> None:
    body = {"name": name, "content": base64.b64encode(content or b" ").decode()}
    told = client.post("/v1/check", json=body)
    assert told.status_code == 422
    assert shown in told.text.encode().decode("unicode_escape") or shown in told.json()["detail"]
    assert tempfile.gettempdir() not in told.text
    assert "escrito." not in told.text
