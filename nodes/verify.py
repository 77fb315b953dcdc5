"""Verify the answer against its sources: markers, provisions, quotations and figures."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.config.profile import Profile
from articulado.language.languages import Language
from articulado.prompting.citation_markers import keep_markers, markers_in, one_per_mark
from articulado.prompting.outgoing_links import source_addresses, without_foreign_links
from articulado.retrieval.fusion import candidate
from articulado.values.answers import Need, StoreName, Verdict
from articulado.values.chunks import Candidate
from articulado.values.findings import CheckedPart, Finding, NamedVerdict
from articulado.values.protocols import ChunkStore
from articulado.verification.checks import checked_parts, findings_of, with_shown_marks
from articulado.verification.citations import NOTHING_KNOWN, KnownProvisions, look_up, named_verdicts
from articulado.verification.disclosures import needs_of
from articulado.verification.reading import ReadAnswer, annotated, read_answer
from articulado.verification.sources import sources_of
from nodes.turn import language_of_turn, written_in
from state.context import ResolvedContext
from state.rag import RagState
from state.run import days_of

MAX_NAMED = 4


class VerifyUpdate(TypedDict):
    """Displayable text, verdicts and findings; ``needs`` if the check requires a provision unread so far."""

    answer: str
    verdicts: list[Verdict]
    provisions: list[NamedVerdict]
    findings: list[Finding]
    checked: list[CheckedPart]
    named: list[Candidate]
    unpinned: bool
    needs: NotRequired[list[Need]]


async def verify(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    stores: Mapping[StoreName, ChunkStore],
    profile: Profile,
    language: Language,
    quotes_only: bool,
) -> VerifyUpdate:
    """Remove invalid markers and foreign links, check the text, and annotate each certain error.

    ``quotes_only``: only markers are checked. Reads ``draft``, ``context``, ``conversation``, ``refusal``,
    ``abstained``, ``needs``, ``retried`` and ``rewritten``.
    """
    grounded, draft = runtime.context.grounded_prompting, state["draft"]
    spoken = language_of_turn(state, language)
    sources = one_per_mark(state["context"])
    numbers = set(range(1, len(sources) + 1)) if grounded else set()
    kept, _ = keep_markers(draft, numbers)
    claims = not state["refusal"] and state["turn_question"]["kind"] != "courtesy"
    findings: list[Finding] = []
    provisions: list[NamedVerdict] = []
    checked: list[CheckedPart] = []
    known = NOTHING_KNOWN
    if claims and not state["abstained"]:
        days = [day for day in days_of(state) if day]
        read = read_answer(draft, _said_by_user(state), sources_of(sources), _said_before(state), days)
        if profile.features.spanish_law:
            known = await look_up(read, stores[state["store"]], *days_of(state))
        checked = checked_parts(written_in(state, language), quotes_only=quotes_only)
        # Off the event loop: a long answer takes tens of milliseconds.
        findings, provisions = await asyncio.to_thread(_check, read, known, written_in(state, language), quotes_only)
    text, dropped = keep_markers(annotated(draft, findings, spoken) if grounded else draft, numbers)
    # Once more: a marker that goes may leave a link behind.
    text = without_foreign_links(text, source_addresses(state["context"]), spoken.translate("rag_link_left_out"))
    verdicts: list[Verdict] = [
        {
            "mark": f"C{number}",
            "valid": number in numbers,
            "reason": "" if number in numbers else spoken.translate("rag_mark_of_nothing"),
        }
        for number in dict.fromkeys([*markers_in(draft, numbers), *dropped])
    ]
    update: VerifyUpdate = {
        "answer": text,
        "verdicts": verdicts,
        "provisions": provisions,
        "checked": checked,
        "findings": with_shown_marks(findings, markers_in(text)),
        "named": _read_by_nobody(provisions, known),
        "unpinned": grounded and claims and not markers_in(kept),
    }
    if not state["needs"] and not state["retried"] and not state["rewritten"]:
        update["needs"] = needs_of(findings, provisions, draft, language)
    return update


def _said_by_user(state: RagState) -> str:
    """Return the user's questions: their figures are no claims about the law."""
    turns = [message["content"] for message in state["conversation"] if message["role"] == "user"]
    return "\n".join([*turns, state["turn_question"]["asked"]])


def _said_before(state: RagState) -> str:
    """Return the earlier answers: their figures were checked before."""
    return "\n".join(message["content"] for message in state["conversation"] if message["role"] != "user")


def _check(
    read: ReadAnswer, known: KnownProvisions, language: str, quotes_only: bool
) -> tuple[list[Finding], list[NamedVerdict]]:
    findings = findings_of(read, known, language, quotes_only=quotes_only)
    return findings, named_verdicts(read, known, findings)


def _read_by_nobody(provisions: Sequence[NamedVerdict], known: KnownProvisions) -> list[Candidate]:
    refs = [
        (verdict["law_id"], verdict["provision_key"])
        for verdict in provisions
        if verdict["status"] == "in_index_not_in_context"
    ]
    parts = [known.parts[ref][0] for ref in dict.fromkeys(refs) if known.parts.get(ref)]
    return [candidate(chunk, 0.0, "need") for chunk in parts[:MAX_NAMED]]
