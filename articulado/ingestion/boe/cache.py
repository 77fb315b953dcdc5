"""Parsers of the BOE's responses, and an on-disk cache with one folder per law, bytes as received."""

import json
import os
import re
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import httpx2

from articulado.language.translation import reason
from articulado.legal.laws.registry import kind_of_code
from articulado.values.errors import ConfigurationError, InvalidInput, SourceUnavailable

UNREADABLE = "El BOE ha dado una respuesta que no se entiende. Vuelva a intentarlo más tarde."


@dataclass(frozen=True)
class ListedLaw:
    """Entry of the list of laws; ``rank`` is its kind ("real_decreto"), ``published`` ISO 8601."""

    id: str
    title: str
    updated: str
    rank: str
    published: str


_OWN_404 = re.compile(rb"\bcode\W{1,5}404\b")
"""Matches the BOE's own "not found" body (XML or JSON), unlike the 404 of a wrong address."""


def is_answer(response: httpx2.Response) -> bool:
    """Tell if the response comes from the BOE: content, not modified, or its own "not found"."""
    if response.status_code == httpx2.codes.NOT_FOUND:
        return _OWN_404.search(response.content) is not None
    return response.status_code in (httpx2.codes.OK, httpx2.codes.NOT_MODIFIED)


def is_answer_to_search(response: httpx2.Response) -> bool:
    """Tell if the response comes from the BOE's search, including a rejection of the conditions."""
    return response.status_code == httpx2.codes.BAD_REQUEST or is_answer(response)


def search_params(materia: str, query: str, since: date | None, until: date | None) -> dict[str, str]:
    """Return the parameters of ``BoeClient.search`` without ``offset`` and ``limit``; results are sorted."""
    if materia and not materia.isdecimal():
        raise InvalidInput(f"«{materia}» no es un código de materia del BOE. Use el número, por ejemplo 6909.")
    clauses = [f"materia@codigo:{materia}"] if materia else []
    if ":" in query:
        clauses.append(f"({query})")
    else:
        clauses += [f"titulo:{word}" for word in re.findall(r"\w+", query)]
    search: dict[str, Any] = {"query": {"query_string": {"query": " and ".join(clauses)}}} if clauses else {}
    search["sort"] = [{"fecha_publicacion": "desc"}]
    days = {"from": since, "to": until}
    bounds = {name: f"{day:%Y%m%d}" for name, day in days.items() if day is not None}
    return {**bounds, "query": json.dumps(search, ensure_ascii=False)}


def parse_law_list(response: httpx2.Response) -> list[ListedLaw]:
    """Return the laws of one page of the list; 404 means that no law meets the conditions."""
    if response.status_code == httpx2.codes.NOT_FOUND:
        return []
    if response.status_code == httpx2.codes.BAD_REQUEST:
        raise InvalidInput(
            "El BOE no entiende la consulta. Use códigos de materia y condiciones como "
            "«titulo:jornada and rango@codigo:1340»."
        )
    try:
        data = response.json()["data"] or []
        return [_listed_law(entry) for entry in (data if isinstance(data, list) else [data])]
    except (ValueError, LookupError, TypeError) as error:
        raise SourceUnavailable(UNREADABLE) from error


def _listed_law(entry: dict[str, Any]) -> ListedLaw:
    published = str(entry["fecha_publicacion"])
    return ListedLaw(
        id=str(entry["identificador"]),
        title=str(entry["titulo"]).removesuffix("."),
        updated=str(entry["fecha_actualizacion"]),
        rank=kind_of_code(str(entry["rango"]["codigo"])),
        published=f"{published[:4]}-{published[4:6]}-{published[6:8]}",
    )


Element = Any  # stands for ``lxml.etree._Element``: lxml has no types of its own


def parse_xml(data: bytes) -> Element:
    """Parse without comments, entities and network; raise ``ValueError`` for malformed XML."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(str(error)) from error


TOLERANCE = 10  # a response has shrunk if it loses more than one in this many provisions or wordings

_FRAME = ("preambulo", "encabezado", "firma", "nota_inicial")  # block types of the BOE that are no provisions


@dataclass(frozen=True)
class Extent:
    """Number of provisions and of wordings in a response; those without text do not count."""

    provisions: int
    wordings: int

    def has_shrunk_to(self, after: "Extent") -> bool:
        """Tell if more than a tenth of the provisions, or of the wordings, would be lost.

        >>> Extent(20, 50).has_shrunk_to(Extent(18, 45)), Extent(20, 50).has_shrunk_to(Extent(20, 44))
        (False, True)
        """
        kept = ((self.provisions, after.provisions), (self.wordings, after.wordings))
        return any((before - now) * TOLERANCE > before for before, now in kept)


@dataclass(frozen=True)
class Shrinkage:
    """Extent of the copy on disk, and of the response that would replace it."""

    before: Extent
    after: Extent


def extent_of(body: bytes) -> Extent:
    """Count provisions and wordings in the response for a whole law; raise ``ValueError`` if it is no XML."""
    counts = [
        sum(any(text.strip() for text in version.itertext()) for version in block.iterfind("version"))
        for block in parse_xml(body).iterfind("data/texto/bloque")
        if block.get("tipo") not in _FRAME
    ]
    return Extent(sum(count > 0 for count in counts), sum(counts))


@dataclass(frozen=True)
class Checked:
    """Laws current on the ``day`` of the last check; ``broke_off`` is the law at which the BOE failed, or ""."""

    day: date
    laws: frozenset[str] = frozenset()
    broke_off: str = ""


CHECKED = "checked.json"
TEXT = "full.xml"
SHRUNK = "full.xml.shrunk"
METADATA = "metadatos.xml"
_VALIDATORS = "validators.json"


@dataclass(frozen=True)
class CachedLaw:
    """``fecha_actualizacion`` of the text, the set-aside response and the metadata; "" without an intact file."""

    updated: str = ""
    shrunk_updated: str = ""
    metadata_updated: str = ""
    validators: tuple[tuple[str, str], ...] = ()


class BoeCache:
    """Files ``full.xml``, ``metadatos.xml`` and ``validators.json`` (ETag, Last-Modified) in a folder per law.

    A response that would shrink a law is kept as ``full.xml.shrunk`` until accepted or superseded. Methods that write
    raise ``ConfigurationError`` if the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def text_path(self, law_id: str) -> Path:
        return self.folder / law_id / TEXT

    def read(self, law_id: str) -> CachedLaw:
        """Return the copy of a law; a truncated file or one of another law counts as missing."""
        folder = self.folder / law_id
        metadata_updated = updated_of(_bytes(folder / METADATA), law_id)
        return CachedLaw(
            self.updated(law_id),
            updated_of(_bytes(folder / SHRUNK), law_id, whole=True),
            metadata_updated,
            _validators(_bytes(folder / _VALIDATORS)) if metadata_updated else (),
        )

    def updated(self, law_id: str) -> str:
        return updated_of(_bytes(self.text_path(law_id)), law_id, whole=True)

    def checked(self, today: date) -> Checked:
        """Read the last check; a missing or damaged file, or one dated after ``today``, gives an empty check."""
        try:
            stored = json.loads((self.folder / CHECKED).read_bytes())
            laws = frozenset(map(str, stored["laws"]))
            checked = Checked(date.fromisoformat(stored["day"]), laws, str(stored.get("broke_off", "")))
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return Checked(today)
        return checked if checked.day <= today else Checked(today)

    def write_checked(self, checked: Checked) -> None:
        stored = {"day": checked.day.isoformat(), "broke_off": checked.broke_off, "laws": sorted(checked.laws)}
        self._write("", CHECKED, json.dumps(stored).encode())

    def shrinkage(self, law_id: str, body: bytes) -> Shrinkage | None:
        """Return the loss if a response replaced the copy; ``None`` if it is small or there is no copy."""
        try:
            before = extent_of(_bytes(self.text_path(law_id)))
        except ValueError:
            return None
        after = extent_of(body)
        return Shrinkage(before, after) if before.has_shrunk_to(after) else None

    def read_shrunk(self, law_id: str) -> bytes:
        return _bytes(self.folder / law_id / SHRUNK)

    def write_shrunk(self, law_id: str, body: bytes) -> None:
        self._write(law_id, SHRUNK, body)

    def write_text(self, law_id: str, body: bytes) -> None:
        self._write(law_id, TEXT, body)
        with suppress(OSError):
            os.unlink(self.folder / law_id / SHRUNK)

    def write_metadata(self, law_id: str, body: bytes, validators: dict[str, str]) -> None:
        """Replace the metadata, then the validators: stale ones cost a download, newer ones would hide a change."""
        self._write(law_id, METADATA, body)
        self._write(law_id, _VALIDATORS, json.dumps(validators).encode())

    def _write(self, law_id: str, name: str, body: bytes) -> None:
        folder = self.folder / law_id
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle, part = tempfile.mkstemp(dir=folder, prefix=f".{name}.")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(body)
                os.replace(part, folder / name)
            except BaseException:
                os.unlink(part)
                raise
        except OSError as error:
            raise ConfigurationError(
                f"No se puede guardar lo descargado del BOE en «{folder}»: {reason(error)}. Elija otra carpeta con "
                "ARTICULADO_HOME."
            ) from error


def updated_of(body: bytes, law_id: str, *, whole: bool = False) -> str:
    """Return the ``fecha_actualizacion`` of a response on a law, else ""; ``whole`` requires its text too."""
    try:
        root = parse_xml(body)
    except ValueError:
        return ""
    if root.findtext("data/metadatos/identificador") != law_id or (whole and root.find("data/texto/bloque") is None):
        return ""
    return str(root.findtext("data/metadatos/fecha_actualizacion") or "")


def _validators(body: bytes) -> tuple[tuple[str, str], ...]:
    try:
        headers = json.loads(body)
    except ValueError:
        return ()
    return tuple((str(name), str(value)) for name, value in headers.items()) if isinstance(headers, dict) else ()


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
