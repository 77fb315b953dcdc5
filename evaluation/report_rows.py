"""Rows of a report's tables: the metrics of a configuration, and what it gives against another."""

from evaluation.configuration import Configuration
from evaluation.findings import Step
from evaluation.metrics import MAIN, P_3_NORMALISED
from evaluation.report_text import interval_text
from language.formats import figure

SHOWN = (MAIN, "R@20", "hit@1", "hit@3", P_3_NORMALISED, "RR")
"""Metrics of a table, in its order; the JSON report has all."""

COMPARED = ("p", "mejor / igual / peor")
"""Columns after the difference itself."""

NOT_COMPARED = ["–", "–", "–"]


def metric_row(one: Configuration) -> list[str]:
    """Return the name and the metrics with their intervals; nothing is known without a question with an answer."""
    known = one.means
    return [one.name, *(interval_text(known[name], one.intervals[name]) if name in known else "–" for name in SHOWN)]


def difference(one: Step) -> list[str]:
    """Return the paired difference with its interval, p, and on how many questions it is better, the same, worse."""
    if one.against is None:
        return NOT_COMPARED
    paired = one.against
    low, high = paired.interval
    change = f"{_signed(paired.difference)} [{_signed(low)}; {_signed(high)}]"
    return [change, figure(paired.p, 4), f"{paired.wins} / {paired.ties} / {paired.losses}"]


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + figure(value, 3).replace("-", "−")
