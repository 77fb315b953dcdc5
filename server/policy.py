"""Options of a run that a caller may set; the operator decides the others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from fastapi import Request

from articulado.language.translation import translate
from articulado.values.answers import RerankStrategy
from articulado.values.errors import InvalidInput
from server.errors import CONTEXT

MAX_HISTORY = 40
"""Messages of a conversation that a caller sends."""
CHEAP_STRATEGIES: frozenset[RerankStrategy] = frozenset(("auto", "none", "learnt", "heuristic"))
"""The ways to rerank that need no model of their own."""
_STRATEGIES = frozenset(get_args(RerankStrategy))
"""What is a strategy at all; anything else is told as any wrong value is."""


@dataclass(frozen=True)
class Policy:
    """The options that a caller may set: ``strategies`` to rerank, and up to ``max_chunks`` fragments."""

    max_chunks: int = 40
    strategies: frozenset[RerankStrategy] = CHEAP_STRATEGIES

    async def check(self, request: Request) -> None:
        """Check the body of a ``POST``, which has been read as JSON before.

        Raises:
            InvalidInput: it asks for what is the operator's to choose, or is longer than a conversation may be.
        """
        if request.method != "POST":
            return
        body = await request.json()
        sent = body.get("input") if isinstance(body, Mapping) else None
        if isinstance(sent, Mapping):
            self.check_input(sent)

    def check_input(self, sent: Mapping[str, Any]) -> None:
        """Check the input of a graph, with the options of the run in it.

        Raises:
            InvalidInput: as ``check``.
        """
        history = sent.get("history")
        if isinstance(history, list) and len(history) > MAX_HISTORY:
            raise InvalidInput(translate("server.long_history", most=MAX_HISTORY, sent=len(history)))
        context = sent.get(CONTEXT)
        if isinstance(context, Mapping):
            chunks, strategy = (context.get(name) for name in ("max_chunks_in_prompt", "rerank_strategy"))
            self.check_options(chunks, strategy, f"{CONTEXT}.max_chunks_in_prompt", f"{CONTEXT}.rerank_strategy")

    def check_options(
        self,
        chunks: object,
        strategy: object,
        chunks_field: str = "max_chunks",
        strategy_field: str = "rerank_strategy",
    ) -> None:
        """Check the options of a run, whose fields are called as given; what is no such value at all is told elsewhere.

        Raises:
            InvalidInput: one is the operator's to choose.
        """
        if isinstance(chunks, int) and self.max_chunks < chunks <= 100:
            raise InvalidInput(translate("server.chunks_refused", field=chunks_field, most=self.max_chunks))
        if strategy in _STRATEGIES and strategy not in self.strategies:
            allowed = ", ".join(sorted(self.strategies))
            raise InvalidInput(
                translate("server.strategy_refused", field=strategy_field, strategy=strategy, others=allowed)
            )
