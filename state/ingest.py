"""State of the ingestion graph: request, intermediate keys and report.

Chunks are stored in files between the stages; the state holds only the names of these files.
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


def add_seconds(total: dict[str, float] | None, delta: dict[str, float]) -> dict[str, float]:
    """Add up the seconds of each stage; the first stage of a run starts anew (reducer)."""
    if not total or FIRST_STAGE in delta:
        return delta
    return total | {stage: round(total.get(stage, 0.0) + seconds, 3) for stage, seconds in delta.items()}


class IngestInput(TypedDict, total=False):
    """Keys of ``IngestRequest``; on a thread, each run has its own."""

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
    """Report of an ingest.

    - ``documents``: documents per collection; ``official_laws``: laws with their official text; ``record_laws``: laws
      with packaged records only.
    - ``provisions``: of laws; ``parents``: chunks that a search returns; ``children``: chunks that are embedded.
    - ``added``, ``updated``, ``removed``: titles; ``unchanged``: a count.
    - ``replaced``, ``copies``: new files of documents that are read from another file.
    - ``written``, ``deleted``: points of the index; ``unresolved``: citations by cause.
    - ``summaries``: provisions with a plain-language summary; ``stale``: outdated ones.
    - ``checked``: laws confirmed up to date by the gazette; ``unchecked``: ids of laws without a usable answer, whose
      copies stay in use; ``shrunk``: laws that need ``accept_shrunk``.
    - ``skipped``: files of unsupported formats; ``seconds``: by stage.
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
    """Output of the ingestion graph."""

    report: IngestReport


class IngestRun(TypedDict):
    """Keys that the first stage resets.

    ``undelivered``: failed downloads. ``stale``: another ingest has published meanwhile. ``generation``: the written
    one, ``counts``: its points. For the others see ``IngestReport``.
    """

    downloaded: list[SourceFile]
    undelivered: list[Failure]
    checked: int
    unchecked: list[str]
    shrunk: list[ShrunkLaw]
    stale: bool
    generation: str
    counts: dict[str, int]
    documents: dict[str, int]
    failures: list[Failure]
    warnings: list[str]


class IngestState(IngestInput, IngestRun, total=False):
    """All keys of the ingestion graph.

    - ``base``: generation in use, empty without an index; ``with_packaged``: include the packaged documents.
    - ``draft``: file of the new catalogue, with documents, references and points.
    - ``changed``: the index must be written.
    """

    request: IngestRequest
    base: str
    with_packaged: bool
    draft: str
    added: list[str]
    updated: list[str]
    removed: list[str]
    replaced: list[Replaced]
    copies: list[Copy]
    changed: bool
    skipped: list[SkippedFiles]
    seconds: Annotated[dict[str, float], add_seconds]
    report: IngestReport
