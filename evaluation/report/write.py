"""Write a report into a folder: ``report.json`` for programs, ``report.md`` for people, and its plots."""

import json
from pathlib import Path

from evaluation.report.as_json import report_json
from evaluation.report.findings import Findings, mean_of
from evaluation.report.markdown import CATEGORIES_PLOT, CONFIDENCE_PLOT, CONFIGURATIONS_PLOT, report_markdown
from evaluation.report.plots import Mean, interval_chart, reliability_chart
from evaluation.report.tables import VOICES
from evaluation.retrieval.metrics import MAIN
from state.errors import InvalidInput

JSON, MARKDOWN = "report.json", "report.md"
_AXIS = f"{MAIN} (media e intervalo del 95 %)"


def write_report(folder: Path, found: Findings) -> list[Path]:
    """Write the report and return its files; the same findings give the same files, byte for byte.

    Raises:
        InvalidInput: the folder cannot be written.
        ConfigurationError: matplotlib is not installed.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written: list[Path] = []
        values = json.dumps(report_json(found), ensure_ascii=False, indent=2)
        for name, text in ((JSON, f"{values}\n"), (MARKDOWN, report_markdown(found))):
            (folder / name).write_text(text, encoding="utf-8")
            written.append(folder / name)
        return [*written, *_plots(folder, found)]
    except OSError as error:
        raise InvalidInput(
            f"No se puede escribir el informe en {folder}: {error.strerror or error}. Indique otra carpeta."
        ) from error


def _plots(folder: Path, found: Findings) -> list[Path]:
    drawn = [folder / CONFIDENCE_PLOT]
    reliability_chart(drawn[0], "Fiabilidad de la confianza", found.confidence)
    steps = [one.configuration for one in found.steps]
    if found.outcome.positives:
        groups = found.voices or {"todas": list(found.outcome.measured.per_question)}
        series = {
            f"{VOICES.get(name, name)} ({len(questions)} preguntas)": [_of(mean_of(one, questions)) for one in steps]
            for name, questions in groups.items()
        }
        drawn.append(folder / CONFIGURATIONS_PLOT)
        interval_chart(drawn[-1], f"{MAIN} por configuración", _AXIS, [one.name for one in steps], series)
    if categories := found.outcome.by_category:
        labels = [f"{name} ({len(one.per_question)})" for name, one in categories.items()]
        # Beside the retrieval in use the one that an ablation begins with.
        shown = {one.name: one for one in found.configurations[:1]} | {"en uso": found.outcome.measured}
        series = {
            name: [_of(mean_of(one, list(each.per_question))) for each in categories.values()]
            for name, one in shown.items()
        }
        drawn.append(folder / CATEGORIES_PLOT)
        interval_chart(drawn[-1], f"{MAIN} por categoría", _AXIS, labels, series)
    return drawn


def _of(found: tuple[float, tuple[float, float]]) -> Mean:
    mean, bounds = found
    return Mean(mean, *bounds)
