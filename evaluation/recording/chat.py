"""The chat models of a recorded run: one that keeps what another writes, and one that knows only what was kept."""

from collections.abc import Callable, Sequence

from articulado.values.answers import Message
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import ChatModel, Completion, S, Structured
from evaluation.forwarding import ForwardingChat
from evaluation.recording.prompts import ChatRole, prompt_of
from evaluation.recording.recording import Recording


class ReplayChat:
    """Satisfies ``ChatModel`` with the replies of a recording alone; it makes no request."""

    takes_limit = False

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
