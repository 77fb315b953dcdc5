"""Replies that fill in a schema: how they are asked for, read, and sent back for repair."""

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from services.protocols import S

ERRORS_SHOWN = 8
"""How many of a reply's errors the model is shown; the first ones mostly cause the others."""

REPLY_SHOWN = 12_000
"""Characters of its own reply that the model is shown again: a runaway one would not fit."""

_NAMES = frozenset({"properties", "$defs"})
_UNSUPPORTED = frozenset({"default", "examples", "minLength", "maxLength", "uniqueItems"})
# The models for which LangChain falls back on calls of functions, with a warning.
_TOO_OLD = re.compile(r"gpt-3|gpt-4(?:-|$)")
_NO_NAME = re.compile(r"[^a-zA-Z0-9_-]+")


class SchemaViolation(Exception):
    """A reply does not satisfy the schema. ``request`` is for the model, ``cause`` for a person (in Spanish)."""

    def __init__(self, request: str, cause: str) -> None:
        super().__init__(request)
        self.request = request
        self.cause = cause


class CannotStructure(Exception):
    """A model cannot fill in a schema, whatever it is asked."""


def structuring(model: BaseChatModel, schema: type[BaseModel], body: dict[str, int]) -> Runnable[Any, Any]:
    """Return the model, bound to a schema; ``body`` goes along with each request.

    LangChain is given the JSON Schema, not the class: with the class the SDK would validate the reply itself, and a
    reply that fails there takes its text and its usage with it.

    Raises:
        CannotStructure: the model cannot be bound to a schema.
    """
    # LangChain fills in schemas, of whatever kind, for models alone that can be given tools.
    able = type(model).bind_tools is not BaseChatModel.bind_tools
    if not able or _TOO_OLD.match(getattr(model, "model_name", None) or ""):
        raise CannotStructure
    extra: dict[str, Any] = {"extra_body": body} if body else {}
    # stream=False: a graph that streams would otherwise turn this into a streamed request.
    return model.with_structured_output(
        strict_schema(schema), method="json_schema", include_raw=True, strict=True, stream=False, **extra
    )


async def raw_reply(model: Runnable[LanguageModelInput, Any], sent: Any, config: RunnableConfig) -> BaseMessage:
    """Return the reply as it came, even one that the SDK raises over: cut by its length, or stopped by the filter."""
    import openai

    try:
        reply: BaseMessage = (await model.ainvoke(sent, config))["raw"]
    except openai.LengthFinishReasonError as error:
        usage = error.completion.usage
        reply = AIMessage(error.completion.choices[0].message.content or "", response_metadata=_finished("length"))
        if usage:
            reply.usage_metadata = {
                "input_tokens": usage.prompt_tokens,
                "output_tokens": usage.completion_tokens,
                "total_tokens": usage.total_tokens,
            }
    except openai.ContentFilterFinishReasonError:
        reply = AIMessage("", response_metadata=_finished("content_filter"))
    return reply


def strict_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a model within what OpenAI's strict mode allows.

    Every property is required and no other one allowed; defaults and lengths of strings, which strict mode refuses,
    are left out: they hold when the reply is read. Mappings with free keys cannot be expressed.
    """
    import openai

    parameters = openai.pydantic_function_tool(schema)["function"]["parameters"]
    # LangChain takes the name that goes to the provider from the title.
    return {**_pruned(parameters), "title": _NO_NAME.sub("_", schema.__name__)[:64]}


def read(text: str, schema: type[S], *, cut: bool = False) -> S:
    """Read a reply, which servers that enforce nothing wrap in a fence or in prose.

    ``cut`` explains a reply that cannot be read; one that is whole is accepted although it ran into the limit.

    Raises:
        Misfit: the reply does not satisfy the schema.
    """
    start, end = text.find("{"), text.rfind("}")
    try:
        return schema.model_validate_json(text[start : end + 1] if 0 <= start < end else text)
    except ValidationError as error:
        raise _misfit(error, cut=cut) from error


def repair(text: str, misfit: SchemaViolation) -> Sequence[BaseMessage]:
    """Return the turns that show the model its reply and what is wrong with it."""
    # Servers refuse an empty message, and some chat templates two turns of the user in a row.
    return [AIMessage(text[:REPLY_SHOWN] or "(empty)"), HumanMessage(misfit.request)]


def _misfit(error: ValidationError, *, cut: bool) -> SchemaViolation:
    if cut:
        return SchemaViolation(
            "Your reply was cut off: it was longer than allowed. Write it again, whole and much shorter, as JSON alone "
            "that satisfies the schema.",
            "se ha cortado por su longitud",
        )
    found = error.errors(include_url=False, include_input=False)[:ERRORS_SHOWN]
    listed = "\n".join(f"- {_path(details) or 'reply'}: {details['msg']}" for details in found)
    request = (
        f"Your reply does not satisfy the schema:\n{listed}\n"
        "Write the whole reply again with this corrected, as JSON alone that satisfies the schema."
    )
    paths = ", ".join(filter(None, map(_path, found)))
    return SchemaViolation(request, f"faltan o no son válidos: {paths}" if paths else "no es un objeto JSON")


def _path(details: ErrorDetails) -> str:
    return ".".join(str(part) for part in details["loc"])


def _finished(reason: str) -> dict[str, str]:
    return {"finish_reason": reason}


def _pruned(node: Any) -> Any:
    """Leave out the keywords that strict mode refuses; a property may well have the name of one."""
    if isinstance(node, list):
        return [_pruned(part) for part in node]
    if not isinstance(node, dict):
        return node
    return {
        key: {name: _pruned(part) for name, part in value.items()} if key in _NAMES else _pruned(value)
        for key, value in node.items()
        if key not in _UNSUPPORTED
    }
