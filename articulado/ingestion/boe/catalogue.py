"""The BOE's list of consolidated laws; a safe XML parser; a shared loop for synchronous callers.

``search_params`` builds the parameters of a search. ``query`` is JSON with a ``query_string``
(``field:value`` joined by and, or, not) and a ``sort``; ``from`` and ``to`` bound the day of the last
change (document "API legislación consolidada" of the BOE, 28 June 2024). ``parse_xml`` expands no entities
and fetches nothing. ``wait_for`` runs a coroutine on one background event loop.
"""

import json
import re
from dataclasses import dataclass
from datetime import date
from typing import Any

import httpx2

from articulado.legal.laws.registry import kind_of_code
from articulado.values.errors import InvalidInput, SourceUnavailable

UNREADABLE = "El BOE ha dado una respuesta que no se entiende. Vuelva a intentarlo más tarde."


@dataclass(frozen=True)
class ListedLaw:
    """A law of the list. ``rank`` is its kind ("real_decreto"); ``published`` is ISO 8601."""

    id: str
    title: str
    updated: str
    rank: str
    published: str


_OWN_404 = re.compile(rb"\bcode\W{1,5}404\b")
"""In the body with which the BOE says that there is no such thing, as XML or JSON; a wrong address gives another."""


def is_answer(response: httpx2.Response) -> bool:
    """Tell whether it is the BOE that answers: that it has this, that it has not changed, or that there is none."""
    if response.status_code == httpx2.codes.NOT_FOUND:
        return _OWN_404.search(response.content) is not None
    return response.status_code in (httpx2.codes.OK, httpx2.codes.NOT_MODIFIED)


def is_answer_to_search(response: httpx2.Response) -> bool:
    """Tell whether it is the BOE that answers a search, be it that it does not understand the conditions."""
    return response.status_code == httpx2.codes.BAD_REQUEST or is_answer(response)


def search_params(materia: str, query: str, since: date | None, until: date | None) -> dict[str, str]:
    """Return the parameters of a search but ``offset`` and ``limit``; it is sorted, so that pages do not overlap.

    ``materia``, ``query``, ``since`` and ``until``: see ``BoeClient.search``.

    Raises:
        InvalidInput: ``materia`` is no code.
    """
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
    """Return the laws of one page of the list, in its order; 404 means that no law meets the conditions.

    Raises:
        InvalidInput: the BOE does not understand the conditions.
        SourceUnavailable: it is no such page.
    """
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


Element = Any
"""An ``lxml.etree._Element``: lxml has no types of its own."""


def parse_xml(data: bytes) -> Element:
    """Return the root of a document, without comments; entities are not expanded and nothing is fetched.

    Raises:
        ValueError: the data is no well-formed XML, or larger than libxml2 takes from strangers.
    """
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
