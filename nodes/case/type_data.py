"""Convert free text among the collected data into typed values with the reader model, if configured."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.cases.confidence import MIN_CONFIDENCE
from articulado.cases.typed_data import ChatDataReader, sent_values
from articulado.config.profile import Profile
from articulado.language.languages import Language
from articulado.values.cases import CollectedValue
from articulado.values.errors import ConfigurationError, Cost, ModelError, cost_of
from nodes.case.result import read_case
from state.case import CaseState
from state.context import ResolvedContext


class TypeDataUpdate(TypedDict, total=False):
    """The data with the model's values, and the fields without a value."""

    collected: dict[str, CollectedValue]
    untyped: list[str]
    warnings: list[str]
    cost: Cost


async def type_data(
    state: CaseState,
    runtime: Runtime[ResolvedContext],
    *,
    data_reader: ChatDataReader | None,
    profile: Profile,
    language: Language,
) -> TypeDataUpdate:
    """Let the model read texts that are no valid value of their field; without a model, or if it fails, they stay.

    Reads ``collected``, ``wanted``, ``confidence``, ``failure`` and the keys of ``read_case``.
    """
    if state["failure"] or state["confidence"] < MIN_CONFIDENCE:
        return {"untyped": []}
    read = read_case(state, profile, language)
    given = {datum["field"]: datum["given"] for datum in read.rejected}
    if not given or data_reader is None:
        return {"untyped": read.without_value}
    try:
        reply = await data_reader.read(given, state["wanted"], state["today"], deadline=state.get("deadline"))
    except (ConfigurationError, ModelError) as error:
        return {"untyped": read.without_value, "warnings": [str(error)]}
    values = {name: value for name, value in reply.value.model_dump().items() if value}
    typed = read_case({**state, "collected": _with_values(state, values)}, profile, language)
    taken = {name: values[name] for name in values if name in typed.readings}
    collected = _with_values(state, taken)
    return {
        "collected": collected,
        "untyped": read_case({**state, "collected": collected}, profile, language).without_value,
        "warnings": [
            language.translate("case_typed", field=name, given=given[name], value=value)
            for name, value in taken.items()
        ],
        "cost": cost_of(reply),
    }


def _with_values(state: CaseState, values: dict[str, str]) -> dict[str, CollectedValue]:
    replaced = {
        name for spec in state["wanted"] if spec["field"] in values for name in sent_values(spec, state["collected"])
    }
    return {**{name: value for name, value in state["collected"].items() if name not in replaced}, **values}
