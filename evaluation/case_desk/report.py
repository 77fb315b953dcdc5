"""Report on confidence and decisions of cases, in JSON, Markdown and charts.

The same findings give the same files, byte for byte.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from articulado.cases.matching import MIN_CONFIDENCE, CaseGraph, Curve
from articulado.language.formats import NONE, figure, format_share
from articulado.language.translation import reason
from articulado.values.errors import InvalidInput
from evaluation.case_desk.cases import Kind
from evaluation.case_desk.findings import Decisions, GraphReport, KindCounts, Measured, ProfileFindings, pooled, total
from evaluation.case_desk.run import Accepted, BeforeAfter, CaseResult, ConfidenceMetrics
from evaluation.report.tables import reliability_chart, table
from evaluation.statistics import Interval, Paired


def report_json(findings: Sequence[ProfileFindings]) -> dict[str, Any]:
    """Return what was measured as plain values; of several profiles, also all of them together."""
    report: dict[str, Any] = {"least": MIN_CONFIDENCE, "profiles": [_profile_json(profile) for profile in findings]}
    if len(findings) > 1:
        report["all"] = {graph: _worth(measured) for graph, measured in pooled(findings).items()}
    return report


def _profile_json(profile: ProfileFindings) -> dict[str, Any]:
    return {
        "profile": profile.profile,
        "embedder": profile.embedder,
        "reranker": profile.reranker,
        "cases": len(profile.cases),
        "answerable": sum(case.answerable for case in profile.cases),
        "not_held": list(profile.not_indexed),
        "graphs": {graph: _graph(report) for graph, report in profile.reports.items()},
    }


def _graph(report: GraphReport) -> dict[str, Any]:
    measured = report.measured
    return {
        "curve": report.curve.model_dump(),
        "fitted_on": [_case_result(result) for result in report.fitted_on],
        **_worth(measured),
        "reported_on": [{**_case_result(case.matched), **_served(case.served)} for case in measured.confidence.scored],
        "every": [{"id": result.case.id, **_served(result)} for result in measured.every],
    }


def _worth(measured: Measured) -> dict[str, Any]:
    return {
        "reported": _before_after(measured.confidence),
        "decisions": _decisions_json(measured.decisions),
        "decisions_on_every": _decisions_json(measured.decisions_on_every),
    }


def _decisions_json(decisions: Decisions) -> dict[str, Any]:
    by_kind: dict[str, Any] = {kind: asdict(counts) for kind, counts in decisions.items()}
    return {"classes": by_kind, "total": asdict(total(decisions))} if by_kind else {}


def _before_after(before_after: BeforeAfter) -> dict[str, Any]:
    return {
        "cases": len(before_after.scored),
        "before": _measured_json(before_after.before),
        "after": _measured_json(before_after.after),
        "ece_difference": _interval(before_after.ece),
        "brier_difference": _paired(before_after.brier),
    }


def _measured_json(metrics: ConfidenceMetrics) -> dict[str, Any]:
    return {
        "ece": metrics.reliability.ece,
        "ece_if_exact": metrics.exact,
        "brier": metrics.brier,
        "auc": metrics.auc,
        "bins": [asdict(bin_) for bin_ in metrics.reliability.bins],
        "accepted": {
            **asdict(metrics.accepted),
            "precision": metrics.accepted.precision,
            "coverage": metrics.accepted.coverage,
        },
    }


def _paired(paired: Paired) -> dict[str, Any]:
    return {"difference": paired.difference, **_interval(paired.interval), "p": paired.p}


def _interval(interval: Interval) -> dict[str, float]:
    return {"low": interval.low, "high": interval.high}


def _case_result(result: CaseResult) -> dict[str, Any]:
    return {
        "id": result.case.id,
        "answerable": result.case.answerable,
        "article": result.article,
        "right": result.right,
        "raw": result.raw,
        "log_odds": result.log_odds,
    }


def _served(result: CaseResult) -> dict[str, Any]:
    return {
        "served_article": result.article,
        "confidence": result.confidence,
        "verdict": result.verdict,
        "bad": list(result.bad),
    }


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


Pooled = Mapping[CaseGraph, Measured]
"""What was measured on the cases of several profiles together; empty for one profile alone."""

JSON, MARKDOWN = "calibracion.json", "calibracion.md"
_ALL = "todos"
_AXIS = {"antes": "Confianza de lo encontrado, sin calibrar", "despues": "Confianza calibrada"}

_INTRODUCTION = """\
Un caso acierta si tiene un artículo que lo lleva y es el que mejor encaja con su consulta; el que ningún artículo
lleva, o nombra otro valor que el de su filtro, no acierta nunca. La curva se ajusta con una mitad de los casos y todo
lo que sigue se mide con la otra; si no se ajustó ninguna, con todos.

- **ECE**: distancia media entre la confianza y la proporción de aciertos, por grupos de confianza parecida; con
  tan pocos casos, la de una confianza exacta tampoco sería 0.
- **Brier**: media de (confianza − resultado)²; cuanto menos, mejor.
- **AUC**: con qué frecuencia un caso que acierta tiene más confianza que otro que no (0,5 es el azar).
- **Antes** es la confianza de lo que se encontró (`raw_confidence`); **después**, la que se muestra con la curva.
- **Bien decididos**: tienen el veredicto que deben; el que sigue, con su artículo, y el de otro artículo, nombrándolo.
  **Siguen**: `found` o `can_proceed`; **sin deber**, de los que no deben. **Datos vistos**: de los que faltan o no
  valen, los que nombra el resultado."""


def write_report(folder: Path, findings: Sequence[ProfileFindings]) -> list[Path]:
    """Write the report and return its files; the same findings give the same files, byte for byte.

    Raises:
        InvalidInput: the folder cannot be written.
        ConfigurationError: matplotlib is not installed.
    """
    charts: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        values = json.dumps(report_json(findings), ensure_ascii=False, indent=2)
        (folder / JSON).write_text(f"{values}\n", encoding="utf-8")
        together = pooled(findings) if len(findings) > 1 else {}
        (folder / MARKDOWN).write_text(_markdown(findings, together), encoding="utf-8")
        for name, graph, confidence in _confidences(findings, together):
            charts += _charts(folder, name, graph, confidence)
    except OSError as error:
        raise InvalidInput(
            f"No se puede escribir el informe en {folder}: {reason(error)}. Indique otra carpeta."
        ) from error
    return [folder / JSON, folder / MARKDOWN, *charts]


def _confidences(findings: Sequence[ProfileFindings], together: Pooled) -> Iterator[tuple[str, str, BeforeAfter]]:
    """Yield profile, graph and what its confidence is worth, and all profiles together at last."""
    for profile in findings:
        for graph, report in profile.reports.items():
            yield profile.profile, graph, report.measured.confidence
    yield from ((_ALL, graph, measured.confidence) for graph, measured in together.items())


def _charts(folder: Path, name: str, graph: str, before_after: BeforeAfter) -> list[Path]:
    files = []
    for when, metrics in (("antes", before_after.before), ("despues", before_after.after)):
        files.append(folder / f"{name}-{graph}-{when}.png")
        when_title = "antes" if when == "antes" else "después"
        title = f"{name}, {graph}, {when_title} de calibrar"
        reliability_chart(files[-1], title, metrics.reliability, axis=_AXIS[when], unit="casos", right="acertados")
    return files


def _markdown(findings: Sequence[ProfileFindings], together: Pooled) -> str:
    sections = ["# Calibración de la confianza de los casos", _INTRODUCTION]
    for profile in findings:
        sections += _profile(profile)
    if together:
        sections.append("## Todos los perfiles")
        for graph, measured in together.items():
            sections += [f"### {graph}", *_measured(_ALL, graph, measured)]
    return "\n\n".join(sections) + "\n"


def _profile(profile: ProfileFindings) -> list[str]:
    answerable = sum(case.answerable for case in profile.cases)
    sections = [
        f"## Perfil {profile.profile}",
        f"{len(profile.cases)} casos, {answerable} con un artículo que los lleva. "
        f"Vectores: `{profile.embedder}`; reordenación: `{profile.reranker}`.",
    ]
    if profile.not_indexed:
        sections.append(f"El índice no tiene estos artículos: {', '.join(profile.not_indexed)}.")
    for graph, report in profile.reports.items():
        sections += [
            f"### {profile.profile}: {graph}",
            f"Curva: {format_curve(report.curve)}.",
            *_measured(profile.profile, graph, report.measured),
        ]
    return sections


def _measured(name: str, graph: str, measured: Measured) -> list[str]:
    confidence = measured.confidence
    return [
        f"{len(confidence.scored)} casos; artículo acertado: {format_found(confidence)}.",
        table(HEAD, comparison_rows(confidence)),
        table(BINS_HEAD, bin_rows(confidence)),
        f"![Antes]({name}-{graph}-antes.png) ![Después]({name}-{graph}-despues.png)",
        *_decisions("Lo que se decide en ellos:", measured.decisions),
        *_decisions("Lo que se decide en todos los casos, también los del ajuste:", measured.decisions_on_every),
    ]


def _decisions(title: str, decisions: Decisions) -> list[str]:
    return [title, table(DECISIONS_HEAD, decision_rows(decisions))] if decisions else []
