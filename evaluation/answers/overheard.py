"""What a chat model wrote, word for word: stages keep what they made of it, and the harness wants what it was."""

from collections.abc import Callable, Sequence

from articulado.values.answers import Message
from articulado.values.protocols import ChatModel, Completion
from evaluation.forwarding import ForwardingChat


class OverheardChat(ForwardingChat):
    """Keeps the whole replies of another model until they are taken; structured ones are not kept."""

    def __init__(self, model: ChatModel) -> None:
        super().__init__(model)
        self._replies: list[str] = []

    def take(self) -> tuple[str, ...]:
        """Return the replies since the last call, in their order."""
        replies, self._replies = tuple(self._replies), []
        return replies

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        """Return the whole reply (``ChatModel.complete``)."""
        return self._kept(await super().complete(system, messages, deadline=deadline))

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
        reply = await super().stream(system, messages, on_text=on_text, on_restart=on_restart, deadline=deadline)
        return self._kept(reply)

    def _kept(self, reply: Completion) -> Completion:
        self._replies.append(reply.text)
        return reply
