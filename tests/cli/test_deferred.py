"""Packages whose ``__init__`` waits until a name of theirs is used."""

import importlib
import sys
from pathlib import Path

import pytest

from cli.deferred import defer_packages


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package that gathers a name of a large module beside a small one; it is deferred."""
    name = "package_of_test_deferred"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text("from .large import NAME\nfrom . import small\nREAD = small.SMALL\n")
    (folder / "large.py").write_text("NAME = 'large'\n")
    (folder / "small.py").write_text("SMALL = 'small'\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    defer_packages([name])
    yield name
    for loaded in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[loaded]


def test_a_module_of_a_deferred_package_is_imported_without_what_the_package_gathers(package):
    small = importlib.import_module(f"{package}.small")
    assert small.SMALL == "small"
    assert f"{package}.large" not in sys.modules


def test_a_name_of_the_package_is_there_where_it_is_used(package):
    gathered = importlib.import_module(package)
    assert f"{package}.large" not in sys.modules
    assert (gathered.NAME, gathered.READ) == ("large", "small")
    assert importlib.import_module(f"{package}.large").NAME == "large"


def test_a_name_that_is_not_there_is_an_attribute_error_as_ever(package):
    gathered = importlib.import_module(package)
    with pytest.raises(AttributeError, match="OTHER"):
        gathered.OTHER  # noqa: B018
    with pytest.raises(ImportError):
        exec(f"from {package} import OTHER")


def test_a_package_that_is_there_already_stays_as_it_is():
    defer_packages(["json"])
    try:
        assert importlib.import_module("json") is sys.modules["json"]
    finally:
        del sys.meta_path[0]
