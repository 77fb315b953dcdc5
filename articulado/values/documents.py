"""Values of an ingest, apart from the graph state: processes that read documents do not import LangGraph."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict


class SourceFile(TypedDict):
    """Source file of a document.

    ``root``: argument under which it was found; ``digest``: hash of its content; ``identity``: identifier of the law,
    or path: equal for all files of one document.
    """

    path: str
    root: str
    digest: str
    identity: str


class Failure(TypedDict):
    """Omitted source and reason."""

    source: str
    reason: str


class OwnPassage(TypedDict):
    """Passage of a document sent with a question; ``page``: first page, "" for a file without pages."""

    provision: str
    title: str
    text: str
    page: str


class OwnText(TypedDict):
    """Text of a user's document for one question; ``name``: of its file; ``title``: for citations."""

    name: str
    title: str
    passages: list[OwnPassage]


class OwnReading(TypedDict):
    """Result of reading a user's document.

    ``kind``: guessed kind (``articulado/legal/data/document_kinds.toml``) or "". ``pages``: 0 for formats without
    pages. ``citations``: distinct cited provisions. ``gaps``: unreadable places; ``recognised``: places read by OCR.
    ``can_check``: its citations can be checked.
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
    """Rejected update of a law that lost more than a tenth of its provisions or wordings: counts before and after."""

    law_id: str
    provisions: int
    provisions_left: int
    wordings: int
    wordings_left: int


class SkippedFiles(TypedDict):
    """Files of folders with an unsupported suffix ``kind`` (".doc"), and advice."""

    kind: str
    files: list[str]
    advice: str


class Source(TypedDict):
    """Files of one document; of a law in the given order, of equal files the first.

    ``law_id``: empty until read; ``staged``: name of its chunks; ``skipped``: omitted files; ``last_change``: day of
    the last amendment.
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
    """Text of a law replaced by a newer or later given one; both are paths."""

    law: str
    kept: str
    replaced: str


class Copy(TypedDict):
    """File with the same content as another; both are paths."""

    document: str
    kept: str
    copy: str


class Unresolved(TypedDict):
    """Citation without target: citing provision, cited text, and cause."""

    source: str
    cited: str
    cause: Literal["unknown law", "law not held", "no such provision"]


class StaleRecord(TypedDict):
    """Packaged record of another wording than the one in force; its summary is not shown.

    ``written_against``: first day of the wording it describes.
    """

    law_id: str
    law: str
    provision: str
    written_against: str


class Listing(TypedDict, total=False):
    """Query of the gazette's catalogue; days refer to the last update."""

    materia: str
    query: str
    since: str
    until: str
    limit: int


class IngestRequest(TypedDict, total=False):
    """Request to index sources.

    ``paths``: files and folders (files that vanished from a named folder are removed). ``boe``: ids of the official
    gazette; ``listing``: query of its catalogue; ``refresh``: update all its laws; ``accept_shrunk``: also if much of a
    law is gone. ``remove``: documents to delete. ``rebuild``: index everything anew. ``confirmed``: costs are allowed.
    ``packaged``: include packaged records; ``None``: as before.
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
