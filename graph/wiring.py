"""Add stages to a graph, each bound to the services that it asks for."""

from typing import Any, Protocol

from langgraph.graph import StateGraph

from nodes.chunk_texts import ChunkTexts
from nodes.stage import Account, Node, stage


class AddStage(Protocol):
    """Adds a stage to a graph, under the name of its function."""

    def __call__(self, node: Node, *, defer: bool = False) -> None:
        """Add a stage; ``defer`` waits for all branches that lead to it, whatever their lengths.

        Raises:
            TypeError: the stage asks for a service that there is not.
        """
        ...


def stage_adder(
    builder: StateGraph[Any, Any, Any, Any], services: object, account: Account, texts: ChunkTexts | None = None
) -> AddStage:
    """Return a function that adds stages to a graph over these services; account and texts: see ``nodes.stage``."""

    def add(node: Node, *, defer: bool = False) -> None:
        builder.add_node(node.__name__, stage(node, services, account, texts), defer=defer)

    return add
