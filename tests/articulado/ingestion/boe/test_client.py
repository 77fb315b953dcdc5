"""The client of the BOE against a server on loopback."""

import asyncio
import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from support.boe_server import running_boe
from support.fake_time import FakeTime

from articulado.config.settings import Settings
from articulado.ingestion.boe.cache import parse_xml
from articulado.ingestion.boe.client import BoeClient
from articulado.ingestion.boe.http import BACKOFF
from articulado.values.errors import ConfigurationError, InvalidInput, SourceUnavailable, UnreadableAnswer

LAW = "BOE-A-2001-9001"
METADATA = (
    "<metadatos><fecha_actualizacion>{updated}</fecha_actualizacion><identificador>{law}</identificador></metadatos>"
)
ANSWER = "<response><status><code>200</code></status><data>{data}</data></response>"


def publish(folder: Path, updated: str, law: str = LAW, text: str = "Texto.") -> None:
    """Put a law, or a new state of it, where the server serves it."""
    metadata = METADATA.format(updated=updated, law=law)
    block = f'<texto><bloque id="a1"><version><p>{text}</p></version></bloque></texto>'
    (folder / law).mkdir(parents=True, exist_ok=True)
    (folder / law / "metadatos.xml").write_text(ANSWER.format(data=metadata), encoding="utf-8")
    (folder / law / "full.xml").write_text(ANSWER.format(data=metadata + block), encoding="utf-8")


@pytest.fixture
def boe(tmp_path):
    publish(tmp_path / "served", "20260101T000000Z")
    with running_boe(tmp_path / "served") as server:
        yield server


@pytest.fixture
def clock():
    return FakeTime()


@pytest.fixture
async def client(boe, clock, tmp_path):
    async with make(boe.url, clock, tmp_path) as made:
        yield made


def make(url: str, clock: FakeTime, folder: Path, pause: float = 0.0) -> BoeClient:
    backoff = replace(BACKOFF, clock=clock.clock, sleep=clock.sleep, jitter=lambda: 0.5)
    return BoeClient(url, folder / "boe", pause=pause, backoff=backoff)


async def test_response_is_cached_byte_by_byte(boe, client, tmp_path):
    law = await client.law(LAW)
    assert (law.id, law.updated, law.fetched, law.shrunk) == (LAW, "20260101T000000Z", True, None)
    assert law.path == tmp_path / "boe" / LAW / "full.xml"
    assert law.path.read_bytes() == (boe.folder / LAW / "full.xml").read_bytes()
    kept = {file.name for file in law.path.parent.iterdir()}
    assert kept == {"full.xml", "metadatos.xml", "validators.json"}
    assert boe.paths == [f"/id/{LAW}/metadatos", f"/id/{LAW}"]
    assert all(request.headers["user-agent"].startswith("articulado/") for request in boe.asked)


async def test_an_unchanged_law_costs_one_conditional_request(boe, client):
    await client.law(LAW)
    boe.asked.clear()
    law = await client.law(LAW)
    assert (law.fetched, law.updated) == (False, "20260101T000000Z")
    assert boe.paths == [f"/id/{LAW}/metadatos"]
    assert boe.asked[0].headers["if-none-match"].startswith('"')
    assert boe.asked[0].headers["if-modified-since"] == "Mon, 01 Jun 2026 11:10:24 GMT"


async def test_a_changed_law_is_downloaded_again(boe, client):
    await client.law(LAW)
    publish(boe.folder, "20260202T000000Z", text="Otro texto.")
    law = await client.law(LAW)
    assert (law.fetched, law.updated) == (True, "20260202T000000Z")
    assert "Otro texto." in law.path.read_text(encoding="utf-8")
    assert (await client.law(LAW)).fetched is False


async def test_metadata_that_changed_without_the_text_cost_no_download(boe, client):
    await client.law(LAW)
    metadata = boe.folder / LAW / "metadatos.xml"
    metadata.write_text(metadata.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert (await client.law(LAW)).fetched is False


@pytest.mark.parametrize("name", ["full.xml", "metadatos.xml", "validators.json"])
@pytest.mark.parametrize("damage", [b"", b"<response><data>", b"[]", None])
async def test_damaged_copy_is_downloaded_again(boe, client, name, damage):
    first = await client.law(LAW)
    broken = first.path.parent / name
    broken.unlink() if damage is None else broken.write_bytes(damage)
    law = await client.law(LAW)
    assert law.fetched is (name == "full.xml")
    assert law.path.read_bytes() == (boe.folder / LAW / "full.xml").read_bytes()


async def test_metadata_instead_of_the_text_are_no_copy(boe, client):
    law = await client.law(LAW)
    law.path.write_bytes((boe.folder / LAW / "metadatos.xml").read_bytes())
    assert (await client.law(LAW)).fetched


@pytest.mark.parametrize(
    "answer",
    [b"", b"<response><data><texto>", b"<!DOCTYPE html><html><body>Mantenimiento</body></html>", b"<response/>"],
)
async def test_unreadable_response_keeps_the_copy_and_affects_no_other_law(boe, client, answer):
    law = await client.law(LAW)
    whole = law.path.read_bytes()
    publish(boe.folder, "20260202T000000Z")
    publish(boe.folder, "20260101T000000Z", law="BOE-A-2001-9002")
    (boe.folder / LAW / "full.xml").write_bytes(answer)
    with pytest.raises(UnreadableAnswer, match="no se entiende"):
        await client.law(LAW)
    assert law.path.read_bytes() == whole
    assert (await client.copy(LAW)).updated == "20260101T000000Z"
    assert (await client.law("BOE-A-2001-9002")).fetched


@pytest.mark.parametrize(
    ("failure", "requests", "pauses"),
    [
        ((503, {}), 4, [2.0, 4.0, 8.0]),
        ((500, {}), 4, [2.0, 4.0, 8.0]),
        ((429, {"Retry-After": "30"}), 4, [30.0, 30.0, 30.0]),
        ((503, {"Retry-After": "3600"}), 1, []),
        ((403, {}), 1, []),
        ((404, {}), 1, []),  # without the BOE's own words
        ("drop", 4, [2.0, 4.0, 8.0]),
        ("close", 4, [2.0, 4.0, 8.0]),
    ],
)
async def test_no_more_requests_after_the_boe_is_down(boe, client, clock, failure, requests, pauses):
    boe.failures.extend([failure] * requests)
    with pytest.raises(SourceUnavailable) as first:
        await client.law(LAW)
    for again in (client.law("BOE-A-2001-9002"), client.search(query="titulo:nada"), client.law(LAW)):
        with pytest.raises(SourceUnavailable) as later:
            await again
        assert str(later.value) == str(first.value)
    assert len(boe.asked) == requests
    assert clock.pauses == pauses


async def test_law_is_unavailable_without_network_and_copy(tmp_path, clock):
    async with make("http://127.0.0.1:9/api", clock, tmp_path) as client:
        with pytest.raises(SourceUnavailable, match="no se puede conectar"):
            await client.law(LAW)
    assert len(clock.pauses) == 3


async def test_invalid_address_is_not_retried(tmp_path, clock):
    async with make("boe", clock, tmp_path) as client:
        with pytest.raises(ConfigurationError, match="ARTICULADO_BOE_URL"):
            await client.law(LAW)
    assert clock.pauses == []


@pytest.mark.parametrize("failure", [(503, {}), (500, {}), (429, {}), "drop"])
async def test_transient_failure_is_retried_with_growing_pauses(boe, client, clock, failure):
    boe.failures.extend([failure, failure])
    assert (await client.law(LAW)).fetched
    assert clock.pauses == [2.0, 4.0]


async def test_retry_after_header_is_respected(boe, client, clock):
    boe.failures.append((429, {"Retry-After": "17"}))
    assert (await client.law(LAW)).fetched
    assert clock.pauses == [17.0]


async def test_retry_after_of_an_hour_fails_at_once(boe, client, clock):
    boe.failures.append((503, {"Retry-After": "3600"}))
    with pytest.raises(SourceUnavailable):
        await client.law(LAW)
    assert clock.pauses == []


async def test_there_is_a_pause_between_requests_and_never_two_at_once(boe, clock, tmp_path):
    publish(boe.folder, "20260101T000000Z", law="BOE-A-2001-9002")
    async with make(boe.url, clock, tmp_path, pause=1.5) as client:
        laws = await asyncio.gather(client.law(LAW), client.law("BOE-A-2001-9002"))
    assert [law.id for law in laws] == [LAW, "BOE-A-2001-9002"]
    assert clock.pauses == [1.5, 1.5, 1.5]


async def test_clock_set_back_does_not_prolong_the_pause(boe, clock, tmp_path):
    async with make(boe.url, clock, tmp_path, pause=1.5) as client:
        await client.law(LAW)
        clock.now -= 3600
        await client.law(LAW)
    assert clock.pauses == [1.5, 1.5]


async def test_unconsolidated_law_is_reported(client):
    with pytest.raises(InvalidInput, match="no está en la base de legislación consolidada"):
        await client.law("BOE-A-2001-1")


@pytest.mark.parametrize("name", ["", "Ley 39/2015", "../BOE-A-2001-9001", "BOE-A-2001-9001/x", "BOE-A-01-9001"])
async def test_invalid_identifier_is_not_requested(boe, client, name):
    with pytest.raises(InvalidInput, match="no es un identificador del BOE"):
        await client.law(name)
    assert boe.asked == []


async def test_identifiers_of_regional_laws_are_accepted(boe, client):
    publish(boe.folder, "20260101T000000Z", law="DOGC-f-2010-90001")
    assert (await client.law(" DOGC-f-2010-90001 ")).fetched


async def test_unwritable_folder_is_a_configuration_error(boe, clock, tmp_path):
    (tmp_path / "boe").write_text("un fichero", encoding="utf-8")
    async with make(boe.url, clock, tmp_path) as client:
        with pytest.raises(ConfigurationError, match="ARTICULADO_HOME"):
            await client.law(LAW)


def entry(number: int) -> dict[str, object]:
    return {
        "identificador": f"BOE-A-2020-{number}",
        "titulo": f"Norma {number}.",
        "fecha_actualizacion": "20260101T000000Z",
        "fecha_publicacion": "20200305",
        "rango": {"codigo": "1340", "texto": "Real Decreto"},
    }


async def test_the_list_is_read_page_by_page(boe, client):
    boe.listed = [entry(number) for number in range(1, 1203)]
    laws = await client.search(materia="6909")
    assert [law.id for law in laws] == [f"BOE-A-2020-{number}" for number in range(1, 1203)]
    assert (laws[0].title, laws[0].rank, laws[0].published) == ("Norma 1", "real_decreto", "2020-03-05")
    assert [(request.query["offset"], request.query["limit"]) for request in boe.asked] == [
        ("0", "500"),
        ("500", "500"),
        ("1000", "500"),
    ]
    assert boe.asked[0].headers["accept"] == "application/json"


async def test_no_more_than_the_limit_is_asked_for(boe, client):
    boe.listed = [entry(number) for number in range(1, 900)]
    assert len(await client.search(materia="6909", limit=3)) == 3
    assert [request.query["limit"] for request in boe.asked] == ["3"]


async def test_an_empty_list_is_no_error(client):
    assert await client.search(query="titulo:nada") == []


@pytest.mark.parametrize(
    ("conditions", "query"),
    [
        ({"materia": "6909"}, "materia@codigo:6909"),
        ({"query": "titulo:jornada or titulo:horario"}, "(titulo:jornada or titulo:horario)"),
        ({"materia": "6909", "query": "rango@codigo:1340"}, "materia@codigo:6909 and (rango@codigo:1340)"),
        ({"query": 'jornada "especial"'}, "titulo:jornada and titulo:especial"),
    ],
)
async def test_search_sends_the_query_in_the_boe_syntax(boe, client, conditions, query):
    await client.search(**conditions)
    assert json.loads(boe.asked[0].query["query"]) == {
        "query": {"query_string": {"query": query}},
        "sort": [{"fecha_publicacion": "desc"}],
    }


async def test_search_is_bounded_by_the_days_of_the_last_change(boe, client):
    await client.search(since=date(2026, 1, 2), until=date(2026, 3, 4))
    query = boe.asked[0].query
    assert (query["from"], query["to"]) == ("20260102", "20260304")
    assert "query" not in json.loads(query["query"])


async def test_rejected_query_is_invalid_input(boe, client):
    with pytest.raises(InvalidInput, match="no entiende la consulta"):
        await client.search(query="nonsense:(")
    with pytest.raises(InvalidInput, match="no es un código de materia"):
        await client.search(materia="trabajo")
    assert len(boe.asked) == 1


def test_entities_are_not_expanded(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hidden", encoding="utf-8")
    root = parse_xml(f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret.as_uri()}">]><a>&x;</a>'.encode())
    assert "hidden" not in "".join(root.itertext())


def test_boe_address_is_a_setting(monkeypatch):
    monkeypatch.setenv("ARTICULADO_BOE_URL", "http://127.0.0.1/otra")
    assert Settings.read(env_file=None).boe_url == "http://127.0.0.1/otra"
