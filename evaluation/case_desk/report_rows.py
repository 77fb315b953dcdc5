"""Rows of a report of calibration, for the screen and for Markdown: what was measured before and after."""

from articulado.cases.confidence import MIN_CONFIDENCE, Curve
from articulado.language.formats import NONE, figure, format_share
from evaluation.case_desk.calibration import Accepted, BeforeAfter, ConfidenceMetrics
from evaluation.case_desk.cases import Kind
from evaluation.case_desk.decisions import Decisions, KindCounts, total

HEAD = ("", "Antes", "Después", "Diferencia, 95 %")
BINS_HEAD = ("Casos", "Antes: confianza", "aciertos", "Después: confianza", "aciertos")
DECISIONS_HEAD = ("Clase de caso", "Casos", "Bien decididos", "Siguen", "sin deber", "Datos vistos")

KIND_NAMES: dict[Kind, str] = {
    "complete": "completo",
    "rule": "una regla lo para",
    "bad_value": "un dato no vale",
    "missing": "le faltan datos",
    "other_matter": "de otra materia",
    "other_article": "de otro artículo",
    "wrong_keeper": "nombra otro valor",
}
"""How a reader knows the classes of cases."""


def comparison_rows(before_after: BeforeAfter) -> list[tuple[str, ...]]:
    """Return ECE, Brier score and what is decided at 0.70, before and after, with the interval of the difference."""
    before, after = before_after.before, before_after.after
    threshold = figure(MIN_CONFIDENCE, 2)
    return [
        ("ECE", _3(before.reliability.ece), _3(after.reliability.ece), format_interval(*before_after.ece)),
        ("  de una confianza exacta", _3(before.exact), _3(after.exact), ""),
        ("Brier", _3(before.brier), _3(after.brier), format_interval(*before_after.brier.interval)),
        ("AUC", _auc(before), _auc(after), ""),
        (f"Llegan a {threshold}", str(before.accepted.accepted), str(after.accepted.accepted), ""),
        ("  de ellos, acertados", _precision(before.accepted), _precision(after.accepted), ""),
        ("  de ellos, sin artículo", str(before.accepted.unanswerable), str(after.accepted.unanswerable), ""),
        (f"Aciertos que llegan a {threshold}", _coverage(before.accepted), _coverage(after.accepted), ""),
    ]


def bin_rows(before_after: BeforeAfter) -> list[tuple[str, ...]]:
    """Return the reliability curve before and after, bin by bin: both have the same numbers of cases."""
    pairs = zip(before_after.before.reliability.bins, before_after.after.reliability.bins, strict=True)
    return [
        (
            str(old.count),
            figure(old.confidence, 2),
            figure(old.right, 2),
            figure(new.confidence, 2),
            figure(new.right, 2),
        )
        for old, new in pairs
    ]


def decision_rows(decisions: Decisions) -> list[tuple[str, ...]]:
    """Return what is decided on the cases of each class and, where there are several, on all of them."""
    rows = [_decision_row(KIND_NAMES[kind], counts) for kind, counts in decisions.items()]
    return [*rows, _decision_row("todos", total(decisions))] if len(rows) > 1 else rows


def format_curve(curve: Curve) -> str:
    """Write the formula of a curve over log odds: "p = 1 / (1 + e^−(0,95·x − 0,10))"."""
    sign = "+" if curve.intercept >= 0 else "−"
    return (
        f"p = 1 / (1 + e^−({figure(curve.slope, 2)}·x {sign} {figure(abs(curve.intercept), 2)})), ajustada con "
        f"{curve.cases} casos"
    )


def format_interval(low: float, high: float) -> str:
    """Write the interval of a difference: "[−0,2; +0,1]"."""
    return f"[{_signed(low)}; {_signed(high)}]"


def format_found(before_after: BeforeAfter) -> str:
    """Write how many of the cases that have an article are served with it."""
    served = [case.served for case in before_after.scored if case.served.case.answerable]
    return format_share(sum(result.right for result in served), len(served))


def _decision_row(name: str, counts: KindCounts) -> tuple[str, ...]:
    return (
        name,
        str(counts.cases),
        format_share(counts.right, counts.cases),
        str(counts.on),
        f"{counts.let_on}/{counts.must_stop}" if counts.must_stop else NONE,
        f"{counts.fields_named}/{counts.fields}" if counts.fields else NONE,
    )


def _auc(metrics: ConfidenceMetrics) -> str:
    return NONE if metrics.auc is None else _3(metrics.auc)


def _precision(accepted: Accepted) -> str:
    return format_share(accepted.accepted_right, accepted.accepted)


def _coverage(accepted: Accepted) -> str:
    return format_share(accepted.accepted_right, accepted.right)


def _3(value: float) -> str:
    return figure(value, 3)


def _signed(value: float) -> str:
    rounded = round(value, 3)
    return ("+" if rounded > 0 else "−" if rounded < 0 else "") + _3(abs(rounded))
