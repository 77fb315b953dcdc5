"""All parents that an index is to hold: those of the documents, linked, and the packaged decisions."""

from ingestion.base import workspace_of
from ingestion.packaged import rulings_and_criteria
from services.settings import Settings
from state.chunks import Chunk
from state.ingest import IngestState


def parents_of(state: IngestState, settings: Settings) -> list[Chunk]:
    """Return the staged parents with their references, in the order of the documents, then the packaged decisions.

    A decision that is among the documents is not there twice.
    """
    workspace = workspace_of(settings)
    refs = workspace.links(state["links"])
    parents: list[Chunk] = []
    for source in state["sources"]:
        staged = workspace.document(source["staged"])
        parents += [{**chunk, "refs": refs.get(chunk["id"], [])} for chunk in staged.parents]
    held = {(source["collection"], source["law_id"]) for source in state["sources"]}
    decisions = rulings_and_criteria(parents)
    return parents + [one for one in decisions if (one["collection"], one["law_id"]) not in held]
