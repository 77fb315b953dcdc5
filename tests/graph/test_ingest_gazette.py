"""Laws of the official gazette through the ingestion graph, from a server that answers as the gazette does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from support.boe_law import LAW, article, block, read_law_of
from support.boe_server import BoeServer, running_boe
from support.ingesting import ingest, opened_ingest
from support.small_laws import write_law

from articulado.config.settings import Settings
from articulado.values.errors import SourceUnavailable
from graph.compose import open_services

OTHER, THIRD = "BOE-A-2001-9002", "BOE-A-2001-9003"
DOWN = (503, {"Retry-After": "3600"})
"""An answer after which nobody tries again."""


def publish(folder: Path, law: str = LAW, text: str = "La pausa es de diez minutos.", day: str = "20240101") -> None:
    """Put a law, or a new state of it, where the server serves it."""
    at = folder / law
    at.mkdir(parents=True, exist_ok=True)
    known = {"identificador": law, "titulo": f"Ley {law}.", "fecha_actualizacion": f"{day}T000000Z"}
    read_law_of(at, block("Artículo 1", article("Artículo 1. Pausa.", text)), **known)
    whole = (at / "full.xml").read_text()
    (at / "metadatos.xml").write_text(whole.replace("<texto>", "<otro>").replace("</texto>", "</otro>"))


@pytest.fixture
def boe(tmp_path, monkeypatch):
    for law in (LAW, OTHER, THIRD):
        publish(tmp_path / "servidor", law)
    with running_boe(tmp_path / "servidor") as server:
        monkeypatch.setenv("ARTICULADO_BOE_URL", server.url)
        yield server


pytestmark = pytest.mark.usefixtures("nothing_comes_along")


def configured(folder: Path) -> Settings:
    return Settings.read(env_file=None, index=folder / "indice", home=folder / "home")


async def article_of(settings: Settings, law: str) -> list[str]:
    services = await open_services(settings)
    try:
        return [chunk["text"] for chunk in await services.store.find(law, "art:1")]
    finally:
        await services.close()


async def test_a_law_is_downloaded_once_and_again_when_it_has_changed(boe: BoeServer, tmp_path: Path) -> None:
    settings = configured(tmp_path)
    first = await ingest([], settings, boe=[LAW])
    assert (first["added"], first["failures"]) == ([f"Ley {LAW}"], [])
    assert boe.paths == [f"/id/{LAW}/metadatos", f"/id/{LAW}"]
    boe.asked.clear()
    again = await ingest([], settings, refresh=True)
    assert boe.paths == [""], "the list of updates"
    assert (again["unchanged"], again["written"], again["generation"]) == (1, 0, first["generation"])
    assert (again["checked"], again["unchecked"]) == (1, [])
    publish(boe.folder, text="La pausa es de doce minutos.", day="20990202")
    boe.list_law(LAW, "20990202T000000Z")
    changed = await ingest([], settings, refresh=True)
    assert (changed["added"], changed["updated"]) == ([], [f"Ley {LAW}"])
    assert await article_of(settings, LAW) == ["La pausa es de doce minutos."]


async def test_a_gazette_that_is_down_is_asked_once_and_paths_are_read_all_the_same(
    boe: BoeServer, tmp_path: Path
) -> None:
    write_law(tmp_path / "a.md", "BOE-A-2000-1")
    boe.failures.append(DOWN)
    report = await ingest([tmp_path / "a.md"], configured(tmp_path), boe=[LAW, OTHER, THIRD])
    assert boe.paths == [f"/id/{LAW}/metadatos"], "after the first failure nothing more is asked for"
    assert report["added"] == ["Ley BOE-A-2000-1"]
    assert [one["source"] for one in report["failures"]] == [LAW, OTHER, THIRD]
    assert all("error HTTP 503" in one["reason"] for one in report["failures"])


async def test_a_gazette_that_is_down_is_an_error_where_there_is_nothing_else_to_do(
    boe: BoeServer, tmp_path: Path
) -> None:
    boe.failures.append(DOWN)
    with pytest.raises(SourceUnavailable, match="error HTTP 503"):
        await ingest([], configured(tmp_path), boe=[LAW, OTHER])
    assert len(boe.asked) == 1
    assert not (tmp_path / "indice" / "current").exists()


@pytest.mark.parametrize("request_", [{"refresh": True}, {"boe": [LAW, OTHER]}])
async def test_laws_that_could_not_be_checked_are_named_and_go_on_serving(
    boe: BoeServer, tmp_path: Path, request_: dict
) -> None:
    settings = configured(tmp_path)
    await ingest([], settings, boe=[LAW, OTHER])
    boe.asked.clear()
    boe.failures.append(DOWN)
    report = await ingest([], settings, **request_)
    assert len(boe.asked) == 1
    assert (report["checked"], report["unchecked"]) == (0, [LAW, OTHER])
    [warning] = report["warnings"]
    assert "error HTTP 503" in warning
    assert (report["failures"], report["unchanged"], report["written"]) == ([], 2, 0)
    assert await article_of(settings, LAW) == ["La pausa es de diez minutos."]


async def test_a_copy_serves_a_new_index_too(boe: BoeServer, tmp_path: Path) -> None:
    await ingest([], configured(tmp_path), boe=[LAW])
    boe.failures.append(DOWN)
    other = Settings.read(env_file=None, index=tmp_path / "otro", home=tmp_path / "home")
    report = await ingest([], other, boe=[LAW])
    assert (report["added"], report["unchecked"]) == ([f"Ley {LAW}"], [LAW])


async def test_laws_checked_before_an_outage_count_as_checked(boe: BoeServer, tmp_path: Path) -> None:
    settings = configured(tmp_path)
    await ingest([], settings, boe=[LAW, OTHER, THIRD])
    for law in (LAW, OTHER):
        publish(boe.folder, law, text="La pausa es de doce minutos.", day="20990202")
        boe.list_law(law, "20990202T000000Z")
    async with opened_ingest(settings) as graph:
        async for mode, event in graph.astream({"refresh": True}, stream_mode=["custom", "values"]):
            if mode == "values":
                state = event
            elif event["step"] == "Descargando del BOE" and event["done"] == 1:
                boe.failures.append(DOWN)
    report = state["report"]
    assert (report["checked"], report["unchecked"], report["updated"]) == (2, [OTHER], [f"Ley {LAW}"])
    assert await article_of(settings, LAW) == ["La pausa es de doce minutos."]
    assert await article_of(settings, OTHER) == ["La pausa es de diez minutos."]
    again = await ingest([], settings, refresh=True)
    assert (again["checked"], again["unchecked"], again["updated"]) == (3, [], [f"Ley {OTHER}"])


async def test_an_unreadable_answer_affects_only_its_law(boe: BoeServer, tmp_path: Path) -> None:
    settings = configured(tmp_path)
    await ingest([], settings, boe=[LAW])
    boe.failures.append(b"<html>Mantenimiento</html>")
    report = await ingest([], settings, boe=[LAW, OTHER])
    assert (report["checked"], report["unchecked"], report["added"]) == (1, [LAW], [f"Ley {OTHER}"])
    [warning] = report["warnings"]
    assert warning.startswith(f"{LAW} no se ha comprobado")


async def test_a_text_that_has_shrunk_is_taken_only_where_that_is_accepted(boe: BoeServer, tmp_path: Path) -> None:
    settings = configured(tmp_path)
    await ingest([], settings, boe=[LAW, OTHER])
    at = boe.folder / LAW / "full.xml"
    two = block("Artículo 2", article("Artículo 2. Fiesta.", "La fiesta es el lunes."), id="b2")
    at.write_text(at.read_text().replace("</texto>", f"{two}</texto>").replace("20240101T", "20240102T"))
    metadata = boe.folder / LAW / "metadatos.xml"
    metadata.write_text(metadata.read_text().replace("20240101T", "20240102T"))
    await ingest([], settings, boe=[LAW])
    publish(boe.folder, text="Solo queda la pausa.", day="20240202")
    report = await ingest([], settings, boe=[LAW])
    counts = {"provisions": 2, "provisions_left": 1, "wordings": 2, "wordings_left": 1}
    assert report["shrunk"] == [{"law_id": LAW, **counts}]
    assert (report["checked"], report["unchecked"], report["updated"], report["failures"]) == (0, [], [], [])
    assert await article_of(settings, LAW) == ["La pausa es de diez minutos."]
    accepted = await ingest([], settings, refresh=True, accept_shrunk=True)
    assert (accepted["shrunk"], accepted["updated"], accepted["checked"]) == ([], [f"Ley {LAW}"], 2)
    assert await article_of(settings, LAW) == ["Solo queda la pausa."]


async def test_laws_downloaded_before_an_outage_are_indexed(boe: BoeServer, tmp_path: Path) -> None:
    settings = configured(tmp_path)
    request = {"boe": [LAW, OTHER, THIRD]}
    async with opened_ingest(settings) as graph:
        async for event in graph.astream(request, stream_mode="custom"):
            if event["step"] == "Descargando del BOE" and event["done"] == 1:
                boe.failures.append(DOWN)
    assert boe.paths == [f"/id/{LAW}/metadatos", f"/id/{LAW}", f"/id/{OTHER}/metadatos"]
    assert await article_of(settings, LAW) == ["La pausa es de diez minutos."]
    assert await article_of(settings, OTHER) == []


@asynccontextmanager
async def stopping_halfway(folder: Path, halfway: asyncio.Event) -> AsyncIterator[str]:
    """Serve metadata whole, and of a text the first half, after which nothing comes any more."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        is_text = not path.endswith("/metadatos")
        law = path.split("/")[3]
        body = (folder / law / ("full.xml" if is_text else "metadatos.xml")).read_bytes()
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + (body[: len(body) // 2] if is_text else body))
        await writer.drain()
        if is_text:
            halfway.set()
            await reader.read()  # until the client hangs up
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/api"


async def test_a_download_that_is_cut_short_leaves_the_copy_as_it_was(
    boe: BoeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = configured(tmp_path)
    await ingest([], settings, boe=[LAW])
    kept = tmp_path / "home" / "boe" / LAW
    before = {file.name: file.read_bytes() for file in kept.iterdir()}
    publish(boe.folder, text="La pausa es de doce minutos.", day="20240202")
    halfway = asyncio.Event()
    async with stopping_halfway(boe.folder, halfway) as url:
        monkeypatch.setenv("ARTICULADO_BOE_URL", url)
        running = asyncio.create_task(ingest([], configured(tmp_path), boe=[LAW]))
        await halfway.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    after = {file.name: file.read_bytes() for file in kept.iterdir()}
    assert after["full.xml"] == before["full.xml"]
    assert after.keys() == before.keys(), "no part of a file is left"
    assert await article_of(settings, LAW) == ["La pausa es de diez minutos."]
    report = await ingest([], settings, boe=[LAW])
    assert report["updated"] == [f"Ley {LAW}"]
    assert await article_of(settings, LAW) == ["La pausa es de doce minutos."]
