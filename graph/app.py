"""Graphs of this process for Python programs, configured by the environment.

Importing this module opens nothing. The first run opens the index, or builds the first index of the
profile. ``graph.compose`` offers the same as functions. An Agent Server takes its graphs from
``server.agent``.
"""

from collections.abc import AsyncIterator, Iterator
from functools import cache
from typing import Any, cast

from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import merge_configs

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from graph.open_graphs import GENERATE_RESPONSE, RAG, REQUIRED_DATA, Graph, OpenGraphs


@cache
def _graphs() -> OpenGraphs:
    settings = Settings.read()
    return OpenGraphs(settings, load_profile(settings.profile), portable=False)


def _of_open_graph(name: str) -> Any:
    """Return a member of ``GraphOnFirstRun`` that is the open graph's, where ``Runnable`` has one of its own."""
    return property(lambda self: getattr(self._now(), name))


class GraphOnFirstRun(Runnable[Any, Any]):
    """A graph of this process that is opened when it is first run, drawn or read.

    Each run has the newest generation of the index. Attributes that are not here are those of the open graph.
    """

    def __init__(self, name: str, config: RunnableConfig | None = None) -> None:
        self.name = self._name = name
        self._config = config

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the graph once."""
        with _graphs().running(self._name) as graph:
            return self._configured(graph).invoke(input, config, **kwargs)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the graph once."""
        async with _graphs().using(self._name) as graph:
            return await self._configured(graph).ainvoke(input, config, **kwargs)

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:
        """Run the graph, and yield its events as they happen."""
        with _graphs().running(self._name) as graph:
            yield from self._configured(graph).stream(input, config, **kwargs)

    async def astream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncIterator[Any]:
        """Run the graph, and yield its events as they happen."""
        async with _graphs().using(self._name) as graph:
            async for event in self._configured(graph).astream(input, config, **kwargs):
                yield event

    def with_config(self, config: RunnableConfig | None = None, **kwargs: Any) -> "GraphOnFirstRun":
        """Return the same graph with a configuration for each of its runs."""
        return GraphOnFirstRun(self._name, merge_configs(self._config, config, cast(RunnableConfig, kwargs)))

    InputType = _of_open_graph("InputType")
    OutputType = _of_open_graph("OutputType")
    config_schema = _of_open_graph("config_schema")
    get_graph = _of_open_graph("get_graph")
    get_input_schema = _of_open_graph("get_input_schema")
    get_input_jsonschema = _of_open_graph("get_input_jsonschema")
    get_output_schema = _of_open_graph("get_output_schema")
    get_output_jsonschema = _of_open_graph("get_output_jsonschema")
    get_config_jsonschema = _of_open_graph("get_config_jsonschema")
    stream_events = _of_open_graph("stream_events")
    astream_events = _of_open_graph("astream_events")

    def __getattr__(self, name: str) -> Any:
        # Asked for by copy, pickle and the like, before there is anything to delegate to.
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._now(), name)

    def _now(self) -> Graph:
        return self._configured(_graphs().now(self._name))

    def _configured(self, graph: Graph) -> Graph:
        return graph.with_config(self._config) if self._config else graph


rag = GraphOnFirstRun(RAG)
required_data = GraphOnFirstRun(REQUIRED_DATA)
generate_response = GraphOnFirstRun(GENERATE_RESPONSE)


def __getattr__(name: str) -> Any:
    """Return ``services``, those of the graphs, opened when they are first asked for."""
    if name != "services":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _graphs().services
