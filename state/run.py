"""Keys and reducers that all runs share, and the state of the retrieval subgraph."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from langgraph.channels import UntrackedValue
from typing_extensions import TypedDict, is_typeddict

from articulado.values.answers import Days, StoreName, TurnQuestion, Usage
from articulado.values.chunks import Candidate
from articulado.values.protocols import SearchScope


def add_usage(total: Usage | None, delta: Usage) -> Usage:
    """Add up the usage of one turn (reducer).

    The first record of a later turn starts anew; late records of an earlier, cancelled turn are ignored.
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
    """Return the warnings of a turn in order, each once (reducer).

    The opening stage resets them with ``langgraph.types.Overwrite``.
    """
    return list(dict.fromkeys([*total, *delta]))


class Totals(TypedDict, total=False):
    """Keys that several stages add to."""

    warnings: Annotated[list[str], add_warnings]
    usage: Annotated[Usage, add_usage]


class Frame(TypedDict, total=False):
    """Keys that the opening stage sets for all later stages.

    - ``turn``: number of the turn in its thread; ``store``: the store that answers.
    - ``deadline``: Unix time in seconds after which no model call begins; never checkpointed, so that a resumed run is
      not late from the start.
    - ``today``: day of the run; ``as_of``: day whose law is asked for (ISO 8601; ``None``: today).
    - ``turn_question``: the question completed by its conversation.
    """

    turn: int
    deadline: Annotated[float, UntrackedValue]
    store: StoreName
    today: str
    as_of: str | None
    turn_question: TurnQuestion


def days_of(state: Frame) -> Days:
    as_of = state["as_of"]
    return Days(date.fromisoformat(as_of) if as_of else None, date.fromisoformat(state["today"]))


S = TypeVar("S")


def at_rest(schema: type[S]) -> S:
    """Return the initial value of each key of a state, derived from its type.

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
    if is_typeddict(hint):
        return lambda: at_rest(hint)
    value: Callable[[], Any] = get_origin(hint) or hint
    return value


class Search(TypedDict):
    """Keys of a search.

    - ``queries``: searches of the reader; ``searches``: those and the question, as searched.
    - ``scope``: limits of a case search; ``lexical_only``: the embedder failed.
    - ``direct``: candidates that the question names; ``found``: results; ``candidates``: all with their references.
    - ``refetched``: candidates were added that the model has not read; they are reranked without another search.
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
    """Candidates of the last answer, and ids that the index lost; a parallel stage writes them at the start."""

    carried: list[Candidate]
    missing_carried: list[int]


class RetrievalState(Totals, Frame, Search, Carried):
    """All keys of the retrieval subgraph."""


class RetrievalInput(Frame, Search, Carried):
    """Input of the subgraph: all keys but the totals, which it counts for itself."""


class RetrievalOutput(Totals, total=False):
    """Output of the subgraph."""

    lexical_only: bool
    found: list[Candidate]
    candidates: list[Candidate]


def may_be_cited(candidates: Iterable[Candidate], question: TurnQuestion) -> list[Candidate]:
    """Return the candidates without agreements that do not apply to the question."""
    excluded = frozenset(question["excluded_laws"])
    return [candidate for candidate in candidates if candidate["chunk"]["law_id"] not in excluded]


def carried_over(state: RetrievalState) -> list[Candidate]:
    """Return the candidates of the last answer, unless the turn changes the subject."""
    return [] if state["turn_question"]["new_topic"] else state.get("carried", [])
