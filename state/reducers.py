"""Reducers of state keys that several nodes write."""

from articulado.values.answers import Usage

FIRST_STAGE = "accept"
"""The stage that opens an ingest."""


def add_usage(total: Usage | None, delta: Usage) -> Usage:
    """Return the usage of one turn added up; the first record of a later turn starts anew.

    A record of an earlier turn (a late writer of a cancelled run) is ignored.
    """
    # LangGraph starts the channel of a TypedDict with an empty one.
    if not total or delta["turn"] > total["turn"]:
        return delta
    if delta["turn"] < total["turn"]:
        return total
    stages = dict(total["stages"])
    for stage, milliseconds in delta["stages"].items():
        stages[stage] = round(stages.get(stage, 0.0) + milliseconds, 3)
    return {
        "turn": total["turn"],
        "model_calls": total["model_calls"] + delta["model_calls"],
        "tokens": {
            "input": total["tokens"]["input"] + delta["tokens"]["input"],
            "output": total["tokens"]["output"] + delta["tokens"]["output"],
        },
        "stages": stages,
    }


def add_seconds(total: dict[str, float] | None, delta: dict[str, float]) -> dict[str, float]:
    """Return the seconds of each stage of an ingest added up; the first stage of a run starts anew."""
    if not total or FIRST_STAGE in delta:
        return delta
    return total | {stage: round(total.get(stage, 0.0) + seconds, 3) for stage, seconds in delta.items()}
