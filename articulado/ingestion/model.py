"""Data model of the readers: laws with provisions, and documents of running text.

``Law`` and ``Document`` are the result of reading a file. ``FileText`` and ``Page`` are the output of a
format reader. Dates are ISO 8601; ``valid_to`` is the first day out of force. ``unique_keys`` and
``unique_wording_keys`` make provision keys unique.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal

from articulado.values.chunks import Agreement, Status, TextState, WordingDates

LawStatus = Literal["in_force", "repealed", "expired", "unknown"]
"""The last one is that of a norm whose status has a name that nobody knows: it is taken for one in force."""

_FOREVER = "9999"


@dataclass(frozen=True)
class Provision:
    """An article, a disposition, an annex, a unit of a norm without articles, or text that no label opens.

    ``key`` is unique in its law (``articulado.legal.labels``; a later provision of the same label has ``~2``, one of
    the decree
    that approves the law ``~decreto``), but for the successive wordings of one provision, which share it and differ in
    ``valid_from``. ``paragraphs`` is its text without amendment notes; a table is one paragraph with a row a line.
    ``notes`` are the source's notes, last amendment first. ``status_note`` is what the source says of its status, and
    ``wording`` what is known of its days. Validity is ISO 8601: from the first day in force to the first day on which
    it is not; ``None`` is that of the law. ``url`` is empty where it follows from law and label. ``urls`` has the
    address of each paragraph in a text cut out of a file that may have pages, else none.
    """

    label: str
    key: str
    title: str
    breadcrumb: str
    paragraphs: tuple[str, ...]
    notes: tuple[str, ...] = ()
    status: Status = "vigente"
    status_note: str = ""
    wording: WordingDates = field(default_factory=WordingDates)
    valid_from: str | None = None
    valid_to: str | None = None
    url: str = ""
    urls: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the paragraphs with a blank line between them."""
        return "\n\n".join(self.paragraphs)


@dataclass(frozen=True)
class Law:
    """A whole law. Dates are ISO 8601; ``valid_to`` is the first day on which it is no longer in force.

    ``rank`` is the kind of norm ("real_decreto"). ``territory`` is the autonomous community
    whose law it is (``articulado.legal.territory.mentions``), ``None`` for the whole state; ``municipality`` the city
    whose bylaw
    it is. ``agreement`` is the scope of a collective agreement. ``text_state`` tells a text that has its later
    amendments in it from one as it was enacted. ``warnings`` are what whoever ingests it should know of its reading.
    ``changed`` is the day on which its last amendment was published, ``None`` where the source does not say it;
    ``head_notes`` are the source's notes on how the whole law is to be read.
    """

    id: str
    title: str
    rank: str
    published: str
    status: LawStatus
    valid_to: str | None
    status_note: str
    provisions: tuple[Provision, ...]
    territory: str | None = None
    municipality: str | None = None
    collection: str = "normativa"
    text_state: TextState = "consolidated"
    agreement: Agreement | None = None
    warnings: tuple[str, ...] = ()
    changed: str | None = None
    head_notes: tuple[str, ...] = ()


def unique_keys(provisions: Iterable[Provision]) -> list[Provision]:
    """Return the provisions with unique keys: a plain key is that of the approved text, not of the approving decree.

    The approving decree is what stands before the first article after an "Artículo único".
    """
    return unique_wording_keys((provision,) for provision in provisions)


def unique_wording_keys(blocks: Iterable[Sequence[Provision]]) -> list[Provision]:
    """Return all wordings with unique keys: a block is one provision in successive wordings, which keep a common key.

    A block whose validity does not overlap that of an earlier one of its label goes on under the same key.
    """
    blocks = list(blocks)
    approving = _approving([block[0].key for block in blocks])
    own = {block[0].key for block in blocks[approving:]}
    spans: dict[str, list[tuple[str, str]]] = defaultdict(list)
    used: Counter[str] = Counter()
    wordings: list[Provision] = []
    for index, block in enumerate(blocks):
        base = block[0].key + ("~decreto" if index < approving and block[0].key in own else "")
        start, end = block[0].valid_from or "", block[-1].valid_to or _FOREVER
        # What is valid at all times shares its key with none.
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
    """Return how many of the first blocks belong to the decree that approves the text."""
    articles = [index for index, key in enumerate(keys) if key.startswith("art:")]
    if len(articles) > 1 and keys[articles[0]] == "art:unico":
        return articles[1]
    return 0


@dataclass(frozen=True)
class Page:
    """One page of a document, or all of one without pages; ``number`` counts from 1."""

    number: int | None
    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class FileText:
    """What the reader of a format finds in a file.

    ``title`` is what the file itself names as its title, empty where it names none. ``warnings`` tell whoever ingests
    it what of the file was not read, and what to do about it.
    """

    pages: tuple[Page, ...]
    title: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Document:
    """Running text and what its header says of it.

    ``id`` is the ECLI where there is one, else a slug; unique in its collection, and the same in every run.
    ``author`` is the court or the body. ``interprets`` are law id and provision key of each provision that it
    interprets. ``published`` is ISO 8601. ``url`` leads to the document; where it has pages, to one with ``#page=N``.
    ``agreement`` is the scope of a collective agreement, or of tables or a prorogation of one. ``warnings`` are what
    whoever ingests it should know of its reading.
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
    agreement: Agreement | None = None
    warnings: tuple[str, ...] = ()
