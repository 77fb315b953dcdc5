"""A chat model in front of another one: what the harness puts between the graph and its models."""

from collections.abc import Callable, Sequence

from articulado.values.answers import Message
from articulado.values.protocols import ChatModel, Completion, S, Structured


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
