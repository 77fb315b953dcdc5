"""Ask the person for missing data by an interrupt whose value is a ``MissingData``.

Resume with values by field (``Command(resume={"balance": "$10,000"})``), or with ``False`` to continue without data.
"""

import json

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict

from articulado.cases.typed_data import field_schema
from articulado.config.profile import Profile
from articulado.language.languages import Language
from articulado.models.retry import QuestionTime
from articulado.values.cases import CollectedValue, FieldSpec, MissingData, MissingField
from articulado.values.errors import InvalidInput
from nodes.case.result import read_case
from nodes.validation import checked_data
from state.case import CaseState
from state.context import ResolvedContext


class AskMissingUpdate(TypedDict, total=False):
    """The data completed by the answer, and the fields left open."""

    collected: dict[str, CollectedValue]
    left_open: list[str]
    ask_problem: str
    deadline: float


async def ask_missing(
    state: CaseState,
    runtime: Runtime[ResolvedContext],
    *,
    profile: Profile,
    language: Language,
    question_time: QuestionTime,
) -> AskMissingUpdate:
    """Interrupt a run on a thread with the schemas of the fields without a value; a malformed answer is requested
    again.

    Reads ``wanted``, ``untyped``, ``left_open``, ``ask_problem``, ``collected``, ``filters``, ``article_id`` and
    ``article_title``.
    """
    wanted = [name for name in state["untyped"] if name not in state["left_open"]]
    if not runtime.context.ask_missing or not _is_on_thread():
        return {"left_open": state["untyped"]}
    answer = interrupt(_missing(state, wanted, profile, language))
    try:
        sent = checked_data(_as_object(answer))
    except InvalidInput as error:
        # Asked again: a thread keeps the answers of its interrupts, and would fail with this one for good.
        return {"ask_problem": str(error)}
    return {
        "ask_problem": "",
        "collected": {**state["collected"], **sent},
        "left_open": [*state["left_open"], *(name for name in wanted if not sent.get(name))],
        # The person may have taken days.
        "deadline": question_time.clock() + question_time.seconds,
    }


def _as_object(answer: object) -> object:
    """Return an answer with JSON text parsed, as Studio may send it; an empty answer or a no becomes ``{}``."""
    if isinstance(answer, str) and answer.strip().startswith("{"):
        try:
            return json.loads(answer)
        except ValueError:
            return answer
    return answer or {}


def _is_on_thread() -> bool:
    configurable = get_config().get("configurable", {})
    return bool(configurable.get("thread_id")) and configurable.get("__pregel_checkpointer") is not None


def _missing(state: CaseState, wanted: list[str], profile: Profile, language: Language) -> MissingData:
    read = read_case(state, profile, language)
    problems = {datum["field"]: datum for datum in read.rejected}
    fields = [_field(spec, language) for spec in state["wanted"] if spec["field"] in wanted]
    for field in fields:
        if datum := problems.get(field["field"]):
            field["given"], field["problem"] = datum["given"], datum["problem"]
    return {
        "type": "missing_data",
        "article_id": state["article_id"],
        "article_title": state["article_title"],
        "message": state["ask_problem"] or language.translate("case_asks", title=state["article_title"]),
        "fields": fields,
    }


def _field(spec: FieldSpec, language: Language) -> MissingField:
    return {
        "field": spec["field"],
        "description": spec["description"],
        "why_needed": spec["why_needed"],
        "json_schema": field_schema(spec, language),
    }
