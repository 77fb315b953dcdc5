"""What a chat model wrote, word for word: stages keep what they made of it, and the harness wants what it was."""

from collections.abc import Callable, Sequence

from services.protocols import ChatModel, Completion, S, Structured
from state.values import Message


class OverheardChat:
    """Satisfies ``ChatModel`` with another one, and keeps its whole replies until they are taken."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._replies: list[str] = []

    def take(self) -> tuple[str, ...]:
        """Return the replies since the last call, in their order."""
        replies, self._replies = tuple(self._replies), []
        return replies

    @property
    def name(self) -> str:
        """Provider and model, for a person."""
        return self._model.name

    @property
    def takes_limit(self) -> bool:
        """Whether the provider accepts a limit on the length of a reply."""
        return self._model.takes_limit

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        """Return the whole reply (``ChatModel.complete``)."""
        reply = await self._model.complete(system, messages, deadline=deadline)
        self._replies.append(reply.text)
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
        reply = await self._model.stream(system, messages, on_text=on_text, on_restart=on_restart, deadline=deadline)
        self._replies.append(reply.text)
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
        """Return a reply that satisfies a schema (``ChatModel.structured``); it is not kept."""
        return await self._model.structured(system, messages, schema, max_tokens=max_tokens, deadline=deadline)

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()
