"""What is installed: every package of the checkout, and its data."""

import re
import tomllib

import yaml
from support.paths import REPOSITORY

from cli.session import known_variables
from server.settings import variable_names

PYPROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
TOOLS = PYPROJECT["tool"]
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


DOCKERFILE = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = (REPOSITORY / "compose.yaml").read_text(encoding="utf-8")


def test_all_that_is_installed_reaches_the_image():
    sources = [line.split()[1:-1] for line in DOCKERFILE.splitlines() if line.startswith("COPY ")]
    assert sources == [["."], ["--from=build", "/opt/articulado"], ["langgraph.json"], ["server/agent"]]
    ignored = (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").split("\n")
    let_through = {line[1:] for line in ignored if line.startswith("!")}
    assert "*" in ignored
    assert let_through == {*ROOMS, "LICENSE", "README.md", "constraints.txt", "langgraph.json", "pyproject.toml"}
    assert all((REPOSITORY / name).exists() for name in let_through)


def test_the_image_has_extras_that_there_are_and_no_root():
    [extras] = re.findall(r"^ARG EXTRAS=(.+)$", DOCKERFILE, re.MULTILINE)
    assert set(extras.split(",")) <= set(PYPROJECT["project"]["optional-dependencies"])
    assert re.findall(r"^USER (.+)$", DOCKERFILE, re.MULTILINE) == ["10001"]


def test_the_services_are_set_by_variables_that_are_read():
    services = yaml.safe_load(COMPOSE)["services"]
    assert services["articulado"]["deploy"]["replicas"] == 2
    assert {"qdrant-1", "qdrant-2", "qdrant-3", "postgres", "redis", "proxy"} < set(services)
    named = set(re.findall(r"ARTICULADO_\w+", COMPOSE + DOCKERFILE))
    assert named - (known_variables() | set(variable_names())) == set()


def test_no_secret_has_a_default():
    secrets = re.findall(r"\$\{(\w*(?:PASSWORD|KEY)\w*)(:\?)?", COMPOSE)
    assert {name for name, _ in secrets} == {"QDRANT_API_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD"}
    assert all(needed for _, needed in secrets)
