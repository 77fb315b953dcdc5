"""Answers to questions and cases from the graphs, with the dates of the cited provisions."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import date
from typing import Any

from articulado.calculations.written import Worked
from articulado.legal.citations.parser import ProvisionRequest
from articulado.legal.labels import provision_key
from articulado.legal.wordings import Certainty
from articulado.retrieval.references import wording_on
from articulado.values.answers import AnswerOutcome, Citation, Message, NearestNeed, Usage
from articulado.values.chunks import Chunk
from articulado.values.findings import Finding
from graph.open_graphs import GENERATE_RESPONSE, RAG, REQUIRED_DATA, OpenGraphs
from server.lookup.index import DeskIndex, dated_links
from server.lookup.results import DatedLink, OnDay
from server.operations.requests import note_run
from server.runnable import cancellable_stream
from state.case import RequiredDataOutput, ResponseOutput
from state.context import RunContext

OnStage = Callable[[str], Awaitable[None]]


class DatedCitation(Citation):
    """A fragment that an answer rests on; ``in_force``: its wording is law on the day of the answer."""

    certainty: Certainty
    in_force: bool | None


class Answered(OnDay):
    """An answer, with its sources as of the day ``as_of``.

    ``context_chunk_ids`` go into ``previous_chunk_ids`` of the next question. ``findings`` are statements that its
    sources do not support, ``calculations`` the amounts and days that were worked out, ``choices`` the needs that an
    outcome ``near`` offers.
    """

    question: str
    outcome: AnswerOutcome
    answer: str
    citations: list[DatedCitation]
    choices: list[NearestNeed]
    findings: list[Finding]
    calculations: list[Worked]
    warnings: list[str]
    context_chunk_ids: list[int]
    usage: Usage


class DatedRequiredData(RequiredDataOutput, OnDay):
    """The data that a case needs; ``provisions`` are the sources of that, in the wording of ``as_of``."""

    provisions: list[DatedLink]


class DatedResponse(ResponseOutput, OnDay):
    """The answer to a case; ``provisions`` are those of its sources, in the wording of ``as_of``."""

    provisions: list[DatedLink]


class AnswerDesk:
    """Answer questions and cases; cancelling a call ends its run."""

    def __init__(self, opened: OpenGraphs, today: Callable[[], date] = date.today) -> None:
        self._opened = opened
        self._today = today

    async def ask(
        self,
        question: str,
        context: RunContext,
        on_stage: OnStage,
        *,
        history: Sequence[Message] = (),
        previous_chunk_ids: Sequence[int] = (),
    ) -> Answered:
        """Answer a question; a follow-up comes with its ``history`` and the chunks of the last answer."""
        sent: dict[str, Any] = {"question": question}
        if history:
            sent["history"] = list(history)
        if previous_chunk_ids:
            sent["previous_chunk_ids"] = list(previous_chunk_ids)
        async with DeskIndex.held(self._opened, self._today) as index:
            result, day = await self._run(index, RAG, sent, context, on_stage)
            return {
                "question": result["question"],
                **index.on_day(day),
                "outcome": result["outcome"],
                "answer": result["answer"],
                "citations": await self._dated(index, result["citations"], day),
                "choices": result["choices"],
                "findings": result["findings"],
                "calculations": result["calculations"],
                "warnings": result["warnings"],
                "context_chunk_ids": result["context_chunk_ids"],
                "usage": result["usage"],
            }

    async def required_data(self, case: Mapping[str, Any], on_stage: OnStage) -> DatedRequiredData:
        async with DeskIndex.held(self._opened, self._today) as index:
            result, day = await self._run(index, REQUIRED_DATA, case, None, on_stage)
            return {**result, **await self._basis(index, result, day)}  # type: ignore[typeddict-item]

    async def respond(self, case: Mapping[str, Any], on_stage: OnStage) -> DatedResponse:
        async with DeskIndex.held(self._opened, self._today) as index:
            result, day = await self._run(index, GENERATE_RESPONSE, case, None, on_stage)
            return {**result, **await self._basis(index, result, day)}  # type: ignore[typeddict-item]

    async def _run(
        self, index: DeskIndex, name: str, sent: Mapping[str, Any], context: RunContext | None, on_stage: OnStage
    ) -> tuple[dict[str, Any], date | None]:
        result: dict[str, Any] = {}
        as_of: str | None = None
        events: AsyncIterator[Any] = index.current.graphs[name].astream(
            dict(sent), context=context, stream_mode=["custom", "values"], output_keys=["as_of"]
        )
        async for mode, event in cancellable_stream(events):
            if mode == "values":
                as_of = event.get("as_of")
            elif event["type"] == "stage":
                await on_stage(event["stage"])
            elif event["type"] == "final":
                result = event["result"]
        note_run(sent, result)
        return result, date.fromisoformat(as_of) if as_of else None

    async def _dated(self, index: DeskIndex, citations: Sequence[Citation], day: date | None) -> list[DatedCitation]:
        chunks = {chunk["id"]: chunk for chunk in await index.store.fetch([one["chunk_id"] for one in citations])}
        of_citations = [chunks[cited["chunk_id"]] for cited in citations]
        sure = await index.certainties(of_citations, day)
        return [
            {**cited, "certainty": certainty, "in_force": index.in_force(chunk, day)}
            for cited, certainty, chunk in zip(citations, sure, of_citations, strict=True)
        ]

    async def _basis(self, index: DeskIndex, result: Mapping[str, Any], day: date | None) -> dict[str, Any]:
        named = dict.fromkeys(name for source in result["sources"] for name in source["provisions"])
        chunks: list[Chunk] = []
        for name in named:
            law_id, _, label = name.partition("#")
            if key := provision_key(label):
                wordings = await index.wordings(ProvisionRequest(law_id, key))
                if wording := wording_on(wordings, day, index.today):
                    chunks.append(wording.head)
        return {**index.on_day(day), "provisions": await dated_links(index, chunks, day)}
