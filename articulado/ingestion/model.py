"""Data model of the readers: laws with provisions, and documents of running text.

Dates are ISO 8601; ``valid_to`` is the first day out of force.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal

from articulado.values.chunks import Agreement, Status, TextState, WordingDates

LawStatus = Literal["in_force", "repealed", "expired", "unknown"]  # a norm of "unknown" status is treated as in force

_FOREVER = "9999"


@dataclass(frozen=True)
class Provision:
    """An article, a disposition, an annex, a unit of a norm without articles, or unlabelled text.

    ``key`` is unique in its law (``articulado.legal.labels``; a repeated label gets ``~2``, the approving decree
    ``~decreto``), but shared by successive wordings, which differ in ``valid_from``.
    """

    label: str
    key: str
    title: str
    breadcrumb: str
    paragraphs: tuple[str, ...]  # a table is one paragraph with one row per line
    notes: tuple[str, ...] = ()  # notes of the source, last amendment first
    status: Status = "vigente"
    status_note: str = ""
    wording: WordingDates = field(default_factory=WordingDates)
    valid_from: str | None = None  # ``None``: that of the law
    valid_to: str | None = None
    url: str = ""  # empty if it follows from law and label
    urls: tuple[str, ...] = ()  # address of each paragraph, in a file that may have pages

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)


@dataclass(frozen=True)
class Law:
    """A whole law."""

    id: str
    title: str
    rank: str  # kind of norm: "real_decreto"
    published: str
    status: LawStatus
    valid_to: str | None
    status_note: str
    provisions: tuple[Provision, ...]
    territory: str | None = None  # autonomous community (``articulado.legal.territory.mentions``), ``None``: the state
    municipality: str | None = None  # city of a bylaw
    collection: str = "normativa"
    text_state: TextState = "consolidated"  # as enacted, or with later amendments
    agreement: Agreement | None = None  # scope of a collective agreement
    warnings: tuple[str, ...] = ()
    changed: str | None = None  # publication of the last amendment, if known
    head_notes: tuple[str, ...] = ()  # notes on the whole law


def unique_keys(provisions: Iterable[Provision]) -> list[Provision]:
    """Make the keys of provisions unique: the plain key is that of the approved text, not of the approving decree."""
    return unique_wording_keys((provision,) for provision in provisions)


def unique_wording_keys(blocks: Iterable[Sequence[Provision]]) -> list[Provision]:
    """Make keys unique by blocks of successive wordings; one that overlaps no earlier block continues its key."""
    blocks = list(blocks)
    approving = _approving([block[0].key for block in blocks])
    own = {block[0].key for block in blocks[approving:]}
    spans: dict[str, list[tuple[str, str]]] = defaultdict(list)
    used: Counter[str] = Counter()
    wordings: list[Provision] = []
    for index, block in enumerate(blocks):
        base = block[0].key + ("~decreto" if index < approving and block[0].key in own else "")
        start, end = block[0].valid_from or "", block[-1].valid_to or _FOREVER
        # A provision without dates cannot share its key.
        first = used[base] + 1 if (start, end) == ("", _FOREVER) else 1
        candidates = ((number, base if number == 1 else f"{base}~{number}") for number in count(first))
        number, key = next(
            (number, key)
            for number, key in candidates
            if all(end <= since or until <= start for since, until in spans[key])
        )
        used[base] = max(used[base], number)
        spans[key].append((start, end))
        wordings += [replace(wording, key=key) for wording in block]
    return wordings


def _approving(keys: Sequence[str]) -> int:
    """Return the number of first blocks that belong to the approving decree."""
    articles = [index for index, key in enumerate(keys) if key.startswith("art:")]
    if len(articles) > 1 and keys[articles[0]] == "art:unico":
        return articles[1]
    return 0


@dataclass(frozen=True)
class Page:
    """One page of a document, or a document without pages; ``number`` counts from 1."""

    number: int | None
    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class FileText:
    """Pages, title in the file ("" if none), and warnings of unread content from a format reader."""

    pages: tuple[Page, ...]
    title: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Document:
    """Running text and the fields of its header."""

    id: str  # ECLI, else a slug: unique in its collection and stable
    collection: str
    kind: str
    title: str
    pages: tuple[Page, ...]
    author: str = ""  # court or body
    number: str = ""
    ecli: str = ""
    published: str | None = None
    interprets: tuple[tuple[str, str], ...] = ()  # law id and key of the interpreted provisions
    status_note: str = ""
    territory: str | None = None
    municipality: str | None = None
    url: str = ""  # ``#page=N`` is added in a document with pages
    agreement: Agreement | None = None  # scope of a collective agreement, or of its tables or extension
    warnings: tuple[str, ...] = ()
