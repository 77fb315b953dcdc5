"""Markdown report: the findings in Spanish, for people."""

from collections.abc import Iterable, Sequence

from articulado.language.formats import figure
from evaluation.report.answers import answer_sections, relevance_sections
from evaluation.report.findings import Findings, Step, mean_of
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

CONFIGURATIONS_PLOT, CATEGORIES_PLOT, CONFIDENCE_PLOT = "configuraciones.png", "categorias.png", "confianza.png"

_INTRODUCTION = f"""\
Media de las preguntas con respuesta y, entre corchetes, su intervalo *bootstrap* del 95 %.

- **{MAIN}**: calidad del orden de los diez primeros preceptos (1 es el orden perfecto).
- **R@20**: parte de los preceptos pertinentes que está entre los veinte primeros.
- **hit@1**, **hit@3**: un precepto que responde (grado 2) es el primero, o está entre los tres primeros.
- **{P_3_NORMALISED}**: aciertos entre los tres primeros, sobre los que puede haber.
- **RR**: inverso del puesto del primer acierto.
- **p**: probabilidad de una diferencia así o mayor si las dos configuraciones fueran iguales (signos al azar)."""


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
