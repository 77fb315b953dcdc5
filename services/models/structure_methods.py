"""The ways to ask a model to fill in a schema, from the strictest: which one it takes is found out, and remembered.

Many servers that speak OpenAI's protocol know no ``json_schema``: they refuse it, or overlook it and write prose. They
are asked for a call of a tool whose parameters are the schema, then for JSON with the schema in the prompt, then for
that without any option at all.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, Literal, get_args

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.runnables import Runnable
from pydantic import BaseModel

from services.models.structured import strict_schema

Method = Literal["json_schema", "tool_call", "json_mode", "prompt"]
METHODS: tuple[Method, ...] = get_args(Method)
"""From the one that binds a model most to the one that any model takes."""

_REFUSING_STATUS = frozenset({400, 404, 422})
_OTHER_REFUSALS = frozenset(
    {"content_filter", "context_length_exceeded", "insufficient_quota", "model_not_found", "DeploymentNotFound"}
)
"""Codes of errors that another way of asking would meet too."""

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
    model: BaseChatModel, method: Method, schema: type[BaseModel], body: dict[str, int]
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
