"""The detail of a provision: its text on a day, its wordings, what it cites and what cites it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from typing_extensions import TypedDict

from articulado.language.table_text import is_row, without_heads
from articulado.language.translation import translate
from articulado.legal.labels import WRITTEN_SUFFIXES, order_of_kind
from articulado.prompting.notes import whole_note
from articulado.values.chunks import Agreement, Chunk, Status, page_of, provision_of
from articulado.values.errors import NoResultsFound
from articulado.values.protocols import ChunkStore
from services.search.reference import ProvisionRequest, Subdivision

_SUFFIX = rf"(?: (?:{WRITTEN_SUFFIXES}))?"
_NUMBERED = re.compile(rf"(?m)^(\d{{1,2}}){_SUFFIX}[.)] ")
_ORDINAL = re.compile(rf"(?m)^(\d{{1,2}}){_SUFFIX}\.[ºª] ")
_LETTERED = re.compile(r"(?m)^([a-zñ])(?: bis| ter)?\) ")


@dataclass(frozen=True)
class Wording:
    """One wording of a provision; ``parts`` are its chunks, in order of the text."""

    parts: tuple[Chunk, ...]

    @property
    def head(self) -> Chunk:
        """The chunk that stands for all: but for text and references they have the same fields."""
        return self.parts[0]

    @property
    def text(self) -> str:
        """The whole text; a blank line separates its parts, but where a sentence or a table goes on."""
        text = ""
        for own in without_heads(part["text"] for part in self.parts):
            text += (_separator_after(text) if text else "") + own
        return text

    def is_of(self, day: date) -> bool:
        """Tell whether this is the wording of a day, whatever has become of its law."""
        written = day.isoformat()
        return (self.head["valid_from"] or "") <= written < (self.head["valid_to"] or "9999")


class Excerpt(TypedDict):
    """A subdivision that was asked for; ``text`` is empty where the provision has none such."""

    apartado: str
    letter: str
    text: str


class Version(TypedDict):
    """A wording. ``valid_to`` is the first day on which it is not in force; ``None`` is open. ISO 8601."""

    valid_from: str | None
    valid_to: str | None
    status: Status
    status_note: str


class Link(TypedDict):
    """A provision that is cited, or that cites."""

    law_id: str
    law: str
    provision: str
    provision_key: str
    title: str
    status: Status
    url: str


class ProvisionText(Version):
    """A provision: one of its ``wordings`` (oldest first) with all that is known of it but for its links.

    ``official`` tells the text of the law from our summary of it; ``page`` is the one on which it begins, empty without
    pages, ``agreement`` the scope of a collective agreement.
    """

    law_id: str
    law: str
    provision: str
    provision_key: str
    title: str
    breadcrumb: str
    collection: str
    official: bool
    summary: str
    excerpts: list[Excerpt]
    text: str
    url: str
    page: str
    agreement: Agreement | None
    notes: list[str]
    wordings: list[Version]


class ProvisionDetail(ProvisionText):
    """A provision with its chunks and links."""

    chunk_ids: list[int]
    cites: list[Link]
    cited_by: list[Link]


async def provision_detail(
    store: ChunkStore, provision: ProvisionRequest, day: date | None, today: date
) -> ProvisionDetail | None:
    """Look a provision up in its wording of a day; ``None`` where the store does not have the provision.

    Raises:
        NoResultsFound: it has no wording of that day.
    """
    wordings = wordings_of(await store.find(provision.law_id, provision.provision_key))
    if not wordings:
        return None
    wording = wording_on(wordings, day, today)
    if wording is None:
        raise NoResultsFound(without_wording(wordings, day))
    chunk, ids = wording.head, [part["id"] for part in wording.parts]
    cited = await store.fetch(list(dict.fromkeys(ref for part in wording.parts for ref in part["refs"])))
    return {
        **_version(wording),
        "law_id": chunk["law_id"],
        "law": chunk["law_name"],
        "provision": chunk["provision"],
        "provision_key": chunk["provision_key"],
        "title": chunk["title"],
        "breadcrumb": chunk["breadcrumb"],
        "collection": chunk["collection"],
        "official": chunk["source"] == "official",
        "summary": chunk["summary"],
        "excerpts": [_excerpt(wording, subdivision) for subdivision in provision.subdivisions],
        "text": wording.text,
        "url": chunk["url"],
        "page": page_of(chunk),
        "agreement": chunk.get("agreement"),
        "notes": chunk["notes"],
        "chunk_ids": ids,
        "wordings": [_version(other) for other in wordings],
        "cites": sorted(_links(cited, chunk), key=order_in_law),
        "cited_by": sorted(_links(await store.citing(ids), chunk), key=order_in_law),
    }


def _excerpt(wording: Wording, subdivision: Subdivision) -> Excerpt:
    return {**subdivision._asdict(), "text": excerpt(wording.text, *subdivision)}  # type: ignore[typeddict-item]


def _version(wording: Wording) -> Version:
    return {
        "valid_from": wording.head["valid_from"],
        "valid_to": wording.head["valid_to"],
        "status": wording.head["status"],
        "status_note": whole_note(wording.head),
    }


def _links(chunks: Iterable[Chunk], linked: Chunk) -> list[Link]:
    """Return the provisions of chunks, each once, in their order, without the one that they are linked with."""
    own = provision_of(linked)
    first = {provision_of(chunk): chunk for chunk in reversed(list(chunks)) if provision_of(chunk) != own}
    return [
        {
            "law_id": chunk["law_id"],
            "law": chunk["law_name"],
            "provision": chunk["provision"],
            "provision_key": chunk["provision_key"],
            "title": chunk["title"],
            "status": chunk["status"],
            "url": chunk["url"],
        }
        for chunk in reversed(first.values())
    ]


def order_in_law(link: Link) -> tuple[object, ...]:
    """Return what orders provisions as their laws do, law by law."""
    number = link["provision_key"].partition(":")[2]
    digits = re.match(r"\d{1,6}", number)
    return link["law"], link["law_id"], order_of_kind(link["provision_key"]), int(digits[0]) if digits else 0, number


def without_wording(wordings: Sequence[Wording], day: date | None) -> str:
    """Say that there is no wording of a day, and from when to when there are any."""
    first, last = wordings[0].head, wordings[-1].head
    until = translate("search.until", day=last["valid_to"]) if last["valid_to"] else ""
    return translate(
        "search.no_wording",
        day=day,
        law=first["law_name"],
        provision=first["provision"],
        since=first["valid_from"],
        until=until,
    )


def _separator_after(text: str) -> str:
    if is_row(text.rpartition("\n")[2]):
        return "\n"
    return "\n\n" if text[-1:] in ".:;»)" else " "


def wordings_of(chunks: Iterable[Chunk]) -> list[Wording]:
    """Return the wordings of one provision, the oldest first."""

    def begins(chunk: Chunk) -> str:
        return chunk["valid_from"] or ""

    in_order = sorted(chunks, key=lambda chunk: (begins(chunk), chunk["part"]))
    return [Wording(tuple(parts)) for _, parts in groupby(in_order, begins)]


def wording_on(wordings: Sequence[Wording], day: date | None, today: date) -> Wording | None:
    """Return the wording of a day, if any; without one that of today, else the last that there was."""
    of_day = next((wording for wording in wordings if wording.is_of(day or today)), None)
    return of_day or (wordings[-1] if wordings and day is None else None)


def excerpt(text: str, apartado: str, letter: str) -> str:
    """Return an apartado of a text, or a letter of it, as the law numbers them; empty where the text has none such."""
    inside = text
    if apartado:
        # "2.º" is an apartado only where the law has no "2.": else it is in a list inside one.
        inside = _item(text, _NUMBERED, apartado) or _item(text, _ORDINAL, apartado)
    return _item(inside, _LETTERED, letter) if letter else inside


def _item(text: str, markers: re.Pattern[str], label: str) -> str:
    """Return what stands between the first marker with a label and the next one that counts on from it."""
    begin = -1
    for marker in markers.finditer(text):
        if begin < 0:
            if marker[1] == label:
                begin = marker.start()
        elif _label_order(marker[1]) > _label_order(
            label
        ):  # a list inside an item begins to count anew, and ends nothing
            return text[begin : marker.start()].strip()
    return text[begin:].strip() if begin >= 0 else ""


def _label_order(label: str) -> int:
    # "ñ" comes after "n" and before "o".
    return int(label) if label.isdigit() else 2 * ord("n") + 1 if label == "ñ" else 2 * ord(label)
