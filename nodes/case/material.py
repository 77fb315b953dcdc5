"""What the author of a case is given, and what is known of the case."""

from collections.abc import Sequence

from services.case.author import CaseMaterial
from services.case.collected import missing
from services.case.context import article_title, render
from state.articles import FieldSpec
from state.case import CaseState


def known_data(state: CaseState) -> dict[str, str]:
    """Return all data of a case: what was collected, and the filter fields, which may be data that it needs."""
    return {**state["filters"], **state["collected"]}


def material_of(state: CaseState, answer_tokens: int, wanted: Sequence[FieldSpec] = ()) -> CaseMaterial:
    """Return what the state holds of a case, for an author; ``wanted`` is what the case needs."""
    chunks = [found["chunk"] for found in state["context"]]
    article = state["article_id"]
    return CaseMaterial(
        inquiry=state["inquiry"],
        chunks=chunks,
        context=render(chunks),
        article_id=article,
        article_title=next((article_title(chunk) for chunk in chunks if chunk["law_id"] == article), article),
        answer_tokens=answer_tokens,
        filters={**state["assumed"], **state["filters"]},
        collected=state["collected"],
        missing=missing(wanted, known_data(state)),
    )
