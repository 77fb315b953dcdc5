"""Queries on the law without a chat model; a day of ``None`` means today."""

import asyncio
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from articulado.calculations.question import work_out
from articulado.calculations.values import Outcome
from articulado.calculations.wordings import compare_wordings, confirm
from articulado.calculations.written import Calculated
from articulado.guides.cards import packaged_cards
from articulado.language.formats import long_day
from articulado.language.translation import translate
from articulado.retrieval.fusion import ranked_provisions, with_cards
from articulado.retrieval.references import Wording, named_provision, provision_detail, wording_on
from articulado.values.chunks import Candidate
from articulado.values.errors import ArticuladoError, IndexMissing, InvalidInput, NoResultsFound
from articulado.verification.dossier import Dossier
from graph.open_graphs import OpenGraphs
from server.lookup.index import DeskIndex, check_citation, read_statement, references_of
from server.lookup.results import (
    CardReading,
    CitationCheck,
    Comparison,
    DossierVerification,
    Holdings,
    ProvisionOnDay,
    References,
    SearchResult,
    Verification,
    WordingOnDay,
    compare,
    search_hit,
)
from state.context import RunContext

if TYPE_CHECKING:
    from articulado.ingestion.files.reader import BriefText
    from articulado.values.documents import OwnReading
    from articulado.verification.briefs.passages import BriefReport
    from articulado.verification.reading import ReadAnswer


T = TypeVar("T")


SHOWN_STATE = ("candidates", "cards", "turn_question", "abstained", "warnings", "as_of")


class LawDesk:
    """Look-ups in the law of an index, without a chat model."""

    def __init__(self, opened: OpenGraphs, today: Callable[[], date] = date.today) -> None:
        self._opened = opened
        self._today = today

    async def about(self) -> Holdings:
        async with self._index() as index:
            profile = self._opened.profile
            return {
                "title": profile.title,
                "language": profile.language,
                "index_day": index.day,
                "laws": await index.law_count(),
            }

    async def search(self, query: str, limit: int | None, context: RunContext) -> SearchResult:
        """Search for a question; hits are sorted best first, and ``None`` is no limit."""
        from graph.rag import build_context

        async with self._index() as index:
            state = await build_context(index.services).ainvoke(
                {"question": query},
                context=context,
                output_keys=[*SHOWN_STATE],
            )
            day = date.fromisoformat(state["as_of"]) if state.get("as_of") else None
            candidates: list[Candidate] = ranked_provisions(with_cards(state["candidates"], state["cards"]))[:limit]
            sure = await index.certainties((candidate["chunk"] for candidate in candidates), day)
            hits = zip(candidates, sure, strict=True)
            absent, others = await index.absent(state["turn_question"], state["warnings"])
            return {
                "query": query,
                **index.on_day(day),
                "answers": not state["abstained"],
                "hits": [
                    search_hit(rank, candidate, index.validity(candidate["chunk"], sure, day))
                    for rank, (candidate, sure) in enumerate(hits, start=1)
                ],
                "absent": absent,
                "warnings": [*absent, *others],
            }

    async def provision(self, law: str, label: str, day: date | None = None) -> ProvisionOnDay:
        """Return a provision in its wording of a day; ``label`` is like "38", "art. 38.4", "art:38" or "DA 3ª"."""
        async with self._index() as index:
            asked = await index.asked(law, label)
            detail = await provision_detail(index.services.store, asked, day, index.today)
            if detail is None:
                raise await index.missing(asked)
            wordings = await index.wordings(asked)
            wording = wording_on(wordings, day, index.today)
            assert wording is not None  # else there would be no detail
            return {
                **index.on_day(day),
                "certainty": await index.certainty(wording.head, day),
                "in_force": index.in_force(wording.head, day),
                "provision": detail,
            }

    async def references(self, law: str, label: str, day: date | None = None) -> References:
        async with self._index() as index:
            return await references_of(index, await index.asked(law, label), day)

    async def compare(self, law: str, label: str, before: date, after: date) -> Comparison:
        """Compare the wordings of a provision on two days."""
        if before > after:
            raise InvalidInput(translate("desk.days_reversed", before=before, after=after))
        async with self._index() as index:
            asked = await index.asked(law, label)
            wordings = await index.wordings(asked)
            if not wordings:
                raise await index.missing(asked)
            old, new = [await _wording_of(index, wordings, day) for day in (before, after)]
            if not (old["text"] or new["text"]):
                # The message of a single day says which wordings there are.
                await provision_detail(index.services.store, asked, before, index.today)
            head = wordings[-1].head
            return {
                **named_provision(head),
                "index_day": index.day,
                "before": old,
                "after": new,
                "same": old["text"] == new["text"],
                "summary": _summary(old, new),
                "paragraphs": compare(old["text"], new["text"]),
            }

    def cards(self, topic: str) -> list[dict[str, str]]:
        """Return the ids and needs of the answer cards of a topic."""
        cards = [card for card in packaged_cards().values() if card.id.partition("/")[0] == topic]
        if not cards:
            raise NoResultsFound(translate("desk.no_topic", topic=topic))
        return [{"card": card.id, "need": card.need} for card in cards]

    async def card(self, card_id: str) -> CardReading:
        """Return an answer card, each statement with the sentences of today's law that support it."""
        card = packaged_cards().get(card_id)
        if card is None:
            raise NoResultsFound(translate("desk.no_card", card=card_id))
        async with self._index() as index:
            statements = [await read_statement(index, statement) for statement in card.statements]
            sentences = [sentence["sentence"] for each in statements for sentence in each["borne_by"]]
            return {
                "card": card.id,
                "need": card.need,
                **index.on_day(None),
                "current": None if None in sentences else all(sentences),
                "statements": statements,
                "calculations": list(card.calculations),
            }

    async def check_citation(self, citation: str, claim: str = "", day: date | None = None) -> CitationCheck:
        async with self._index() as index:
            return await check_citation(index, citation, claim, day)

    async def verify(self, answer: "ReadAnswer", day: date | None = None) -> Verification:
        async with self._index() as index:
            findings = await index.findings(answer, day)
            return {"ok": not findings, "index_day": index.day, "findings": findings}

    async def verify_dossier(self, dossier: Dossier) -> DossierVerification:
        """Check a dossier again: against itself, and against the index."""
        from articulado.verification.dossier import recheck

        async with self._index() as index:
            services = index.services
            result = await recheck(dossier, services.records if dossier["store"] == "records" else services.store)
            return {**result, "index_day": index.day}

    async def calculate(self, kind: str, inputs: Mapping[str, object], question: str = "") -> Calculated:
        """Work out an amount or a last day, and compare the wordings behind it with the law in the index."""
        reader, today = None, self._today()
        if question.strip():
            async with self._index() as index:
                reader, today = index.services.question_reader, index.today
        worked = await asyncio.to_thread(work_out, reader, kind, inputs, question, today)
        return replace(worked, outcome=await self._confirmed(worked.outcome))

    async def _confirmed(self, outcome: Outcome) -> Outcome:
        try:
            async with self._index() as index:
                return await confirm(outcome, index.services.store, index.today)
        except IndexMissing:
            return compare_wordings(outcome, {}, date.today())

    async def check_brief(self, name: str, content: bytes, day: date | None = None) -> "BriefReport":
        """Check the provisions, quotations and rulings cited in a file."""
        from articulado.ingestion.files.reader import read_brief

        name = _file_name(name)
        return await self.check_text(name, await self._read(name, content, read_brief), day)

    async def check_text(self, name: str, text: "BriefText", day: date | None = None) -> "BriefReport":
        """Check the provisions, quotations and rulings cited in a brief; raise ``InvalidInput`` without any."""
        from articulado.verification.briefs.checker import check_brief
        from articulado.verification.briefs.provisions import cited_laws

        async with self._index() as index:
            held = {law_id: await index.law(law_id) for law_id in cited_laws(text.paragraphs)}
            official = [law_id for law_id, law in held.items() if law and law.official]
            report = await check_brief(text.paragraphs, index.services.store, official, index.today, day, text.warnings)
        if not (report["paragraphs"] or report["rulings"]):
            raise InvalidInput(translate("brief.no_citations", file=name))
        return report

    async def read_document(self, name: str, content: bytes) -> "OwnReading":
        from articulado.ingestion.reading import read_own

        name = _file_name(name)
        return await self._read(name, content, partial(read_own, name=name, profile=self._opened.profile))

    async def _read(self, name: str, content: bytes, read: Callable[[Path], T]) -> T:
        """Read a sent file in a process with limits; it is deleted afterwards."""
        from articulado.ingestion.worker import workers

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"escrito{Path(name).suffix.lower()}"
            await asyncio.to_thread(file.write_bytes, content)
            try:
                return await workers(self._opened.settings.read_limits).call(read, file)
            except ArticuladoError as error:
                # The user knows the file by the name that it was sent with.
                said = str(error).replace(str(file), name).replace(folder, "").replace(file.name, name)
                raise type(error)(said) from error

    def _index(self) -> AbstractAsyncContextManager[DeskIndex]:
        return DeskIndex.held(self._opened, self._today)


def _file_name(name: str) -> str:
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(sign for sign in last if sign.isprintable()) or "escrito"


async def _wording_of(index: DeskIndex, wordings: Sequence[Wording], day: date) -> WordingOnDay:
    wording = next((one for one in wordings if one.is_of(day)), None)
    if wording is None:
        return {
            "day": day.isoformat(),
            "certainty": "unknown",
            "in_force": False,
            "valid_from": None,
            "valid_to": None,
            "status": None,
            "status_note": "",
            "text": "",
        }
    head = wording.head
    return {
        "day": day.isoformat(),
        **index.validity(head, await index.certainty(head, day), day),
        "status": head["status"],
        "status_note": head["status_note"],
        "text": wording.text,
    }


def _summary(before: WordingOnDay, after: WordingOnDay) -> str:
    days = {"before": long_day(before["day"]), "after": long_day(after["day"])}
    if not before["text"]:
        # That no wording is known does not mean that there was none.
        return translate("desk.unknown_before", **days)
    if not after["text"]:
        return translate("desk.went", **days)
    if before["text"] == after["text"]:
        return translate("desk.same", **days)
    return translate("desk.changed", **days)
