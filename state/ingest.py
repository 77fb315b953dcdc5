"""The state of the ingestion graph. The chunks themselves are in files between the stages: the state names them."""

from typing import Annotated, Literal, NotRequired

from langgraph.channels import EphemeralValue
from typing_extensions import TypedDict

from state.reducers import add_seconds


class Listing(TypedDict, total=False):
    """A query of the gazette's catalogue; days are ISO 8601, of the last update."""

    materia: str
    query: str
    since: str
    until: str
    limit: int


class IngestRequest(TypedDict, total=False):
    """What a caller asks for.

    ``paths`` are files and folders; what has vanished from a folder named before is removed. ``boe`` are identifiers of
    the official gazette, ``listing`` a query of its catalogue, ``refresh`` brings all laws from there up to date.
    ``accept_shrunk`` takes texts of the gazette also where they have lost much of a law.
    ``remove`` names documents to take out. ``rebuild`` makes the whole index anew. ``confirmed`` allows costs.
    ``packaged`` tells whether the index is to have what articulado brings along; ``None`` leaves that as it is.
    """

    paths: list[str]
    boe: list[str]
    listing: Listing
    refresh: bool
    accept_shrunk: bool
    remove: list[str]
    rebuild: bool
    confirmed: bool
    packaged: bool | None


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


class SourceFile(TypedDict):
    """A file that a document is read from.

    ``root`` is the argument that it was found under, ``digest`` a hash of its content. Files of the same ``identity``
    are of one document: that of a law is its official identifier, that of any other file its path.
    """

    path: str
    root: str
    digest: str
    identity: str


class Failure(TypedDict):
    """Something that was left out, and why."""

    source: str
    reason: str


class ShrunkLaw(TypedDict):
    """A law whose text at the gazette has lost more than a tenth of its provisions or wordings: it was not taken.

    Both are counted as the index has them, and as they would be.
    """

    law_id: str
    provisions: int
    provisions_left: int
    wordings: int
    wordings_left: int


class SkippedFiles(TypedDict):
    """The files of folders that end in ``kind`` (".doc"), which is no format that is read, and what to do about it."""

    kind: str
    files: list[str]
    advice: str


class Source(TypedDict):
    """The files of one document: of a law in the order in which they were given, of equal files the one read first.

    ``law_id`` is empty until it was read; ``staged`` names what it was cut into. ``skipped`` are files left out of it.
    ``last_change`` is the last day (ISO 8601) on which a wording of it came in force, where its source tells days.
    """

    identity: str
    collection: str
    law_id: str
    title: str
    files: list[SourceFile]
    staged: str
    provisions: int
    parents: int
    skipped: list[Failure]
    last_change: NotRequired[str | None]


class Replaced(TypedDict):
    """A text of a law that a newer one, or one of the same day that was given later, replaces; both are paths."""

    law: str
    kept: str
    replaced: str


class Copy(TypedDict):
    """A file with the very content of another one, so that both are one document; both are paths."""

    document: str
    kept: str
    copy: str


class Unresolved(TypedDict):
    """A citation that leads nowhere: the provision that cites, what it cites, and why it is not found."""

    source: str
    cited: str
    cause: Literal["unknown law", "law not held", "no such provision"]


class StaleRecord(TypedDict):
    """A packaged record of another wording than that in force: its summary is not shown.

    ``written_against`` is the day from which the wording that it was written from is in force, ISO 8601.
    """

    law_id: str
    law: str
    provision: str
    written_against: str


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
