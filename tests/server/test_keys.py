"""Access keys: made once, kept as a hash, revoked at once."""

import json
import stat
from datetime import date
from pathlib import Path

import pytest

from articulado.values.errors import ConfigurationError, InvalidInput
from server.access import MARK, KeyRing

TODAY = date(2026, 11, 24)


def test_a_key_is_known_by_its_text_alone(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "home" / "keys.json")
    first, second = ring.add("nóminas", TODAY), ring.add("web", TODAY)
    assert first.startswith(MARK)
    assert first != second
    assert [ring.caller(text) for text in (first, second, "art_otra", "")] == ["nóminas", "web", None, None]
    assert [(key.name, key.created) for key in ring.keys] == [("nóminas", "2026-11-24"), ("web", "2026-11-24")]


def test_the_file_holds_no_key_and_is_its_owners(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    text = KeyRing(file).add("web", TODAY)
    assert text.removeprefix(MARK) not in file.read_text("utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["keys.json"]


def test_another_process_sees_what_was_added_and_revoked(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    serving, managing = KeyRing(file), KeyRing(file)
    assert list(serving.keys) == []
    text = managing.add("web", TODAY)
    assert serving.caller(text) == "web"
    managing.revoke("web")
    assert serving.caller(text) is None


def test_names_are_unique_and_printable(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    ring.add("web", TODAY)
    for name, said in (
        ("web", "Ya hay una clave"),
        ("  ", "de 1 a 60"),
        ("a\nb", "de 1 a 60"),
        ("x" * 61, "de 1 a 60"),
    ):
        with pytest.raises(InvalidInput, match=said):
            ring.add(name, TODAY)
    with pytest.raises(InvalidInput, match="No hay ninguna clave con el nombre «otra»"):
        ring.revoke("otra")
    assert len(ring.keys) == 1


@pytest.mark.parametrize("written", ["", "{", "[]", '{"keys": [{"name": "a"}]}', json.dumps({"keys": 5})])
def test_a_file_that_is_none_of_keys_is_named(tmp_path: Path, written: str) -> None:
    file = tmp_path / "keys.json"
    file.write_text(written, "utf-8")
    with pytest.raises(ConfigurationError, match=r"No se pueden leer las claves de acceso de .*keys\.json"):
        _ = KeyRing(file).keys
