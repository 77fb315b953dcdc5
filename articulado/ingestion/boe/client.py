"""Client of the BOE's open data: consolidated laws with every wording, downloaded only if changed.

API: "API legislación consolidada" of the BOE (28 June 2024). It answers 400 to an unsupported ``Accept``.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Self

import httpx2

from articulado.ingestion.boe.cache import (
    UNREADABLE,
    BoeCache,
    CachedLaw,
    Checked,
    ListedLaw,
    Shrinkage,
    is_answer,
    is_answer_to_search,
    parse_law_list,
    search_params,
    updated_of,
)
from articulado.ingestion.boe.http import BACKOFF, PoliteHttp
from articulado.legal.ids import is_boe_id
from articulado.models.retry import Backoff
from articulado.values.errors import InvalidInput, SourceUnavailable, UnreadableAnswer

PAUSE = 1.0  # seconds between two requests
PAGE_SIZE = 500  # laws per page of the list
MAX_UNREADABLE = 5  # consecutive unreadable responses after which the server itself, not a law, counts as broken

_OVERLAP = timedelta(days=1)
"""Ask for changes from this long before the last check: that day had not ended, and time zones differ."""

_CONDITIONS = {"If-None-Match": "etag", "If-Modified-Since": "last-modified"}
"""Headers of a conditional request, and the response headers whose values they repeat."""


@dataclass(frozen=True)
class RawLaw:
    """Law on disk: the response of the BOE, or the previous copy if the response was set aside (``shrunk``)."""

    id: str
    path: Path
    updated: str  # ``fecha_actualizacion`` of the file: 20260601T111024Z
    fetched: bool  # downloaded now
    shrunk: Shrinkage | None = None


@dataclass(frozen=True)
class Due:
    """Laws to ask for, each with the ``fecha_actualizacion`` of the list or "", and copies known to be ``current``."""

    laws: dict[str, str]
    current: list[RawLaw]


class BoeClient:
    """Downloads laws sequentially, each only when it has changed; after a failure every later call fails at once."""

    def __init__(self, url: str, folder: Path, *, pause: float = PAUSE, backoff: Backoff = BACKOFF) -> None:
        self._url = url.rstrip("/")
        self._cache = BoeCache(folder)
        self._http = PoliteHttp(pause=pause, backoff=backoff)
        self._clock = backoff.clock
        self._remembered = self._checked = Checked(date.min)
        self._broke_off = ""
        self._unreadable = 0

    async def __aenter__(self) -> Self:
        self._remembered = self._checked = await asyncio.to_thread(self._cache.checked, self._today())
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.aclose()
        checked = replace(self._checked, broke_off=self._broke_off)
        if checked != self._remembered:
            await asyncio.to_thread(self._cache.write_checked, checked)

    async def due(self, law_ids: Iterable[str]) -> Due:
        """Return the laws to request: changed since a day before the last check, or without a checked copy.

        The law at which the BOE failed the last time comes last, so that it blocks no other.
        """
        laws = list(dict.fromkeys(law_ids))
        updates = await asyncio.to_thread(lambda: [self._cache.updated(law_id) for law_id in laws])
        copies = {
            law_id: RawLaw(law_id, self._cache.text_path(law_id), updated, fetched=False)
            for law_id, updated in zip(laws, updates, strict=True)
            if updated and law_id in self._checked.laws
        }
        listed: dict[str, str] = {}
        if copies:
            today = self._today()
            try:
                listed = {law.id: law.updated for law in await self.search(since=self._checked.day - _OVERLAP)}
            except InvalidInput as error:  # a query of ours, not of the user's
                raise SourceUnavailable(UNREADABLE) from error
            self._checked = replace(self._checked, day=today, laws=self._checked.laws - listed.keys())
        due = [law_id for law_id in laws if law_id in listed or law_id not in copies]
        due.sort(key=lambda law_id: law_id == self._checked.broke_off)
        current = [law for law_id, law in copies.items() if law_id not in listed]
        return Due({law_id: listed.get(law_id, "") for law_id in due}, current)

    async def law(self, law_id: str, *, published: str = "", accept_shrunk: bool = False) -> RawLaw:
        """Return the whole text of a law, downloaded only if the BOE has changed it since the copy on disk.

        ``published`` is the ``fecha_actualizacion`` of the list; without it, ask the BOE for that of the law. Unless
        ``accept_shrunk``, a response that would remove more than a tenth of the provisions or wordings is set aside.

        Raises ``InvalidInput`` (invalid identifier, or a law that the BOE does not consolidate), ``UnreadableAnswer``
        (a copy stays as it was), ``SourceUnavailable``, or ``ConfigurationError`` (unusable address or folder).
        """
        law_id = law_id.strip()
        if not is_boe_id(law_id):
            raise InvalidInput(
                f"«{law_id}» no es un identificador del BOE. Tienen esta forma: BOE-A-2015-11430 (véase el final de la "
                "dirección de la norma en boe.es)."
            )
        try:
            law = await self._copy_or_download(law_id, published, accept_shrunk)
        except UnreadableAnswer as error:
            self._unreadable += 1
            if self._unreadable == MAX_UNREADABLE:
                self._http.give_up(error)
            raise
        except SourceUnavailable:
            self._broke_off = self._broke_off or law_id
            raise
        self._unreadable = 0
        current = self._checked.laws - {law_id} if law.shrunk else self._checked.laws | {law_id}
        self._checked = replace(self._checked, laws=current)
        return law

    async def copy(self, law_id: str) -> RawLaw | None:
        """Return the copy of a law without asking the BOE; ``None`` without a complete copy."""
        updated = await asyncio.to_thread(self._cache.updated, law_id)
        return RawLaw(law_id, self._cache.text_path(law_id), updated, fetched=False) if updated else None

    async def search(
        self,
        *,
        materia: str = "",
        query: str = "",
        since: date | None = None,
        until: date | None = None,
        limit: int | None = None,
    ) -> list[ListedLaw]:
        """Return the consolidated laws that meet all conditions, the latest published first.

        Args:
            materia: code of the BOE's list of subjects.
            query: condition in the BOE's syntax ("rango@codigo:1340 and titulo:jornada"; fields: titulo, texto,
                materia@codigo, rango@codigo, ambito@codigo, departamento@codigo, numero_oficial, vigencia_agotada …),
                or words that the title must have.
            since: first day on which the BOE last changed the text.
            until: last such day.
            limit: maximum number of laws.

        Raises ``SourceUnavailable``, or ``InvalidInput`` if ``materia`` is no code or the BOE rejects the query.
        """
        params = search_params(materia, query, since, until)
        laws: dict[str, ListedLaw] = {}
        offset = 0
        while limit is None or len(laws) < limit:
            size = PAGE_SIZE if limit is None else min(PAGE_SIZE, limit - len(laws))
            response = await self._http.get(
                self._url,
                headers={"Accept": "application/json"},
                params={**params, "offset": str(offset), "limit": str(size)},
                is_answer=is_answer_to_search,
            )
            page = parse_law_list(response)
            laws |= {law.id: law for law in page}
            offset += len(page)
            if len(page) < size:
                break
        return list(laws.values())[:limit]

    async def _copy_or_download(self, law_id: str, published: str, accept_shrunk: bool) -> RawLaw:
        cached = await asyncio.to_thread(self._cache.read, law_id)
        path = self._cache.text_path(law_id)
        published = published or await self._published_update(law_id, cached)
        if published == cached.updated:
            return RawLaw(law_id, path, cached.updated, fetched=False)
        is_aside = published == cached.shrunk_updated
        body = await asyncio.to_thread(self._cache.read_shrunk, law_id) if is_aside else await self._download(law_id)
        shrunk = None if accept_shrunk else await asyncio.to_thread(self._cache.shrinkage, law_id, body)
        if shrunk:
            if not is_aside:
                await asyncio.to_thread(self._cache.write_shrunk, law_id, body)
            return RawLaw(law_id, path, cached.updated, fetched=not is_aside, shrunk=shrunk)
        await asyncio.to_thread(self._cache.write_text, law_id, body)
        return RawLaw(law_id, path, updated_of(body, law_id), fetched=not is_aside)

    async def _published_update(self, law_id: str, cached: CachedLaw) -> str:
        headers = {name: value for name, value in cached.validators if name in _CONDITIONS}
        response = await self._get(f"/id/{law_id}/metadatos", law_id, headers)
        if response.status_code == httpx2.codes.NOT_MODIFIED and cached.metadata_updated:
            return cached.metadata_updated
        updated = _updated(response.content, law_id)
        validators = {
            name: response.headers[header] for name, header in _CONDITIONS.items() if header in response.headers
        }
        await asyncio.to_thread(self._cache.write_metadata, law_id, response.content, validators)
        return updated

    async def _download(self, law_id: str) -> bytes:
        response = await self._get(f"/id/{law_id}", law_id)
        await asyncio.to_thread(_updated, response.content, law_id, whole=True)
        return response.content

    async def _get(self, path: str, law_id: str, conditions: dict[str, str] | None = None) -> httpx2.Response:
        headers = {"Accept": "application/xml", **(conditions or {})}
        response = await self._http.get(self._url + path, headers=headers, is_answer=is_answer)
        if response.status_code == httpx2.codes.NOT_FOUND:
            raise InvalidInput(
                f"«{law_id}» no existe o no está en la base de legislación consolidada del BOE. Compruebe el "
                "identificador en https://www.boe.es/legislacion/; las normas que solo modifican otras no están."
            )
        return response

    def _today(self) -> date:
        return datetime.fromtimestamp(self._clock(), UTC).date()


def _updated(body: bytes, law_id: str, *, whole: bool = False) -> str:
    if updated := updated_of(body, law_id, whole=whole):
        return updated
    raise UnreadableAnswer(UNREADABLE)
