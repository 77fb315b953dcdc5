"""A prompt of a chat role as a recording keeps it: known by its hash, readable by whoever writes its reply."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from articulado.values.answers import Message

ChatRole = Literal["reader", "principal"]
"""A chat model of the answering graph, by what it is asked for."""

HASH_LENGTH = 16
"""Hexadecimal digits of a prompt's name: 64 bits, where a recording has some thousands of prompts."""


@dataclass(frozen=True)
class Prompt:
    """One request to a chat role."""

    role: ChatRole
    system: str
    messages: tuple[Message, ...]

    @property
    def hash(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the prompt as canonical JSON.

        That is: keys in order, no white space between them, UTF-8.
        """
        canonical = json.dumps(self.as_dict(), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:HASH_LENGTH]

    def as_dict(self) -> dict[str, Any]:
        """Return the prompt as a file has it."""
        return {"role": self.role, "system": self.system, "messages": [_plain(message) for message in self.messages]}

    def as_text(self) -> str:
        """Return the prompt for a person: where the reply goes, the system message, then every other one."""
        parts = [f"# {self.role} {self.hash}", f"La respuesta se escribe, tal cual, en `replies/{self.hash}.txt`."]
        for title, text in (("system", self.system), *((part["role"], part["content"]) for part in self.messages)):
            parts += [f"## {title}", text]
        return "\n\n".join(parts) + "\n"


def prompt_of(role: ChatRole, system: str, messages: Sequence[Message]) -> Prompt:
    """Return the prompt that a chat role is asked with."""
    return Prompt(role, system, tuple(messages))


def read_prompt(value: Mapping[str, Any]) -> Prompt:
    """Return the prompt that a file has.

    Raises:
        ValueError: it is none.
    """
    try:
        row = _Row.model_validate(value)
    except ValidationError as error:
        raise ValueError(str(error)) from error
    return Prompt(row.role, row.system, tuple({"role": part.role, "content": part.content} for part in row.messages))


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "assistant"]
    content: str


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid")

    role: ChatRole
    system: str
    messages: list[_Part]


def _plain(message: Message) -> dict[str, str]:
    return {"role": message["role"], "content": message["content"]}
