"""Keys that every question or case has in its run, and the state of the retrieval subgraph.

``at_rest`` derives the value of each key at the start of a turn from the definition of a state. ``add_usage`` and
``add_warnings`` are the reducers of the keys that several stages add to.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from langgraph.channels import UntrackedValue
from typing_extensions import TypedDict

from articulado.values.answers import Days, StoreName, TurnQuestion, Usage
from articulado.values.chunks import Candidate
from articulado.values.protocols import SearchScope


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


def add_warnings(total: Sequence[str], delta: Sequence[str]) -> list[str]:
    """Return the warnings of a turn in the order in which they were given, each once.

    The stage that opens a turn starts anew with ``langgraph.types.Overwrite``.
    """
    return list(dict.fromkeys([*total, *delta]))


class Totals(TypedDict, total=False):
    """Keys that several stages add to."""

    warnings: Annotated[list[str], add_warnings]
    usage: Annotated[Usage, add_usage]


class Frame(TypedDict, total=False):
    """Keys that the opening stage of a run decides for all later stages.

    ``turn`` counts the turns of a thread. ``deadline`` is a Unix time in seconds after which no model call begins; it
    is never checkpointed, so that a run resumed from a checkpoint is not late from the start. ``store`` answers;
    ``today`` is the day of the run, and ``as_of`` the day whose law is asked for (ISO 8601; ``None``: today).
    ``turn_question`` is the question as its conversation makes it complete.
    """

    turn: int
    deadline: Annotated[float, UntrackedValue]
    store: StoreName
    today: str
    as_of: str | None
    turn_question: TurnQuestion


def days_of(state: Frame) -> Days:
    """Return the days of a run as dates."""
    as_of = state["as_of"]
    return Days(date.fromisoformat(as_of) if as_of else None, date.fromisoformat(state["today"]))


S = TypeVar("S")


def at_rest(schema: type[S]) -> S:
    """Return each key of a state with the value that it has when a turn begins.

    The value follows from the type: an empty list, dictionary or text, ``False``, 0, ``None`` for an optional value,
    and the first of several literals.

    >>> class Example(TypedDict):
    ...     texts: list[str]
    ...     day: str | None
    ...     outcome: Literal["answer", "ask"]
    >>> at_rest(Example)
    {'texts': [], 'day': None, 'outcome': 'answer'}
    """
    values: Any = {key: value() for key, value in _rests(cast(Hashable, schema)).items()}
    return cast(S, values)


@cache
def _rests(schema: Hashable) -> Mapping[str, Callable[[], Any]]:
    return {key: _rest(hint) for key, hint in get_type_hints(schema).items()}


def _rest(hint: Any) -> Callable[[], Any]:
    if get_origin(hint) in (Union, UnionType):
        members = get_args(hint)
        return type(None) if type(None) in members else _rest(members[0])
    if get_origin(hint) is Literal:
        return lambda: get_args(hint)[0]
    value: Callable[[], Any] = get_origin(hint) or hint
    return value


class Search(TypedDict):
    """Keys of a search.

    ``queries`` are the searches of the reader, ``searches`` the texts that are searched for: those, and it may be the
    words of the question. ``scope`` limits the search of a case. ``lexical_only`` is set if the embedder failed.
    ``direct`` are the candidates that the question names, ``found`` those of the search, ``candidates`` all of them
    with what they cite. ``refetched`` is set if candidates were fetched that the model has not read: then the
    candidates are ranked again, and not searched for.
    """

    scope: SearchScope | None
    queries: list[str]
    searches: list[str]
    lexical_only: bool
    direct: list[Candidate]
    found: list[Candidate]
    candidates: list[Candidate]
    refetched: bool


class Carried(TypedDict, total=False):
    """Candidates on which the last answer rested, and ids of those that the index no longer has.

    They are written beside the stage that opens the turn, and so are no part of its reset.
    """

    carried: list[Candidate]
    missing_carried: list[int]


class RetrievalState(Totals, Frame, Search, Carried):
    """All keys of the retrieval subgraph."""


class RetrievalInput(Frame, Search, Carried):
    """Keys that the subgraph takes over: all but the totals, which it reports for itself alone."""


class RetrievalOutput(Totals, total=False):
    """Keys that the subgraph gives back."""

    lexical_only: bool
    found: list[Candidate]
    candidates: list[Candidate]


def may_be_cited(candidates: Iterable[Candidate], question: TurnQuestion) -> list[Candidate]:
    """Return the candidates without those of agreements other than the ones that apply to the question."""
    excluded = frozenset(question["excluded_laws"])
    return [candidate for candidate in candidates if candidate["chunk"]["law_id"] not in excluded]


def carried_over(state: RetrievalState) -> list[Candidate]:
    """Return the candidates on which the last answer rested, as long as the turn stays on its subject."""
    return [] if state["turn_question"]["new_topic"] else state.get("carried", [])
