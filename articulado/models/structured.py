"""Ask a chat model for a reply that satisfies a schema, parse the reply, and request its repair.

Many servers refuse or ignore ``json_schema``. Methods are tried from the strictest to the loosest; the one that works
is remembered for the life of the process.
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

ERRORS_SHOWN = 8  # errors shown to the model; the first ones mostly cause the others

REPLY_SHOWN = 12_000  # characters of its reply shown to the model

_MAPPINGS_OF_SCHEMAS = frozenset({"properties", "$defs"})  # keywords whose keys are names chosen by the schema's author

_REFUSED_KEYWORDS = frozenset({"default", "examples", "minLength", "maxLength", "uniqueItems"})
"""Keywords that OpenAI's strict mode refuses."""

_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]+")


class SchemaViolation(Exception):
    """A reply violates the schema; ``request`` is for the model, ``cause`` for a person."""

    def __init__(self, request: str, cause: str) -> None:
        super().__init__(request)
        self.request = request
        self.cause = cause


async def invoke_raw(
    model: Runnable[LanguageModelInput, Any], messages: list[BaseMessage], config: RunnableConfig
) -> BaseMessage:
    """Return the raw reply, even if the SDK raises an error for its length or content filter."""
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
    """Return the JSON Schema of a model for OpenAI's strict mode.

    All properties are required and no others allowed; defaults and string lengths are left out and checked when the
    reply is parsed. Mappings with free keys cannot be expressed.
    """
    import openai

    parameters = openai.pydantic_function_tool(schema)["function"]["parameters"]
    # LangChain takes the name that goes to the provider from the title.
    return {**_without_refused(parameters), "title": _NOT_IN_NAMES.sub("_", schema.__name__)[:64]}


def parse_structured(text: str, schema: type[S], *, cut: bool = False) -> S:
    """Parse a reply, possibly in a fence or prose; raise ``SchemaViolation``, with another text if it was ``cut``."""
    start, end = text.find("{"), text.rfind("}")
    try:
        return schema.model_validate_json(text[start : end + 1] if 0 <= start < end else text)
    except ValidationError as error:
        raise _violation(error, cut=cut) from error


def repair_messages(text: str, violation: SchemaViolation) -> Sequence[BaseMessage]:
    # Servers refuse an empty message, and some chat templates two turns of the user in a row.
    return [AIMessage(text[:REPLY_SHOWN] or "(empty)"), HumanMessage(violation.request)]


def _violation(error: ValidationError, *, cut: bool) -> SchemaViolation:
    """Describe the errors of a reply: for the model with paths, for a person the paths alone."""
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
    return ".".join(str(part) for part in details["loc"])


def _finish_metadata(reason: str) -> dict[str, str]:
    return {"finish_reason": reason}


def _without_refused(node: Any) -> Any:
    """Remove keywords that strict mode refuses; properties may have their names."""
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


Method = Literal["json_schema", "function_calling", "json_mode", "prompt"]
METHODS: tuple[Method, ...] = get_args(Method)  # from the strictest to the one that any model takes

_REFUSING_STATUS = frozenset({400, 404, 422})
_OTHER_REFUSALS = frozenset(
    {"content_filter", "context_length_exceeded", "insufficient_quota", "model_not_found", "DeploymentNotFound"}
)
"""Error codes that do not depend on the method."""

_NAMES_METHOD = re.compile(
    r"\b(?:response_format|json_schema|json_object|tools?|tool_choice|grammar|jinja)\b", re.IGNORECASE
)
"""Words of an error 5xx that refuses a method, as in llama.cpp's "tools param requires --jinja flag"."""

_WITHOUT_JSON_SCHEMA = re.compile(r"gpt-3|gpt-4(?:-|$)")  # openAI models older than `json_schema`

_remembered: dict[tuple[str, ...], Method] = {}


class MethodRefused(Exception):
    """The server refuses the method."""


def first_method(model: BaseChatModel) -> Method | None:
    """Return the remembered method of a model, else the strictest one that it may support.

    ``None`` for a model without tools: it runs in this process and follows no instructions.
    """
    if remembered := _remembered.get(_identity(model)):
        return remembered
    if type(model).bind_tools is BaseChatModel.bind_tools:
        return None
    return "function_calling" if _WITHOUT_JSON_SCHEMA.match(getattr(model, "model_name", None) or "") else "json_schema"


def remember(model: BaseChatModel, method: Method) -> None:
    _remembered[_identity(model)] = method


def next_method(method: Method) -> Method | None:
    return next(iter(METHODS[METHODS.index(method) + 1 :]), None)


def bind_schema(
    model: BaseChatModel, method: Method, schema: type[BaseModel], body: dict[str, Any]
) -> Runnable[Any, Any]:
    """Bind a model to a schema by one method; ``body`` is added to each request.

    LangChain gets the JSON Schema, not the class: the SDK would validate the class itself, and lose text and usage of
    an invalid reply.
    """
    # stream=False: a graph that streams would otherwise turn this into a streamed request.
    options: dict[str, Any] = {"stream": False, **({"extra_body": body} if body else {})}
    if method == "prompt":
        return model.bind(**options)
    if method == "json_schema":
        options["strict"] = True
    elif method == "function_calling":
        options["parallel_tool_calls"] = None  # not sent: some servers refuse the parameter
    return model.with_structured_output(strict_schema(schema), method=method, include_raw=True, **options)


def prompt_for(method: Method, prompt: Sequence[BaseMessage], schema: type[BaseModel]) -> list[BaseMessage]:
    """Return the messages; methods without a schema in the request add it to the system message."""
    if method in ("json_schema", "function_calling"):
        return list(prompt)
    asked = f"Reply with one JSON object alone that satisfies this JSON Schema:\n{json.dumps(strict_schema(schema))}"
    if prompt and isinstance(prompt[0], SystemMessage):
        return [SystemMessage(f"{prompt[0].content}\n\n{asked}"), *prompt[1:]]
    return [SystemMessage(asked), *prompt]


def as_text(message: BaseMessage) -> BaseMessage:
    """Return a reply with the arguments of its tool call, if any, as text."""
    if not isinstance(message, AIMessage):
        return message
    called = [json.dumps(call["args"]) for call in message.tool_calls]
    broken = [call["args"] or "" for call in message.invalid_tool_calls]
    if not called and not broken:
        return message
    return message.model_copy(update={"content": (called or broken)[0], "tool_calls": [], "invalid_tool_calls": []})


def is_refusal_of_method(error: Exception) -> bool:
    """Return True if an SDK error may mean that the server refuses the method."""
    status, code = getattr(error, "status_code", None), getattr(error, "code", None)
    if status in (500, 501):
        return bool(_NAMES_METHOD.search(str(error)))
    return status in _REFUSING_STATUS and code not in _OTHER_REFUSALS


def is_prose(text: str) -> bool:
    return bool(text.strip()) and "{" not in text


def _identity(model: BaseChatModel) -> tuple[str, ...]:
    """Return model and address: other servers may use the same model name."""
    names = ("model_name", "deployment_name", "openai_api_base", "azure_endpoint")
    return type(model).__name__, *(str(getattr(model, name, None) or "") for name in names)
