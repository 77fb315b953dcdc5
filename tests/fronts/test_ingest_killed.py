"""An ingest that is killed at any moment: the old index serves, and the next run makes the new one exactly."""

import random
import shutil
import time
from itertools import cycle
from pathlib import Path

import pytest
from support.ingest_process import begun_ingest
from support.ingesting import ingest
from support.small_laws import write_law

from articulado.config.settings import Settings
from articulado.store.embedded import EmbeddedStore
from articulado.store.opening import open_index
from articulado.store.writer import Points

pytestmark = pytest.mark.integration

KILLS = 5


def write_laws(folder: Path, version: int) -> Path:
    """Write the laws of a version: most of them are the same in both, some differ, some are in one alone."""
    shutil.rmtree(folder, ignore_errors=True)
    for number in range(12):
        texts = [f"El descanso {number} del asunto {article} dura días." for article in range(25)]
        if number < 3:
            texts = [f"{text} Véase el artículo {version + 2}." for text in texts[5 * version :]]
        write_law(folder / f"{number}.md", f"BOE-A-2000-{number}", *texts)
    write_law(folder / "otra.md", f"BOE-A-2001-{version}", "Las vacaciones son de treinta días.")
    return folder


def held(folder: Path) -> dict[int, int]:
    return {point.id: point.digest for point in Points.load(open_index(folder).folder)}


async def stored(folder: Path) -> set[int]:
    """Return the ids that the store itself gives back."""
    index = open_index(folder)
    store = EmbeddedStore(index.folder, list(index.manifest.collections))
    try:
        assert sum((await store.counts()).values()) == len(held(folder))
        return {chunk["id"] for chunk in await store.fetch(list(held(folder)))}
    finally:
        await store.close()


async def test_an_ingest_killed_at_random_moments(tmp_path: Path, nothing_comes_along: None) -> None:
    laws, index, home = tmp_path / "leyes", tmp_path / "indice", tmp_path / "home"
    settings = Settings.read(env_file=None, index=index, home=home)
    versions = []
    for version in (0, 1):
        fresh = settings.model_copy(update={"index": tmp_path / f"fresco{version}"})
        await ingest([write_laws(laws, version)], fresh)
        versions.append(held(fresh.index_folder))
    assert len(versions[0].keys() ^ versions[1].keys()) > 30
    assert sum(versions[1].get(point) != digest for point, digest in versions[0].items()) > 100

    await ingest([write_laws(laws, 1)], settings)
    serving = held(index)
    assert serving == versions[1]
    moments = random.Random(5)
    seconds, killed = 5.0, 0
    for version in cycle((0, 1)):
        write_laws(laws, version)
        began = time.perf_counter()
        process = begun_ingest(laws, settings)
        process.join(moments.uniform(0, seconds))
        if process.exitcode is None:
            process.kill()
            process.join()
            killed += 1
        else:
            # Too late: whatever the machine does, later ones are killed within the time that one takes.
            seconds = min(seconds, time.perf_counter() - began)
        now = held(index)
        assert now in (serving, versions[version])
        assert await stored(index) == now.keys()
        serving = now
        if killed == KILLS:
            break
    for version in (0, 1):
        await ingest([write_laws(laws, version)], settings)
        assert held(index) == versions[version]
        assert await stored(index) == versions[version].keys()
    assert len(list((index / "generations").iterdir())) == 2
    assert not list(index.glob("**/*.partial"))
