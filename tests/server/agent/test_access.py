"""Who may do what on an Agent Server."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langgraph_sdk import Auth

from server.access import KeyRing
from server.agent import graphs
from server.agent.graphs import LOCAL, OPERATE


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[KeyRing]:
    """The keys of a server whose operator has the key «admin»."""
    monkeypatch.setenv("ARTICULADO_SERVER_KEYS", str(tmp_path / "keys.json"))
    monkeypatch.setenv("ARTICULADO_SERVER_OPERATORS", "admin, otra")
    for cached in (graphs._settings, graphs._ring):
        cached.cache_clear()
    yield KeyRing(tmp_path / "keys.json")
    for cached in (graphs._settings, graphs._ring):
        cached.cache_clear()


def context(identity: str, action: str = "create") -> Any:
    return SimpleNamespace(user=SimpleNamespace(identity=identity), action=action)


async def test_without_keys_whoever_is_on_the_machine_operates_it(ring: KeyRing) -> None:
    assert await graphs.authenticate({}) == {"identity": LOCAL, "permissions": [OPERATE]}


@pytest.mark.parametrize("encoded", [False, True])
async def test_a_key_is_known_by_either_header_in_text_or_bytes(ring: KeyRing, encoded: bool) -> None:
    keys = {name: ring.add(name, date(2026, 1, 1)) for name in ("ana", "admin")}
    for name, permissions in (("ana", []), ("admin", [OPERATE])):
        for header, text in (("authorization", f"Bearer {keys[name]}"), ("x-api-key", keys[name])):
            sent: dict[Any, Any] = {header.encode(): text.encode()} if encoded else {header: text}
            assert await graphs.authenticate(sent) == {"identity": name, "permissions": permissions}


async def test_a_missing_or_unknown_key_is_refused(ring: KeyRing) -> None:
    ring.add("ana", date(2026, 1, 1))
    for headers in ({}, {"x-api-key": "art_nada"}, {"x-auth-scheme": "langsmith"}):
        with pytest.raises(Auth.exceptions.HTTPException) as refused:
            await graphs.authenticate(headers)
        assert refused.value.status_code == 401
        assert "clave de acceso" in refused.value.detail


@pytest.mark.parametrize("metadata", [None, {"color": "azul", "owner": "bea"}])
async def test_a_caller_sees_only_its_own_threads(metadata: dict[str, str] | None) -> None:
    value: dict[str, Any] = {"metadata": metadata}
    assert await graphs.keep_apart(context("ana"), value) == {"owner": "ana"}
    assert value["metadata"]["owner"] == "ana"
    assert metadata is None or value["metadata"] is metadata


async def test_without_keys_nothing_is_anybodys() -> None:
    value: dict[str, Any] = {}
    assert await graphs.keep_apart(context(LOCAL), value) is None
    assert value == {}


async def test_assistants_are_for_all_to_use_and_for_their_makers_to_change() -> None:
    for action in ("read", "search"):
        assert await graphs.share_assistants(context("ana", action), {}) is None
    for action in ("create", "update", "delete"):
        assert await graphs.share_assistants(context("ana", action), {}) == {"owner": "ana"}


@pytest.mark.parametrize(
    ("sent", "kept"), [(["notas"], ("ana", "notas")), (["ana", "notas"], ("ana", "notas")), (None, ("ana",))]
)
async def test_items_are_kept_below_the_name_of_their_caller(sent: Any, kept: tuple[str, ...]) -> None:
    value = {"namespace": sent}
    await graphs.keep_items_apart(context("ana"), value)
    assert value["namespace"] == kept
