"""Example requests and results for OpenAPI (``examples.json``), and types of OpenAI's protocol.

The examples contain no ``None``, because FastAPI leaves it out of the description.
"""

import json
from importlib import resources
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

EXAMPLES: dict[str, Any] = json.loads(resources.files("server").joinpath("v1", "examples.json").read_text("utf-8"))


class Model(TypedDict):
    """A model in OpenAI's protocol; ``created`` is a Unix time."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class Models(TypedDict):
    """The models of a server in OpenAI's protocol."""

    object: Literal["list"]
    data: list[Model]


class UrlCitation(TypedDict):
    """A source and the place of its mark in the text, ``content[start_index:end_index]``."""

    start_index: int
    end_index: int
    title: str
    url: str


class Annotation(TypedDict):
    """A citation of a message."""

    type: Literal["url_citation"]
    url_citation: UrlCitation


class AnswerMessage(TypedDict):
    """The message of an answer; ``reasoning_content`` has its stages, if they were asked for."""

    role: Literal["assistant"]
    content: str
    annotations: list[Annotation]
    reasoning_content: NotRequired[str]


class Choice(TypedDict):
    """The one answer of a completion."""

    index: int
    message: AnswerMessage
    finish_reason: Literal["stop", "length"]


class ChatUsage(TypedDict):
    """Tokens of the chat models of a run; 0 without one."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


def answered(**names: str) -> dict[int | str, dict[str, Any]]:
    named = {title: {"value": EXAMPLES[name]} for title, name in names.items()}
    return {200: {"content": {"application/json": {"examples": named}}}}
