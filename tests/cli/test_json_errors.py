"""Every failure of a command with ``--json`` is one JSON object on stdout, of the shape of the HTTP API's."""

import json
from pathlib import Path

import pytest
from support.openai_server import running_server
from support.small_laws import write_law

from articulado.values.errors import IndexMissing, InvalidInput, ModelTimeout
from cli.failures import report
from cli.main import run
from server.errors import failure_of

WITH_JSON = [
    ["ask", "x"],
    ["search", "x"],
    ["show", "ET"],
    ["check", "escrito.txt"],
    ["verify", "expediente.json"],
    ["eval"],
    ["doctor"],
    ["ingest", "leyes"],
    ["ingest", "boe", "BOE-A-2015-11430"],
    ["ingest", "remove", "ET"],
    ["case", "required-data", "--inquiry", "x"],
    ["case", "respond", "--inquiry", "x"],
    ["case", "calibrate"],
    ["keys", "list"],
    ["conversations", "list"],
]


@pytest.fixture
def failing(capsys, monkeypatch, tmp_path):
    """Run a command line that fails, in an empty folder, and return its status and its one object."""
    monkeypatch.chdir(tmp_path)

    def fail(*arguments: str) -> tuple[int, dict]:
        status = run(arguments)
        output = capsys.readouterr()
        assert output.err.startswith("Error: ")
        return status, json.loads(output.out)

    return fail


@pytest.mark.parametrize("command", WITH_JSON, ids=" ".join)
def test_a_wrong_command_line_is_a_json_error(failing, command):
    status, failure = failing(*command, "--json", "--nada")
    assert status == 2
    assert failure["error"] == "InvalidInput"
    assert "--nada" in failure["detail"]
    assert set(failure) == {"error", "detail"}


@pytest.mark.parametrize(
    ("arguments", "status", "error", "detail"),
    [
        (["preguntar", "x"], 2, "InvalidInput", "No existe la orden «preguntar»."),
        (["ask"], 2, "InvalidInput", "Falta PREGUNTA. Ayuda: articulado ask --help"),
        (["ask", "  "], 2, "InvalidInput", "La pregunta está vacía."),
        (["ask", "x", "--as-of", "mayo"], 2, "InvalidInput", "«mayo» no es una fecha."),
        (["ask", "x", "--profile", "nada"], 1, "ConfigurationError", "No existe el perfil «nada»."),
        (["ask", "x", "--dossier", "nada/x.json"], 2, "InvalidInput", "nada/x.json"),
        (["search", "x", "--limit", "0"], 2, "InvalidInput", "--limit debe ser un número entre 1 y 100, no «0»."),
        (["show", "hola"], 2, "InvalidInput", "No se entiende «hola»."),
        (["check", "nada.pdf"], 2, "InvalidInput", "nada.pdf"),
        (["verify", "nada.json"], 2, "InvalidInput", "nada.json"),
        (["verify"], 2, "InvalidInput", ""),
        (["eval", "--gold", "nada.jsonl"], 2, "InvalidInput", "nada.jsonl"),
        (["ingest", "nada"], 2, "InvalidInput", "nada"),
        (["case", "respond"], 2, "InvalidInput", "Falta --inquiry."),
        (["case", "respond", "--inquiry", "x", "--collected-data", "["], 2, "InvalidInput", "--collected-data"),
        (["chat"], 2, "InvalidInput", "No existe la opción --json."),
    ],
)
def test_a_refused_request_is_a_json_error(failing, arguments, status, error, detail):
    found, failure = failing(*arguments, "--json")
    assert (found, failure["error"]) == (status, error)
    assert detail in failure["detail"]


def test_a_missing_index_is_a_json_error(failing, tmp_path):
    status, failure = failing("search", "vacaciones", "--index", str(tmp_path / "index"), "--json")
    assert (status, failure["error"]) == (1, "IndexMissing")


def test_an_unreachable_index_server_is_a_json_error(failing, monkeypatch, tmp_path):
    monkeypatch.setenv("ARTICULADO_STORE", "server")
    monkeypatch.setenv("ARTICULADO_QDRANT_URL", "http://127.0.0.1:9")
    status, failure = failing("search", "vacaciones", "--index", str(tmp_path / "index"), "--json")
    assert (status, failure["error"]) == (1, "StoreUnavailable")


def test_a_failing_provider_is_a_json_error(failing, monkeypatch):
    with running_server() as server:
        monkeypatch.setenv("ARTICULADO_PRINCIPAL_PROVIDER", "compatible")
        monkeypatch.setenv("ARTICULADO_PRINCIPAL_BASE_URL", server.url)
        monkeypatch.setenv("ARTICULADO_PRINCIPAL_MODEL", "ninguno")
        status, failure = failing("ask", "¿Cuántos días de vacaciones me corresponden?", "--json")
    assert (status, failure["error"]) == (1, "ModelError")
    assert failure["detail"]


def test_missing_provisions_are_an_error_beside_the_found_ones(failing):
    status, result = failing("show", "arts. 38 y 999 ET", "--json")
    assert (status, result["error"]) == (1, "NoResultsFound")
    assert [provision["provision"] for provision in result["provisions"]] == ["Artículo 38"]
    assert result["detail"] == "\n".join(result["missing"]) != ""


def test_skipped_files_are_an_error_beside_the_report(failing):
    Path("rota.pdf").write_bytes(b"%PDF-1.7 rota")
    write_law(Path("a.md"), "BOE-A-2000-1", "La pausa del café dura diecisiete minutos.")
    status, result = failing("ingest", "rota.pdf", "a.md", "--index", "indice", "--without-packaged", "--json")
    assert (status, result["error"], len(result["added"])) == (1, "Incomplete", 1)
    assert "rota.pdf" in result["detail"]


def test_a_failed_diagnosis_is_an_error_beside_the_report(capsys):
    assert run(["doctor", "--profile", "nada", "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert (result["error"], result["ready"]) == ("NotReady", False)
    assert result["detail"] == "\n".join(result["problems"]) != ""


@pytest.mark.parametrize(
    ("error", "status"),
    [(InvalidInput("La pregunta está vacía."), 2), (IndexMissing("No hay índice."), 1), (ModelTimeout("Tarda."), 1)],
)
def test_json_errors_have_the_shape_of_the_http_api(capsys, error, status):
    assert report(error, as_json=True) == status
    assert json.loads(capsys.readouterr().out) == failure_of(error)


def test_an_unexpected_error_has_a_kind_too(capsys):
    assert report(KeyError("x"), as_json=True) == 1
    failure = json.loads(capsys.readouterr().out)
    assert failure["error"] == "InternalError"
    assert "KeyError" in failure["detail"]


def test_json_after_two_dashes_is_part_of_the_question(capsys):
    assert run(["ask", "--nada", "--", "--json"]) == 2
    assert capsys.readouterr().out == ""
