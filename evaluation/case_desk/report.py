"""Write a report of calibration into a folder: JSON for programs, Markdown for people, and a chart of each curve."""

import json
from collections.abc import Sequence
from pathlib import Path

from evaluation.case_desk.calibration import BeforeAfter
from evaluation.case_desk.findings import ProfileFindings, pooled
from evaluation.case_desk.report_json import report_json
from evaluation.case_desk.report_rows import (
    BINS_HEAD,
    HEAD,
    KINDS_HEAD,
    auc_said,
    bin_rows,
    curve_said,
    kind_rows,
    kinds_said,
    rows_of,
    totals,
)
from evaluation.report.plots import reliability_chart
from evaluation.report.tables import table
from state.errors import InvalidInput, reason

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
        (folder / MARKDOWN).write_text(_markdown(findings), encoding="utf-8")
        for name, graph, measured in _measurements(findings):
            charts += _charts(folder, name, graph, measured)
    except OSError as error:
        raise InvalidInput(
            f"No se puede escribir el informe en {folder}: {reason(error)}. Indique otra carpeta."
        ) from error
    return [folder / JSON, folder / MARKDOWN, *charts]


def _measurements(findings: Sequence[ProfileFindings]) -> list[tuple[str, str, BeforeAfter]]:
    of_each = [(found.profile, graph, one.measured) for found in findings for graph, one in found.reports.items()]
    together = [(_ALL, graph, one) for graph, one in pooled(findings).items()] if len(findings) > 1 else []
    return [*of_each, *together]


def _charts(folder: Path, name: str, graph: str, found: BeforeAfter) -> list[Path]:
    files = []
    for when, measured in (("antes", found.before), ("despues", found.after)):
        files.append(folder / f"{name}-{graph}-{when}.png")
        said = "antes" if when == "antes" else "después"
        title = f"{name}, {graph}, {said} de calibrar"
        reliability_chart(files[-1], title, measured.reliability, axis=_AXIS[when], asked="consultas")
    return files


def _markdown(findings: Sequence[ProfileFindings]) -> str:
    sections = ["# Calibración de la confianza de los casos", _INTRODUCTION]
    for found in findings:
        sections += _profile(found)
    if len(findings) > 1:
        sections.append("## Todos los perfiles")
        for graph, measured in pooled(findings).items():
            sections += [f"### {graph}", *_measured(_ALL, graph, measured)]
    return "\n\n".join(sections) + "\n"


def _profile(found: ProfileFindings) -> list[str]:
    answerable = sum(case.answerable for case in found.cases)
    sections = [
        f"## Perfil {found.profile}",
        f"{len(found.cases)} consultas, {answerable} con un artículo que las resuelve. Vectores: `{found.embedder}`; "
        f"reordenación: `{found.reranker}`.",
    ]
    if found.not_indexed:
        sections.append(f"El índice no tiene estos artículos: {', '.join(found.not_indexed)}.")
    for graph, report in found.reports.items():
        tried = [*report.fitted_on, *(one.tried for one in report.measured.scored)]
        sections += [
            f"### {found.profile}: {graph}",
            f"Artículo acertado: {totals([one.right for one in tried if one.case.answerable])}. "
            f"Curva: {curve_said(report.curve)}.",
            *_measured(found.profile, graph, report.measured),
            table(KINDS_HEAD, kind_rows(report.kinds)),
            kinds_said(report.kinds),
        ]
    return sections


def _measured(name: str, graph: str, found: BeforeAfter) -> list[str]:
    return [
        f"{len(found.scored)} consultas de la mitad que se mide; AUC {auc_said(found)}.",
        table(HEAD, rows_of(found)),
        table(BINS_HEAD, bin_rows(found)),
        f"![Antes]({name}-{graph}-antes.png) ![Después]({name}-{graph}-despues.png)",
    ]
