"""Write a report into a folder: ``report.json`` for programs, ``report.md`` and charts for people.

The same findings give the same files, byte for byte.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from articulado.config.extras import require
from articulado.language.formats import figure
from articulado.language.translation import reason
from articulado.values.errors import InvalidInput
from evaluation.answers.answers import CITES_RIGHT, NO_INVENTION, PRECISION, RECALL, AnswerResult, answer_means
from evaluation.conversations import ConversationFindings
from evaluation.gold.questions import Provision
from evaluation.report.as_json import conversations_json, report_json
from evaluation.report.findings import Findings, Step, mean_of
from evaluation.report.tables import (
    ANSWERABLE_HEAD,
    CATEGORIES_HEAD,
    COMPARED,
    FORM_HEAD,
    NOT_COMPARED,
    RISK_HEAD,
    SHOWN,
    TURNS_HEAD,
    TURNS_LEGEND,
    UNANSWERABLE_HEAD,
    VOICES,
    answerable_rows,
    bin_rows,
    category_rows,
    describe_refusers,
    describe_relevance,
    describe_turn,
    difference,
    display_name,
    display_names,
    form_rows,
    interval_text,
    metric_row,
    reliability_chart,
    risk_rows,
    table,
    turn_rows,
    unanswerable_rows,
)
from evaluation.retrieval.evaluate import FIRST, FOUND_WITHIN, Failure, Kind
from evaluation.retrieval.run import MAIN, P_3_NORMALISED

JSON, MARKDOWN = "report.json", "report.md"
CONFIDENCE_PLOT = "confianza.png"
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
    return [*_write_texts(folder, report_json(findings), report_markdown(findings)), *_plots(folder, findings)]


def write_conversations(folder: Path, findings: ConversationFindings) -> list[Path]:
    """Write the report on conversations, as ``write_report`` does."""
    return _write_texts(folder, conversations_json(findings), conversations_markdown(findings))


def _write_texts(folder: Path, values: dict[str, Any], markdown: str) -> list[Path]:
    texts = {JSON: f"{json.dumps(values, ensure_ascii=False, indent=2)}\n", MARKDOWN: markdown}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            f"No se puede escribir el informe en {folder}: {reason(error)}. Indique otra carpeta."
        ) from error
    return [folder / name for name in texts]


def _plots(folder: Path, findings: Findings) -> list[Path]:
    files = [folder / CONFIDENCE_PLOT]
    reliability_chart(files[0], "Fiabilidad de la confianza", findings.confidence)
    if report := findings.relevance:
        files.append(folder / RELEVANCE_PLOT)
        title = "Fiabilidad de la relevancia"
        reliability_chart(files[1], title, report.calibration.reliability, axis=_RELEVANCE, right=_ANSWERABLE)
    return files


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


_KINDS: dict[Kind, tuple[str, str]] = {
    "retrieval": ("De recuperación", f"ningún precepto que responda está entre los {FOUND_WITHIN} primeros"),
    "ranking": ("De orden", f"está entre los {FOUND_WITHIN} primeros, pero no entre los {FIRST} primeros"),
    "answer": ("De respuesta", "se encontró, pero la respuesta no lo cita"),
}


def failure_sections(findings: Findings) -> Iterable[str]:
    """Yield the failures, separated by the stage that they are of, and the worst questions."""
    lines = ["## Fallos por etapa"]
    if not findings.answers:
        lines.append("Sin respuestas evaluadas: solo se distinguen los fallos de recuperación y de orden.")
    for kind, (name, meaning) in _KINDS.items():
        if kind == "answer" and not findings.answers:
            continue
        failed = [failure for failure in findings.failures if failure.kind == kind]
        share = f"{len(failed)} de {len(findings.outcome.positives)}"
        lines += [f"### {name}: {share}", f"{meaning[0].upper()}{meaning[1:]}.", "\n".join(map(_failure_line, failed))]
    yield "\n\n".join(filter(None, lines))
    if findings.worst:
        values = findings.outcome.measured.per_question
        worst = [
            f"{_failure_line(failure)} {MAIN}: {figure(values[failure.question.id][MAIN], 3)}."
            for failure in findings.worst
        ]
        yield f"## Peores preguntas ({MAIN})\n\n" + "\n".join(worst)


def _failure_line(failure: Failure) -> str:
    position = f"está en el puesto {failure.rank}" if failure.rank else "no está en la lista"
    return (
        f"- **{failure.question.id}** «{' '.join(failure.question.question.split())}» "
        f"Se esperaba: {_expected(failure)}. Lo que responde {position}. Se encontró: {display_names(failure.instead)}."
    )


def _expected(failure: Failure) -> str:
    """Name what answers first, then what helps."""
    relevant = failure.question.relevant
    ranked: list[Provision] = sorted(relevant, key=lambda provision: (-relevant[provision], *provision))
    return "; ".join(f"{display_name(provision)} (grado {relevant[provision]})" for provision in ranked)


def peer_sections(findings: Findings) -> Iterable[str]:
    """Yield the section, where peers were asked for; those that are not installed are named."""
    peers = findings.peers
    if not peers.runs and not peers.missing:
        return
    lines = ["## Otros buscadores"]
    if peers.runs:
        lines.append(
            f"Los mismos {figure(peers.provisions)} preceptos, enteros, y las mismas preguntas, una tras otra. Los que "
            "usan vectores usan los mismos, de análisis semántico latente. La diferencia es lo que gana la "
            "configuración en uso."
        )
        rows = [["articulado", *metric_row(findings.outcome.measured)[1:], *NOT_COMPARED, "–", "–", "–"]]
        for run, step in zip(peers.runs, findings.rivals, strict=True):
            packages = ", ".join(f"{name} {version}" for name, version in run.packages.items())
            times = [figure(run.index_seconds, 1), figure(run.question_ms, 1)]
            rows.append([*metric_row(step.configuration), *difference(step), packages, *times])
        columns = [f"Δ {MAIN} de articulado", *COMPARED, "Paquetes", "Indexar (s)", "Pregunta (ms)"]
        lines.append(table(["Buscador", *SHOWN, *columns], rows))
    lines += [f"- {message}" for message in peers.missing.values()]
    yield "\n\n".join(lines)


RELEVANCE_PLOT = "relevancia.png"

_MEANING = {
    PRECISION: "Preceptos citados que son pertinentes",
    CITES_RIGHT: "Respuestas que citan un precepto que responde",
    RECALL: "Preceptos que responden y que la respuesta cita",
    NO_INVENTION: "Respuestas sin ningún precepto ni cifra sin apoyo en los fragmentos",
}

_NOT_ANSWERED = (
    "Solo cuenta lo que se contesta: una pregunta que se declina o se repregunta, o a la que solo se le muestran los "
    "preceptos más próximos con un aviso, no cita ni contiene nada."
)

_RISK = (
    "Si solo se contestaran las preguntas con una relevancia mínima, la cobertura sería la parte de todas ellas que se "
    "contesta, y el riesgo, la parte de estas que no tiene respuesta en la norma o en la que no se cita ningún "
    "precepto que responde. Bajo la curva, cuanta menos área, mejor; las preguntas sin relevancia no se cubren nunca."
)


def answer_sections(findings: Findings) -> Iterable[str]:
    """Yield the section, where answers were written."""
    if not findings.answers:
        return
    tally = findings.tally
    lines = ["## Respuestas"]
    if findings.outcome.positives:
        lines += [table(ANSWERABLE_HEAD, answerable_rows(tally.answerable)), _NOT_ANSWERED]
    if findings.outcome.negatives:
        lines.append(table(UNANSWERABLE_HEAD, unanswerable_rows(tally.unanswerable)))
        lines.append(describe_refusers(tally.unanswerable.outcomes))
    means = answer_means(findings.answers)
    rows = [[_MEANING[name], f"`{name}`", figure(mean, 3), str(count)] for name, (mean, count) in means.items()]
    lines.append(table(["Medida", "Nombre", "Media", "Preguntas"], rows))
    if tally.form:
        lines.append(table(FORM_HEAD, form_rows(tally.form)))
    positives = [answer for answer in findings.answers if not answer.question.is_negative]
    negatives = [answer for answer in findings.answers if answer.question.is_negative]
    for title, listed in (
        (
            "Afirmaciones sin apoyo en los fragmentos",
            [_line(answer, ", ".join(answer.unsupported)) for answer in findings.answers if answer.unsupported],
        ),
        ("Hechos que faltan", [_line(answer, ", ".join(answer.missing)) for answer in positives if answer.missing]),
        ("Declinadas sin razón", [_line(answer) for answer in positives if answer.outcome == "decline"]),
        (
            "Con respuesta en la norma y repreguntadas",
            [_line(answer) for answer in positives if answer.outcome == "ask"],
        ),
        (
            "Con respuesta en la norma y solo con aviso",
            [_line(answer, _cited(answer)) for answer in positives if answer.outcome == "near"],
        ),
        (
            "Sin respuesta en la norma y contestadas",
            [_line(answer, _cited(answer)) for answer in negatives if not answer.abstained],
        ),
    ):
        if listed:
            lines += [f"### {title}: {len(listed)}", "\n".join(listed)]
    yield "\n\n".join(lines)


def relevance_sections(findings: Findings) -> Iterable[str]:
    """Yield the section, where questions have a relevance."""
    report = findings.relevance
    if report is None:
        return
    lines = [
        "## Relevancia de las preguntas",
        describe_relevance(report),
        _RISK,
        table(RISK_HEAD, risk_rows(report)),
        "La relevancia es una probabilidad: de las preguntas con 0,8, ocho de cada diez deberían tener respuesta.",
        table(["Relevancia media", "Con respuesta", "Preguntas"], bin_rows(report.calibration.reliability)),
        f"![Fiabilidad de la relevancia]({RELEVANCE_PLOT})",
    ]
    if report.by_category:
        lines.append(table(CATEGORIES_HEAD, category_rows(report)))
    yield "\n\n".join(lines)


def _cited(answer: AnswerResult) -> str:
    return f"cita {display_names(answer.cited)}"


def _line(result: AnswerResult, detail: str = "") -> str:
    line = f"- **{result.question.id}** «{' '.join(result.question.question.split())}»"
    return f"{line}: {detail}." if detail else line


def conversations_markdown(findings: ConversationFindings) -> str:
    """Return the report in Spanish, as Markdown."""
    return "\n\n".join(_conversation_sections(findings)) + "\n"


def _conversation_sections(findings: ConversationFindings) -> Iterable[str]:
    tally = findings.tally
    yield f"# Evaluación de conversaciones: {findings.gold.name}"
    yield f"{findings.conversations} conversaciones, {tally.all.turns} turnos. {TURNS_LEGEND}"
    yield table(TURNS_HEAD, turn_rows(tally))
    if tally.form:
        yield table(FORM_HEAD, form_rows(tally.form))
    if failed := findings.failed:
        yield f"## Turnos que fallan: {len(failed)}"
        yield "\n".join(
            f"- **{result.conversation}, turno {result.number}** «{' '.join(result.turn.question.split())}» "
            f"{describe_turn(result)}"
            for result in failed
        )
    yield "## Máquina y versiones"
    yield table(["", ""], [[name, value] for name, value in findings.environment.items()])
