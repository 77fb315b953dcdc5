"""The law as the desk reads it: searches, provisions on a day, comparisons, citations, answers and briefs."""

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph.opened import OpenGraphs
from language.current import say
from language.formats import long_day
from legal.wordings import Certainty, certainty, tracked_laws
from nodes.select_context import preference
from server.desk.comparison import compare
from server.desk.results import (
    CitationCheck,
    Comparison,
    DossierVerification,
    Holdings,
    ProvisionOnDay,
    SearchHit,
    SearchResult,
    Verification,
    WordingOnDay,
)
from services.search.provision_detail import Wording, excerpt, provision_detail, wording_on, wordings_of
from services.search.reference import ProvisionRequest, read_reference
from services.verification.dossier import Dossier
from state.chunks import Candidate, in_force, ordering_score
from state.context import RunContext
from state.errors import InvalidInput, NoResultsFound

if TYPE_CHECKING:
    from ingestion.incremental.indexed_laws import IndexedLaw
    from services.container import Services
    from services.verification.briefs.report import BriefReport

EXCERPT = 400
"""Characters of a fragment that a list of results shows."""
_BARE_NUMBER = re.compile(r"\d")
_REPEALED = re.compile(r"^\W*\w{1,3}\W+\((?:derogad|suprimid|sin contenido|anulad)", re.IGNORECASE)
"""What stands where a part of a provision was: "d) (Derogada)"."""
_KEY = re.compile(r"[a-z]+:\S+(?: \S+)*")


class LawDesk:
    """Answers what is asked of the law of an index, without a chat model; ``today`` says which day it is."""

    def __init__(self, opened: OpenGraphs, today: Callable[[], date] = date.today) -> None:
        self._opened = opened
        self._today = today

    async def about(self) -> Holdings:
        """Return what the index holds."""
        async with self._services() as services:
            profile = self._opened.profile
            return {
                "title": profile.title,
                "language": profile.language,
                "index_day": _day(services.index_day),
                "laws": await asyncio.to_thread(self._law_count),
            }

    async def search(self, query: str, limit: int, context: RunContext) -> SearchResult:
        """Return what is found for a question, the best first.

        Raises:
            InvalidInput: the question is empty or too long.
            ArticuladoError: it cannot be searched.
        """
        from graph.rag import build_retrieval

        async with self._services() as services:
            state = await build_retrieval(services).ainvoke(
                {"question": query}, context=context, output_keys=["candidates", "abstained", "warnings", "as_of"]
            )
            candidates: list[Candidate] = sorted(state["candidates"], key=preference)[:limit]
            return {
                "query": query,
                "as_of": state.get("as_of") or self._today().isoformat(),
                "index_day": _day(services.index_day),
                "answers": not state["abstained"],
                "hits": [_hit(rank, candidate) for rank, candidate in enumerate(candidates, start=1)],
                "warnings": state["warnings"],
            }

    async def provision(self, law: str, label: str, day: date | None = None) -> ProvisionOnDay:
        """Return a provision in its wording of a day, of today without one.

        ``law`` is an abbreviation or an identifier, ``label`` a number, a label or a key: "ET", "38", "art. 38.4",
        "art:38", "DA 3ª".

        Raises:
            InvalidInput: no law or provision is named.
            NoResultsFound: the index does not have it, or no wording of that day.
        """
        async with self._services() as services:
            asked = await self._asked(services, law, label)
            detail = await provision_detail(services.store, asked, day, self._today())
            if detail is None:
                raise NoResultsFound(await asyncio.to_thread(self._why_missing, asked))
            wordings, tracked = await self._wordings(services, asked)
            wording = wording_on(wordings, day, self._today())
            assert wording is not None  # else there would be no detail
            return {
                "as_of": (day or self._today()).isoformat(),
                "index_day": _day(services.index_day),
                "certainty": self._certainty(wording, day, tracked),
                "in_force": self._is_law(wording, day),
                "provision": detail,
            }

    async def compare(self, law: str, label: str, before: date, after: date) -> Comparison:
        """Return what changed in a provision between two days.

        Raises:
            InvalidInput: no provision is named, or the days are the wrong way round.
            NoResultsFound: the index does not have it, or no wording of either day.
        """
        if before > after:
            raise InvalidInput(say("desk.days_reversed", before=before, after=after))
        async with self._services() as services:
            asked = await self._asked(services, law, label)
            wordings, tracked = await self._wordings(services, asked)
            if not wordings:
                raise NoResultsFound(await asyncio.to_thread(self._why_missing, asked))
            old, new = (self._wording_of(wordings, day, tracked) for day in (before, after))
            if not (old["text"] or new["text"]):
                # The message of a single day says which wordings there are.
                await provision_detail(services.store, asked, before, self._today())
            head = wordings[-1].head
            same = old["text"] == new["text"]
            return {
                "law_id": head["law_id"],
                "law": head["law_name"],
                "provision": head["provision"],
                "provision_key": head["provision_key"],
                "title": head["title"],
                "url": head["url"],
                "index_day": _day(services.index_day),
                "before": old,
                "after": new,
                "same": same,
                "summary": _summary(old, new),
                "paragraphs": compare(old["text"], new["text"]),
            }

    async def check_citation(self, citation: str, claim: str = "", day: date | None = None) -> CitationCheck:
        """Return whether a provision exists, is law on a day, and says what is claimed of it.

        Raises:
            InvalidInput: the citation names no provision.
        """
        async with self._services() as services:
            asked = await asyncio.to_thread(self._read, services, citation)
            if not asked.provision_key:
                raise InvalidInput(say("desk.no_provision", written=citation))
            checked: CitationCheck = {
                "citation": citation,
                "as_of": (day or self._today()).isoformat(),
                "index_day": _day(services.index_day),
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
            wordings, tracked = await self._wordings(services, asked)
            if not wordings:
                law = await asyncio.to_thread(self._indexed_law, asked.law_id) if asked.law_id else None
                checked["exists"] = False if law and law.official else None
                checked["message"] = await asyncio.to_thread(self._why_missing, asked)
                return checked
            wording = wording_on(wordings, day, self._today())
            head = (wording or wordings[-1]).head
            checked |= {
                "exists": True,
                "in_force": wording is not None and self._is_law(wording, day),
                "law": head["law_name"],
                "provision": head["provision"],
                "title": head["title"],
                "url": head["url"],
            }
            if wording is None:
                checked["message"] = say("desk.no_wording", law=head["law_name"], provision=head["provision"], day=day)
                return checked
            excerpts = {part: excerpt(wording.text, *part) for part in asked.subdivisions}
            missing = [part for part, text in excerpts.items() if not text]
            if any(_REPEALED.search(text) for text in excerpts.values()):
                checked["in_force"] = False
            checked |= {
                "certainty": self._certainty(wording, day, tracked),
                "valid_from": head["valid_from"],
                "valid_to": head["valid_to"],
                "exists": not missing,
            }
            if claim and not missing:
                checked["findings"] = await self._findings(
                    services,
                    {
                        "answer": f"{claim} [C1]",
                        "context": [
                            {"law_id": head["law_id"], "provision": head["provision"], "text": wording.text},
                        ],
                    },
                    day,
                )
                checked["says"] = "no" if checked["findings"] else "yes"
            checked["message"] = _told(checked, [" ".join(filter(None, part)) for part in missing])
            return checked

    async def verify(self, item: Mapping[str, Any], day: date | None = None) -> Verification:
        """Check an answer of any system against the texts that it was written from (``services.verification.items``).

        Raises:
            InvalidInput: a field is missing or of another type.
        """
        async with self._services() as services:
            findings = await self._findings(services, item, day)
            return {"ok": not findings, "index_day": _day(services.index_day), "findings": findings}

    async def verify_dossier(self, dossier: Dossier) -> DossierVerification:
        """Check a dossier again: against itself, and against the index."""
        from services.verification.recheck import recheck

        async with self._services() as services:
            store = services.records if dossier["store"] == "records" else services.store
            result = await recheck(dossier, store)
            return {**result, "index_day": _day(services.index_day)}

    async def check_brief(self, name: str, content: bytes, day: date | None = None) -> "BriefReport":
        """Check the provisions, quotations and rulings of a brief, a file of a format that is read.

        Raises:
            InvalidInput: the file cannot be read, or cites nothing.
        """
        from ingestion.files.brief import read_brief
        from services.bounded.worker import workers
        from services.verification.briefs.checker import check_brief, cited_laws

        settings = self._opened.settings
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"escrito{Path(name).suffix.lower()}"
            await asyncio.to_thread(file.write_bytes, content)
            paragraphs = await workers(settings.read_limits).call(read_brief, file)
        async with self._services() as services:
            held = {law_id: await asyncio.to_thread(self._indexed_law, law_id) for law_id in cited_laws(paragraphs)}
            official = [law_id for law_id, law in held.items() if law and law.official]
            report = await check_brief(paragraphs, services.store, official, self._today(), day)
        if not (report["paragraphs"] or report["rulings"]):
            raise InvalidInput(say("brief.no_citations", file=name))
        return report

    @asynccontextmanager
    async def _services(self) -> "AsyncIterator[Services]":
        async with self._opened.holding() as opened:
            yield opened.services

    async def _asked(self, services: "Services", law: str, label: str) -> ProvisionRequest:
        """Return the provision that a law and a label name; a law that is not known is no law by default."""
        # As citations name them: documents that are no norms have identifiers and keys that nobody would read.
        if await services.store.find(law, label):
            return ProvisionRequest(law, label)
        named = await asyncio.to_thread(self._read, services, law)
        if named.provision_key:
            raise InvalidInput(say("desk.no_law", written=law))
        if _KEY.fullmatch(label):
            return ProvisionRequest(named.law_id, label)
        written = f"art. {label}" if _BARE_NUMBER.match(label) else label
        asked = await asyncio.to_thread(self._read, services, f"{written} {named.law_id}")
        if not asked.provision_key:
            raise InvalidInput(say("desk.no_provision", written=label))
        return asked

    def _read(self, services: "Services", text: str) -> ProvisionRequest:
        profile = self._opened.profile
        reference = read_reference(
            text,
            profile.default_law,
            self._today(),
            spanish_law=profile.features.spanish_law,
            indexed=services.laws,
        )
        return reference.provisions[0]

    async def _wordings(self, services: "Services", asked: ProvisionRequest) -> tuple[list[Wording], frozenset[str]]:
        chunks = await services.store.find(asked.law_id, asked.provision_key)
        return wordings_of(chunks), tracked_laws(chunks)

    def _wording_of(self, wordings: list[Wording], day: date, tracked: frozenset[str]) -> WordingOnDay:
        wording = next((one for one in wordings if one.is_of(day)), None)
        if wording is None:
            return {
                "day": day.isoformat(),
                "certainty": "unknown",
                "valid_from": None,
                "valid_to": None,
                "status": None,
                "status_note": "",
                "text": "",
            }
        head = wording.head
        return {
            "day": day.isoformat(),
            "certainty": certainty(head, day, tracked),
            "valid_from": head["valid_from"],
            "valid_to": head["valid_to"],
            "status": head["status"],
            "status_note": head["status_note"],
            "text": wording.text,
        }

    def _certainty(self, wording: Wording, day: date | None, tracked: frozenset[str]) -> Certainty:
        """Return how sure a wording is that of a day; of today it is what the index has."""
        if day is None and wording.head["source"] == "official":
            return "sure"
        return certainty(wording.head, day or self._today(), tracked)

    def _is_law(self, wording: Wording, day: date | None) -> bool:
        return in_force(wording.head, day, self._today())

    async def _findings(self, services: "Services", item: Mapping[str, Any], day: date | None) -> list[Any]:
        from services.verification.citations import look_up
        from services.verification.items import read_item
        from services.verification.verifier import findings_of

        answer = read_item(1, say("desk.item"), item).answer
        known = await look_up(answer, services.store, day, self._today())
        return await asyncio.to_thread(partial(findings_of, answer, known, self._opened.profile.language))

    def _law_count(self) -> int:
        from ingestion.incremental.base import IndexBase
        from ingestion.incremental.indexed_laws import indexed_laws

        return len(indexed_laws(IndexBase(self._opened.settings, self._opened.profile)))

    def _indexed_law(self, law_id: str) -> "IndexedLaw | None":
        from ingestion.incremental.base import IndexBase
        from ingestion.incremental.indexed_laws import indexed_law

        return indexed_law(IndexBase(self._opened.settings, self._opened.profile), law_id)

    def _why_missing(self, asked: ProvisionRequest) -> str:
        from ingestion.incremental.base import IndexBase
        from ingestion.incremental.indexed_laws import why_missing

        return why_missing(IndexBase(self._opened.settings, self._opened.profile), asked)


def _hit(rank: int, candidate: Candidate) -> SearchHit:
    chunk = candidate["chunk"]
    return {
        "rank": rank,
        "chunk_id": chunk["id"],
        "law_id": chunk["law_id"],
        "law": chunk["law_name"],
        "provision": chunk["provision"],
        "provision_key": chunk["provision_key"],
        "title": chunk["title"],
        "collection": chunk["collection"],
        "score": ordering_score(candidate),
        "status": chunk["status"],
        "valid_from": chunk["valid_from"],
        "valid_to": chunk["valid_to"],
        "official": chunk["source"] == "official",
        "url": chunk["url"],
        "excerpt": _shortened(chunk["text"]),
    }


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= EXCERPT else f"{flat[:EXCERPT].rpartition(' ')[0]} …"


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _summary(before: WordingOnDay, after: WordingOnDay) -> str:
    days = {"before": long_day(before["day"]), "after": long_day(after["day"])}
    if not before["text"]:
        # That no wording is known does not mean that there was none.
        return say("desk.unknown_before", **days)
    if not after["text"]:
        return say("desk.went", **days)
    if before["text"] == after["text"]:
        return say("desk.same", **days)
    return say("desk.changed", **days)


def _told(checked: CitationCheck, missing: list[str]) -> str:
    named = {"law": checked["law"], "provision": checked["provision"]}
    if missing:
        return say("desk.no_part", parts=", ".join(missing), **named)
    force = say(
        "desk.in_force" if checked["in_force"] else "desk.not_in_force", day=long_day(checked["as_of"]), **named
    )
    if checked["says"] == "unchecked":
        return force
    found = " ".join(finding["message"] for finding in checked["findings"])
    return f"{force} {say('desk.says') if checked['says'] == 'yes' else say('desk.says_not', found=found)}"
