"""The diagrams and the table of stages in docs/architecture.md agree with the graphs and the stages."""

import ast
import importlib
import re
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from langgraph.graph.state import CompiledStateGraph
from support.doubles import FakeStore, QueueChat, make_services
from support.paths import REPOSITORY

from graph.case import build_generate_response, build_required_data
from graph.factory import build_ingest_services
from graph.ingest import build_ingest
from graph.rag import build_rag, build_retrieval
from nodes.stage import UsageAccount, default_options

PAGE = (REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8")
DIAGRAMS = re.findall(r"```mermaid\n(.*?)```", PAGE, re.DOTALL)
ROW = re.compile(r"^\| `(\w+)`[^|]*\| [^|]+ \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
ROWS = {stage: (reads, writes) for stage, reads, writes in ROW.findall(PAGE)}
MANY_KEYS = {"analyze_question", "accept_case", "accept", "finalize"}
"""Stages whose row names only some of the keys that they write: they reset a state, or close it."""
OF_ALL = {"warnings", "cost"}
"""Keys that any stage may write."""


def edges_of(graph: CompiledStateGraph[Any, Any, Any, Any]) -> set[tuple[str, str]]:
    """Return the edges of a graph, those of its routers among them."""
    builder = graph.builder
    edges = set(builder.edges)
    edges |= {(start, end) for starts, end in builder.waiting_edges for start in starts}
    for start, branches in builder.branches.items():
        edges |= {(start, end) for branch in branches.values() for end in (branch.ends or {}).values()}
    return edges


def drawn_edges(diagram: str) -> set[tuple[str, str]]:
    names = {"START": "__start__", "END": "__end__"}
    pairs = re.findall(r"^ *(\w+) (?:-->|-\.->) (\w+)$", diagram, re.MULTILINE)
    return {(names.get(start, start), names.get(end, end)) for start, end in pairs}


def graphs() -> list[CompiledStateGraph[Any, Any, Any, Any]]:
    """Return the graphs in the order of their diagrams: answers, retrieval, both steps of a case, ingestion."""
    services = make_services(FakeStore([]), None, QueueChat([]), checker=QueueChat([]))
    account = UsageAccount(default_options(services.settings), services.profile.language, frozenset())
    return [
        build_rag(services),
        build_retrieval(services, account),
        build_required_data(services),
        build_generate_response(services),
        build_ingest(build_ingest_services(services.settings, services.profile)),
    ]


GRAPHS = graphs()


def module_of(stage: str) -> Any:
    file = next(iter((REPOSITORY / "nodes").rglob(f"{stage}.py")))
    return importlib.import_module(".".join(file.relative_to(REPOSITORY).with_suffix("").parts))


def keys_in(cell: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", cell))


def keys_read(source: Path) -> set[str]:
    """Return the keys of the state that a module reads by name."""
    keys: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        match node:
            case ast.Subscript(value=ast.Name(id="state"), slice=ast.Constant(value=str(key))):
                keys.add(key)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="state"), attr="get"), args=[ast.Constant(value=str(key)), *_]
            ):
                keys.add(key)
    return keys


def test_there_is_a_diagram_of_each_graph():
    assert len(DIAGRAMS) == len(GRAPHS)


@pytest.mark.parametrize("number", range(len(GRAPHS)), ids=[graph.name for graph in GRAPHS])
def test_a_diagram_has_the_edges_of_its_graph(number):
    assert drawn_edges(DIAGRAMS[number]) == edges_of(GRAPHS[number])


def test_the_table_has_every_stage():
    stages = {name for graph in GRAPHS for name in graph.builder.nodes} - {"retrieve"}
    assert set(ROWS) == stages


@pytest.mark.parametrize("stage", ROWS)
def test_a_stage_reads_and_writes_the_keys_of_its_row(stage):
    module = module_of(stage)
    reads, writes = map(keys_in, ROWS[stage])
    written = set(get_type_hints(get_type_hints(getattr(module, stage))["return"])) - OF_ALL
    assert reads <= keys_read(Path(module.__file__))
    assert writes <= written if stage in MANY_KEYS else writes - OF_ALL == written
