"""Folders that cannot hold an index: what the user reads."""

import errno
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support.paths import DATA
from support.stores import build
from support.unprivileged import articulado_each

from articulado.store.files import copy_folder
from articulado.store.generations import Generations, translate_disk_errors
from articulado.store.opening import open_index
from articulado.values.errors import ConfigurationError, StoreUnavailable

LAWS = DATA / "laws"


@pytest.fixture(scope="module")
def read_only(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("permisos") / "solo lectura"
    folder.mkdir()
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


@pytest.fixture(scope="module")
def unwritable(tmp_path_factory: pytest.TempPathFactory, demo_index: Path) -> Iterator[Path]:
    """A whole index in which nothing may be written."""
    index = tmp_path_factory.mktemp("indice") / "indice"
    copy_folder(demo_index, index)
    everything = [index, *index.rglob("*")]
    for path in everything:
        path.chmod(path.stat().st_mode & 0o555)
    yield index
    for path in everything:
        path.chmod(path.stat().st_mode | 0o200)


@pytest.fixture(scope="module")
def ended(read_only: Path, unwritable: Path) -> dict[str, CompletedProcess[str]]:
    """Commands that would write into a read-only folder, as they ended; in one process, which takes long to start."""
    question = ("ask", "vacaciones")
    return articulado_each(
        {
            "ask": (("ask", "--index", unwritable, "vacaciones"), {}),
            "ingest": (("ingest", LAWS, "--index", read_only), {}),
            "ingest below": (("ingest", LAWS, "--index", read_only / "x"), {}),
            "ARTICULADO_HOME": (question, {"ARTICULADO_HOME": str(read_only)}),
            "HOME": (question, {"ARTICULADO_HOME": "~/.cache/articulado", "HOME": str(read_only)}),
            "doctor": (("doctor",), {"ARTICULADO_HOME": str(read_only / "casa")}),
        }
    )


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


def test_a_file_in_place_of_a_folder_is_named(tmp_path: Path) -> None:
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
@pytest.mark.parametrize(("command", "below"), [("ingest", ""), ("ingest below", "x")])
def test_an_index_is_not_built_in_a_read_only_folder(
    ended: dict[str, CompletedProcess[str]], read_only: Path, command: str, below: str
) -> None:
    assert ended[command].returncode == 1
    assert says_what_to_do(ended[command].stderr, read_only / below)
    assert "este usuario no tiene permiso" in ended[command].stderr


@pytest.mark.integration
@pytest.mark.parametrize(("variable", "below"), [("ARTICULADO_HOME", "index"), ("HOME", ".cache/articulado/index")])
def test_a_read_only_home_is_named(
    ended: dict[str, CompletedProcess[str]], read_only: Path, variable: str, below: str
) -> None:
    assert ended[variable].returncode == 1
    assert says_what_to_do(ended[variable].stderr, read_only / below)


@pytest.mark.integration
def test_the_doctor_sees_a_home_that_no_index_fits_in(ended: dict[str, CompletedProcess[str]]) -> None:
    assert ended["doctor"].returncode == 1
    assert "ARTICULADO_HOME" in ended["doctor"].stdout
    assert "Todo listo" not in ended["doctor"].stdout


@pytest.mark.integration
def test_an_index_needs_no_write_permission_to_be_asked(ended: dict[str, CompletedProcess[str]]) -> None:
    assert ended["ask"].returncode == 0, ended["ask"].stderr
    assert "Treinta días naturales" in ended["ask"].stdout
