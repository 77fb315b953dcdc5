"""The tree: few modules, none too large, no fragment, and no stage that imports another."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest
from support.paths import REPOSITORY

TIERS = ("articulado", "state", "nodes", "graph", "evaluation", "server", "cli", "tools")
MOST_MODULES, MOST_LINES, LEAST_LINES = 380, 400, 40
ENTRY_POINTS = {"cli.__main__", "server.agent.http", "graph.app"}
"""Modules that a command or `langgraph.json` names: no other module imports them."""
HELPERS = {"stage", "routing", "validation", "turn", "speech", "case.result"}
"""Modules of `nodes` that hold no stage; a stage may import them."""


def name_of(file: Path) -> str:
    return ".".join(file.relative_to(REPOSITORY).with_suffix("").parts)


MODULES = {
    name_of(file): file
    for tier in TIERS
    for file in sorted((REPOSITORY / tier).rglob("*.py"))
    if file.name != "__init__.py"
}


def imported(file: Path) -> set[str]:
    """Return the production modules that a module imports, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found & MODULES.keys()


def lines_of(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def test_there_are_few_modules():
    assert len(MODULES) <= MOST_MODULES


def test_no_module_is_too_large():
    assert {name: lines_of(file) for name, file in MODULES.items() if lines_of(file) > MOST_LINES} == {}


def test_a_small_module_with_one_importer_is_part_of_it():
    importers: dict[str, set[str]] = defaultdict(set)
    for name, file in MODULES.items():
        for other in imported(file):
            importers[other].add(name)
    small = {name for name, file in MODULES.items() if lines_of(file) <= LEAST_LINES and len(importers[name]) <= 1}
    stages = {name for name in small if name.startswith("nodes.")}
    tools = {name for name in small if name.startswith("tools.")}
    assert small - stages - tools - ENTRY_POINTS == set()


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("nodes.")])
def test_no_stage_imports_another(name):
    stages = {other for other in MODULES if other.startswith("nodes.") and not is_helper(other)}
    assert is_helper(name) or imported(MODULES[name]) & stages == set()


def is_helper(name: str) -> bool:
    return name.removeprefix("nodes.") in HELPERS


def test_only_the_documented_packages_stand_at_the_top():
    packages = {file.parent.name for file in REPOSITORY.glob("*/__init__.py")}
    assert packages - {"benchmarks", "tests"} == {*TIERS, "corpus", "profiles"}
