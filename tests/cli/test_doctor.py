import json
import os

import pytest

from cli.main import run


@pytest.fixture
def diagnosed(capsys):
    def diagnose(*arguments: str) -> tuple[int, dict]:
        status = run(["doctor", "--json", *arguments])
        return status, json.loads(capsys.readouterr().out)

    return diagnose


def test_an_offline_installation_is_ready(diagnosed, capsys):
    status, found = diagnosed()
    assert (status, found["ready"], found["problems"]) == (0, True, [])
    assert found["roles"]["principal"] == {
        "provider": "offline",
        "model": "",
        "base_url": "",
        "key": "no hace falta",
    }
    index = found["index"]
    assert index["demo"]
    assert index["folder"] == os.path.join(os.environ["ARTICULADO_HOME"], "index")
    assert index["chunks"] == sum(index["collections"].values()) > 300
    assert set(index["documents"]) == set(index["collections"])
    assert 1 < index["documents"]["normativa"] < index["collections"]["normativa"]
    assert set(index["fingerprints"]) == {"embedder", "sparse", "chunker"}
    assert run(["doctor"]) == 0
    page = capsys.readouterr().out
    assert "Todo listo" in page
    assert index["created"] in page


def test_missing_keys_are_named_all_of_them_and_set_ones_never_shown(diagnosed, capsys, monkeypatch):
    for role in ("READER", "PRINCIPAL", "EMBEDDER"):
        monkeypatch.setenv(f"ARTICULADO_{role}_PROVIDER", "openai")
    monkeypatch.setenv("ARTICULADO_PRINCIPAL_API_KEY", "sk-secreta")
    status, found = diagnosed()
    assert (status, found["ready"]) == (1, False)
    assert [role["key"] for role in found["roles"].values()] == ["falta", "configurada", "falta"]
    assert "ARTICULADO_READER_API_KEY" in found["problems"][0]
    assert "ARTICULADO_EMBEDDER_API_KEY" in found["problems"][1]
    assert run(["doctor"]) == 1
    assert "sk-secreta" not in json.dumps(found) + capsys.readouterr().out


def test_an_index_that_is_not_there_is_a_problem(diagnosed, tmp_path):
    status, found = diagnosed("--index", str(tmp_path))
    assert (status, found["index"]) == (1, None)
    assert str(tmp_path) in found["problems"][0]


def test_a_setting_that_cannot_be_used_is_a_problem(diagnosed, monkeypatch):
    monkeypatch.setenv("ARTICULADO_CONTEXT_TOKENS", "muchos")
    status, found = diagnosed()
    assert (status, found["roles"]) == (1, {})
    assert "ARTICULADO_CONTEXT_TOKENS" in found["problems"][0]
