"""Rows about the turns of conversations, for the screen and for Markdown."""

from collections.abc import Sequence

from articulado.language.formats import NONE, figure
from evaluation.answers.tally import Share
from evaluation.conversations.tally import ConversationTally, Turns
from evaluation.conversations.turns import TurnResult
from evaluation.gold.provisions import Provision, key_of
from evaluation.report.tables import display_names

TURNS_HEAD = ("Turnos", "n", "hit@3", "leído", "conserva", "n", "sobra", "citado", "n", "rechaza")
TURNS_LEGEND = (
    "hit@3: un precepto que responde está entre los tres primeros que se citan; leído: está entre lo que leyó el "
    "modelo (los turnos que no preguntan nada no cuentan en ninguno de los dos). Conserva: preceptos de turnos "
    "anteriores que aún debía leer y lee. Sobra: preceptos que no debía leer y lee; citado: y además cita. Rechaza: "
    "no se contesta."
)

_DECIMALS = 3


def turn_rows(tally: ConversationTally) -> list[tuple[str, ...]]:
    """Return all turns, those of each number, all but the first, and those of each kind."""
    groups = {"todos": tally.all}
    groups |= {f"turno {number}": turns for number, turns in tally.by_number.items()}
    if tally.later.turns:
        groups["del 2 en adelante"] = tally.later
    return [(name, *_cells(turns)) for name, turns in [*groups.items(), *tally.by_kind.items()]]


def describe_turn(result: TurnResult) -> str:
    """Say what was expected of a turn, and what went wrong with it."""
    parts = [f"Se esperaba: {display_names(_best(result))}. Se cita: {display_names(result.cited)}"]
    if lost := [provision for provision in result.turn.must_keep if provision not in result.kept]:
        parts.append(f"Se pierde: {display_names(lost)}")
    if result.intruding:
        parts.append(f"Sobra: {display_names(result.intruding)}")
    return ". ".join(parts) + "."


def _best(result: TurnResult) -> Sequence[Provision]:
    return [provision for provision in result.turn.relevant if key_of(provision) in result.turn.answering]


def _cells(turns: Turns) -> tuple[str, ...]:
    return (
        str(turns.turns),
        _value(turns.hit),
        _value(turns.read),
        _value(turns.kept),
        str(turns.kept.total),
        _value(turns.intruding),
        _value(turns.intruding_cited),
        str(turns.intruding.total),
        _value(turns.refused),
    )


def _value(share: Share) -> str:
    return NONE if share.value is None else figure(share.value, _DECIMALS)
