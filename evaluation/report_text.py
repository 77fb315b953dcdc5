"""Pieces of Markdown that sections of a report share."""

from collections.abc import Sequence

from evaluation.provisions import Provision
from language.formats import figure
from legal.laws.registry import known_laws

VOICES = {"lay": "legas", "professional": "profesionales"}
"""How a reader knows the voices of a gold set."""


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; what would break a cell (a bar, a line break) is altered."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def interval_text(mean: float, bounds: tuple[float, float]) -> str:
    """Return a mean with its interval: "0,553 [0,487; 0,615]"."""
    low, high = bounds
    return f"{figure(mean, 3)} [{figure(low, 3)}; {figure(high, 3)}]"


def name_of(named: Provision) -> str:
    """Return a provision as a person knows it: "Estatuto de los Trabajadores, Artículo 38"."""
    law_id, label = named
    law = known_laws().get(law_id)
    return f"{law.short if law else law_id}, {label}"


def names_of(provisions: Sequence[Provision]) -> str:
    """Return provisions in a row; "nada" without any."""
    return "; ".join(map(name_of, provisions)) or "nada"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
