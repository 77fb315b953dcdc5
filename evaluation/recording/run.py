"""Recorded and replayed runs: settings, services, chat models and day of a recording.

A replay makes no request to a chat model. A recording does not send again a prompt that already has a
reply.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from articulado.config.settings import ModelSettings, Provider
from articulado.language.formats import figure
from articulado.values.answers import Message
from articulado.values.errors import ConfigurationError, InvalidInput
from articulado.values.protocols import ChatModel, Completion, S, Structured
from evaluation.recording.recording import ChatRole, Manifest, RecordedModel, Recording, prompt_of
from nodes.stage import default_options

if TYPE_CHECKING:
    from articulado.config.settings import Settings
    from graph.services import Services
    from state.context import RunContext


class ForwardingChat:
    """Satisfies ``ChatModel`` with another one; who stands between overrides what it is there for."""

    def __init__(self, model: ChatModel) -> None:
        self.model = model

    @property
    def name(self) -> str:
        """Provider and model, for a person."""
        return self.model.name

    @property
    def takes_limit(self) -> bool:
        """Whether the provider accepts a limit on the length of a reply."""
        return self.model.takes_limit

    @property
    def quotes_only(self) -> bool:
        """Whether its replies consist of quotations and reviewed texts."""
        return self.model.quotes_only

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        """Return the whole reply (``ChatModel.complete``)."""
        return await self.model.complete(system, messages, deadline=deadline)

    async def stream(
        self,
        system: str,
        messages: Sequence[Message],
        *,
        on_text: Callable[[str], None],
        on_restart: Callable[[], None],
        deadline: float | None = None,
    ) -> Completion:
        """Hand over the reply as it is written, then return it whole (``ChatModel.stream``)."""
        return await self.model.stream(system, messages, on_text=on_text, on_restart=on_restart, deadline=deadline)

    async def structured(
        self,
        system: str,
        messages: Sequence[Message],
        schema: type[S],
        *,
        max_tokens: int | None = None,
        deadline: float | None = None,
    ) -> Structured[S]:
        """Return a reply that satisfies a schema (``ChatModel.structured``)."""
        return await self.model.structured(system, messages, schema, max_tokens=max_tokens, deadline=deadline)

    async def close(self) -> None:
        """Close the model."""
        await self.model.close()


class ReplayChat:
    """Satisfies ``ChatModel`` with the replies of a recording alone; it makes no request."""

    takes_limit = False
    quotes_only = False

    def __init__(self, recording: Recording, role: ChatRole, name: str) -> None:
        self._recording = recording
        self._role = role
        self.name = name

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        """Return the recorded reply (``ChatModel.complete``).

        Raises:
            ReplyMissing: there is none; the prompt waits for it from now on.
        """
        prompt = prompt_of(self._role, system, messages)
        reply = self._recording.reply_to(prompt)
        if reply is None:
            raise self._recording.wait_for(prompt)
        return Completion(reply)

    async def stream(
        self,
        system: str,
        messages: Sequence[Message],
        *,
        on_text: Callable[[str], None],
        on_restart: Callable[[], None],
        deadline: float | None = None,
    ) -> Completion:
        """Hand over the recorded reply in one piece (``ChatModel.stream``).

        Raises:
            ReplyMissing: there is none; the prompt waits for it from now on.
        """
        reply = await self.complete(system, messages, deadline=deadline)
        on_text(reply.text)
        return reply

    async def structured(
        self,
        system: str,
        messages: Sequence[Message],
        schema: type[S],
        *,
        max_tokens: int | None = None,
        deadline: float | None = None,
    ) -> Structured[S]:
        """Refuse: recordings are of questions, whose models write text.

        Raises:
            ConfigurationError: always.
        """
        raise _unstructured()

    async def close(self) -> None:
        """Do nothing."""


class RecordingChat(ForwardingChat):
    """Satisfies ``ChatModel`` with another one, and keeps its prompts and replies.

    A prompt that the recording has a reply to is not sent again: one prompt has one reply, and a run that was
    interrupted is continued.
    """

    def __init__(self, recording: Recording, role: ChatRole, model: ChatModel) -> None:
        super().__init__(model)
        self._recording = recording
        self._role = role

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        """Return the whole reply (``ChatModel.complete``)."""
        prompt = prompt_of(self._role, system, messages)
        if (recorded := self._recording.reply_to(prompt)) is not None:
            return Completion(recorded)
        reply = await super().complete(system, messages, deadline=deadline)
        self._recording.keep(prompt, reply.text)
        return reply

    async def stream(
        self,
        system: str,
        messages: Sequence[Message],
        *,
        on_text: Callable[[str], None],
        on_restart: Callable[[], None],
        deadline: float | None = None,
    ) -> Completion:
        """Hand over the reply as it is written, then return it whole (``ChatModel.stream``)."""
        prompt = prompt_of(self._role, system, messages)
        if (recorded := self._recording.reply_to(prompt)) is not None:
            on_text(recorded)
            return Completion(recorded)
        reply = await super().stream(system, messages, on_text=on_text, on_restart=on_restart, deadline=deadline)
        self._recording.keep(prompt, reply.text)
        return reply

    async def structured(
        self,
        system: str,
        messages: Sequence[Message],
        schema: type[S],
        *,
        max_tokens: int | None = None,
        deadline: float | None = None,
    ) -> Structured[S]:
        """Refuse: recordings are of questions, whose models write text.

        Raises:
            ConfigurationError: always.
        """
        raise _unstructured()


def _unstructured() -> ConfigurationError:
    return ConfigurationError(
        "Las grabaciones son de preguntas: no guardan las respuestas con esquema que piden los casos."
    )


WRITTEN: Provider = "compatible"
"""The provider of replies that somebody writes: any but the offline one, which the graph treats as no chat model."""
WRITTEN_NOTE = "respuestas escritas aparte"
"""What a recording that begins without a model says of its writer, until somebody says more."""


@dataclass(frozen=True)
class RecordedRun:
    """A run that keeps its prompts and replies, or with ``replays`` one that has only replies that were kept."""

    recording: Recording
    replays: bool

    @classmethod
    def of(cls, record: Path | None, replay: Path | None) -> "RecordedRun | None":
        """Return the run that these folders ask for, ``None`` without one.

        Raises:
            InvalidInput: both are given, or the folder is not that of a recording.
        """
        if record and replay:
            raise InvalidInput("--record y --replay no se pueden combinar: indique solo una de las dos.")
        folder = record or replay
        return cls(Recording.read(folder), replays=replay is not None) if folder else None

    def settings(self, settings: "Settings", context: "RunContext") -> "Settings":
        """Return the settings to open services with: those of a replay need no key, and count tokens as then.

        Raises:
            InvalidInput: the reader is to rerank, which is not recorded.
        """
        if default_options(settings).overridden_by(context).rerank_strategy == "llm":
            raise InvalidInput(
                "Las grabaciones guardan lo que se busca y lo que se responde, no la reordenación «llm». Indique otra "
                "con --rerank."
            )
        if not self.replays:
            return settings
        manifest = self.recording.manifest
        roles = {
            "reader": _silenced(settings.reader, manifest.reader if manifest else None),
            "principal": _silenced(settings.principal, manifest.principal if manifest else None),
        }
        return settings.model_copy(update=roles)

    async def services(self, services: "Services") -> "Services":
        """Return the services of the run: chat models that keep or replay, and the day of the recording.

        A new recording gets its manifest.

        Raises:
            InvalidInput: the recording is of other models, or cannot be written.
        """
        recording, settings = self.recording, services.settings
        own = await self._manifest(services)
        manifest = recording.manifest or recording.begin(own)
        recording.differences = list(_differences(manifest, own))
        if not self.replays:
            _check_models(manifest, settings, recording.folder)
        return replace(
            services,
            settings=settings.model_copy(
                update={
                    "reader": settings.reader.model_copy(update={"provider": manifest.reader.provider}),
                    "principal": settings.principal.model_copy(update={"provider": manifest.principal.provider}),
                }
            ),
            reader=self._chat("reader", services, manifest),
            principal=self._chat("principal", services, manifest),
            calendar=lambda: manifest.day,
        )

    def describe(self) -> str:
        """Say which recording it is: its folder, its day, and who wrote it where that is noted."""
        manifest = self.recording.manifest
        parts = [str(self.recording.folder), *((manifest.day.isoformat(), manifest.note) if manifest else ())]
        return ", ".join(filter(None, parts))

    def _chat(self, role: ChatRole, services: "Services", manifest: Manifest) -> RecordingChat | ReplayChat:
        if self.replays:
            model = manifest.reader if role == "reader" else manifest.principal
            return ReplayChat(self.recording, role, f"{manifest.note or model.model} (grabación)")
        return RecordingChat(self.recording, role, services.reader if role == "reader" else services.principal)

    async def _manifest(self, services: "Services") -> Manifest:
        settings = services.settings
        return Manifest(
            day=date.today(),
            reader=self._model(settings.reader),
            principal=self._model(settings.principal),
            profile=services.profile.name,
            chunks=await services.store.counts(),
            note=WRITTEN_NOTE if self.replays else "",
        )

    def _model(self, settings: ModelSettings) -> RecordedModel:
        return RecordedModel(provider=WRITTEN if self.replays else settings.provider, model=settings.model)


def _silenced(settings: ModelSettings, recorded: RecordedModel | None) -> ModelSettings:
    """Return the settings of a role that no provider stands behind, with the name of the recorded model."""
    return settings.model_copy(update={"provider": "offline", "model": recorded.model if recorded else settings.model})


def _check_models(manifest: Manifest, settings: "Settings", folder: Path) -> None:
    """Check that a recording that is continued is of the models in use."""
    for recorded, model in ((manifest.reader, settings.reader), (manifest.principal, settings.principal)):
        if (recorded.provider, recorded.model) != (model.provider, model.model):
            raise InvalidInput(
                f"La grabación de {folder} es de {recorded.model} ({recorded.provider}), no de {model.name}. Indique "
                "en --record otra carpeta."
            )


def _differences(then: Manifest, now: Manifest) -> Iterator[str]:
    """Yield what makes the prompts of a run other ones than those of the recording."""
    if then.profile != now.profile:
        yield f"La grabación es del perfil «{then.profile}», no de «{now.profile}»."
    if then.chunks != now.chunks:
        yield f"La grabación es de un índice con {_counted(then.chunks)}; este tiene {_counted(now.chunks)}."


def _counted(chunks: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {figure(count)}" for name, count in sorted(chunks.items())) or "ningún fragmento"
