"""Chart of reliability as PNG: the share of right questions of each bin over its confidence.

It needs the optional extra ``eval``. Colours are of the palette of Okabe and Ito, which colour-blind people can tell
apart.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from articulado.config.extras import importing
from articulado.language.formats import figure
from articulado.values.errors import InvalidInput
from evaluation.statistics import Reliability

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LINE, _INTERVAL = "#0072B2", "#56B4E9"
_GREY, _LIGHT = "#555555", "#DDDDDD"
_SIZE, _DPI = (7.0, 6.4), 150
_FIFTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_CONFIDENCE = "Confianza (relevancia del primer fragmento)"


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
    chart = _figure()
    axes = chart.add_subplot()
    _draw_reliability(axes, measured, _observed(measured, unit))
    _finish(axes, title)
    axes.set_xlabel(axis)
    axes.set_ylabel(f"Proporción de {unit} {right}")
    chart.legend(loc="outside lower center", frameon=False)
    _save(chart, path)


def _draw_reliability(axes: "Axes", measured: Reliability, label: str) -> None:
    axes.plot([0, 1], [0, 1], linestyle="--", color=_GREY, linewidth=1.2, label="calibración perfecta")
    axes.errorbar(
        [bin_.confidence for bin_ in measured.bins],
        [bin_.right for bin_ in measured.bins],
        yerr=[[bin_.right - bin_.low for bin_ in measured.bins], [bin_.high - bin_.right for bin_ in measured.bins]],
        fmt="o-",
        color=_LINE,
        ecolor=_INTERVAL,
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


def _figure() -> "Figure":
    with importing("eval"):
        from matplotlib.figure import Figure
    return Figure(figsize=_SIZE, dpi=_DPI, layout="constrained")


def _finish(axes: "Axes", title: str) -> None:
    axes.set_title(title, loc="left", fontsize=12, fontweight="bold", pad=12)
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
