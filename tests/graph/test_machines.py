"""Several machines on one server: each has a home of its own, and beside it the address of the server alone."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.ingesting import ingest
from support.laboral import NAME, write_laboral
from support.open_graphs import REST, text_found
from support.qdrant_rest import FakeQdrant, running_qdrant
from support.real_qdrant import needs_real_server, real_server
from support.small_laws import write_law
from support.waiting import PATIENCE

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.store.generations import MODELS
from articulado.store.opening import open_index
from articulado.store.replica import bring_up_to_date
from articulado.store.server_collection import patience
from articulado.values.errors import IndexMismatch, StoreUnavailable
from cli.main import run
from graph.open_graphs import LOOK_INTERVAL, OpenGraphs


@pytest.fixture
def qdrant() -> Iterator[FakeQdrant]:
    with running_qdrant() as state:
        yield state


def machine(qdrant: FakeQdrant, home: Path) -> Settings:
    """The settings of a machine of which nothing is known but its home."""
    home.mkdir(exist_ok=True)
    profile = write_laboral(home)
    return Settings.read(None, store="server", qdrant_url=qdrant.url, home=home, profile=profile)


def graphs(settings: Settings, clock: list[float]) -> OpenGraphs:
    return OpenGraphs(settings, load_profile(settings.profile), clock=lambda: clock[0])


async def found(opened: OpenGraphs) -> str:
    """Return the texts that a question finds."""
    async with opened.holding() as held:
        return await text_found(held)


async def test_a_worker_needs_the_address_and_goes_over_to_what_another_machine_ingests(
    qdrant: FakeQdrant, tmp_path: Path
) -> None:
    writing, reading = machine(qdrant, tmp_path / "a"), machine(qdrant, tmp_path / "b")
    law = write_law(tmp_path / "ley.md", "BOE-A-2000-1")
    await ingest([law], writing)
    now = [0.0]
    opened = graphs(reading, now)
    assert "día y medio" in await found(opened)
    index = open_index(reading.index_folder)
    assert (index.folder / MODELS / "lexicon.json").is_file()
    write_law(law, "BOE-A-2000-1", "El descanso semanal es de dos días.")
    before = opened.services
    await ingest([law], writing)
    qdrant.requests.clear()
    await found(opened)
    assert opened.services is before, "it was asked less than a second ago"
    assert len(qdrant.of_points) == len(qdrant.requests)
    now[0] += LOOK_INTERVAL
    assert "dos días" in await found(opened)
    assert opened.services is not before
    await opened.close()


async def test_a_run_ends_with_what_it_began_with_and_a_server_that_is_away_changes_nothing(
    qdrant: FakeQdrant, tmp_path: Path
) -> None:
    writing, now = machine(qdrant, tmp_path / "a"), [0.0]
    law = write_law(tmp_path / "ley.md", "BOE-A-2000-1")
    await ingest([law], writing)
    opened = graphs(machine(qdrant, tmp_path / "b"), now)
    async with opened.holding() as before:
        await ingest([law], writing, rebuild=True)
        now[0] += LOOK_INTERVAL
        assert "día y medio" in await found(opened)
        assert "día y medio" in await text_found(before)
    assert len(qdrant.names) == 2, "the collection that it began with, and the one that is served"
    services = opened.services
    qdrant.fail[".*/articulado.*"] = 503
    now[0] += LOOK_INTERVAL
    assert "día y medio" in await found(opened)
    assert opened.services is services
    await opened.close()


@pytest.mark.parametrize("another", [True, False])
async def test_a_server_that_has_lost_the_index_is_filled_again(
    qdrant: FakeQdrant, tmp_path: Path, another: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    settings, now = machine(qdrant, tmp_path / "a"), [0.0]
    law = write_law(tmp_path / "ley.md", "BOE-A-2000-1")
    await ingest([law], settings)
    with running_qdrant() as empty:
        if another:
            settings = settings.model_copy(update={"qdrant_url": empty.url})
        else:
            for name in qdrant.names:
                del qdrant.collections[name]
        report = await ingest([law], settings)
        assert report["written"] > 0
        [warning] = [warning for warning in report["warnings"] if "vuelto a crear" in warning]
        assert "normativa" in warning
        opened = graphs(settings, now)
        assert "día y medio" in await found(opened)
        await opened.close()
        assert not [warning for warning in (await ingest([law], settings))["warnings"] if "vuelto a crear" in warning]


async def test_no_run_waits_for_the_look_of_another(
    qdrant: FakeQdrant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, now = machine(qdrant, tmp_path / "a"), [0.0]
    await ingest([write_law(tmp_path / "ley.md", "BOE-A-2000-1")], settings)
    opened = graphs(settings, now)
    looking, answered = threading.Event(), threading.Event()

    async def hang(settings: Settings, profile: str) -> None:
        looking.set()
        await asyncio.to_thread(answered.wait, PATIENCE)

    async with opened.holding():
        monkeypatch.setattr("graph.open_graphs.bring_up_to_date", hang)
        now[0] += LOOK_INTERVAL
        slow = asyncio.create_task(found(opened))
        assert await asyncio.to_thread(looking.wait, PATIENCE)
        assert "día y medio" in await asyncio.wait_for(found(opened), PATIENCE)
        assert not slow.done()
    answered.set()
    assert "día y medio" in await slow
    await opened.close()


async def test_another_machine_continues_the_index(qdrant: FakeQdrant, tmp_path: Path) -> None:
    """It writes what differs and nothing else, and the first machine goes on from there."""
    first, second = machine(qdrant, tmp_path / "a"), machine(qdrant, tmp_path / "b")
    one, two = write_law(tmp_path / "una.md", "BOE-A-2000-1"), write_law(tmp_path / "dos.md", "BOE-A-2000-2", "Otra.")
    await ingest([one], first)
    qdrant.requests.clear()
    report = await ingest([two], second)
    assert (report["added"], report["unchanged"]) == (["Ley BOE-A-2000-2"], 1)
    written = {
        point["payload"]["metadata"]["law_id"]
        for asked in qdrant.asked("PUT", ".*/points")
        for point in asked.body["points"]
    }
    assert written == {"BOE-A-2000-2"}
    write_law(one, "BOE-A-2000-1", "El descanso semanal es de tres días.")
    report = await ingest([one], first)
    assert (report["updated"], report["unchanged"]) == (["Ley BOE-A-2000-1"], 1)
    [name] = qdrant.names
    assert name.startswith("normativa__")
    assert {point["payload"]["metadata"]["law_id"] for point in qdrant.collections[name].values()} == {
        "BOE-A-2000-1",
        "BOE-A-2000-2",
    }


async def test_damaged_local_files_are_fetched_again(qdrant: FakeQdrant, tmp_path: Path) -> None:
    writing, reading = machine(qdrant, tmp_path / "a"), machine(qdrant, tmp_path / "b")
    await ingest([write_law(tmp_path / "ley.md", "BOE-A-2000-1")], writing)
    await bring_up_to_date(reading, NAME)
    lexicon = open_index(reading.index_folder).models / "lexicon.json"
    content = lexicon.read_bytes()
    lexicon.write_bytes(b"{}")
    await bring_up_to_date(reading, NAME)
    assert lexicon.read_bytes() == content
    (reading.index_folder / "current").write_text("nada")
    await bring_up_to_date(reading, NAME)
    assert open_index(reading.index_folder).models / "lexicon.json" == lexicon


async def test_an_ingest_that_cannot_ask_what_is_served_changes_nothing(qdrant: FakeQdrant, tmp_path: Path) -> None:
    """Who only reads goes on with what it has; an ingest would write what another machine has replaced."""
    settings = machine(qdrant, tmp_path / "a")
    law = write_law(tmp_path / "ley.md", "BOE-A-2000-1")
    await ingest([law], settings)
    write_law(law, "BOE-A-2000-1", "El descanso semanal es de dos días.")
    qdrant.fail["/collections/articulado/points"] = 503
    qdrant.requests.clear()
    with pytest.raises(StoreUnavailable):
        await ingest([law], settings)
    assert not qdrant.asked("PUT", ".*")
    await bring_up_to_date(settings, NAME, or_go_on=True)
    opened = graphs(settings, [0.0])
    assert "día y medio" in await found(opened)
    await opened.close()


async def test_a_damaged_registry_is_mended_by_a_rebuild(qdrant: FakeQdrant, tmp_path: Path) -> None:
    writing, reading = machine(qdrant, tmp_path / "a"), machine(qdrant, tmp_path / "b")
    law = write_law(tmp_path / "ley.md", "BOE-A-2000-1")
    await ingest([law], writing)
    for point in qdrant.collections["articulado"].values():
        if "manifest" in point["payload"]:
            point["payload"] = {"format": "de otra versión"}
    with pytest.raises(IndexMismatch, match="--rebuild"):
        await bring_up_to_date(reading, NAME)
    await ingest([law], reading, rebuild=True)
    await bring_up_to_date(writing, NAME)
    assert open_index(reading.index_folder).folder.name == open_index(writing.index_folder).folder.name


async def test_without_the_server_and_without_anything_the_reason_is_told(tmp_path: Path) -> None:
    with running_qdrant() as gone:
        settings = machine(gone, tmp_path / "a")
    with pytest.raises(StoreUnavailable, match=r"no acepta conexiones.*ARTICULADO_QDRANT_URL"):
        await bring_up_to_date(settings, NAME)


@needs_real_server
@pytest.mark.integration
async def test_on_a_real_server_machines_follow_one_another(tmp_path: Path) -> None:
    profile, law = write_laboral(tmp_path), write_law(tmp_path / "ley.md", "BOE-A-2000-1")
    async with real_server(home=tmp_path / "a", profile=profile) as first:
        second = first.model_copy(update={"home": tmp_path / "b"})
        now = [0.0]
        await ingest([law], first)
        opened = graphs(second, now)
        assert "día y medio" in await found(opened)
        for home, text in ((second, "dos días"), (first, "tres días")):
            write_law(law, "BOE-A-2000-1", f"El descanso semanal es de {text}.")
            await ingest([law], home)
            now[0] += LOOK_INTERVAL
            assert text in await found(opened)
        await ingest([law], second, rebuild=True)
        now[0] += LOOK_INTERVAL
        assert "tres días" in await found(opened)
        await opened.close()


def test_without_a_disk_to_write_to_a_temporary_folder_serves(tmp_path: Path) -> None:
    (tmp_path / "fichero").write_text("")
    settings = Settings.read(None, store="server", home=tmp_path / "fichero" / "casa")
    assert settings.index_folder.parent.is_dir()
    assert settings.index_folder == settings.index_folder, "the same one for the whole process"
    assert tmp_path not in settings.index_folder.parents
    assert Settings.read(None, home=tmp_path / "fichero" / "casa").index_folder.is_relative_to(tmp_path)


def test_the_program_answers_from_the_address_alone(
    qdrant: FakeQdrant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    law = write_law(tmp_path / "ley.md", "BOE-A-2000-1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARTICULADO_STORE", "server")
    monkeypatch.setenv("ARTICULADO_QDRANT_URL", qdrant.url)
    monkeypatch.setenv("ARTICULADO_PROFILE", write_laboral(tmp_path))

    def said(home: str, *words: str) -> str:
        monkeypatch.setenv("ARTICULADO_HOME", str(tmp_path / home))
        assert run(list(words)) == 0
        return capsys.readouterr().out

    said("a", "ingest", str(law))
    for words in (["search", REST["question"]], ["ask", REST["question"]], ["show", "art. 1 BOE-A-2000-1"]):
        there = said("b", *words)
        assert there == said("a", *words)
        assert "BOE-A-2000-1" in there


async def test_a_server_that_hangs_does_not_hold_a_question_for_long(qdrant: FakeQdrant, tmp_path: Path) -> None:
    """A tenth of what a question has, ten seconds at most, is what it waits for one answer of the server."""
    writing, now = machine(qdrant, tmp_path / "a"), [0.0]
    await ingest([write_law(tmp_path / "ley.md", "BOE-A-2000-1")], writing)
    reading = machine(qdrant, tmp_path / "b").model_copy(update={"question_timeout": 1.0})
    opened = graphs(reading, now)
    assert "día y medio" in await found(opened)
    qdrant.hang = "/collections/articulado/points"
    now[0] += LOOK_INTERVAL
    assert "día y medio" in await found(opened), "what is open goes on"
    qdrant.hang = ".*"
    with pytest.raises(StoreUnavailable, match="no responde a tiempo"):
        await found(opened)
    qdrant.awake.set()
    await opened.close()


@pytest.mark.parametrize(("seconds", "expected"), [(120.0, 10.0), (30.0, 3.0), (1.0, 0.1)])
def test_the_patience_with_a_server_is_a_share_of_the_question(seconds: float, expected: float) -> None:
    assert patience(Settings.read(None, question_timeout=seconds)) == expected
