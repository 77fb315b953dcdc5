"""Charts of a report as PNG: means with intervals, reliability curves and risk-coverage curves.

They need the optional extra ``eval``. Colours are the palette of Okabe and Ito, which colour-blind people
can tell apart. Series also differ in their markers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from articulado.config.extras import importing
from articulado.language.formats import figure
from articulado.values.errors import InvalidInput
from evaluation.statistics import Reliability, RiskCoverage

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9")
MARKS = ("o", "s", "D", "^", "v")
_GREY, _LIGHT = "#555555", "#DDDDDD"
_WIDTH, _DPI = 9.0, 150
_ROW, _MARGIN = 0.24, 1.5
"""Inches: a series of a row, and what is around the rows."""
_LABEL = 34
"""Characters of a line of a label."""
_SPREAD = 0.7
"""Share of a row that its series take."""
_COLUMNS, _CELL = 3, 3.0
"""Of small charts that stand side by side: how many in a row, and inches of each."""
_FIFTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_CONFIDENCE = "Confianza (relevancia del primer fragmento)"


@dataclass(frozen=True)
class Mean:
    """A mean in [0, 1] and its 95 % interval."""

    mean: float
    low: float
    high: float


def interval_chart(
    path: Path, title: str, axis: str, labels: Sequence[str], series: Mapping[str, Sequence[Mean | None]]
) -> None:
    """Draw a row for each label, from the top, with the mean and interval of each series, which has one a label.

    Raises:
        ConfigurationError: matplotlib is not installed.
        InvalidInput: the file cannot be written.
    """
    chart = _figure(_MARGIN + _ROW * max(2, len(series) + 1) * len(labels))
    axes = chart.add_subplot()
    step = _SPREAD / max(1, len(series))
    for index, (name, means) in enumerate(series.items()):
        shift = (index - (len(series) - 1) / 2) * step
        colour, mark = COLOURS[index % len(COLOURS)], MARKS[index % len(MARKS)]
        shown = [(row + shift, value) for row, value in enumerate(means) if value is not None]
        rows, values = [row for row, _ in shown], [value for _, value in shown]
        axes.errorbar(
            [value.mean for value in values],
            rows,
            xerr=[[value.mean - value.low for value in values], [value.high - value.mean for value in values]],
            fmt=mark,
            color=colour,
            markersize=6,
            capsize=3,
            linewidth=1.6,
            label=name,
        )
        for row, value in shown:
            axes.text(1.04, row, figure(value.mean, 3), color=colour, va="center", fontsize=9)
    axes.set_yticks(range(len(labels)), [fill(label, _LABEL) for label in labels])
    axes.set_ylim(len(labels) - 0.5, -0.5)
    for row in range(1, len(labels)):
        axes.axhline(row - 0.5, color=_LIGHT, linewidth=0.8)
    axes.set_xlim(-0.01, 1.02)
    axes.grid(axis="x", color=_LIGHT, linewidth=0.8)
    axes.set_xlabel(axis)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_formatter(_decimal)
    _finish(axes, title)
    if len(series) > 1:
        chart.legend(loc="outside lower center", ncols=len(series), frameon=False)
    _save(chart, path)


def reliability_chart(
    path: Path,
    title: str,
    measured: Reliability,
    *,
    axis: str = _CONFIDENCE,
    unit: str = "preguntas",
    right: str = "acertadas",
) -> None:
    """Draw the share of right questions of each bin over its confidence, beside the diagonal of perfect calibration.

    ``axis`` says what the confidence is, ``unit`` what the questions are called, ``right`` what the right ones are.

    Raises:
        ConfigurationError: matplotlib is not installed.
        InvalidInput: the file cannot be written.
    """
    chart = _figure(6.4, width=7.0)
    axes = chart.add_subplot()
    _draw_reliability(axes, measured, _observed(measured, unit))
    _finish(axes, title)
    axes.set_xlabel(axis)
    axes.set_ylabel(f"Proporción de {unit} {right}")
    chart.legend(loc="outside lower center", frameon=False)
    _save(chart, path)


def reliability_grid(path: Path, title: str, measured: Mapping[str, Reliability], axis: str, outcome: str) -> None:
    """Draw the reliability of several groups of questions, by their names, side by side (see ``reliability_chart``).

    Raises:
        ConfigurationError: matplotlib is not installed.
        InvalidInput: the file cannot be written.
    """
    rows = -(-len(measured) // _COLUMNS)
    chart = _figure(1.0 + _CELL * rows, width=_CELL * _COLUMNS)
    for place, (name, group) in enumerate(measured.items(), start=1):
        axes = chart.add_subplot(rows, _COLUMNS, place)
        _draw_reliability(axes, group, "")
        questions = sum(bin_.count for bin_ in group.bins)
        axes.set_title(f"{fill(name, _LABEL)} ({questions})", loc="left", fontsize=9)
        _plain(axes)
    chart.suptitle(title, x=0.02, ha="left", fontsize=12, fontweight="bold")
    chart.supxlabel(axis, fontsize=10)
    chart.supylabel(outcome, fontsize=10)
    _save(chart, path)


def risk_chart(path: Path, title: str, measured: RiskCoverage) -> None:
    """Draw the share of mistakes over the share of questions that are let through, as steps.

    Raises:
        ConfigurationError: matplotlib is not installed.
        InvalidInput: the file cannot be written.
    """
    chart = _figure(5.6, width=7.0)
    axes = chart.add_subplot()
    known = f"{measured.points[-1].questions} de {measured.total} preguntas, con relevancia"
    coverages = [0.0, *(point.coverage for point in measured.points)]
    risks = [measured.points[0].risk, *(point.risk for point in measured.points)]
    axes.fill_between(coverages, risks, step="pre", color=COLOURS[4], alpha=0.25, linewidth=0)
    axes.step(
        coverages,
        risks,
        where="pre",
        color=COLOURS[0],
        linewidth=1.6,
        label=f"{known}; área = {figure(measured.area, 3)}",
    )
    axes.set_xlim(0, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.grid(color=_LIGHT, linewidth=0.8)
    axes.xaxis.set_major_formatter(_decimal)
    axes.yaxis.set_major_formatter(_decimal)
    _finish(axes, title)
    axes.set_xlabel("Cobertura: parte de las preguntas con esa relevancia o más")
    axes.set_ylabel("Riesgo: parte de ellas que no se acierta")
    chart.legend(loc="outside lower center", frameon=False)
    _save(chart, path)


def _draw_reliability(axes: "Axes", measured: Reliability, label: str) -> None:
    axes.plot([0, 1], [0, 1], linestyle="--", color=_GREY, linewidth=1.2, label="calibración perfecta")
    axes.errorbar(
        [bin_.confidence for bin_ in measured.bins],
        [bin_.right for bin_ in measured.bins],
        yerr=[[bin_.right - bin_.low for bin_ in measured.bins], [bin_.high - bin_.right for bin_ in measured.bins]],
        fmt="o-",
        color=COLOURS[0],
        ecolor=COLOURS[4],
        markersize=6,
        capsize=3,
        linewidth=1.6,
        label=label,
    )
    axes.set_xticks(_FIFTHS)
    axes.set_xlim(0, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_aspect("equal")
    axes.grid(color=_LIGHT, linewidth=0.8)
    axes.xaxis.set_major_formatter(_decimal)
    axes.yaxis.set_major_formatter(_decimal)


def _observed(measured: Reliability, unit: str) -> str:
    counts = sorted({bin_.count for bin_ in measured.bins})
    sizes = "-".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    groups = f"{len(measured.bins)} grupos" if len(measured.bins) > 1 else "un grupo"
    return f"observado, con su intervalo del 95 %: {groups} de {sizes} {unit}; ECE = {figure(measured.ece, 3)}"


def _figure(height: float, width: float = _WIDTH) -> "Figure":
    with importing("eval"):
        from matplotlib.figure import Figure
    return Figure(figsize=(width, height), dpi=_DPI, layout="constrained")


def _finish(axes: "Axes", title: str) -> None:
    axes.set_title(title, loc="left", fontsize=12, fontweight="bold", pad=12)
    _plain(axes)


def _plain(axes: "Axes") -> None:
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _decimal(value: float, _: float) -> str:
    return figure(value, 1)


def _save(chart: "Figure", path: Path) -> None:
    try:
        chart.savefig(path, metadata={"Software": None})
    except OSError as error:
        raise InvalidInput(f"No se puede escribir {path}: {error.strerror or error}. Indique otra carpeta.") from error
