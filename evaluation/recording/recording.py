"""Recording of a run as a folder: manifest, prompts, replies and prompts that wait for a reply.

Replies are plain text that a person can write; waiting prompts are formatted for people.
"""

import hashlib
import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from articulado.config.settings import Provider
from articulado.language.translation import reason
from articulado.values.answers import Message
from articulado.values.errors import ArticuladoError, InvalidInput

ChatRole = Literal["reader", "principal", "checker"]

HASH_LENGTH = 16


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)

    role: Literal["user", "assistant"]
    content: str


class Prompt(BaseModel):
    """One request to a chat role."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: ChatRole
    system: str
    messages: tuple[_Part, ...]

    @property
    def hash(self) -> str:
        canonical = json.dumps(self.model_dump(), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:HASH_LENGTH]

    def as_text(self) -> str:
        """Return the prompt for a person: the file of the reply, the system message, then the others."""
        parts = [f"# {self.role} {self.hash}", f"La respuesta se escribe, tal cual, en `replies/{self.hash}.txt`."]
        for title, text in (("system", self.system), *((part.role, part.content) for part in self.messages)):
            parts += [f"## {title}", text]
        return "\n\n".join(parts) + "\n"


def prompt_of(role: ChatRole, system: str, messages: Sequence[Message]) -> Prompt:
    return Prompt.model_validate({"role": role, "system": system, "messages": messages})


MANIFEST, PROMPTS, REPLIES, WAITING = "recording.json", "prompts", "replies", "waiting"


class RecordedModel(BaseModel):
    """Model of a chat role; it decides the graph's course and the count of tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: Provider
    model: str


class Manifest(BaseModel):
    """Data that a run must share with a recording to ask for the same replies; ``day`` is the graph's today."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    day: date
    reader: RecordedModel
    principal: RecordedModel
    checker: RecordedModel | None = None
    profile: str
    chunks: dict[str, int] = {}
    note: str = ""


class ReplyMissing(ArticuladoError):
    """A recording lacks the reply to a prompt; no stage may go on without it."""

    def __init__(self, prompt: Prompt, folder: Path) -> None:
        super().__init__(
            f"La grabación no tiene respuesta a la consulta {prompt.hash} ({prompt.role}). Escríbala en "
            f"{folder / REPLIES / prompt.hash}.txt y repita la orden."
        )
        self.hash = prompt.hash
        self.role: ChatRole = prompt.role


class Recording:
    """Recording in use by one run; ``asked`` are the hashes of its prompts, ``missing`` those without a reply."""

    def __init__(self, folder: Path, manifest: Manifest | None, replies: dict[str, str]) -> None:
        self.folder = folder
        self.manifest = manifest
        self.asked: dict[str, None] = {}
        self.missing: dict[str, ChatRole] = {}
        self.differences: list[str] = []
        self._replies = replies

    @classmethod
    def read(cls, folder: Path) -> "Recording":
        """Read the recording of a folder; an empty or absent one begins a new recording, without a manifest."""
        try:
            if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
                return cls(folder, None, {})
            manifest = _read_manifest(folder / MANIFEST)
            for path in sorted((folder / PROMPTS).glob("*.json")):
                _check_prompt(path)
            replies = {path.stem: _read_text(path) for path in sorted((folder / REPLIES).glob("*.txt"))}
        except OSError as error:
            raise InvalidInput(f"No se puede leer la grabación de {folder}: {reason(error)}.") from error
        # A file that is empty was opened to be written.
        return cls(folder, manifest, {name: text for name, text in replies.items() if text.strip()})

    def begin(self, manifest: Manifest) -> Manifest:
        self._write(MANIFEST, f"{manifest.model_dump_json(indent=2)}\n")
        self.manifest = manifest
        return manifest

    def reply_to(self, prompt: Prompt) -> str | None:
        self.asked[prompt.hash] = None
        return self._replies.get(prompt.hash)

    def keep(self, prompt: Prompt, reply: str) -> None:
        self._keep_prompt(prompt)
        self._write(f"{REPLIES}/{prompt.hash}.txt", reply)
        self._replies[prompt.hash] = reply

    def wait_for(self, prompt: Prompt) -> ReplyMissing:
        """Store a prompt that has no reply yet, and return the error that says so."""
        self._keep_prompt(prompt)
        self._write(f"{WAITING}/{prompt.hash}.md", prompt.as_text())
        self.missing[prompt.hash] = prompt.role
        return ReplyMissing(prompt, self.folder)

    @property
    def stale(self) -> list[str]:
        return sorted(self._replies.keys() - self.asked.keys())

    def waiting(self, unfinished: int) -> str:
        """Return the message on the missing replies, and the place to write them."""
        return (
            f"Faltan {len(self.missing)} respuestas, y {unfinished} preguntas o conversaciones no se miden. Lea cada "
            f"consulta en {self.folder / WAITING}, escriba su respuesta en {self.folder / REPLIES}/<consulta>.txt y "
            "repita la orden."
        )

    def end(self) -> None:
        """Remove prompts from ``waiting`` that have a reply by now, or that this run did not ask."""
        try:
            for path in (self.folder / WAITING).glob("*.md"):
                if path.stem not in self.missing:
                    path.unlink()
        except OSError as error:
            raise self._unwritable(error) from error

    def _keep_prompt(self, prompt: Prompt) -> None:
        self._write(f"{PROMPTS}/{prompt.hash}.json", f"{prompt.model_dump_json(indent=2)}\n")

    def _write(self, name: str, text: str) -> None:
        path = self.folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # As bytes: a reply is kept to the last line break.
            path.write_bytes(text.encode())
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> InvalidInput:
        return InvalidInput(f"No se puede escribir en {self.folder}: {reason(error)}. Indique otra carpeta.")


def _read_manifest(path: Path) -> Manifest:
    if not path.is_file():
        raise InvalidInput(
            f"{path.parent} no es una grabación: no tiene {MANIFEST}. Indique la carpeta de una, o una que esté vacía."
        )
    try:
        return Manifest.model_validate_json(_read_text(path))
    except ValidationError as error:
        field = ".".join(map(str, error.errors()[0]["loc"]))
        where = f" (campo «{field}»)" if field else ""
        raise InvalidInput(
            f"{path} está dañado{where}: no es el manifiesto de una grabación de la versión 1."
        ) from error


def _check_prompt(path: Path) -> None:
    try:
        prompt = Prompt.model_validate_json(_read_text(path))
    except ValidationError as error:
        raise InvalidInput(f"{path} está dañado: no es una consulta. Bórrelo y repita la orden.") from error
    if prompt.hash != path.stem:
        raise InvalidInput(
            f"{path} no contiene la consulta de su nombre, sino la de {prompt.hash}. Bórrelo y repita la orden."
        )


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} no está en UTF-8. Conviértalo, por ejemplo con iconv -t UTF-8.") from error
