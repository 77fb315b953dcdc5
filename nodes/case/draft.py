"""The update of the stages that let the author of a case write."""

from typing import Any

from typing_extensions import TypedDict

from articulado.language.languages import Language
from articulado.prompting.outgoing_links import source_addresses, texts_without_foreign_links
from articulado.values.answers import Cost, cost_of
from articulado.values.protocols import Structured
from state.case import CaseState


class DraftUpdate(TypedDict):
    """What the author wrote, as it wrote it, and what that cost."""

    drafted: dict[str, Any]
    cost: Cost


def draft_update(reply: Structured[Any], state: CaseState, language: Language) -> DraftUpdate:
    """Return the update of a stage from the author's reply; links lead to sources of the context alone."""
    return {
        "drafted": texts_without_foreign_links(
            reply.value.model_dump(), source_addresses(state["context"]), language.translate("rag_link_left_out")
        ),
        "cost": cost_of(reply),
    }
