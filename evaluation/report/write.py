"""Write a report into a folder: ``report.json`` for programs, ``report.md`` for people, and its plots."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from articulado.config.extras import require
from articulado.language.formats import figure
from articulado.values.errors import InvalidInput
from evaluation.answers.tally import RelevanceReport
from evaluation.report.answers import (
    CATEGORIES_RELEVANCE_PLOT,
    RELEVANCE_PLOT,
    RISK_PLOT,
    answer_sections,
    relevance_sections,
)
from evaluation.report.as_json import report_json
from evaluation.report.findings import Findings, Step, mean_of
from evaluation.report.plots import Mean, interval_chart, reliability_chart, reliability_grid, risk_chart
from evaluation.report.tables import (
    COMPARED,
    SHOWN,
    VOICES,
    bin_rows,
    difference,
    failure_sections,
    interval_text,
    metric_row,
    peer_sections,
    table,
)
from evaluation.retrieval.run import MAIN, P_3_NORMALISED

JSON, MARKDOWN = "report.json", "report.md"
CONFIGURATIONS_PLOT, CATEGORIES_PLOT, CONFIDENCE_PLOT = "configuraciones.png", "categorias.png", "confianza.png"
_AXIS = f"{MAIN} (media e intervalo del 95 %)"
_RELEVANCE, _ANSWERABLE = "Relevancia", "con respuesta"

_INTRODUCTION = f"""\
Media de las preguntas con respuesta y, entre corchetes, su intervalo *bootstrap* del 95 %.

- **{MAIN}**: calidad del orden de los diez primeros preceptos (1 es el orden perfecto).
- **R@20**: parte de los preceptos pertinentes que está entre los veinte primeros.
- **hit@1**, **hit@3**: un precepto que responde (grado 2) es el primero, o está entre los tres primeros.
- **{P_3_NORMALISED}**: aciertos entre los tres primeros, sobre los que puede haber.
- **RR**: inverso del puesto del primer acierto.
- **p**: probabilidad de una diferencia así o mayor si las dos configuraciones fueran iguales (signos al azar)."""


def check_report(folder: Path) -> None:
    """Say before the work that a report could not be written.

    Raises:
        InvalidInput: the folder is a file.
        ConfigurationError: matplotlib is not installed.
    """
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"No se puede escribir el informe: {folder} no es una carpeta.")
    require("eval")


def write_report(folder: Path, findings: Findings) -> list[Path]:
    """Write the report and return its files; the same findings give the same files, byte for byte.

    Raises:
        InvalidInput: the folder cannot be written.
        ConfigurationError: matplotlib is not installed.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files: list[Path] = []
        values = json.dumps(report_json(findings), ensure_ascii=False, indent=2)
        for name, text in ((JSON, f"{values}\n"), (MARKDOWN, report_markdown(findings))):
            (folder / name).write_text(text, encoding="utf-8")
            files.append(folder / name)
        return [*files, *_plots(folder, findings)]
    except OSError as error:
        raise InvalidInput(
            f"No se puede escribir el informe en {folder}: {error.strerror or error}. Indique otra carpeta."
        ) from error


def _plots(folder: Path, findings: Findings) -> list[Path]:
    files = [folder / CONFIDENCE_PLOT]
    reliability_chart(files[0], "Fiabilidad de la confianza", findings.confidence)
    steps = [step.configuration for step in findings.steps]
    if findings.outcome.positives:
        groups = findings.voices or {"todas": list(findings.outcome.measured.per_question)}
        series = {
            f"{VOICES.get(name, name)} ({len(questions)} preguntas)": [
                _of(mean_of(configuration, questions)) for configuration in steps
            ]
            for name, questions in groups.items()
        }
        files.append(folder / CONFIGURATIONS_PLOT)
        interval_chart(
            files[-1], f"{MAIN} por configuración", _AXIS, [configuration.name for configuration in steps], series
        )
    if categories := findings.outcome.by_category:
        labels = [f"{name} ({len(configuration.per_question)})" for name, configuration in categories.items()]
        # Beside the retrieval in use the one that an ablation begins with.
        shown = {configuration.name: configuration for configuration in findings.configurations[:1]}
        shown["en uso"] = findings.outcome.measured
        series = {
            name: [_of(mean_of(configuration, list(category.per_question))) for category in categories.values()]
            for name, configuration in shown.items()
        }
        files.append(folder / CATEGORIES_PLOT)
        interval_chart(files[-1], f"{MAIN} por categoría", _AXIS, labels, series)
    if findings.relevance:
        files += _relevance_plots(folder, findings.relevance)
    return files


def _relevance_plots(folder: Path, report: RelevanceReport) -> list[Path]:
    files = [folder / RISK_PLOT, folder / RELEVANCE_PLOT]
    risk_chart(files[0], "Riesgo y cobertura", report.risk)
    title = "Fiabilidad de la relevancia"
    reliability_chart(files[1], title, report.calibration.reliability, axis=_RELEVANCE, right=_ANSWERABLE)
    if report.by_category:
        groups = {name: group.reliability for name, group in report.by_category.items()}
        files.append(folder / CATEGORIES_RELEVANCE_PLOT)
        reliability_grid(
            files[-1], f"{title} por categoría", groups, _RELEVANCE, f"Proporción de preguntas {_ANSWERABLE}"
        )
    return files


def _of(mean_and_bounds: tuple[float, tuple[float, float]]) -> Mean:
    mean, bounds = mean_and_bounds
    return Mean(mean, *bounds)


def report_markdown(findings: Findings) -> str:
    """Return the report; the same findings give the same text. Plots are named as files beside it."""
    sections = [
        _head(findings),
        _configurations(findings),
        *_categories(findings),
        _refusals(findings),
        _confidence(findings),
        *failure_sections(findings),
        *answer_sections(findings),
        *relevance_sections(findings),
        *peer_sections(findings),
        _latency(findings),
        _environment(findings),
    ]
    return "\n\n".join(sections) + "\n"


def _head(findings: Findings) -> str:
    positives, negatives = len(findings.outcome.positives), len(findings.outcome.negatives)
    return (
        f"# Evaluación: {findings.outcome.gold.name}\n\n"
        f"{len(findings.questions)} preguntas: {positives} con respuesta en la norma y {negatives} sin ella.\n\n"
        f"{_INTRODUCTION}"
    )


def _configurations(findings: Findings) -> str:
    rows = [[*metric_row(step.configuration), *difference(step)] for step in findings.steps]
    lines = ["## Configuraciones", table(["Configuración", *SHOWN, f"Δ {MAIN} con la anterior", *COMPARED], rows)]
    if findings.voices:
        lines += [table(["Configuración", *_voices(findings)], [_by_voice(step, findings) for step in findings.steps])]
    lines.append(f"![{MAIN} por configuración]({CONFIGURATIONS_PLOT})")
    return "\n\n".join(lines)


def _voices(findings: Findings) -> list[str]:
    return [f"{MAIN}, {VOICES.get(name, name)} ({len(questions)})" for name, questions in findings.voices.items()]


def _by_voice(step: Step, findings: Findings) -> list[str]:
    values = [mean_of(step.configuration, questions) for questions in findings.voices.values()]
    return [step.configuration.name, *(interval_text(mean, bounds) for mean, bounds in values)]


def _categories(findings: Findings) -> Iterable[str]:
    groups = findings.outcome.by_category
    if not groups:
        return
    rows = [
        [name, str(len(configuration.per_question)), *metric_row(configuration)[1:]]
        for name, configuration in groups.items()
    ]
    yield "\n\n".join(
        [
            "## Por categoría",
            table(["Categoría", "Preguntas", *SHOWN], rows),
            f"![{MAIN} por categoría]({CATEGORIES_PLOT})",
        ]
    )


def _refusals(findings: Findings) -> str:
    outcome = findings.outcome
    wrong, right = outcome.wrongly_refused, outcome.rightly_declined
    lines = [
        "## Abstención de la búsqueda",
        f"De {len(outcome.negatives)} preguntas sin respuesta en la norma, {len(right)} se declinan. "
        f"De {len(outcome.positives)} con respuesta, {len(wrong)} se declinan sin razón.",
    ]
    answered = [question for question in outcome.negatives if question not in right]
    lines += [f"- Declinada sin razón: {question.id}, «{question.question}»" for question in wrong]
    lines += [
        f"- Sin respuesta en la norma y no declinada: {question.id}, «{question.question}»" for question in answered
    ]
    return "\n\n".join([*lines[:2], "\n".join(lines[2:])]).rstrip()


def _confidence(findings: Findings) -> str:
    return "\n\n".join(
        [
            "## Fiabilidad de la confianza",
            "La confianza de una pregunta es la relevancia de su primer fragmento. Se acierta cuando un precepto que "
            "responde está entre los tres primeros; en una pregunta sin respuesta, nunca. "
            f"Error de calibración esperado (ECE): {figure(findings.confidence.ece, 3)} (0 es una confianza exacta).",
            table(["Confianza media", "Aciertos", "Preguntas"], bin_rows(findings.confidence)),
            f"![Fiabilidad de la confianza]({CONFIDENCE_PLOT})",
        ]
    )


def _latency(findings: Findings) -> str:
    times = [("Toda la pregunta, sin respuesta", findings.outcome.latency), *findings.outcome.stage_latency.items()]
    rows = [[name, figure(percentiles.p50, 1), figure(percentiles.p95, 1)] for name, percentiles in times]
    return "## Tiempos\n\n" + table(["Etapa", "Mediana (ms)", "Percentil 95 (ms)"], rows)


def _environment(findings: Findings) -> str:
    rows: Sequence[Sequence[str]] = [[name, value] for name, value in findings.environment.items()]
    return "## Máquina y versiones\n\n" + table(["", ""], rows)
