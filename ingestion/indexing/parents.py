"""All parents that an index is to hold: those of the documents, linked, and the packaged decisions."""

from dataclasses import replace
from datetime import date

from ingestion.base import workspace_of
from ingestion.packaged import rulings_and_criteria
from ingestion.plain_language.attach import Attached, attach_records
from services.settings import Settings
from state.chunks import Chunk
from state.ingest import IngestState


def parents_of(state: IngestState, settings: Settings) -> Attached:
    """Return the staged parents with references and summaries, in the order of the documents, then packaged decisions.

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
    beside = [one for one in decisions if (one["collection"], one["law_id"]) not in held]
    attached = attach_records(parents, date.today())
    return replace(attached, chunks=[*attached.chunks, *beside])
