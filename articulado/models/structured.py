"""Ask a chat model for a reply that satisfies a schema, parse the reply, and request its repair.

Many servers with OpenAI's protocol do not support ``json_schema``: they refuse it, or ignore it and write
prose. The methods are tried from the strictest to the loosest: JSON schema, tool call, JSON mode, prompt
only. The method that works is remembered for the life of the process.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, Literal, get_args

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from articulado.language.translation import translate
from articulado.values.protocols import S

ERRORS_SHOWN = 8
"""Number of a reply's errors that the model is shown; the first ones mostly cause the others."""

REPLY_SHOWN = 12_000
"""Characters of its own reply that the model is shown again: a runaway one would not fit."""

_MAPPINGS_OF_SCHEMAS = frozenset({"properties", "$defs"})
"""Keywords whose keys are names of the schema's author."""

_REFUSED_KEYWORDS = frozenset({"default", "examples", "minLength", "maxLength", "uniqueItems"})
"""What OpenAI's strict mode does not allow."""

_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]+")


class SchemaViolation(Exception):
    """A reply does not satisfy the schema. ``request`` is for the model, ``cause`` for a person."""

    def __init__(self, request: str, cause: str) -> None:
        super().__init__(request)
        self.request = request
        self.cause = cause


async def invoke_raw(
    model: Runnable[LanguageModelInput, Any], messages: list[BaseMessage], config: RunnableConfig
) -> BaseMessage:
    """Return the reply as it came, even one that the SDK raises over: cut by its length, or stopped by the filter."""
    import openai

    try:
        output = await model.ainvoke(messages, config)
        # LangChain's own structured output comes with what it made of the reply.
        reply: BaseMessage = output["raw"] if isinstance(output, dict) else output
    except openai.LengthFinishReasonError as error:
        usage = error.completion.usage
        reply = AIMessage(
            error.completion.choices[0].message.content or "", response_metadata=_finish_metadata("length")
        )
        if usage:
            reply.usage_metadata = {
                "input_tokens": usage.prompt_tokens,
                "output_tokens": usage.completion_tokens,
                "total_tokens": usage.total_tokens,
            }
    except openai.ContentFilterFinishReasonError:
        reply = AIMessage("", response_metadata=_finish_metadata("content_filter"))
    return reply


def strict_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a model within what OpenAI's strict mode allows.

    Every property is required and no other one allowed; defaults and lengths of strings, which strict mode refuses,
    are left out: they hold when the reply is parsed. Mappings with free keys cannot be expressed.
    """
    import openai

    parameters = openai.pydantic_function_tool(schema)["function"]["parameters"]
    # LangChain takes the name that goes to the provider from the title.
    return {**_without_refused(parameters), "title": _NOT_IN_NAMES.sub("_", schema.__name__)[:64]}


def parse_structured(text: str, schema: type[S], *, cut: bool = False) -> S:
    """Return the value of a reply, which servers that enforce no schema wrap in a fence or in prose.

    ``cut`` explains a reply that cannot be parsed; one that is whole is accepted although it ran into the limit.

    Raises:
        SchemaViolation: the reply does not satisfy the schema.
    """
    start, end = text.find("{"), text.rfind("}")
    try:
        return schema.model_validate_json(text[start : end + 1] if 0 <= start < end else text)
    except ValidationError as error:
        raise _violation(error, cut=cut) from error


def repair_messages(text: str, violation: SchemaViolation) -> Sequence[BaseMessage]:
    """Return the messages that show the model its reply and what is wrong with it."""
    # Servers refuse an empty message, and some chat templates two turns of the user in a row.
    return [AIMessage(text[:REPLY_SHOWN] or "(empty)"), HumanMessage(violation.request)]


def _violation(error: ValidationError, *, cut: bool) -> SchemaViolation:
    """Return what is wrong with a reply: for the model its first errors, each with its path; for a person the paths."""
    if cut:
        return SchemaViolation(
            "Your reply was cut off: it was longer than allowed. Write it again, whole and much shorter, as JSON alone "
            "that satisfies the schema.",
            translate("models.cut"),
        )
    errors = error.errors(include_url=False, include_input=False)[:ERRORS_SHOWN]
    listed = "\n".join(f"- {_path(details) or 'reply'}: {details['msg']}" for details in errors)
    request = (
        f"Your reply does not satisfy the schema:\n{listed}\n"
        "Write the whole reply again with this corrected, as JSON alone that satisfies the schema."
    )
    paths = ", ".join(filter(None, map(_path, errors)))
    return SchemaViolation(
        request, translate("models.fields_invalid", paths=paths) if paths else translate("models.not_json")
    )


def _path(details: ErrorDetails) -> str:
    """Return where an error is ("amounts.0.value"), empty for the whole reply."""
    return ".".join(str(part) for part in details["loc"])


def _finish_metadata(reason: str) -> dict[str, str]:
    return {"finish_reason": reason}


def _without_refused(node: Any) -> Any:
    """Return a part of a schema without the keywords that strict mode refuses; a property may have the name of one."""
    if isinstance(node, list):
        return [_without_refused(part) for part in node]
    if not isinstance(node, dict):
        return node
    return {
        key: {name: _without_refused(part) for name, part in value.items()}
        if key in _MAPPINGS_OF_SCHEMAS
        else _without_refused(value)
        for key, value in node.items()
        if key not in _REFUSED_KEYWORDS
    }


Method = Literal["json_schema", "tool_call", "json_mode", "prompt"]
METHODS: tuple[Method, ...] = get_args(Method)
"""From the one that binds a model most to the one that any model takes."""

_REFUSING_STATUS = frozenset({400, 404, 422})
_OTHER_REFUSALS = frozenset(
    {"content_filter", "context_length_exceeded", "insufficient_quota", "model_not_found", "DeploymentNotFound"}
)
"""Codes of errors that another way of asking would meet too."""

_NAMES_METHOD = re.compile(
    r"\b(?:response_format|json_schema|json_object|tools?|tool_choice|grammar|jinja)\b", re.IGNORECASE
)
"""Words of an error 5xx that refuses a way of asking, as llama.cpp does ("tools param requires --jinja flag")."""

_WITHOUT_JSON_SCHEMA = re.compile(r"gpt-3|gpt-4(?:-|$)")
"""Models of OpenAI's that are older than ``json_schema``."""

_remembered: dict[tuple[str, ...], Method] = {}


class MethodRefused(Exception):
    """The server does not take this way of asking."""


def first_method(model: BaseChatModel) -> Method | None:
    """Return the way to ask a model first: the one that has worked in this process, else the strictest it may take.

    ``None`` for a model that follows no instructions: one that cannot be given tools at all runs in this process.
    """
    if remembered := _remembered.get(_identity(model)):
        return remembered
    if type(model).bind_tools is BaseChatModel.bind_tools:
        return None
    return "tool_call" if _WITHOUT_JSON_SCHEMA.match(getattr(model, "model_name", None) or "") else "json_schema"


def remember(model: BaseChatModel, method: Method) -> None:
    """Ask the model in this way from now on, for the life of the process."""
    _remembered[_identity(model)] = method


def next_method(method: Method) -> Method | None:
    """Return the next way to ask, ``None`` behind the last."""
    return next(iter(METHODS[METHODS.index(method) + 1 :]), None)


def bind_schema(
    model: BaseChatModel, method: Method, schema: type[BaseModel], body: dict[str, Any]
) -> Runnable[Any, Any]:
    """Return the model, bound to fill in a schema in one way; ``body`` goes along with each request.

    LangChain is given the JSON Schema, not the class: with the class the SDK would validate the reply itself, and a
    reply that fails there takes its text and its usage with it.
    """
    # stream=False: a graph that streams would otherwise turn this into a streamed request.
    options: dict[str, Any] = {"stream": False, **({"extra_body": body} if body else {})}
    match method:
        case "json_schema":
            return model.with_structured_output(
                strict_schema(schema), method="json_schema", include_raw=True, strict=True, **options
            )
        case "tool_call":
            function = _function(schema)
            tools = [{"type": "function", "function": function}]
            return model.bind_tools(tools, tool_choice=function["name"], **options)
        case "json_mode":
            return model.bind(response_format={"type": "json_object"}, **options)
        case "prompt":
            return model.bind(**options)


def prompt_for(method: Method, prompt: Sequence[BaseMessage], schema: type[BaseModel]) -> list[BaseMessage]:
    """Return the messages to send: where nothing else tells the model its schema, the system message does."""
    if method in ("json_schema", "tool_call"):
        return list(prompt)
    asked = f"Reply with one JSON object alone that satisfies this JSON Schema:\n{json.dumps(strict_schema(schema))}"
    if prompt and isinstance(prompt[0], SystemMessage):
        return [SystemMessage(f"{prompt[0].content}\n\n{asked}"), *prompt[1:]]
    return [SystemMessage(asked), *prompt]


def as_text(message: BaseMessage) -> BaseMessage:
    """Return a reply whose text is what a call of the tool was given, where there is one."""
    if not isinstance(message, AIMessage):
        return message
    called = [json.dumps(call["args"]) for call in message.tool_calls]
    broken = [call["args"] or "" for call in message.invalid_tool_calls]
    if not called and not broken:
        return message
    return message.model_copy(update={"content": (called or broken)[0], "tool_calls": [], "invalid_tool_calls": []})


def is_refusal_of_method(error: Exception) -> bool:
    """Tell whether an error of the SDK may mean that the server does not take this way of asking."""
    status, code = getattr(error, "status_code", None), getattr(error, "code", None)
    if status in (500, 501):
        return bool(_NAMES_METHOD.search(str(error)))
    return status in _REFUSING_STATUS and code not in _OTHER_REFUSALS


def is_prose(text: str) -> bool:
    """Tell whether a reply overlooks that it was to be JSON; an empty one does not tell."""
    return bool(text.strip()) and "{" not in text


def _function(schema: type[BaseModel]) -> dict[str, Any]:
    parameters = strict_schema(schema)
    name, description = parameters.pop("title"), parameters.pop("description", "")
    return {"name": name, "description": description, "parameters": parameters}


def _identity(model: BaseChatModel) -> tuple[str, ...]:
    """Return model and address: another server may serve a model of the same name."""
    names = ("model_name", "deployment_name", "openai_api_base", "azure_endpoint")
    return type(model).__name__, *(str(getattr(model, name, None) or "") for name in names)
