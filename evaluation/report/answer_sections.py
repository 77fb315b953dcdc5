"""The sections of a report in Markdown about answers, where they were written, and about relevance."""

from collections.abc import Iterable

from articulado.language.formats import figure
from evaluation.answers.answers import CITES_RIGHT, NO_INVENTION, PRECISION, RECALL, AnswerResult, answer_means
from evaluation.report.answer_rows import (
    ANSWERABLE_HEAD,
    CATEGORIES_HEAD,
    FORM_HEAD,
    RISK_HEAD,
    UNANSWERABLE_HEAD,
    answerable_rows,
    category_rows,
    describe_refusers,
    describe_relevance,
    form_rows,
    risk_rows,
    unanswerable_rows,
)
from evaluation.report.findings import Findings
from evaluation.report.tables import bin_rows, display_names, table

RISK_PLOT, RELEVANCE_PLOT = "riesgo-cobertura.png", "relevancia.png"
CATEGORIES_RELEVANCE_PLOT = "relevancia-categorias.png"

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
        f"![Riesgo y cobertura]({RISK_PLOT})",
        "La relevancia es una probabilidad: de las preguntas con 0,8, ocho de cada diez deberían tener respuesta.",
        table(["Relevancia media", "Con respuesta", "Preguntas"], bin_rows(report.calibration.reliability)),
        f"![Fiabilidad de la relevancia]({RELEVANCE_PLOT})",
    ]
    if report.by_category:
        lines += [
            table(CATEGORIES_HEAD, category_rows(report)),
            f"![Fiabilidad de la relevancia por categoría]({CATEGORIES_RELEVANCE_PLOT})",
        ]
    yield "\n\n".join(lines)


def _cited(answer: AnswerResult) -> str:
    return f"cita {display_names(answer.cited)}"


def _line(result: AnswerResult, detail: str = "") -> str:
    line = f"- **{result.question.id}** «{' '.join(result.question.question.split())}»"
    return f"{line}: {detail}." if detail else line
