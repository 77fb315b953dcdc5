"""Index queries of the look-up API; a day of ``None`` means today."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from articulado.guides.cards import Exclusion, Statement, sentence_at
from articulado.language.formats import long_day
from articulado.language.translation import translate
from articulado.legal.citations.parser import ProvisionRequest
from articulado.legal.labels import excerpt, provision_name, provision_url
from articulado.legal.validity import in_force
from articulado.legal.wordings import Certainty, certainty, tracked_laws
from articulado.retrieval.question import is_tracked
from articulado.retrieval.references import (
    Wording,
    named_provision,
    order_in_law,
    read_reference,
    remarks_on,
    without_wording,
    wording_on,
    wordings_of,
)
from articulado.values.chunks import Chunk, own_document, provision_of
from articulado.values.errors import InvalidInput, NoResultsFound
from articulado.values.protocols import ChunkStore
from articulado.verification.briefs.passages import division_of
from graph.open_graphs import Opened, OpenGraphs
from server.lookup.results import BearingSentence, CardStatement, CitationCheck, DatedLink, OnDay, References, Validity

if TYPE_CHECKING:
    from articulado.ingestion.incremental.base import IndexBase
    from articulado.ingestion.incremental.indexed_laws import IndexedLaw
    from articulado.values.answers import TurnQuestion
    from articulado.values.findings import Finding
    from articulado.verification.reading import ReadAnswer
    from graph.services import Services


_BARE_NUMBER = re.compile(r"\d")
_KEY = re.compile(r"[a-z]+:\S+(?: \S+)*")


@dataclass(frozen=True)
class DeskIndex:
    """The index, held for one request; ``today`` is the day of the request."""

    opened: OpenGraphs
    current: Opened
    today: date

    @classmethod
    @asynccontextmanager
    async def held(cls, opened: OpenGraphs, today: Callable[[], date]) -> AsyncIterator["DeskIndex"]:
        async with opened.holding() as current:
            yield cls(opened, current, today())

    @property
    def services(self) -> "Services":
        return self.current.services

    @property
    def store(self) -> ChunkStore:
        """Store that answers questions: the index, or the packaged records if retrieval is switched off."""
        return self.services.store if self.opened.settings.rag_enabled else self.services.records

    @property
    def day(self) -> str | None:
        return iso(self.services.index_day)

    def on_day(self, day: date | None) -> OnDay:
        return {"as_of": (day or self.today).isoformat(), "index_day": self.day}

    async def asked(self, law: str, label: str) -> ProvisionRequest:
        """Return the provision named by a law and a label; an unknown law is an error, not the default law."""
        # As citations name them: documents that are no norms have identifiers and keys that nobody would read.
        if await self.services.store.find(law, label):
            return ProvisionRequest(law, label)
        try:
            named = await self.read(law)
        except InvalidInput as error:
            raise InvalidInput(translate("desk.no_law", written=law)) from error
        if named.provision_key:
            raise InvalidInput(translate("desk.no_law", written=law))
        if _KEY.fullmatch(label):
            return ProvisionRequest(named.law_id, label)
        written = f"art. {label}" if _BARE_NUMBER.match(label) else label
        try:
            asked = await self.read(f"{written} {named.law_id}")
        except InvalidInput as error:
            raise InvalidInput(translate("desk.no_provision", written=label)) from error
        if not asked.provision_key:
            raise InvalidInput(translate("desk.no_provision", written=label))
        return asked

    async def read(self, text: str) -> ProvisionRequest:
        """Return the first provision, or the law, named by a text; the names of others are in ``unread``."""
        profile = self.opened.profile
        reference = await asyncio.to_thread(
            partial(
                read_reference,
                text,
                profile.default_law,
                self.today,
                spanish_law=profile.features.spanish_law,
                indexed=self.services.laws,
            )
        )
        first, *others = reference.provisions
        named = tuple(provision_name(other.provision_key) for other in others if other.provision_key)
        return replace(first, unread=(*first.unread, *named))

    async def wordings(self, asked: ProvisionRequest) -> list[Wording]:
        return wordings_of(await self.services.store.find(asked.law_id, asked.provision_key))

    async def certainties(self, chunks: Iterable[Chunk], day: date | None) -> list[Certainty]:
        """Return how sure it is that each wording was in force on a day; for today, official texts are sure."""
        wordings = list(chunks)
        if day is None:
            return ["sure" if chunk["source"] == "official" else "unknown" for chunk in wordings]
        told = tracked_laws(wordings)
        others = {chunk["law_id"] for chunk in wordings if chunk["source"] == "official"} - told
        tracked = told | {law_id for law_id in others if await is_tracked(self.store, law_id)}
        return [certainty(chunk, day, tracked) for chunk in wordings]

    async def certainty(self, chunk: Chunk, day: date | None) -> Certainty:
        [only] = await self.certainties([chunk], day)
        return only

    def validity(self, chunk: Chunk, sure: Certainty, day: date | None) -> Validity:
        return {
            "valid_from": chunk["valid_from"],
            "valid_to": chunk["valid_to"],
            "certainty": sure,
            "in_force": self.in_force(chunk, day),
        }

    def in_force(self, chunk: Chunk, day: date | None) -> bool | None:
        """Tell if a wording is in force on a day, or, without a day, today; ``None`` for a user's document."""
        return None if own_document(chunk) else in_force(chunk, day, self.today)

    async def absent(self, question: "TurnQuestion", warnings: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return why named provisions are not in the index, and which ones are; then the other warnings."""
        from articulado.ingestion.incremental.base import IndexBase
        from articulado.ingestion.incremental.indexed_laws import absent_provisions

        base = IndexBase(self.opened.settings, self.opened.profile)
        return await asyncio.to_thread(absent_provisions, base, question, warnings)

    async def law(self, law_id: str) -> "IndexedLaw | None":
        """Return the index entry of a law; ``None`` if it is not indexed."""
        from articulado.ingestion.incremental.indexed_laws import indexed_law

        return await asyncio.to_thread(indexed_law, self._base, law_id)

    async def law_count(self) -> int:
        """Return the number of indexed laws."""
        from articulado.ingestion.incremental.indexed_laws import indexed_laws

        return len(await asyncio.to_thread(indexed_laws, self._base))

    async def missing(self, asked: ProvisionRequest) -> NoResultsFound:
        """Return the error that says why a provision is not in the index, and which ones are."""
        from articulado.ingestion.incremental.indexed_laws import why_missing

        return NoResultsFound(await asyncio.to_thread(why_missing, self._base, asked))

    @property
    def _base(self) -> "IndexBase":
        from articulado.ingestion.incremental.base import IndexBase

        return IndexBase(self.opened.settings, self.opened.profile)

    async def findings(self, answer: "ReadAnswer", day: date | None) -> "list[Finding]":
        """Return the errors in an answer according to its source texts."""
        from articulado.verification.checks import findings_of
        from articulado.verification.citations import look_up

        known = await look_up(answer, self.services.store, day, self.today)
        return await asyncio.to_thread(partial(findings_of, answer, known, self.opened.profile.language))


def iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


async def references_of(index: DeskIndex, asked: ProvisionRequest, day: date | None) -> References:
    """Return the references of a provision in its wording of a day.

    On both sides the wordings of the day count; provisions that cited only another wording are left out.
    """
    wordings = await index.wordings(asked)
    if not wordings:
        raise await index.missing(asked)
    wording = wording_on(wordings, day, index.today)
    if wording is None:
        raise NoResultsFound(without_wording(wordings, day))
    head = wording.head
    ids = [part["id"] for one in wordings for part in one.parts]
    return {
        **index.on_day(day),
        **named_provision(head),
        **index.validity(head, await index.certainty(head, day), day),
        "cites": await _links(index, await _cited(index, wording.parts, day), head, day),
        "cited_by": await _links(index, await _citing(index, ids, day), head, day),
    }


async def _cited(index: DeskIndex, parts: Iterable[Chunk], day: date | None) -> list[Chunk]:
    store = index.services.store
    cited = await store.fetch(list(dict.fromkeys(ref for part in parts for ref in part["refs"])))
    refs = {provision_of(chunk): chunk for chunk in cited}
    found = await asyncio.gather(*(index.wordings(ProvisionRequest(*ref)) for ref in refs))
    of_day = (wording_on(wordings, day, index.today) for wordings in found)
    return [one.head if one else chunk for one, chunk in zip(of_day, refs.values(), strict=True)]


async def _citing(index: DeskIndex, ids: list[int], day: date | None) -> list[Chunk]:
    return [chunk for chunk in await index.services.store.citing(ids) if index.in_force(chunk, day) is not False]


async def _links(index: DeskIndex, chunks: Iterable[Chunk], linked: Chunk, day: date | None) -> list[DatedLink]:
    by_provision = {provision_of(chunk): chunk for chunk in chunks if provision_of(chunk) != provision_of(linked)}
    return sorted(await dated_links(index, list(by_provision.values()), day), key=order_in_law)


async def dated_links(index: DeskIndex, chunks: Sequence[Chunk], day: date | None) -> list[DatedLink]:
    sure = await index.certainties(chunks, day)
    return [
        {**named_provision(chunk), "status": chunk["status"], **index.validity(chunk, certain, day)}
        for chunk, certain in zip(chunks, sure, strict=True)
    ]


_REPEALED = re.compile(r"^\W*\w{1,3}\W+\((?:derogad|suprimid|sin contenido|anulad)", re.IGNORECASE)
"""Placeholder of a repealed part of a provision: "d) (Derogada)"."""


async def read_statement(index: DeskIndex, statement: Statement) -> CardStatement:
    """Return a statement of a card with the sentences that support it, in the official wordings of today."""
    borne_by: list[BearingSentence] = []
    for pin in statement.pins:
        law_id, key = pin.ref
        wording = wording_on(wordings_of(await index.services.store.find(law_id, key)), None, index.today)
        official = wording is not None and wording.head["source"] == "official"
        borne_by.append(
            {
                "law_id": law_id,
                "provision": pin.provision.partition("#")[2],
                "part": pin.part,
                "url": provision_url(law_id, pin.provision.partition("#")[2]),
                "sentence": sentence_at(wording.text, pin) if wording and official else None,
            }
        )
    regime = statement.regime if isinstance(statement, Exclusion) else ""
    return {"text": statement.text, "when": statement.when, "regime": regime, "borne_by": borne_by}


async def check_citation(index: DeskIndex, citation: str, claim: str, day: date | None) -> CitationCheck:
    """Check that a provision exists, is in force on a day and says what is claimed of it."""
    asked = await index.read(citation)
    if not asked.provision_key:
        raise InvalidInput(translate("desk.no_provision", written=citation))
    checked: CitationCheck = {
        "citation": citation,
        **index.on_day(day),
        "exists": None,
        "in_force": None,
        "certainty": "unknown",
        "says": "unchecked",
        "findings": [],
        "law": "",
        "provision": "",
        "title": "",
        "valid_from": None,
        "valid_to": None,
        "url": "",
        "message": "",
    }
    wordings = await index.wordings(asked)
    if not wordings:
        return await _absent(index, asked, checked)
    wording = wording_on(wordings, day, index.today)
    head = (wording or wordings[-1]).head
    checked |= {
        "exists": True,
        "in_force": index.in_force(head, day) if wording is not None else False,
        "law": head["law_name"],
        "provision": head["provision"],
        "title": head["title"],
        "url": head["url"],
    }
    if wording is None:
        checked["message"] = translate("desk.no_wording", law=head["law_name"], provision=head["provision"], day=day)
        return checked
    excerpts = {part: excerpt(wording.text, *part) for part in asked.subdivisions}
    missing = [part for part, text in excerpts.items() if not text]
    if any(_REPEALED.search(text) for text in excerpts.values()):
        checked["in_force"] = False
    checked |= {
        "certainty": await index.certainty(head, day),
        "valid_from": head["valid_from"],
        "valid_to": head["valid_to"],
        "exists": not missing,
    }
    if claim and not missing:
        from articulado.verification.checks import read_item

        division = division_of(wording.text)
        said = "\n\n".join(division.scope(*part) for part in asked.subdivisions if division.own(*part))
        source = {"law_id": head["law_id"], "provision": head["provision"], "text": said or wording.text}
        item = read_item(1, translate("desk.item"), {"answer": f"{claim} [C1]", "context": [source]})
        checked["findings"] = await index.findings(item.answer, day)
        checked["says"] = "no" if checked["findings"] else "yes"
    told = _message(checked, [" ".join(filter(None, part)) for part in missing], own_document(head))
    checked["message"] = " ".join([*remarks_on(asked, head), told])
    return checked


async def _absent(index: DeskIndex, asked: ProvisionRequest, checked: CitationCheck) -> CitationCheck:
    law = await index.law(asked.law_id) if asked.law_id else None
    checked["exists"] = False if law and law.official else None
    checked["message"] = str(await index.missing(asked))
    return checked


def _message(checked: CitationCheck, missing: list[str], document: str) -> str:
    named = {"law": checked["law"], "provision": checked["provision"]}
    if missing:
        return translate("desk.no_part", parts=", ".join(missing), **named)
    key = "desk.own_document" if document else "desk.in_force" if checked["in_force"] else "desk.not_in_force"
    force = translate(key, day=long_day(checked["as_of"]), document=document, **named)
    if checked["says"] == "unchecked":
        return force
    found = " ".join(finding["message"] for finding in checked["findings"])
    return f"{force} {translate('desk.says') if checked['says'] == 'yes' else translate('desk.says_not', found=found)}"
