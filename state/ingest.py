"""The state of the ingestion graph. The chunks themselves are in files between the stages: the state names them."""

from typing import Annotated, Literal

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
    ``remove`` names documents to take out. ``rebuild`` makes the whole index anew. ``confirmed`` allows costs.
    """

    paths: list[str]
    boe: list[str]
    listing: Listing
    refresh: bool
    remove: list[str]
    rebuild: bool
    confirmed: bool


class IngestInput(TypedDict, total=False):
    """The same as keys of the graph's input; on a thread, each run has its own."""

    paths: Annotated[list[str], EphemeralValue]
    boe: Annotated[list[str], EphemeralValue]
    listing: Annotated[Listing, EphemeralValue]
    refresh: Annotated[bool, EphemeralValue]
    remove: Annotated[list[str], EphemeralValue]
    rebuild: Annotated[bool, EphemeralValue]
    confirmed: Annotated[bool, EphemeralValue]


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


class Source(TypedDict):
    """The files of one document.

    ``law_id`` is empty until it was read; ``staged`` names what it was cut into. ``skipped`` are files left out of it.
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

    ``documents`` counts what the index holds by collection; ``provisions`` of laws, ``parents`` that a search yields,
    ``children`` that are embedded. ``added``, ``updated`` and ``removed`` name documents, ``unchanged`` counts them.
    ``written`` and ``deleted`` count points of the index. ``unresolved`` counts citations by cause.
    ``summaries`` counts provisions with a summary in plain language, ``stale`` names those whose summary is out of
    date. ``seconds`` by stage.
    """

    index: str
    generation: str
    documents: dict[str, int]
    provisions: int
    parents: int
    children: int
    added: list[str]
    updated: list[str]
    removed: list[str]
    unchanged: int
    written: int
    deleted: int
    resolved: int
    unresolved: dict[str, int]
    examples: list[Unresolved]
    summaries: int
    stale: list[StaleRecord]
    failures: list[Failure]
    warnings: list[str]
    seconds: dict[str, float]


class IngestOutput(TypedDict):
    """What a caller gets back."""

    report: IngestReport


class IngestState(IngestInput, total=False):
    """All keys of the ingestion graph; the first stage begins them anew for each run.

    ``undelivered`` is what the gazette did not give. ``base`` is the generation that is served, empty where there is
    none. ``sources`` is what the index is to hold, in the order of reading; ``added``, ``updated`` and ``removed`` are
    titles, ``changed`` tells whether the index must be written. ``links`` names the file of references. ``stale`` tells
    that another ingest has come between. ``generation`` is the one that was written, ``counts`` its points.
    """

    request: IngestRequest
    downloaded: list[SourceFile]
    undelivered: list[Failure]
    base: str
    sources: list[Source]
    added: list[str]
    updated: list[str]
    removed: list[str]
    changed: bool
    links: str
    resolved: int
    unresolved: dict[str, int]
    examples: list[Unresolved]
    stale: bool
    generation: str
    counts: dict[str, int]
    documents: dict[str, int]
    failures: list[Failure]
    warnings: list[str]
    seconds: Annotated[dict[str, float], add_seconds]
    report: IngestReport
