"""Section of a report on the answers: means of their metrics, and what is wrong with each."""

from collections.abc import Iterable

from evaluation.answers import (
    ABSTAINS,
    CITES_RIGHT,
    FACTS,
    NO_INVENTION,
    PRECISION,
    RECALL,
    REFUSES,
    AnswerResult,
    answer_means,
)
from evaluation.findings import Findings
from evaluation.report_text import names_of, table
from language.formats import figure

_MEANING = {
    PRECISION: "Preceptos citados que son pertinentes",
    CITES_RIGHT: "Respuestas que citan un precepto que responde",
    RECALL: "Preceptos que responden y que la respuesta cita",
    NO_INVENTION: "Respuestas sin ningún precepto ni cifra sin apoyo en los fragmentos",
    FACTS: "Hechos esperados que la respuesta contiene",
    ABSTAINS: "Preguntas sin respuesta en la norma que se declinan",
    REFUSES: "Preguntas con respuesta que se declinan (menos es mejor)",
}


def answer_sections(found: Findings) -> Iterable[str]:
    """Yield the section, where answers were written."""
    if not found.answers:
        return
    means = answer_means(found.answers)
    rows = [[_MEANING[name], f"`{name}`", figure(mean, 3), str(count)] for name, (mean, count) in means.items()]
    lines = ["## Respuestas", table(["Medida", "Nombre", "Media", "Preguntas"], rows)]
    invented = [one for one in found.answers if one.unsupported]
    lacking = [one for one in found.answers if one.missing]
    refused = [one for one in found.answers if one.abstained and not one.question.is_negative]
    answered = [one for one in found.answers if not one.abstained and one.question.is_negative]
    for title, listed in (
        ("Afirmaciones sin apoyo en los fragmentos", [_line(one, ", ".join(one.unsupported)) for one in invented]),
        ("Hechos que faltan", [_line(one, ", ".join(one.missing)) for one in lacking]),
        ("Declinadas sin razón", [_line(one) for one in refused]),
        ("Sin respuesta en la norma y contestadas", [_line(one, f"cita {names_of(one.cited)}") for one in answered]),
    ):
        if listed:
            lines += [f"### {title}: {len(listed)}", "\n".join(listed)]
    yield "\n\n".join(lines)


def _line(one: AnswerResult, said: str = "") -> str:
    asked = f"- **{one.question.id}** «{' '.join(one.question.question.split())}»"
    return f"{asked}: {said}." if said else asked
