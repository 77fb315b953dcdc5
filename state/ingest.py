"""State of the ingestion graph: request, intermediate keys and report.

Chunks are stored in files between the stages, and the state holds only the names of these files.
"""

from typing import Annotated

from langgraph.channels import EphemeralValue
from typing_extensions import TypedDict

from articulado.values.documents import (
    Copy,
    Failure,
    IngestRequest,
    Listing,
    Replaced,
    ShrunkLaw,
    SkippedFiles,
    SourceFile,
    StaleRecord,
    Unresolved,
)

FIRST_STAGE = "accept"
"""The stage that opens an ingest."""


def add_seconds(total: dict[str, float] | None, delta: dict[str, float]) -> dict[str, float]:
    """Return the seconds of each stage of an ingest added up; the first stage of a run starts anew."""
    if not total or FIRST_STAGE in delta:
        return delta
    return total | {stage: round(total.get(stage, 0.0) + seconds, 3) for stage, seconds in delta.items()}


class IngestInput(TypedDict, total=False):
    """The same as keys of the graph's input; on a thread, each run has its own."""

    paths: Annotated[list[str], EphemeralValue]
    boe: Annotated[list[str], EphemeralValue]
    listing: Annotated[Listing, EphemeralValue]
    refresh: Annotated[bool, EphemeralValue]
    accept_shrunk: Annotated[bool, EphemeralValue]
    remove: Annotated[list[str], EphemeralValue]
    rebuild: Annotated[bool, EphemeralValue]
    confirmed: Annotated[bool, EphemeralValue]
    packaged: Annotated[bool | None, EphemeralValue]


class IngestReport(TypedDict):
    """What an ingest has done.

    ``documents`` counts what the index holds by collection: of its laws, ``official_laws`` have their text, and
    ``record_laws`` our packaged records alone. ``provisions`` are of laws, ``parents`` that a search yields,
    ``children`` that are embedded. ``added``, ``updated`` and ``removed`` name documents, ``unchanged`` counts them.
    ``replaced`` and ``copies`` name files that a document has beside those that it is read from, where that is new.
    ``written`` and ``deleted`` count points of the index. ``unresolved`` counts citations by cause.
    ``summaries`` counts provisions with a summary in plain language, ``stale`` names those whose summary is out of
    date. ``checked`` counts the laws that the gazette says are up to date now, ``unchecked`` are the identifiers of
    those that it was not, or not intelligibly, asked about: their copies go on serving. ``shrunk`` waits for
    ``accept_shrunk``. ``skipped`` are files of folders that are of no format that is read. ``seconds`` by stage.
    """

    index: str
    generation: str
    documents: dict[str, int]
    official_laws: int
    record_laws: int
    provisions: int
    parents: int
    children: int
    added: list[str]
    updated: list[str]
    removed: list[str]
    unchanged: int
    replaced: list[Replaced]
    copies: list[Copy]
    written: int
    deleted: int
    resolved: int
    unresolved: dict[str, int]
    examples: list[Unresolved]
    summaries: int
    stale: list[StaleRecord]
    checked: int
    unchecked: list[str]
    shrunk: list[ShrunkLaw]
    skipped: list[SkippedFiles]
    failures: list[Failure]
    warnings: list[str]
    seconds: dict[str, float]


class IngestOutput(TypedDict):
    """What a caller gets back."""

    report: IngestReport


class IngestState(IngestInput, total=False):
    """All keys of the ingestion graph; the first stage begins them anew for each run.

    ``undelivered`` is what the gazette did not give; ``checked``, ``unchecked`` and ``shrunk``: see the report.
    ``base`` is the generation that is served, empty where there is none. ``with_packaged`` tells whether the index is
    to have what articulado brings along. ``draft`` names the file of the catalogue that the index is to have:
    documents, references and points are in it, and none of them here. ``added``, ``updated`` and ``removed`` are
    titles, ``changed`` tells whether the index must be written. ``stale`` tells that another ingest has come between.
    ``generation`` is the one that was written, ``counts`` its points.
    """

    request: IngestRequest
    downloaded: list[SourceFile]
    undelivered: list[Failure]
    checked: int
    unchecked: list[str]
    shrunk: list[ShrunkLaw]
    base: str
    with_packaged: bool
    draft: str
    added: list[str]
    updated: list[str]
    removed: list[str]
    replaced: list[Replaced]
    copies: list[Copy]
    changed: bool
    stale: bool
    generation: str
    counts: dict[str, int]
    documents: dict[str, int]
    skipped: list[SkippedFiles]
    failures: list[Failure]
    warnings: list[str]
    seconds: Annotated[dict[str, float], add_seconds]
    report: IngestReport
