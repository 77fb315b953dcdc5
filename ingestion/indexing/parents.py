"""Gather all parents of an index: those of the documents, linked and summarised, and what the profile brings along."""

from dataclasses import dataclass
from datetime import date

from ingestion.bundled import bundled_chunks
from ingestion.incremental.workspace import Workspace
from ingestion.plain_language.attach import Attached, attach_records
from services.corpus.chunks import lay_phrasings
from services.corpus.schema import LawRecord
from services.profile.profile import Profile
from state.chunks import Chunk
from state.ingest import IngestState


@dataclass(frozen=True)
class Parents:
    """Chunks, how people ask about them (by id), how many provisions have a summary, and the stale records."""

    chunks: list[Chunk]
    lay_phrasings: dict[int, str]
    summaries: int
    stale: list[LawRecord]


def parents_of(state: IngestState, workspace: Workspace, profile: Profile) -> Parents:
    """Return the staged parents with references and summaries, in the order of the documents, then what is bundled.

    What is among the documents is not there twice. Only a profile with packaged records has summaries, and the lay
    phrasings that belong to them.
    """
    refs = workspace.links(state["links"])
    parents: list[Chunk] = []
    of_documents: dict[int, str] = {}
    for source in state["sources"]:
        staged = workspace.document(source["staged"])
        parents += [{**chunk, "refs": refs.get(chunk["id"], [])} for chunk in staged.parents]
        of_documents |= staged.spoken
    bundled = bundled_chunks(parents, profile, packaged=state["with_packaged"])
    attached, of_records = Attached(parents, 0, []), {}
    if profile.features.records:
        attached = attach_records(parents, date.today(), bundled.chunks)
        # Every part of a provision gets them: measured, that finds more than giving them to the first alone.
        of_records = {chunk["id"]: lay_phrasings(chunk) for chunk in attached.chunks}
    chunks = [*attached.chunks, *bundled.chunks]
    return Parents(chunks, {**of_records, **of_documents, **bundled.lay_phrasings}, attached.summaries, attached.stale)
