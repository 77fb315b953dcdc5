"""What is installed: every package of the checkout, and its data."""

import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


def test_every_package_is_listed():
    listed = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    rooms = {name.partition(".")[0] for name in listed}
    found = {
        ".".join(file.parent.relative_to(REPOSITORY).parts)
        for room in rooms
        for file in (REPOSITORY / room).rglob("__init__.py")
    }
    assert sorted(listed) == sorted(found | {"profiles", "corpus", "legal.data", "services.data", "nodes.prompts"})
