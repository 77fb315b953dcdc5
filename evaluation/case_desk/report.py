"""Write a report of calibration into a folder: JSON for programs, Markdown for people, and a chart of each curve."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from evaluation.case_desk.calibration import BeforeAfter
from evaluation.case_desk.findings import ProfileFindings, pooled
from evaluation.case_desk.report_json import report_json
from evaluation.case_desk.report_rows import (
    BINS_HEAD,
    HEAD,
    KINDS_HEAD,
    bin_rows,
    comparison_rows,
    describe_kinds,
    format_auc,
    format_count,
    format_curve,
    kind_rows,
)
from evaluation.report.plots import reliability_chart
from evaluation.report.tables import table
from services.case.calibration import CaseGraph
from state.errors import InvalidInput, reason

Pooled = Mapping[CaseGraph, BeforeAfter]
"""What was measured on the inquiries of several profiles together; empty for one profile alone."""

JSON, MARKDOWN = "calibracion.json", "calibracion.md"
_ALL = "todos"
_AXIS = {"antes": "Confianza medida, sin calibrar", "despues": "Confianza calibrada"}

_INTRODUCTION = """\
Una consulta acierta si tiene un artículo que la resuelve y es el que se encuentra; una que ningún artículo resuelve no
acierta nunca. La curva se ajusta con una mitad de las consultas y todo lo que sigue se mide con la otra.

- **ECE**: distancia media entre la confianza y la proporción de aciertos, por grupos de confianza parecida; con
  tan pocas consultas, la de una confianza exacta tampoco sería 0.
- **Brier**: media de (confianza − resultado)²; cuanto menos, mejor.
- **AUC**: con qué frecuencia una consulta que acierta tiene más confianza que otra que no (0,5 es el azar)."""


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
        for name, graph, measured in _measurements(findings, together):
            charts += _charts(folder, name, graph, measured)
    except OSError as error:
        raise InvalidInput(
            f"No se puede escribir el informe en {folder}: {reason(error)}. Indique otra carpeta."
        ) from error
    return [folder / JSON, folder / MARKDOWN, *charts]


def _measurements(findings: Sequence[ProfileFindings], together: Pooled) -> Iterator[tuple[str, str, BeforeAfter]]:
    """Yield profile, graph and what was measured, and all profiles together at last."""
    for profile in findings:
        yield from ((profile.profile, graph, report.measured) for graph, report in profile.reports.items())
    yield from ((_ALL, graph, measured) for graph, measured in together.items())


def _charts(folder: Path, name: str, graph: str, before_after: BeforeAfter) -> list[Path]:
    files = []
    for when, metrics in (("antes", before_after.before), ("despues", before_after.after)):
        files.append(folder / f"{name}-{graph}-{when}.png")
        when_title = "antes" if when == "antes" else "después"
        title = f"{name}, {graph}, {when_title} de calibrar"
        reliability_chart(files[-1], title, metrics.reliability, axis=_AXIS[when], unit="consultas")
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
        f"{len(profile.cases)} consultas, {answerable} con un artículo que las resuelve. "
        f"Vectores: `{profile.embedder}`; reordenación: `{profile.reranker}`.",
    ]
    if profile.not_indexed:
        sections.append(f"El índice no tiene estos artículos: {', '.join(profile.not_indexed)}.")
    for graph, report in profile.reports.items():
        results = [*report.fitted_on, *(result.result for result in report.measured.scored)]
        sections += [
            f"### {profile.profile}: {graph}",
            f"Artículo acertado: {format_count([result.right for result in results if result.case.answerable])}. "
            f"Curva: {format_curve(report.curve)}.",
            *_measured(profile.profile, graph, report.measured),
            table(KINDS_HEAD, kind_rows(report.kinds)),
            describe_kinds(report.kinds),
        ]
    return sections


def _measured(name: str, graph: str, before_after: BeforeAfter) -> list[str]:
    return [
        f"{len(before_after.scored)} consultas de la mitad que se mide; AUC {format_auc(before_after)}.",
        table(HEAD, comparison_rows(before_after)),
        table(BINS_HEAD, bin_rows(before_after)),
        f"![Antes]({name}-{graph}-antes.png) ![Después]({name}-{graph}-despues.png)",
    ]
