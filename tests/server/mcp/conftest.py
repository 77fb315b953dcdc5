"""An index of a small law, the server over it, and graphs that wait until they are cancelled."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.boe_law import article, block, version, write_law_xml
from support.ingesting import ingest
from support.laboral import write_laboral
from support.small_graph import Hang, small_graph

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from graph.open_graphs import OpenGraphs

OLD, NEW = "El permiso por boda es de 15 días naturales.", "El permiso por boda es de 20 días naturales."


@pytest.fixture(scope="session")
def small_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings with an index: article 1 has two wordings, article 2 was repealed, article 3 refers to article 1."""
    folder = tmp_path_factory.mktemp("mcp")
    changed = version(article("Artículo 1. Permisos.", NEW), start="20200101", published="20191201")
    gone = version(article("Artículo 2. (Derogado)"), start="20210101", published="20201201")
    xml = write_law_xml(
        folder / "ley.xml",
        block("Artículo 1", version(article("Artículo 1. Permisos.", OLD)), changed),
        block("Artículo 2", version(article("Artículo 2. Dietas.", "La dieta es de 10 euros.")), gone, id="b2"),
        block("Artículo 3", article("Artículo 3. Remisión.", "Se aplicará el artículo 1 de esta ley."), id="b3"),
    )
    settings = Settings.read(env_file=None, home=folder, index=folder / "index", profile=write_laboral(folder))
    asyncio.run(ingest([xml], settings))
    return settings


def opened_over(settings: Settings) -> OpenGraphs:
    return OpenGraphs(settings, load_profile(settings.profile))


@pytest.fixture
async def opened(small_settings: Settings) -> AsyncIterator[OpenGraphs]:
    graphs = opened_over(small_settings)
    yield graphs
    await graphs.close()


class WaitingGraphs:
    """Graphs whose answers never end, over an index without anything in it; ``hang`` tells when they are cancelled."""

    def __init__(self, home: Path) -> None:
        self.settings = Settings.read(env_file=None, home=home)
        self.profile = load_profile("laboral")
        self.hang = Hang()

    @asynccontextmanager
    async def holding(self) -> AsyncIterator[Any]:
        services = SimpleNamespace(index_day=date(2026, 11, 1), store=None)
        yield SimpleNamespace(services=services, graphs={"rag": small_graph(hang=self.hang)})

    async def warm_up(self) -> None:
        pass

    async def close(self) -> None:
        pass


@pytest.fixture
def waiting(tmp_path: Path) -> WaitingGraphs:
    return WaitingGraphs(tmp_path)
