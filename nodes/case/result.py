"""Parts of case results shared by several stages: data, rules, author material, metadata and sources."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Literal

from typing_extensions import TypedDict

from articulado.cases.author import CaseMaterial, render
from articulado.cases.confidence import says_too_little
from articulado.cases.fields import contradicted_filters
from articulado.cases.readers import text_of
from articulado.cases.rules import applicable_calculations, as_question
from articulado.cases.typed_data import ReadData, read_data
from articulado.config.profile import Profile
from articulado.language.formats import written
from articulado.language.languages import Language
from articulado.legal.labels import provision_url
from articulado.legal.laws.registry import known_laws
from articulado.prompting.outgoing_links import source_addresses, texts_without_foreign_links
from articulado.values.cases import (
    CaseMetadata,
    CitedProvision,
    DecisionRule,
    FailureName,
    LeftOut,
    Source,
    WorkedCalculation,
    article_title,
    details_of,
    shown_title,
)
from articulado.values.chunks import Chunk
from articulado.values.errors import Cost, cost_of
from articulado.values.protocols import Structured
from state.case import CaseState


def case_rules(state: CaseState) -> list[DecisionRule]:
    """Return the rules of the context, or of the article while there is no context; the article's own first."""
    in_context = [candidate["chunk"] for candidate in state["context"]] or [*state["critical"], *state["of_article"]]
    chunks = sorted(in_context, key=lambda chunk: chunk["law_id"] != state["article_id"])
    return [rule for chunk in chunks for rule in details_of(chunk).get("rules", [])]


def read_case(state: CaseState, profile: Profile, language: Language) -> ReadData:
    """Read the data of a case as of its day; a datum that contradicts its filter field is conflicting."""
    today = date.fromisoformat(state["today"])
    # A filter field overrides a datum of its name.
    data = {**state["collected"], **state["filters"]}
    read = read_data(state["wanted"], case_rules(state), data, today, profile.case.calendar, language)
    contradicted = contradicted_filters(profile.filter_fields, state["filters"], state["collected"], language)
    return replace(read, conflicting=list(dict.fromkeys((*read.conflicting, *contradicted))))


def case_calculations(state: CaseState, read: ReadData) -> list[WorkedCalculation]:
    own = [candidate["chunk"] for candidate in state["context"] if candidate["chunk"]["law_id"] == state["article_id"]]
    return applicable_calculations([rule for chunk in own for rule in details_of(chunk).get("rules", [])], read)


def low_confidence(state: CaseState, language: Language) -> str:
    if says_too_little(state["inquiry"], language):
        return language.translate("case_too_little_said")
    return language.translate("case_low_confidence", confidence=written(state["confidence"], 2, language.code))


def case_material(
    state: CaseState,
    answer_tokens: int,
    read: ReadData | None = None,
    calculations: Sequence[WorkedCalculation] = (),
) -> CaseMaterial:
    """Return the material of the author; invalid data of ``read`` count as missing and are not shown."""
    chunks = [candidate["chunk"] for candidate in state["context"]]
    article = state["article_id"]
    return CaseMaterial(
        inquiry=state["inquiry"],
        chunks=chunks,
        context=render(chunks),
        article_id=article,
        article_title=next((article_title(chunk) for chunk in chunks if chunk["law_id"] == article), article),
        answer_tokens=answer_tokens,
        filters={**state["assumed"], **state["filters"]},
        collected={
            name: text_of(value) for name, value in state["collected"].items() if not read or name not in read.unusable
        },
        missing=read.without_value if read else (),
        calculations=calculations,
    )


def case_metadata(state: CaseState, read: ReadData, answer_tokens: int) -> CaseMetadata:
    return {
        "article_id": state["article_id"],
        "article_title": state["article_title"],
        "question": as_question(state["inquiry"], state["article_title"], read),
        "token_count": state["context_tokens"] + answer_tokens,
        "context_tokens": state["context_tokens"],
        "answer_tokens": answer_tokens,
        "chunks_used": len(state["context"]),
        "chunk_ids": [candidate["chunk"]["id"] for candidate in state["context"]],
        "raw_confidence": state["raw_confidence"],
        "missing_data": read.without_value,
        "unreadable_data": [datum["field"] for datum in read.rejected],
        "rejected_data": list(read.rejected),
        "conflicting_data": list(read.conflicting),
        "dropped_items": state["dropped_items"],
        "left_out": state["left_out"],
    }


DECISION_OF: dict[FailureName, Literal["uncertain", "out_of_scope"]] = {
    "NoResultsFound": "out_of_scope",
    "OutOfScope": "out_of_scope",
    "InsufficientContext": "uncertain",
    "OtherArticle": "uncertain",
    "OtherValue": "uncertain",
}


def case_sources(state: CaseState, tier_of: Callable[[Chunk], str] = lambda chunk: chunk["tier"]) -> list[Source]:
    return [_source(candidate["chunk"], tier_of(candidate["chunk"])) for candidate in state["context"]]


def left_out_of(chunks: Sequence[Chunk]) -> list[LeftOut]:
    return [
        {"chunk_id": chunk["id"], "title": shown_title(chunk), "chunk_type": chunk["chunk_type"]} for chunk in chunks
    ]


def titles_of(chunks: Sequence[Chunk]) -> str:
    return "; ".join(dict.fromkeys(map(shown_title, chunks)))


def _source(chunk: Chunk, tier: str) -> Source:
    return {
        "chunk_id": chunk["id"],
        "article_id": chunk["law_id"],
        "article_title": article_title(chunk),
        "title": shown_title(chunk),
        "chunk_type": chunk["chunk_type"],
        "tier": tier,
        "provisions": details_of(chunk).get("provisions", []),
        "cited": [_cited(provision) for provision in details_of(chunk).get("provisions", [])],
        "url": chunk["url"],
    }


def _cited(provision: str) -> CitedProvision:
    law_id, _, label = provision.partition("#")
    law = known_laws().get(law_id)
    return {
        "law_id": law_id,
        "law": law.short if law else law_id,
        "provision": label,
        "url": provision_url(law_id, label),
    }


class DraftUpdate(TypedDict):
    """The author's reply and its cost."""

    drafted: dict[str, Any]
    cost: Cost


def draft_update(reply: Structured[Any], state: CaseState, language: Language) -> DraftUpdate:
    """Return the update for the author's reply, without links to addresses outside the context."""
    return {
        "drafted": texts_without_foreign_links(
            reply.value.model_dump(), source_addresses(state["context"]), language.translate("rag_link_left_out")
        ),
        "cost": cost_of(reply),
    }
