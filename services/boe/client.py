"""The BOE's open data: consolidated legislation, with every wording that it ever had.

The interface is the one of the document "API legislación consolidada" of the BOE (28 June 2024). Texts and metadata
are asked for as XML: without an ``Accept`` that it knows, the server answers 400.
"""

import asyncio
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Self

import httpx

from legal.ids import is_boe_id
from services.backoff import Backoff
from services.boe.cache import BoeCache, CachedLaw, updated_of
from services.boe.catalogue import UNREADABLE, ListedLaw, parse_law_list, search_params
from services.boe.http import BACKOFF, PoliteHttp, rejection
from state.errors import InvalidInput, SourceUnavailable

PAUSE = 1.0
"""Seconds between two requests."""

PAGE_SIZE = 500
"""Laws of the list in one request."""

_CONDITIONS = {"If-None-Match": "etag", "If-Modified-Since": "last-modified"}
"""Headers of a conditional request, and those of a response that they repeat."""


@dataclass(frozen=True)
class RawLaw:
    """A law as the BOE sent it: ``path`` is the whole response on disk, ``updated`` its ``fecha_actualizacion`` (as the
    BOE writes it: 20260601T111024Z), ``fetched`` tells whether the text was downloaded now. ``warning`` is for the
    user, where the BOE could not be reached and an older copy serves.
    """

    id: str
    path: Path
    updated: str
    fetched: bool
    warning: str = ""


class BoeClient:
    """Downloads laws, each only when it has changed, one request after another. ``folder`` keeps the raw answers."""

    def __init__(self, url: str, folder: Path, *, pause: float = PAUSE, backoff: Backoff = BACKOFF) -> None:
        self._url = url.rstrip("/")
        self._cache = BoeCache(folder)
        self._http = PoliteHttp(pause=pause, backoff=backoff)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.aclose()

    async def law(self, law_id: str) -> RawLaw:
        """Return the whole text of a law, downloaded only if the BOE has changed it since the copy on disk.

        Raises:
            InvalidInput: the identifier is none, or the BOE does not consolidate that law.
            SourceUnavailable: the BOE cannot be reached and there is no copy.
            ConfigurationError: the address or the folder cannot be used.
        """
        law_id = _checked_id(law_id)
        cached = await asyncio.to_thread(self._cache.read, law_id)
        path = self._cache.text_path(law_id)
        try:
            if await self._published_update(law_id, cached) == cached.updated:
                return RawLaw(law_id, path, cached.updated, fetched=False)
            updated = await self._download(law_id)
        except SourceUnavailable as error:
            if not cached.updated:
                raise
            day = f"{cached.updated[6:8]}/{cached.updated[4:6]}/{cached.updated[:4]}"
            warning = f"{law_id}: se usa la copia guardada, que el BOE actualizó el {day}. {error}"
            return RawLaw(law_id, path, cached.updated, fetched=False, warning=warning)
        return RawLaw(law_id, path, updated, fetched=True)

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

        ``materia`` is a code of the BOE's list of subjects. ``query`` is a condition in the BOE's syntax
        ("rango@codigo:1340 and titulo:jornada"; fields: titulo, texto, materia@codigo, rango@codigo, ambito@codigo,
        departamento@codigo, numero_oficial, vigencia_agotada …), or words that the title must have. ``since`` and
        ``until`` bound the day on which the BOE last changed the text. ``limit`` is the number of laws at most.

        Raises:
            InvalidInput: ``materia`` is no code, or the BOE does not understand the query.
            SourceUnavailable: the BOE cannot be reached.
        """
        params = search_params(materia, query, since, until)
        laws: dict[str, ListedLaw] = {}
        offset = 0
        while limit is None or len(laws) < limit:
            size = PAGE_SIZE if limit is None else min(PAGE_SIZE, limit - len(laws))
            page = await self._page({**params, "offset": str(offset), "limit": str(size)})
            laws |= {law.id: law for law in page}
            offset += len(page)
            if len(page) < size:
                break
        return list(laws.values())[:limit]

    async def _published_update(self, law_id: str, cached: CachedLaw) -> str:
        """Return the ``fecha_actualizacion`` that the BOE gives now, and keep the metadata if they are new."""
        headers = {name: value for name, value in cached.validators if name in _CONDITIONS}
        response = await self._get(f"/id/{law_id}/metadatos", law_id, headers)
        if response.status_code == httpx.codes.NOT_MODIFIED:
            return cached.metadata_updated
        updated = _updated(response.content, law_id)
        validators = {
            name: response.headers[header] for name, header in _CONDITIONS.items() if header in response.headers
        }
        await asyncio.to_thread(self._cache.write_metadata, law_id, response.content, validators)
        return updated

    async def _download(self, law_id: str) -> str:
        """Fetch and keep the whole text of a law, and return its ``fecha_actualizacion``."""
        response = await self._get(f"/id/{law_id}", law_id)
        updated = await asyncio.to_thread(_updated, response.content, law_id, whole=True)
        await asyncio.to_thread(self._cache.write_text, law_id, response.content)
        return updated

    async def _page(self, params: dict[str, str]) -> list[ListedLaw]:
        response = await self._http.get(self._url, headers={"Accept": "application/json"}, params=params)
        return parse_law_list(response)

    async def _get(self, path: str, law_id: str, conditions: dict[str, str] | None = None) -> httpx.Response:
        headers = {"Accept": "application/xml", **(conditions or {})}
        response = await self._http.get(self._url + path, headers=headers)
        if response.status_code == httpx.codes.NOT_FOUND:
            raise InvalidInput(
                f"«{law_id}» no existe o no está en la base de legislación consolidada del BOE. Compruebe el "
                "identificador en https://www.boe.es/legislacion/; las normas que solo modifican otras no están."
            )
        if response.status_code not in (httpx.codes.OK, httpx.codes.NOT_MODIFIED):
            raise rejection(response)
        return response


def _checked_id(law_id: str) -> str:
    """Return an identifier of the BOE without the blanks around it.

    Raises:
        InvalidInput: it is none.
    """
    law_id = law_id.strip()
    if not is_boe_id(law_id):
        raise InvalidInput(
            f"«{law_id}» no es un identificador del BOE. Tienen esta forma: BOE-A-2015-11430 (véase el final de la "
            "dirección de la norma en boe.es)."
        )
    return law_id


def _updated(body: bytes, law_id: str, *, whole: bool = False) -> str:
    """Return the ``fecha_actualizacion`` of a response.

    Raises:
        SourceUnavailable: it is cut off, or not on that law.
    """
    if updated := updated_of(body, law_id, whole=whole):
        return updated
    raise SourceUnavailable(UNREADABLE)
