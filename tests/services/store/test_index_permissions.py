"""Folders that cannot hold an index: what the user reads."""

import errno
from pathlib import Path

import pytest
from support.paths import DATA
from support.stores import build
from support.unprivileged import articulado

from services.store.copying import copy_folder
from services.store.generations import Generations, translate_disk_errors
from services.store.index import open_index
from state.errors import ConfigurationError, StoreUnavailable

LAWS = DATA / "laws"


@pytest.fixture
def read_only(tmp_path: Path):
    folder = tmp_path / "solo lectura"
    folder.mkdir()
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


def says_what_to_do(message: str, folder: Path) -> bool:
    return all(part in message for part in (f"usar {folder} como", "--index", "ARTICULADO_INDEX", "ARTICULADO_HOME"))


@pytest.mark.parametrize("below", ["", "x", "x/y"])
async def test_a_file_is_no_folder_for_an_index(tmp_path: Path, below: str) -> None:
    (tmp_path / "fichero").write_text("texto")
    folder = tmp_path / "fichero" / below
    with pytest.raises(ConfigurationError, match="hay un fichero donde debería haber una carpeta") as opened:
        open_index(folder)
    with pytest.raises(ConfigurationError, match="hay un fichero donde debería haber una carpeta") as built:
        await build(folder, [])
    assert says_what_to_do(str(opened.value), folder)
    assert says_what_to_do(str(built.value), folder)


async def test_a_folder_that_cannot_be_made_is_named() -> None:
    with pytest.raises(ConfigurationError, match="usar /proc/nada como carpeta del índice: no se puede crear"):
        await build(Path("/proc/nada"), [])


def test_what_is_in_the_way_of_a_generation_is_named(tmp_path: Path) -> None:
    (tmp_path / "generations").write_text("texto")
    with pytest.raises(ConfigurationError) as raised:
        Generations(tmp_path).begin()
    assert says_what_to_do(str(raised.value), tmp_path)
    (tmp_path / "current").mkdir()
    with pytest.raises(ConfigurationError, match="hay una carpeta donde debería haber un fichero"):
        Generations(tmp_path).current()
    with pytest.raises(ConfigurationError):
        Generations(tmp_path).switch(tmp_path / "otra")


def test_a_full_disk_may_have_room_later() -> None:
    with (
        pytest.raises(StoreUnavailable, match="en /indice: no queda espacio en el disco"),
        translate_disk_errors(Path("/indice")),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.integration
def test_an_index_is_not_built_in_a_read_only_folder(read_only: Path) -> None:
    for folder in (read_only, read_only / "x"):
        ended = articulado("ingest", LAWS, "--index", folder)
        assert ended.returncode == 1
        assert says_what_to_do(ended.stderr, folder)
        assert "este usuario no tiene permiso" in ended.stderr


@pytest.mark.integration
@pytest.mark.parametrize("variable", ["ARTICULADO_HOME", "HOME"])
def test_a_read_only_home_is_named(read_only: Path, variable: str) -> None:
    environment = {"ARTICULADO_HOME": str(read_only)}
    folder = read_only / "index"
    if variable == "HOME":
        environment = {"ARTICULADO_HOME": "~/.cache/articulado", "HOME": str(read_only)}
        folder = read_only / ".cache" / "articulado" / "index"
    ended = articulado("ask", "vacaciones", **environment)
    assert ended.returncode == 1
    assert says_what_to_do(ended.stderr, folder)


@pytest.mark.integration
def test_the_doctor_sees_a_home_that_no_index_fits_in(read_only: Path) -> None:
    ended = articulado("doctor", ARTICULADO_HOME=str(read_only / "casa"))
    assert ended.returncode == 1
    assert "ARTICULADO_HOME" in ended.stdout
    assert "Todo listo" not in ended.stdout


def test_an_index_without_write_permission_says_so_without_the_words_of_the_engine(
    tmp_path: Path, demo_index: Path
) -> None:
    index = tmp_path / "indice"
    copy_folder(demo_index, index)
    everything = [index, *index.rglob("*")]
    for path in everything:
        path.chmod(path.stat().st_mode & 0o555)
    try:
        ended = articulado("ask", "--index", index, "vacaciones")
    finally:
        for path in everything:
            path.chmod(path.stat().st_mode | 0o200)
    assert ended.returncode == 1
    assert str(index) in ended.stderr
    assert "leer y escribir" in ended.stderr
    assert "--index" in ended.stderr
    assert "error:" not in ended.stderr
    assert "failed" not in ended.stderr
