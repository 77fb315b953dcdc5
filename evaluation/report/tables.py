"""Tables in Markdown, and their rows and cells, which the sections of a report share."""

from collections.abc import Sequence

from articulado.language.formats import NONE, figure
from articulado.legal.laws.registry import known_laws
from evaluation.gold.provisions import Provision
from evaluation.report.findings import Step
from evaluation.retrieval.evaluate import Configuration
from evaluation.retrieval.metrics import MAIN, P_3_NORMALISED
from evaluation.statistics.reliability import Reliability

VOICES = {"lay": "legas", "professional": "profesionales"}
"""How a reader knows the voices of a gold set."""

SHOWN = (MAIN, "R@20", "hit@1", "hit@3", P_3_NORMALISED, "RR")
"""Metrics of a table, in its order; the JSON report has all."""

COMPARED = ("p", "mejor / igual / peor")
"""Columns after the difference itself."""

NOT_COMPARED = [NONE] * 3
"""Cells of the first row of a table, which has none before it."""


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; what would break a cell (a bar, a line break) is altered."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def interval_text(mean: float, bounds: tuple[float, float]) -> str:
    """Return a mean with its interval.

    >>> interval_text(0.553, (0.487, 0.615))
    '0,553 [0,487; 0,615]'
    """
    low, high = bounds
    return f"{figure(mean, 3)} [{figure(low, 3)}; {figure(high, 3)}]"


def bin_rows(measured: Reliability) -> list[list[str]]:
    """Return mean confidence, share of right questions with its interval, and number of questions of each bin."""
    return [
        [figure(bin_.confidence, 3), interval_text(bin_.right, (bin_.low, bin_.high)), str(bin_.count)]
        for bin_ in measured.bins
    ]


def display_name(provision: Provision) -> str:
    """Return a provision as a person knows it: "Estatuto de los Trabajadores, Artículo 38"."""
    law_id, label = provision
    law = known_laws().get(law_id)
    return f"{law.short if law else law_id}, {label}"


def display_names(provisions: Sequence[Provision]) -> str:
    """Return provisions in a row; "nada" without any."""
    return "; ".join(map(display_name, provisions)) or "nada"


def metric_row(configuration: Configuration) -> list[str]:
    """Return the name and the metrics with their intervals; nothing is known without a question with an answer."""
    means = configuration.means
    return [
        configuration.name,
        *(interval_text(means[name], configuration.intervals[name]) if name in means else NONE for name in SHOWN),
    ]


def difference(step: Step) -> list[str]:
    """Return the paired difference with its interval, p, and on how many questions it is better, the same, worse."""
    if step.against is None:
        return NOT_COMPARED
    paired = step.against
    low, high = paired.interval
    change = f"{_signed(paired.difference)} [{_signed(low)}; {_signed(high)}]"
    return [change, figure(paired.p, 4), f"{paired.wins} / {paired.ties} / {paired.losses}"]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + figure(value, 3).replace("-", "−")
