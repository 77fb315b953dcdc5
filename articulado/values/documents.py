"""Values of an ingest: its request, source files, documents, and everything left out of the index.

They are separate from the graph state, so that the processes that read documents do not import LangGraph.
"""

from typing import Literal, NotRequired

from typing_extensions import TypedDict


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


class OwnPassage(TypedDict):
    """A passage of a document that a question comes with: an article of an agreement, or a part of running text.

    ``page`` is the number of the page on which it begins, empty where its file has no pages.
    """

    provision: str
    title: str
    text: str
    page: str


class OwnText(TypedDict):
    """The text of a document of the user that is in no index, for one question.

    ``name`` is that of its file, ``title`` the one by which it is cited.
    """

    name: str
    title: str
    passages: list[OwnPassage]


class OwnReading(TypedDict):
    """Result of reading a document of the user: what became of it, and its text.

    ``kind`` is the one that it seems to be (``articulado/legal/data/document_kinds.toml``), empty if unknown. ``pages``
    is 0 for a format without pages. ``citations`` counts the provisions of laws that it names, each once. ``warnings``
    tell what was left out or could not be read, ``gaps`` counts the places that could not, ``recognised`` those that
    were read on an image. ``can_check`` tells that its citations can be checked.
    """

    kind: str
    pages: int
    words: int
    citations: int
    gaps: int
    recognised: int
    warnings: list[str]
    can_check: bool
    document: OwnText


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
    ``last_change`` is the day (ISO 8601) of its last amendment, where its source tells of one.
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
