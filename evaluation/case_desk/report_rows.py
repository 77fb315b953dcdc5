"""Rows of a report of calibration, for the screen and for Markdown: what was measured before and after."""

from collections.abc import Sequence

from evaluation.case_desk.calibration import BeforeAfter, Decisions
from evaluation.case_desk.curves import CurveComparison
from language.formats import NONE, figure, format_share
from services.case.calibration import Curve
from services.case.confidence import MIN_CONFIDENCE

HEAD = ("", "Antes", "Después", "Diferencia, 95 %")
BINS_HEAD = ("Consultas", "Antes: confianza", "aciertos", "Después: confianza", "aciertos")
KINDS_HEAD = ("Validación cruzada en la mitad del ajuste", "ECE", "Brier")


def comparison_rows(before_after: BeforeAfter) -> list[tuple[str, ...]]:
    """Return ECE, Brier score and what is decided at 0.70, before and after, with the interval of the difference."""
    before, after = before_after.before, before_after.after
    threshold = figure(MIN_CONFIDENCE, 2)
    return [
        ("ECE", _3(before.reliability.ece), _3(after.reliability.ece), format_interval(*before_after.ece)),
        ("  de una confianza exacta", _3(before.exact), _3(after.exact), ""),
        ("Brier", _3(before.brier), _3(after.brier), format_interval(*before_after.brier.interval)),
        (f"Llegan a {threshold}", str(before.decided.accepted), str(after.decided.accepted), ""),
        ("  de ellas, acertadas", _precision(before.decided), _precision(after.decided), ""),
        ("  de ellas, sin respuesta", str(before.decided.unanswerable), str(after.decided.unanswerable), ""),
        (f"Aciertos que llegan a {threshold}", _coverage(before.decided), _coverage(after.decided), ""),
    ]


def bin_rows(before_after: BeforeAfter) -> list[tuple[str, ...]]:
    """Return the reliability curve before and after, bin by bin: both have the same numbers of inquiries."""
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


def kind_rows(kinds: CurveComparison) -> list[tuple[str, str, str]]:
    """Return how each kind of curve does."""
    named = (("Sin calibrar", kinds.raw), ("Logística", kinds.logistic), ("Isotónica", kinds.isotonic))
    return [(name, _3(metrics.ece), _3(metrics.brier)) for name, metrics in named]


def describe_kinds(kinds: CurveComparison) -> str:
    """Say which kind of curve pays."""
    if kinds.isotonic_pays:
        return (
            "La isotónica mejora a la logística en más de lo que explica el azar (diferencia de Brier, "
            f"{format_interval(*kinds.difference.interval)})."
        )
    return (
        "Que la isotónica sea mejor que la logística no está probado (diferencia de Brier, "
        f"{format_interval(*kinds.difference.interval)}): se usa la logística."
    )


def format_curve(curve: Curve) -> str:
    """Write the formula of a curve: "p = 1 / (1 + e^−(12,3·c − 6,1))"."""
    sign = "+" if curve.intercept >= 0 else "−"
    return (
        f"p = 1 / (1 + e^−({figure(curve.slope, 2)}·c {sign} {figure(abs(curve.intercept), 2)})), ajustada con "
        f"{curve.cases} consultas"
    )


def format_auc(before_after: BeforeAfter) -> str:
    """Return the AUC, or a dash where it is not defined."""
    return NONE if before_after.auc is None else _3(before_after.auc)


def format_interval(low: float, high: float) -> str:
    """Write the interval of a difference: "[−0,2; +0,1]"."""
    return f"[{_signed(low)}; {_signed(high)}]"


def format_count(outcomes: Sequence[bool]) -> str:
    """Write how many hold, of how many."""
    return format_share(sum(outcomes), len(outcomes))


def _precision(decisions: Decisions) -> str:
    return format_share(decisions.accepted_right, decisions.accepted)


def _coverage(decisions: Decisions) -> str:
    return format_share(decisions.accepted_right, decisions.right)


def _3(value: float) -> str:
    return figure(value, 3)


def _signed(value: float) -> str:
    rounded = round(value, 3)
    return ("+" if rounded > 0 else "−" if rounded < 0 else "") + _3(abs(rounded))
