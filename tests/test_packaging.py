"""What is installed: every package of the checkout, and its data."""

import tomllib

from support.paths import REPOSITORY

TOOLS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
ROOMS = [pattern.removesuffix("*") for pattern in TOOLS["setuptools"]["packages"]["find"]["include"]]
NOT_INSTALLED = {"benchmarks", "docs", "tests"}


def test_every_room_is_installed_and_type_checked():
    rooms = {file.parent.name for file in REPOSITORY.glob("*/__init__.py")} - NOT_INSTALLED
    assert rooms == set(ROOMS)
    assert set(TOOLS["mypy"]["packages"]) == rooms - {"corpus", "profiles"}


def test_every_folder_with_code_is_a_package():
    folders = {file.parent for room in ROOMS for file in (REPOSITORY / room).rglob("*.py")}
    assert {folder.relative_to(REPOSITORY) for folder in folders if not (folder / "__init__.py").is_file()} == set()


def test_every_kind_of_data_is_installed():
    installed = {pattern.rpartition(".")[2] for pattern in TOOLS["setuptools"]["package-data"]["*"]}
    files = (file for room in ROOMS for file in (REPOSITORY / room).rglob("*") if file.is_file())
    assert {file.suffix[1:] for file in files if "__pycache__" not in file.parts} - {"py"} == installed
