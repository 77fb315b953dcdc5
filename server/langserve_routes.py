"""LangServe routes of a graph; options in ``config.configurable`` of LangChain programs move into the input."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

import orjson
from fastapi import APIRouter, Depends, Request, Response
from fastapi.exceptions import RequestValidationError
from langserve import APIHandler, add_routes
from langserve.playground import serve_playground
from langserve.serialization import WellKnownLCSerializer
from langserve.server import EndpointName
from pydantic import RootModel, TypeAdapter, ValidationError
from sse_starlette import EventSourceResponse

from articulado.language.translation import translate
from articulado.values.errors import ArticuladoError, InvalidInput, NoResultsFound
from server.conversations.routes import THREAD
from server.errors import CONTEXT, FailureResponse, error_event, failure_of, status_of
from server.guards import Policy, check_options, is_of_the_server
from server.limits import MAX_BATCH, more_runs
from server.runnable import QuestionFailed, ServedGraph
from state.context import RunContext

ENDPOINTS: tuple[EndpointName, ...] = ("invoke", "batch", "stream", "stream_events", "input_schema", "output_schema")
PLAYGROUND_ENDPOINTS: tuple[EndpointName, ...] = ("stream_log", "config_schema")
CLOSED = {
    "stream_log": "langserve.closed_stream_log",
    "playground/{file_path:path}": "langserve.closed_playground",
    "config_schema": "langserve.closed_configuration",
    "c/{configuration:path}": "langserve.closed_configuration",
    "feedback": "langserve.closed_feedback",
    "token_feedback": "langserve.closed_feedback",
}
"""LangServe endpoints that are off without the playground, with the key of the text that names a replacement."""
DRAWN_OPTIONS = ("as_of", "territory")
CONFIGURABLE = "configurable"
_NESTED = "checkpoint_ns"
_OF_THE_CLIENT = frozenset(("version", "encoding"))  # sent by LangChain.js, though meant for itself

Event = dict[str, Any]
Events = AsyncGenerator[Event, None]

logger = logging.getLogger(__name__)


def langserve_routes(
    name: str, served: ServedGraph, policy: Policy, checks: Sequence[Any], *, playground: bool
) -> APIRouter:
    """Return the routes of a graph below ``/name``; ``playground`` adds LangServe's page with its ``stream_log``."""
    path = f"/{name}"
    router = APIRouter(dependencies=[*checks, Depends(_OptionsInInput(served, policy))])
    _add_answers(router, served, path)
    if playground:
        _add_playground(router, served, path)
    enabled = (*ENDPOINTS, *PLAYGROUND_ENDPOINTS) if playground else ENDPOINTS
    # On a router instead of the application, LangServe prints no banner and needs no deprecated start-up hook.
    add_routes(router, served, path=path, config_keys=(), enabled_endpoints=enabled)
    for closed, why in CLOSED.items():
        router.add_api_route(
            f"{path}/{closed}", _refusal(closed, path, why), methods=["GET", "POST"], include_in_schema=False
        )
    return router


def _refusal(closed: str, path: str, why: str) -> Callable[[], Awaitable[None]]:
    async def refused() -> None:
        raise NoResultsFound(
            translate("langserve.closed", name=closed.partition("/{")[0], instead=translate(why, path=path))
        )

    return refused


def _add_answers(router: APIRouter, served: ServedGraph, path: str) -> None:
    """Add the routes of answers before LangServe's routes of the same paths, which they replace."""
    plain = APIHandler(served, path=path, config_keys=())
    script = APIHandler(
        served.with_types(output_type=ScriptOutput), path=path, config_keys=(), serializer=ForJavaScript()
    )

    async def handler(request: Request) -> APIHandler:
        return script if _is_langchain_js(await request.json()) else plain

    @router.post(f"{path}/invoke", include_in_schema=False)
    async def invoke(request: Request) -> Response:
        return await (await handler(request)).invoke(request)

    @router.post(f"{path}/batch", include_in_schema=False)
    async def batch(request: Request) -> Response:
        questions = _questions(await request.json())
        if len(questions) > 1 and (refused := await more_runs(request.scope, len(questions) - 1)):
            return refused
        try:
            return await (await handler(request)).batch(request)
        except QuestionFailed as failed:
            return _failed(failed, len(questions), served.seconds)

    @router.post(f"{path}/stream", include_in_schema=False)
    async def stream(request: Request) -> EventSourceResponse:
        return _reporting_failures(await (await handler(request)).stream(request))

    @router.post(f"{path}/stream_events", include_in_schema=False)
    async def stream_events(request: Request) -> EventSourceResponse:
        return _reporting_failures(await (await handler(request)).astream_events(request))


def _failed(failed: QuestionFailed, questions: int, seconds: float | None) -> Response:
    status, failure = status_of(failed.error), failure_of(failed.error)
    if isinstance(failed.error, TimeoutError):
        status, failure = 504, {"detail": translate("server.late", seconds=seconds), "error": "DeadlineExceeded"}
    elif not isinstance(failed.error, ArticuladoError):
        logger.error("question %s of a batch failed", failed.number, exc_info=failed.error)
    detail = translate("langserve.question_failed", number=failed.number, of=questions, why=failure["detail"])
    return FailureResponse(status, {**failure, "detail": detail})


def _add_playground(router: APIRouter, served: ServedGraph, path: str) -> None:
    """Add the playground with schemas that its form can draw; LangServe's own have alternatives with ``null``."""
    asked = drawable(TypeAdapter(served.InputType).json_schema())
    options = asked["properties"][CONTEXT]["properties"]
    # The form sends a value for each yes, no or list, which would no longer be as the settings say.
    asked["properties"][CONTEXT]["properties"] = {name: options[name] for name in DRAWN_OPTIONS}
    answered = drawable(TypeAdapter(served.OutputType).json_schema())

    @router.get(f"{path}/playground/{{file_path:path}}", include_in_schema=False)
    async def page(request: Request, file_path: str = "") -> Response:
        url = f"{request.scope.get('root_path', '').rstrip('/')}{path}/playground"
        schemas: list[Any] = [_Schema({}), _Schema(asked), _Schema(answered)]
        nothing, shown, result = schemas
        return await serve_playground(nothing, shown, result, (), url, file_path, False, False, "default")


class _Schema:
    """JSON schema in place of the models that LangServe's playground asks for theirs."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema

    def config_schema(self, include: Sequence[str]) -> "_Schema":
        return self

    def model_json_schema(self) -> dict[str, Any]:
        return self._schema


def drawable(schema: Any, definitions: Mapping[str, Any] | None = None) -> Any:
    """Return a JSON schema without references, alternatives with ``null`` and defaults of ``None``."""
    if isinstance(schema, list):
        return [drawable(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    definitions = definitions if definitions is not None else schema.get("$defs", {})
    given = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if len(given) == 1:
        schema = {**given[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
    if "$ref" in schema:
        schema = {**definitions[schema["$ref"].rpartition("/")[2]], **schema}
    return {
        key: drawable(value, definitions)
        for key, value in schema.items()
        if key not in ("$defs", "$ref") and not (key == "default" and value is None)
    }


class _OptionsInInput:
    """Dependency that moves ``config.configurable`` of a request into its inputs, in place, and checks them."""

    def __init__(self, served: ServedGraph, policy: Policy) -> None:
        self._served = served
        self._policy = policy
        self._input = TypeAdapter[Any](served.InputType)

    async def __call__(self, request: Request) -> None:
        if request.method != "POST":
            return
        body = await request.json()
        if not isinstance(body, Mapping):
            return
        if unknown := _arguments(body.get("kwargs")) - _OF_THE_CLIENT:
            raise InvalidInput(translate("langserve.arguments", names=", ".join(sorted(unknown))))
        questions, config = _questions(body), body.get("config")
        asked_for = questions if "inputs" in body else [body.get("input")]
        if len(questions) > MAX_BATCH:
            raise InvalidInput(translate("langserve.long_batch", most=MAX_BATCH, sent=len(questions)))
        configs = config if isinstance(config, list) else [config] * len(asked_for)
        if len(configs) != len(asked_for):
            raise InvalidInput(translate("langserve.configurations", sent=len(configs), inputs=len(asked_for)))
        for asked, given in zip(asked_for, configs, strict=True):
            options = given.get(CONFIGURABLE) if isinstance(given, Mapping) else None
            if options is not None and isinstance(asked, dict):
                self._move(options, asked)
        for given in configs:
            if isinstance(given, dict):
                given.pop(CONFIGURABLE, None)
        await self._policy.check(request)
        for number, asked in enumerate(questions):
            self._check(number, asked)

    def _move(self, options: Any, asked: dict[str, Any]) -> None:
        if not isinstance(options, Mapping):
            raise InvalidInput(translate("server.field", field=CONFIGURABLE, problem=translate("server.field_object")))
        thread = options.get(THREAD) if self._served.keeps_threads and _NESTED not in options else None
        if thread is not None:
            _set(asked, THREAD, thread)
        own = {name: value for name, value in options.items() if not is_of_the_server(name) and value is not None}
        known = (*RunContext.model_fields, *((THREAD,) if self._served.keeps_threads else ()))
        check_options(own, self._policy, where=f"config.{CONFIGURABLE}", known=known)
        if own:
            context = asked.setdefault(CONTEXT, {})
            if isinstance(context, dict):  # Anything else is refused with the input.
                for name, value in own.items():
                    _set(context, name, value)

    def _check(self, number: int, asked: Any) -> None:
        try:
            self._input.validate_python(asked)
        except ValidationError as error:
            problems = [{**problem, "loc": ("inputs", number, *problem["loc"])} for problem in error.errors()]
            raise RequestValidationError(problems) from error


def _questions(body: Any) -> list[Any]:
    inputs = body.get("inputs", []) if isinstance(body, Mapping) else []
    if not isinstance(inputs, list):
        raise RequestValidationError([{"type": "list_type", "loc": ("inputs",)}])
    return inputs


def _arguments(kwargs: Any) -> set[str]:
    each = kwargs if isinstance(kwargs, list) else [kwargs]
    return {name for one in each if isinstance(one, Mapping) for name in one}


def _set(within: dict[str, Any], name: str, value: Any) -> None:
    if within.get(name) not in (None, value):
        raise InvalidInput(translate("langserve.two_values", name=name, one=within[name], other=value))
    within[name] = value


def _is_langchain_js(body: Any) -> bool:
    config = body.get("config") if isinstance(body, Mapping) else None
    configs = config if isinstance(config, list) else [config]
    return any(isinstance(one, Mapping) and "recursionLimit" in one for one in configs)


class ScriptOutput(RootModel[Any]):
    """Output for LangChain.js, whose keys differ from the schema of the graph."""


class ForJavaScript(WellKnownLCSerializer):
    """Serializer that renames the key ``text`` to ``content``: LangChain.js would take its object for a prompt."""

    def dumps(self, obj: Any) -> bytes:
        return orjson.dumps(_without_text(orjson.loads(super().dumps(obj))))


def _without_text(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_text(one) for one in value]
    if isinstance(value, dict):
        return {"content" if key == "text" else key: _without_text(one) for key, one in value.items()}
    return value


def _reporting_failures(response: EventSourceResponse) -> EventSourceResponse:
    response.body_iterator = with_failures(cast(Events, response.body_iterator))
    return response


async def with_failures(events: Events) -> AsyncIterator[Event]:
    """Pass on LangServe's events; replace its "Internal Server Error" by the exception that was raised."""
    try:
        async for event in events:
            if event.get("event") != "error":
                yield event
    except GeneratorExit:
        with suppress(asyncio.CancelledError):  # LangServe answers any exception, this one too, with one more event.
            await events.athrow(asyncio.CancelledError())
        await events.aclose()
        raise
    except Exception as error:
        if not isinstance(error, ArticuladoError):
            logger.exception(translate("server.interrupted"))
        yield {"event": "error", "data": json.dumps(error_event(error), ensure_ascii=False)}
