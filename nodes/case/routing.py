"""The conditional edges of the case graphs: pure functions of the state."""

from typing import Literal

from state.case import CaseState


def after_select_required(state: CaseState) -> Literal["extract_fields", "close_required_data"]:
    """Ask the author only where there is something to read."""
    return "close_required_data" if state["failure"] else "extract_fields"


def after_select_tiers(state: CaseState) -> Literal["write_response", "close_response"]:
    """Ask the author only where there is something to answer from."""
    return "close_response" if state["failure"] else "write_response"
