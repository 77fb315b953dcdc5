"""Tables and charts of a report."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from articulado.config.extras import importing
from articulado.language.formats import NONE, figure, format_share
from articulado.legal.laws.registry import known_laws
from articulado.values.errors import InvalidInput
from evaluation.answers.answers import Trait
from evaluation.answers.tally import Answerable, Calibration, Lengths, Outcomes, RelevanceReport, Share, Unanswerable
from evaluation.conversations import ConversationTally, TurnResult, Turns
from evaluation.gold.questions import Provision, key_of
from evaluation.report.findings import Step
from evaluation.retrieval.evaluate import Configuration
from evaluation.retrieval.run import MAIN, P_3_NORMALISED
from evaluation.statistics import Point, Reliability

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


ANSWERABLE_HEAD = ("Preguntas con respuesta en la norma", "De todas")
UNANSWERABLE_HEAD = ("Sin respuesta", "Declinadas", "Repregunta", "Con aviso", "Contestadas")
FORM_HEAD = ("Lo que escribe el modelo", "De todo")
RISK_HEAD = ("Cobertura", "Relevancia mínima", "Riesgo")
CATEGORIES_HEAD = ("Categoría", "Relevancia media", "Con respuesta", "ECE", "Brier")
ALL = "todas"

_TRAITS: Mapping[Trait, str] = {
    "no_delimiter": "Sin el separador",
    "no_used": "Sin la línea USED",
    "no_drop": "Sin la línea DROP",
    "unknown_marks": "Con marcas de fragmentos que no hay",
    "protocol_words": "Con palabras de la autoevaluación a la vista",
    "fragment_words": "Con la palabra «fragmento» a la vista",
    "needs": "Pide algo con NEED",
    "second_answer": "Responde otra vez, con lo que pedía",
    "asked_again": "Se le pide lo mismo otra vez",
}
"""How a reader knows the traits of what a model wrote."""

_COVERAGES = 10
"""Rows of a risk-coverage curve: one for each tenth of the questions."""
_CLOSE = 1e-9


def answerable_rows(answerable: Answerable) -> list[tuple[str, str]]:
    """Return what became of the questions with an answer, and what their answers are worth."""
    shares, refused_by = answerable.outcomes.shares, answerable.outcomes.refused_by
    return [
        ("Contestadas", _share(shares["answer"])),
        ("Con los preceptos más próximos y un aviso", _share(shares["near"])),
        ("  con uno que responde, de estas", _share(answerable.near_right)),
        ("Se repregunta", _share(shares["ask"])),
        ("Declinadas sin razón", _share(shares["decline"])),
        ("  sin llamar al modelo, de estas", _share(refused_by["gate"])),
        ("  por el modelo, de estas", _share(refused_by["principal"])),
        ("Se cita primero un precepto que responde", _share(answerable.first)),
        ("  entre los dos primeros", _share(answerable.first_two)),
        ("Hechos esperados que las respuestas contienen", _share(answerable.facts)),
        ("Palabras: mediana, percentil 90, máximo (respuestas)", _lengths(answerable.words)),
    ]


def unanswerable_rows(unanswerable: Unanswerable) -> list[tuple[str, ...]]:
    """Return what became of the questions without an answer: all of them, then each category."""
    groups = {ALL: unanswerable.outcomes, **unanswerable.by_category}
    return [(name, *_outcome_cells(outcomes)) for name, outcomes in groups.items()]


def form_rows(form: Mapping[Trait, Share]) -> list[tuple[str, str]]:
    """Return the traits of what a chat model wrote."""
    return [(_TRAITS[trait], _share(share)) for trait, share in form.items()]


def describe_refusers(outcomes: Outcomes) -> str:
    """Say what declined the questions that were declined."""
    gate, principal = outcomes.refused_by["gate"], outcomes.refused_by["principal"]
    return f"De las declinadas, sin llamar al modelo {_share(gate)}; por el modelo {_share(principal)}."


def describe_relevance(report: RelevanceReport) -> str:
    """Say over how many questions relevance is known, and its errors."""
    whole = report.calibration
    return (
        f"Relevancia de {whole.answerable.total} preguntas, de {report.risk.total}: área de riesgo y cobertura "
        f"{figure(report.risk.area, 3)}, ECE {figure(whole.reliability.ece, 3)}, Brier {figure(whole.brier, 3)}."
    )


def risk_rows(report: RelevanceReport) -> list[tuple[str, str, str]]:
    """Return the first point that reaches each tenth of the questions, each point once, and the last one."""
    points = report.risk.points
    shown: dict[Point, None] = {}
    for tenth in range(1, _COVERAGES + 1):
        reached = (point for point in points if point.coverage >= tenth / _COVERAGES - _CLOSE)
        shown[next(reached, points[-1])] = None
    return [
        (
            format_share(point.questions, report.risk.total),
            figure(point.threshold, 3),
            format_share(point.wrong, point.questions),
        )
        for point in shown
    ]


def category_rows(report: RelevanceReport) -> list[tuple[str, ...]]:
    """Return relevance beside the share of answerable questions: of all, then of each category."""
    return [_calibration(name, group) for name, group in {ALL: report.calibration, **report.by_category}.items()]


def _calibration(name: str, group: Calibration) -> tuple[str, ...]:
    errors = (group.reliability.ece, group.brier)
    return (name, figure(group.mean, 3), _share(group.answerable), *(figure(error, 3) for error in errors))


def _outcome_cells(outcomes: Outcomes) -> tuple[str, ...]:
    shares = outcomes.shares
    return tuple(map(_share, (shares["decline"], shares["ask"], shares["near"], shares["answer"])))


def _lengths(words: Lengths | None) -> str:
    if words is None:
        return NONE
    return f"{figure(words.median)}, {figure(words.p90)}, {words.maximum} ({words.answers})"


def _share(share: Share) -> str:
    return format_share(share.count, share.total)


TURNS_HEAD = ("Turnos", "n", "hit@3", "leído", "conserva", "n", "sobra", "citado", "n", "rechaza")
TURNS_LEGEND = (
    "hit@3: un precepto que responde está entre los tres primeros que se citan; leído: está entre lo que leyó el "
    "modelo (los turnos que no preguntan nada no cuentan en ninguno de los dos). Conserva: preceptos de turnos "
    "anteriores que aún debía leer y lee. Sobra: preceptos que no debía leer y lee; citado: y además cita. Rechaza: "
    "no se contesta."
)

_TURN_DECIMALS = 3


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
    return NONE if share.value is None else figure(share.value, _TURN_DECIMALS)
