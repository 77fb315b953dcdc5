"""A report for people: the findings in Spanish, as Markdown."""

from collections.abc import Iterable, Sequence

from evaluation.report.findings import Findings, Step, mean_of
from evaluation.report.sections import answer_sections, failure_sections, peer_sections
from evaluation.report.tables import COMPARED, SHOWN, VOICES, difference, interval_text, metric_row, table
from evaluation.retrieval.metrics import MAIN, P_3_NORMALISED
from language.formats import figure

CONFIGURATIONS_PLOT, CATEGORIES_PLOT, CONFIDENCE_PLOT = "configuraciones.png", "categorias.png", "confianza.png"

_INTRODUCTION = f"""\
Media de las preguntas con respuesta y, entre corchetes, su intervalo *bootstrap* del 95 %.

- **{MAIN}**: calidad del orden de los diez primeros preceptos (1 es el orden perfecto).
- **R@20**: parte de los preceptos pertinentes que está entre los veinte primeros.
- **hit@1**, **hit@3**: un precepto que responde (grado 2) es el primero, o está entre los tres primeros.
- **{P_3_NORMALISED}**: aciertos entre los tres primeros, sobre los que puede haber.
- **RR**: inverso del puesto del primer acierto.
- **p**: probabilidad de una diferencia así o mayor si las dos configuraciones fueran iguales (signos al azar)."""


def report_markdown(found: Findings) -> str:
    """Return the report; the same findings give the same text. Plots are named as files beside it."""
    sections = [
        _head(found),
        _configurations(found),
        *_categories(found),
        _refusals(found),
        _confidence(found),
        *failure_sections(found),
        *answer_sections(found),
        *peer_sections(found),
        _latency(found),
        _environment(found),
    ]
    return "\n\n".join(sections) + "\n"


def _head(found: Findings) -> str:
    positives, negatives = len(found.outcome.positives), len(found.outcome.negatives)
    return (
        f"# Evaluación: {found.outcome.gold.name}\n\n"
        f"{len(found.questions)} preguntas: {positives} con respuesta en la norma y {negatives} sin ella.\n\n"
        f"{_INTRODUCTION}"
    )


def _configurations(found: Findings) -> str:
    rows = [[*metric_row(one.configuration), *difference(one)] for one in found.steps]
    lines = ["## Configuraciones", table(["Configuración", *SHOWN, f"Δ {MAIN} con la anterior", *COMPARED], rows)]
    if found.voices:
        lines += [table(["Configuración", *_voices(found)], [_by_voice(one, found) for one in found.steps])]
    lines.append(f"![{MAIN} por configuración]({CONFIGURATIONS_PLOT})")
    return "\n\n".join(lines)


def _voices(found: Findings) -> list[str]:
    return [f"{MAIN}, {VOICES.get(name, name)} ({len(questions)})" for name, questions in found.voices.items()]


def _by_voice(one: Step, found: Findings) -> list[str]:
    values = [mean_of(one.configuration, questions) for questions in found.voices.values()]
    return [one.configuration.name, *(interval_text(mean, bounds) for mean, bounds in values)]


def _categories(found: Findings) -> Iterable[str]:
    groups = found.outcome.by_category
    if not groups:
        return
    rows = [[name, str(len(one.per_question)), *metric_row(one)[1:]] for name, one in groups.items()]
    yield "\n\n".join(
        [
            "## Por categoría",
            table(["Categoría", "Preguntas", *SHOWN], rows),
            f"![{MAIN} por categoría]({CATEGORIES_PLOT})",
        ]
    )


def _refusals(found: Findings) -> str:
    outcome = found.outcome
    wrong, right = outcome.wrongly_refused, outcome.rightly_declined
    lines = [
        "## Abstención de la búsqueda",
        f"De {len(outcome.negatives)} preguntas sin respuesta en la norma, {len(right)} se declinan. "
        f"De {len(outcome.positives)} con respuesta, {len(wrong)} se declinan sin razón.",
    ]
    answered = [one for one in outcome.negatives if one not in right]
    lines += [f"- Declinada sin razón: {one.id}, «{one.question}»" for one in wrong]
    lines += [f"- Sin respuesta en la norma y no declinada: {one.id}, «{one.question}»" for one in answered]
    return "\n\n".join([*lines[:2], "\n".join(lines[2:])]).rstrip()


def _confidence(found: Findings) -> str:
    rows = [
        [figure(one.confidence, 3), interval_text(one.right, (one.low, one.high)), str(one.count)]
        for one in found.confidence.bins
    ]
    return "\n\n".join(
        [
            "## Fiabilidad de la confianza",
            "La confianza de una pregunta es la relevancia de su primer fragmento. Se acierta cuando un precepto que "
            "responde está entre los tres primeros; en una pregunta sin respuesta, nunca. "
            f"Error de calibración esperado (ECE): {figure(found.confidence.ece, 3)} (0 es una confianza exacta).",
            table(["Confianza media", "Aciertos", "Preguntas"], rows),
            f"![Fiabilidad de la confianza]({CONFIDENCE_PLOT})",
        ]
    )


def _latency(found: Findings) -> str:
    times = [("Toda la pregunta, sin respuesta", found.outcome.latency), *found.outcome.stage_latency.items()]
    rows = [[name, figure(one.p50, 1), figure(one.p95, 1)] for name, one in times]
    return "## Tiempos\n\n" + table(["Etapa", "Mediana (ms)", "Percentil 95 (ms)"], rows)


def _environment(found: Findings) -> str:
    rows: Sequence[Sequence[str]] = [[name, value] for name, value in found.environment.items()]
    return "## Máquina y versiones\n\n" + table(["", ""], rows)
