"""Write a report of confidence and decisions into a folder: JSON for programs, Markdown for people, and charts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from articulado.cases.confidence import CaseGraph
from articulado.language.translation import reason
from articulado.values.errors import InvalidInput
from evaluation.case_desk.calibration import BeforeAfter
from evaluation.case_desk.decisions import Decisions
from evaluation.case_desk.findings import Measured, ProfileFindings, pooled
from evaluation.case_desk.report_json import report_json
from evaluation.case_desk.report_rows import (
    BINS_HEAD,
    DECISIONS_HEAD,
    HEAD,
    bin_rows,
    comparison_rows,
    decision_rows,
    format_curve,
    format_found,
)
from evaluation.report.plots import reliability_chart
from evaluation.report.tables import table

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
