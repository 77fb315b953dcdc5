"""An index of a small law for servers: article 1 has two wordings, 2 was repealed, 3 cites 1."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
from support.boe_law import article, block, version, write_law_xml
from support.ingesting import ingest
from support.laboral import NAME, write_laboral
from support.loopback import serving
from support.waiting import PATIENCE

from articulado.config.profile import Profile, load_profile
from articulado.config.sections import RelevanceBands
from articulado.config.settings import Settings
from graph.open_graphs import OpenGraphs
from server.app import app_over
from server.settings import ServerSettings

OLD, NEW = "El permiso por boda es de 15 días naturales.", "El permiso por boda es de 20 días naturales."


def index_law(folder: Path, more: Sequence[Path] = ()) -> Settings:
    """Write the law and index it with more documents; return the settings of that index."""
    changed = version(article("Artículo 1. Permisos.", NEW), start="20200101", published="20191201")
    gone = version('<p class="articulo">Artículo 2. (Derogado)</p>', start="20210101", published="20201201")
    xml = write_law_xml(
        folder / "ley.xml",
        block("Artículo 1", version(article("Artículo 1. Permisos.", OLD)), changed),
        block("Artículo 2", version(article("Artículo 2. Dietas.", "La dieta es de 10 euros.")), gone, id="b2"),
        block("Artículo 3", article("Artículo 3. Remisión.", "Se aplicará el artículo 1 de esta ley."), id="b3"),
    )
    settings = settings_of(folder)
    asyncio.run(ingest([xml, *more], settings))
    return settings


def settings_of(folder: Path) -> Settings:
    """Return the settings of the index in a folder."""
    profile = folder / f"{NAME}.toml"
    written = str(profile) if profile.exists() else write_laboral(folder)
    return Settings.read(env_file=None, home=folder, index=folder / "index", profile=written)


def unsure(settings: Settings) -> Profile:
    """Return the profile of an index, unsure of every question that names no provision."""
    profile = load_profile(settings.profile)
    return profile.model_copy(update={"relevance": RelevanceBands(answer=1.0, near=0.0, insisting=1.0, follow_up=1.0)})


@contextmanager
def v1_client(folder: Path, *, is_unsure: bool = False) -> Iterator[httpx.Client]:
    """Serve the index of a folder, and yield a client of the server."""
    settings = settings_of(folder)
    opened = OpenGraphs(settings, unsure(settings) if is_unsure else load_profile(settings.profile))
    app = app_over(opened, ServerSettings(conversations="sqlite:kept.sqlite", max_chunks=10))
    with serving(app) as url, httpx.Client(base_url=url, timeout=PATIENCE) as http:
        yield http
