"""Write a report into a folder: ``report.json`` for programs, ``report.md`` for people, and its plots."""

import json
from pathlib import Path

from articulado.config.extras import require
from articulado.values.errors import InvalidInput
from evaluation.answers.tally import RelevanceReport
from evaluation.report.answers import CATEGORIES_RELEVANCE_PLOT, RELEVANCE_PLOT, RISK_PLOT
from evaluation.report.as_json import report_json
from evaluation.report.findings import Findings, mean_of
from evaluation.report.markdown import CATEGORIES_PLOT, CONFIDENCE_PLOT, CONFIGURATIONS_PLOT, report_markdown
from evaluation.report.plots import Mean, interval_chart, reliability_chart, reliability_grid, risk_chart
from evaluation.report.tables import VOICES
from evaluation.retrieval.run import MAIN

JSON, MARKDOWN = "report.json", "report.md"
_AXIS = f"{MAIN} (media e intervalo del 95 %)"
_RELEVANCE, _ANSWERABLE = "Relevancia", "con respuesta"


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
