"""Graphs of this process for Python programs, configured by the environment; opened by the first run.

``graph.compose`` offers the same as functions. An Agent Server takes its graphs from ``server.agent``.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from functools import cache
from typing import Any, cast

from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import merge_configs, var_child_runnable_config
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, Field, create_model

from articulado.answering.footnotes import footnotes
from articulado.config.profile import Profile, load_profile
from articulado.config.settings import Settings
from articulado.language.languages import language
from articulado.values.errors import ArticuladoError
from graph.open_graphs import GENERATE_RESPONSE, RAG, REQUIRED_DATA, Graph, OpenGraphs


@cache
def _graphs() -> OpenGraphs:
    settings = Settings.read()
    return OpenGraphs(settings, load_profile(settings.profile), portable=False)


def _of_open_graph(name: str) -> Any:
    """Return a property that takes the attribute from the open graph instead of ``Runnable``."""
    return property(lambda self: getattr(self._now(), name))


class GraphOnFirstRun(Runnable[Any, Any]):
    """A graph that opens when it is first run, drawn or read; each run uses the newest index generation."""

    def __init__(self, name: str, config: RunnableConfig | None = None) -> None:
        self.name = self._name = name
        self._config = config

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        with _graphs().running(self._name) as graph:
            return self._configured(graph).invoke(input, config, **kwargs)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        async with _graphs().using(self._name) as graph:
            return await self._configured(graph).ainvoke(input, config, **kwargs)

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:
        with _graphs().running(self._name) as graph:
            yield from self._configured(graph).stream(input, config, **kwargs)

    async def astream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncIterator[Any]:
        async with _graphs().using(self._name) as graph:
            async for event in self._configured(graph).astream(input, config, **kwargs):
                yield event

    def with_config(self, config: RunnableConfig | None = None, **kwargs: Any) -> "GraphOnFirstRun":
        return GraphOnFirstRun(self._name, merge_configs(self._config, config, cast(RunnableConfig, kwargs)))

    def as_tool(
        self,
        args_schema: type[BaseModel] | None = None,
        *,
        name: str | None = None,
        description: str | None = None,
        arg_types: dict[str, type] | None = None,
    ) -> BaseTool:
        """Return the graph as a tool; the answering graph takes only a question (``question_tool``)."""
        if self._name == RAG and args_schema is None and arg_types is None:
            return question_tool(self, _graphs().profile, name=name, description=description)
        return super().as_tool(args_schema, name=name, description=description, arg_types=arg_types)

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


def question_tool(
    graph: Runnable[Any, Any],
    profile: Profile,
    *,
    context: Mapping[str, Any] | None = None,
    name: str | None = None,
    description: str | None = None,
) -> BaseTool:
    """Return an answering graph as an agent tool: a question in, the answer with its sources out, as Markdown.

    The artifact of the tool message is the result (``state.rag.RagOutput``). Errors become the text of the tool
    message, so that the agent can correct its call. Runs of ``graph`` are not part of the caller's threads. ``profile``
    gives the language of the texts for the agent, and the default ``name`` and ``description``; ``context`` has the
    options of every run (``state.context.RunContext``).
    """
    spoken, law = language(profile.language), profile.features.spanish_law
    described = spoken.translate("tool_answers_law" if law else "tool_answers", title=profile.title)
    schema = create_model("Question", question=(str, Field(description=spoken.translate("tool_question"))))

    def told(result: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        sources = footnotes(result["citations"], result["warnings"], language(result["language"]), law=law)
        return f"{result['answer']}\n\n{sources}", {key: value for key, value in result.items() if key != "messages"}

    def ask(question: str) -> tuple[str, dict[str, Any]]:
        var_child_runnable_config.set(None)  # The agent's threads and listeners are for its own texts.
        try:
            return told(graph.invoke({"question": question}, context=context))
        except ArticuladoError as error:
            raise ToolException(str(error)) from error

    async def aask(question: str) -> tuple[str, dict[str, Any]]:
        var_child_runnable_config.set(None)
        try:
            return told(await graph.ainvoke({"question": question}, context=context))
        except ArticuladoError as error:
            raise ToolException(str(error)) from error

    return StructuredTool.from_function(
        ask,
        coroutine=aask,
        name=name or ("consultar_derecho_laboral" if law else "consultar_documentos"),
        description=description or described,
        args_schema=schema,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


rag = GraphOnFirstRun(RAG)
required_data = GraphOnFirstRun(REQUIRED_DATA)
generate_response = GraphOnFirstRun(GENERATE_RESPONSE)


def __getattr__(name: str) -> Any:
    """Return ``services``, opened on first use."""
    if name != "services":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _graphs().services
