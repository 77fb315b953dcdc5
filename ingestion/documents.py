"""A document that is no structured law, as every source delivers it: a ruling, a criterion, a guide."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """One page of a document, or all of one without pages; ``number`` counts from 1."""

    number: int | None
    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class Document:
    """Running text and what its header says of it.

    ``id`` is the ECLI where there is one, else a slug; unique in its collection, and the same in every run.
    ``author`` is the court or the body. ``interprets`` are law id and provision key of each provision that it
    interprets. ``published`` is ISO 8601. ``url`` leads to the document; where it has pages, to one with ``#page=N``.
    """

    id: str
    collection: str
    kind: str
    title: str
    pages: tuple[Page, ...]
    author: str = ""
    number: str = ""
    ecli: str = ""
    published: str | None = None
    interprets: tuple[tuple[str, str], ...] = ()
    status_note: str = ""
    territory: str | None = None
    municipality: str | None = None
    url: str = ""
