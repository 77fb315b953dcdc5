"""Recorded runs, which do not repeat prompts, and replayed runs, which make no request to a chat model."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from articulado.config.settings import ModelSettings, Provider
from articulado.language.formats import figure
from articulado.models.structured import SchemaViolation, parse_structured
from articulado.values.answers import Message
from articulado.values.errors import InvalidInput
from articulado.values.protocols import ChatModel, Completion, S, Structured
from evaluation.recording.recording import (
    ChatRole,
    Manifest,
    Prompt,
    RecordedModel,
    Recording,
    ReplyMissing,
    prompt_of,
)
from nodes.stage import default_options

if TYPE_CHECKING:
    from articulado.config.settings import Settings
    from graph.services import Services
    from state.context import RunContext


class RecordedChat:
    """Chat model with the replies of a recording; prompts without a reply go to a model, if there is one."""

    def __init__(self, recording: Recording, role: ChatRole, name: str, model: ChatModel | None = None) -> None:
        self._recording = recording
        self._role = role
        self._model = model
        self.name = name

    @property
    def takes_limit(self) -> bool:
        return self._model is not None and self._model.takes_limit

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        """Return the recorded reply, else the model's; without either, raise ``ReplyMissing``."""
        prompt = prompt_of(self._role, system, messages)
        if (recorded := self._recording.reply_to(prompt)) is not None:
            return Completion(recorded)
        reply = await self._model_for(prompt).complete(system, messages, deadline=deadline)
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
        """Pass on the recorded reply in one piece, or the model's as it is written."""
        prompt = prompt_of(self._role, system, messages)
        if (recorded := self._recording.reply_to(prompt)) is not None:
            on_text(recorded)
            return Completion(recorded)
        model = self._model_for(prompt)
        reply = await model.stream(system, messages, on_text=on_text, on_restart=on_restart, deadline=deadline)
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
        """Return the value of the recorded reply, else the model's."""
        prompt = prompt_of(self._role, system, messages)
        if (recorded := self._recording.reply_to(prompt)) is not None:
            try:
                return Structured(parse_structured(recorded, schema))
            except SchemaViolation as error:
                raise InvalidInput(
                    f"La respuesta {prompt.hash} de {self._recording.folder} no tiene la forma que se pide: "
                    f"{error.cause}. Corríjala y repita la orden."
                ) from error
        reply = await self._model_for(prompt).structured(
            system, messages, schema, max_tokens=max_tokens, deadline=deadline
        )
        self._recording.keep(prompt, reply.value.model_dump_json(indent=2))
        return reply

    async def close(self) -> None:
        if self._model is not None:
            await self._model.close()

    def _model_for(self, prompt: Prompt) -> ChatModel:
        if self._model is None:
            raise self._recording.wait_for(prompt)
        return self._model


WRITTEN: Provider = "compatible"  # provider of replies written by people: the graph treats ``offline`` as no chat model
WRITTEN_NOTE = "respuestas escritas aparte"


@dataclass(frozen=True)
class RecordedRun:
    """Run that stores its prompts and replies, or, with ``replays``, uses only stored replies."""

    recording: Recording
    replays: bool

    @classmethod
    def of(cls, record: Path | None, replay: Path | None) -> "RecordedRun | None":
        """Return the run of these folders; ``None`` without one."""
        if record and replay:
            raise InvalidInput("--record y --replay no se pueden combinar: indique solo una de las dos.")
        folder = record or replay
        return cls(Recording.read(folder), replays=replay is not None) if folder else None

    def settings(self, settings: "Settings", context: "RunContext") -> "Settings":
        """Return the settings for the services: a replay needs no key, and counts tokens as recorded."""
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
        if manifest:  # a new recording has a checker if the settings name one
            roles["checker"] = _silenced(settings.checker, manifest.checker)
        return settings.model_copy(update=roles)

    async def services(self, services: "Services") -> "Services":
        """Return the services of the run, with its chat models and the recorded day; begin a new recording."""
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
            reader_model=self._chat("reader", services.reader_model, manifest.reader),
            principal_model=self._chat("principal", services.principal_model, manifest.principal),
            checker=self._chat("checker", services.checker, manifest.checker),
            calendar=lambda: manifest.day,
        )

    def as_json(self, unfinished: Mapping[tuple[str, str], ReplyMissing]) -> dict[str, Any]:
        """Return the data of the recording; ``unfinished`` maps set and id to the missing reply."""
        recording = self.recording
        return {
            "folder": str(recording.folder),
            "replayed": self.replays,
            "day": recording.manifest.day.isoformat() if recording.manifest else None,
            "note": recording.manifest.note if recording.manifest else "",
            "differences": recording.differences,
            "asked": list(recording.asked),
            "missing": dict(recording.missing),
            "stale": recording.stale,
            "unfinished": [
                {"set": name, "id": id_, "missing": missing.hash, "role": missing.role}
                for (name, id_), missing in unfinished.items()
            ],
        }

    def describe(self) -> str:
        manifest = self.recording.manifest
        parts = [str(self.recording.folder), *((manifest.day.isoformat(), manifest.note) if manifest else ())]
        return ", ".join(filter(None, parts))

    def _chat(self, role: ChatRole, model: ChatModel | None, recorded: RecordedModel | None) -> RecordedChat | None:
        if recorded is None or recorded.provider == "offline":
            return None
        if not self.replays:
            return RecordedChat(self.recording, role, model.name, model) if model else None
        manifest = self.recording.manifest
        writer = (manifest.note if manifest else "") or recorded.model
        return RecordedChat(self.recording, role, f"{writer} (grabación)")

    async def _manifest(self, services: "Services") -> Manifest:
        settings = services.settings
        return Manifest(
            day=date.today(),
            reader=self._model(settings.reader),
            principal=self._model(settings.principal),
            checker=self._model(settings.checker) if services.checker else None,
            profile=services.profile.name,
            chunks=await services.store.counts(),
            note=WRITTEN_NOTE if self.replays else "",
        )

    def _model(self, settings: ModelSettings) -> RecordedModel:
        return RecordedModel(provider=WRITTEN if self.replays else settings.provider, model=settings.model)


def _silenced(settings: ModelSettings, recorded: RecordedModel | None) -> ModelSettings:
    return settings.model_copy(update={"provider": "offline", "model": recorded.model if recorded else settings.model})


def _check_models(manifest: Manifest, settings: "Settings", folder: Path) -> None:
    checker = settings.checker if settings.checker.provider != "offline" else None
    for recorded, model in (
        (manifest.reader, settings.reader),
        (manifest.principal, settings.principal),
        (manifest.checker, checker),
    ):
        if recorded is None and model is None:
            continue
        if recorded is None or model is None:
            raise InvalidInput(
                f"La grabación de {folder} se hizo {'con' if recorded else 'sin'} el modelo que comprueba respuestas. "
                "Indique en --record otra carpeta, o cambie ARTICULADO_CHECKER_PROVIDER."
            )
        if (recorded.provider, recorded.model) != (model.provider, model.model):
            raise InvalidInput(
                f"La grabación de {folder} es de {recorded.model} ({recorded.provider}), no de {model.name}. Indique "
                "en --record otra carpeta."
            )


def _differences(then: Manifest, now: Manifest) -> Iterator[str]:
    if then.profile != now.profile:
        yield f"La grabación es del perfil «{then.profile}», no de «{now.profile}»."
    if then.chunks != now.chunks:
        yield f"La grabación es de un índice con {_counted(then.chunks)}; este tiene {_counted(now.chunks)}."


def _counted(chunks: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {figure(count)}" for name, count in sorted(chunks.items())) or "ningún fragmento"
