"""All parents that an index is to hold: those of the documents, linked, and what goes beside them."""

from dataclasses import dataclass
from datetime import date

from ingestion.bundled import beside_documents
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
    spoken: dict[int, str]
    summaries: int
    stale: list[LawRecord]


def parents_of(state: IngestState, workspace: Workspace, profile: Profile) -> Parents:
    """Return the staged parents with references and summaries, in the order of the documents, then what is beside them.

    What is among the documents is not there twice. Summaries, decisions and the words of people that belong to them are
    those of a profile with packaged records.
    """
    refs = workspace.links(state["links"])
    parents: list[Chunk] = []
    spoken: dict[int, str] = {}
    for source in state["sources"]:
        staged = workspace.document(source["staged"])
        parents += [{**chunk, "refs": refs.get(chunk["id"], [])} for chunk in staged.parents]
        spoken |= staged.spoken
    beside = beside_documents(parents, profile)
    records = profile.features.records
    attached = attach_records(parents, date.today()) if records else Attached(parents, 0, [])
    chunks = [*attached.chunks, *beside.chunks]
    # Every part of a provision gets them: measured, that finds more than giving them to the first alone.
    people = {chunk["id"]: lay_phrasings(chunk) for chunk in chunks} if records else {}
    return Parents(chunks, {**people, **spoken, **beside.spoken}, attached.summaries, attached.stale)
