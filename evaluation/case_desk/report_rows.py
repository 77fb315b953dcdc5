"""Rows of a report of calibration, for the screen and for Markdown: what was measured before and after."""

from collections.abc import Sequence

from evaluation.case_desk.calibration import BeforeAfter, Decided
from evaluation.case_desk.curves import CurveKinds
from language.formats import figure
from services.case.calibration import Curve
from services.case.confidence import MIN_CONFIDENCE

HEAD = ("", "Antes", "Después", "Diferencia, 95 %")
BINS_HEAD = ("Consultas", "Antes: confianza", "aciertos", "Después: confianza", "aciertos")
KINDS_HEAD = ("Validación cruzada en la mitad del ajuste", "ECE", "Brier")
NONE = "–"


def rows_of(found: BeforeAfter) -> list[tuple[str, ...]]:
    """Return ECE, Brier score and what is decided at 0.70, before and after, with the interval of the difference."""
    before, after = found.before, found.after
    least = figure(MIN_CONFIDENCE, 2)
    return [
        ("ECE", _3(before.reliability.ece), _3(after.reliability.ece), between(*found.ece)),
        ("  de una confianza exacta", _3(before.exact), _3(after.exact), ""),
        ("Brier", _3(before.brier), _3(after.brier), between(*found.brier.interval)),
        (f"Llegan a {least}", str(before.decided.accepted), str(after.decided.accepted), ""),
        ("  de ellas, acertadas", _precision(before.decided), _precision(after.decided), ""),
        ("  de ellas, sin respuesta", str(before.decided.unanswerable), str(after.decided.unanswerable), ""),
        (f"Aciertos que llegan a {least}", _coverage(before.decided), _coverage(after.decided), ""),
    ]


def bin_rows(found: BeforeAfter) -> list[tuple[str, ...]]:
    """Return the reliability curve before and after, bin by bin: both have the same numbers of inquiries."""
    pairs = zip(found.before.reliability.bins, found.after.reliability.bins, strict=True)
    return [
        (
            str(one.count),
            figure(one.confidence, 2),
            figure(one.right, 2),
            figure(two.confidence, 2),
            figure(two.right, 2),
        )
        for one, two in pairs
    ]


def kind_rows(kinds: CurveKinds) -> list[tuple[str, str, str]]:
    """Return how each kind of curve does."""
    named = (("Sin calibrar", kinds.raw), ("Logística", kinds.logistic), ("Isotónica", kinds.isotonic))
    return [(name, _3(one.ece), _3(one.brier)) for name, one in named]


def kinds_said(kinds: CurveKinds) -> str:
    """Say which kind of curve pays."""
    if kinds.isotonic_pays:
        return (
            "La isotónica mejora a la logística en más de lo que explica el azar (diferencia de Brier, "
            f"{between(*kinds.difference.interval)})."
        )
    return (
        "Que la isotónica sea mejor que la logística no está probado (diferencia de Brier, "
        f"{between(*kinds.difference.interval)}): se usa la logística."
    )


def curve_said(curve: Curve) -> str:
    """Write the formula of a curve: "p = 1 / (1 + e^−(12,3·c − 6,1))"."""
    sign = "+" if curve.intercept >= 0 else "−"
    return (
        f"p = 1 / (1 + e^−({figure(curve.slope, 2)}·c {sign} {figure(abs(curve.intercept), 2)})), ajustada con "
        f"{curve.cases} consultas"
    )


def auc_said(found: BeforeAfter) -> str:
    """Return the AUC, or a dash where it is not defined."""
    return NONE if found.auc is None else _3(found.auc)


def between(low: float, high: float) -> str:
    """Write the interval of a difference: "[−0,2; +0,1]"."""
    return f"[{_signed(low)}; {_signed(high)}]"


def shares(done: int, of: int) -> str:
    """Write a share with its numbers: "12/15 (80 %)"."""
    return f"{done}/{of} ({figure(100 * done / of)} %)" if of else NONE


def totals(counts: Sequence[bool]) -> str:
    """Write how many hold, of how many."""
    return shares(sum(counts), len(counts))


def _precision(found: Decided) -> str:
    return shares(found.accepted_right, found.accepted)


def _coverage(found: Decided) -> str:
    return shares(found.accepted_right, found.right)


def _3(value: float) -> str:
    return figure(value, 3)


def _signed(value: float) -> str:
    rounded = round(value, 3)
    return ("+" if rounded > 0 else "−" if rounded < 0 else "") + _3(abs(rounded))
