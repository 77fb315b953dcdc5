"""The graphs of a process: there before an index is, and of the new one once an ingest has written it."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.ingesting import ingest
from support.laboral import write_laboral
from support.open_graphs import REST, text_found
from support.small_case import RELEVANT, SmallBase, case_services
from support.small_laws import write_law

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.store.supplementary import MissingIndex
from articulado.values.errors import IndexMissing
from graph.open_graphs import GENERATE_RESPONSE, RAG, REQUIRED_DATA, OpenGraphs


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    profile = write_laboral(tmp_path)
    return Settings.read(env_file=None, home=tmp_path, index=tmp_path / "index", profile=profile)


def opened_with(settings: Settings) -> OpenGraphs:
    return OpenGraphs(settings, load_profile(settings.profile))


async def found_now(opened: OpenGraphs) -> str:
    async with opened.holding() as held:
        return await text_found(held)


@pytest.mark.parametrize("name", [RAG, REQUIRED_DATA, GENERATE_RESPONSE])
async def test_without_an_index_every_graph_says_what_is_missing(settings: Settings, name: str) -> None:
    opened = opened_with(settings)
    sent = REST if name == RAG else {"inquiry": "¿Cuánto dura el descanso semanal?"}
    async with opened.using(name) as graph:
        assert len(graph.get_graph().nodes) > 5
        with pytest.raises(IndexMissing, match="No hay ningún índice"):
            await graph.ainvoke(sent)
    with pytest.raises(IndexMissing):
        await opened.warm_up()
    await opened.close()


async def test_the_first_index_is_answered_from_without_a_restart(settings: Settings, tmp_path: Path) -> None:
    opened = opened_with(settings)
    async with opened.holding() as before:
        await ingest([write_law(tmp_path / "a.md", "BOE-A-2000-1")], settings)
        assert "día y medio" in await found_now(opened)
        with pytest.raises(IndexMissing):
            await before.graphs[RAG].ainvoke(REST)
    await opened.close()


async def test_given_services_stay_when_an_index_is_written(settings: Settings, tmp_path: Path) -> None:
    services = replace(case_services(base=SmallBase(RELEVANT)), settings=settings)
    opened = OpenGraphs.over(services)
    await ingest([write_law(tmp_path / "a.md", "BOE-A-2000-1")], settings)
    assert opened.services.matcher is services.matcher
    await opened.close()


async def test_a_run_ends_with_the_index_that_it_began_with(settings: Settings, tmp_path: Path) -> None:
    law = write_law(tmp_path / "a.md", "BOE-A-2000-1")
    await ingest([law], settings)
    opened = opened_with(settings)
    async with opened.holding() as before:
        write_law(law, "BOE-A-2000-1", "El descanso semanal es de dos días.")
        await ingest([law], settings)
        assert "dos días" in await found_now(opened)
        assert "día y medio" in await text_found(before)
    assert "dos días" in await found_now(opened)
    await opened.close()


async def test_services_are_closed_when_their_last_run_has_ended(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    law = write_law(tmp_path / "a.md", "BOE-A-2000-1")
    await ingest([law], settings)
    opened = opened_with(settings)
    closed: list[bool] = []

    async def close() -> None:
        closed.append(True)

    async with opened.using(RAG):
        monkeypatch.setattr(opened.services.store.store, "close", close)
        write_law(law, "BOE-A-2000-1", "El descanso semanal es de dos días.")
        await ingest([law], settings)
        await found_now(opened)
        assert not closed
    assert closed == [True]
    await opened.close()


async def test_a_new_index_that_cannot_be_opened_leaves_the_old_one(settings: Settings, tmp_path: Path) -> None:
    await ingest([write_law(tmp_path / "a.md", "BOE-A-2000-1")], settings)
    opened = opened_with(settings)
    first = await found_now(opened)
    assert settings.index is not None
    (settings.index / "current").write_text("20990101T000000000000")
    assert await found_now(opened) == first
    await opened.close()


def test_services_without_index_have_a_missing_index(settings: Settings) -> None:
    assert isinstance(opened_with(settings).services.store, MissingIndex)
