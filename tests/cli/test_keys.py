"""``articulado keys`` makes, lists and revokes the keys of the server."""

import json
from pathlib import Path

import pytest

from cli.main import run
from server.access import KeyRing


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARTICULADO_HOME", str(tmp_path))
    return tmp_path


def test_a_key_is_shown_once_and_can_be_revoked(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["keys", "add", "web"]) == 0
    key, told = capsys.readouterr()
    assert KeyRing(home / "keys.json").caller(key.strip()) == "web"
    assert "Guárdela" in told
    assert run(["keys", "list", "--json"]) == 0
    assert [listed["name"] for listed in json.loads(capsys.readouterr().out)] == ["web"]
    assert run(["keys", "revoke", "web"]) == 0
    assert run(["keys", "list"]) == 0
    assert "No hay ninguna clave" in capsys.readouterr().out


def test_invalid_key_operations_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["keys", "revoke", "web"]) != 0
    assert "No hay ninguna clave con el nombre «web»" in capsys.readouterr().err
