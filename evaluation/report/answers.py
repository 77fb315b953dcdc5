"""Report sections and table rows on answers and relevance, for terminal and Markdown.

Shares are over all questions of a kind.
"""

from collections.abc import Iterable, Mapping

from articulado.language.formats import NONE, figure, format_share
from evaluation.answers.answers import CITES_RIGHT, NO_INVENTION, PRECISION, RECALL, AnswerResult, Trait, answer_means
from evaluation.answers.tally import Answerable, Calibration, Lengths, Outcomes, RelevanceReport, Share, Unanswerable
from evaluation.report.findings import Findings
from evaluation.report.tables import bin_rows, display_names, table
from evaluation.statistics import Point

ANSWERABLE_HEAD = ("Preguntas con respuesta en la norma", "De todas")
UNANSWERABLE_HEAD = ("Sin respuesta", "Declinadas", "Repregunta", "Con aviso", "Contestadas")
FORM_HEAD = ("Lo que escribe el modelo", "De todo")
RISK_HEAD = ("Cobertura", "Relevancia mínima", "Riesgo")
CATEGORIES_HEAD = ("Categoría", "Relevancia media", "Con respuesta", "ECE", "Brier")
ALL = "todas"

_TRAITS: Mapping[Trait, str] = {
    "no_delimiter": "Sin el separador",
    "no_used": "Sin la línea USED",
    "no_drop": "Sin la línea DROP",
    "unknown_marks": "Con marcas de fragmentos que no hay",
    "protocol_words": "Con palabras de la autoevaluación a la vista",
    "fragment_words": "Con la palabra «fragmento» a la vista",
    "needs": "Pide algo con NEED",
    "second_answer": "Responde otra vez, con lo que pedía",
    "asked_again": "Se le pide lo mismo otra vez",
}
"""How a reader knows the traits of what a model wrote."""

_COVERAGES = 10
"""Rows of a risk-coverage curve: one for each tenth of the questions."""
_CLOSE = 1e-9


def answerable_rows(answerable: Answerable) -> list[tuple[str, str]]:
    """Return what became of the questions with an answer, and what their answers are worth."""
    shares, refused_by = answerable.outcomes.shares, answerable.outcomes.refused_by
    return [
        ("Contestadas", _share(shares["answer"])),
        ("Con los preceptos más próximos y un aviso", _share(shares["near"])),
        ("  con uno que responde, de estas", _share(answerable.near_right)),
        ("Se repregunta", _share(shares["ask"])),
        ("Declinadas sin razón", _share(shares["decline"])),
        ("  sin llamar al modelo, de estas", _share(refused_by["gate"])),
        ("  por el modelo, de estas", _share(refused_by["principal"])),
        ("Se cita primero un precepto que responde", _share(answerable.first)),
        ("  entre los dos primeros", _share(answerable.first_two)),
        ("Hechos esperados que las respuestas contienen", _share(answerable.facts)),
        ("Palabras: mediana, percentil 90, máximo (respuestas)", _lengths(answerable.words)),
    ]


def unanswerable_rows(unanswerable: Unanswerable) -> list[tuple[str, ...]]:
    """Return what became of the questions without an answer: all of them, then each category."""
    groups = {ALL: unanswerable.outcomes, **unanswerable.by_category}
    return [(name, *_outcome_cells(outcomes)) for name, outcomes in groups.items()]


def form_rows(form: Mapping[Trait, Share]) -> list[tuple[str, str]]:
    """Return the traits of what a chat model wrote."""
    return [(_TRAITS[trait], _share(share)) for trait, share in form.items()]


def describe_refusers(outcomes: Outcomes) -> str:
    """Say what declined the questions that were declined."""
    gate, principal = outcomes.refused_by["gate"], outcomes.refused_by["principal"]
    return f"De las declinadas, sin llamar al modelo {_share(gate)}; por el modelo {_share(principal)}."


def describe_relevance(report: RelevanceReport) -> str:
    """Say over how many questions relevance is known, and its errors."""
    whole = report.calibration
    return (
        f"Relevancia de {whole.answerable.total} preguntas, de {report.risk.total}: área de riesgo y cobertura "
        f"{figure(report.risk.area, 3)}, ECE {figure(whole.reliability.ece, 3)}, Brier {figure(whole.brier, 3)}."
    )


def risk_rows(report: RelevanceReport) -> list[tuple[str, str, str]]:
    """Return the first point that reaches each tenth of the questions, each point once, and the last one."""
    points = report.risk.points
    shown: dict[Point, None] = {}
    for tenth in range(1, _COVERAGES + 1):
        reached = (point for point in points if point.coverage >= tenth / _COVERAGES - _CLOSE)
        shown[next(reached, points[-1])] = None
    return [
        (
            format_share(point.questions, report.risk.total),
            figure(point.threshold, 3),
            format_share(point.wrong, point.questions),
        )
        for point in shown
    ]


def category_rows(report: RelevanceReport) -> list[tuple[str, ...]]:
    """Return relevance beside the share of answerable questions: of all, then of each category."""
    return [_calibration(name, group) for name, group in {ALL: report.calibration, **report.by_category}.items()]


def _calibration(name: str, group: Calibration) -> tuple[str, ...]:
    errors = (group.reliability.ece, group.brier)
    return (name, figure(group.mean, 3), _share(group.answerable), *(figure(error, 3) for error in errors))


def _outcome_cells(outcomes: Outcomes) -> tuple[str, ...]:
    shares = outcomes.shares
    return tuple(map(_share, (shares["decline"], shares["ask"], shares["near"], shares["answer"])))


def _lengths(words: Lengths | None) -> str:
    if words is None:
        return NONE
    return f"{figure(words.median)}, {figure(words.p90)}, {words.maximum} ({words.answers})"


def _share(share: Share) -> str:
    return format_share(share.count, share.total)


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
