"""Sections of a report: the answers, what went wrong, and the peers."""

from collections.abc import Iterable

from evaluation.answers.answers import (
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
from evaluation.gold.provisions import Provision
from evaluation.report.findings import Findings
from evaluation.report.tables import COMPARED, NOT_COMPARED, SHOWN, difference, metric_row, name_of, names_of, table
from evaluation.retrieval.failures import FIRST, FOUND_WITHIN, Failure, Kind
from evaluation.retrieval.metrics import MAIN
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
        (
            "Afirmaciones sin apoyo en los fragmentos",
            [_answer_line(one, ", ".join(one.unsupported)) for one in invented],
        ),
        ("Hechos que faltan", [_answer_line(one, ", ".join(one.missing)) for one in lacking]),
        ("Declinadas sin razón", [_answer_line(one) for one in refused]),
        (
            "Sin respuesta en la norma y contestadas",
            [_answer_line(one, f"cita {names_of(one.cited)}") for one in answered],
        ),
    ):
        if listed:
            lines += [f"### {title}: {len(listed)}", "\n".join(listed)]
    yield "\n\n".join(lines)


def _answer_line(one: AnswerResult, said: str = "") -> str:
    asked = f"- **{one.question.id}** «{' '.join(one.question.question.split())}»"
    return f"{asked}: {said}." if said else asked


_KINDS: dict[Kind, tuple[str, str]] = {
    "retrieval": ("De recuperación", f"ningún precepto que responda está entre los {FOUND_WITHIN} primeros"),
    "ranking": ("De orden", f"está entre los {FOUND_WITHIN} primeros, pero no entre los {FIRST} primeros"),
    "answer": ("De respuesta", "se encontró, pero la respuesta no lo cita"),
}


def failure_sections(found: Findings) -> Iterable[str]:
    """Yield the failures, separated by the stage that they are of, and the worst questions."""
    lines = ["## Fallos por etapa"]
    if not found.answers:
        lines.append("Sin respuestas evaluadas: solo se distinguen los fallos de recuperación y de orden.")
    for kind, (name, meaning) in _KINDS.items():
        if kind == "answer" and not found.answers:
            continue
        failed = [one for one in found.failures if one.kind == kind]
        share = f"{len(failed)} de {len(found.outcome.positives)}"
        lines += [f"### {name}: {share}", f"{meaning[0].upper()}{meaning[1:]}.", "\n".join(map(_failure_line, failed))]
    yield "\n\n".join(filter(None, lines))
    if found.worst:
        values = found.outcome.measured.per_question
        worst = [f"{_failure_line(one)} {MAIN}: {figure(values[one.question.id][MAIN], 3)}." for one in found.worst]
        yield f"## Peores preguntas ({MAIN})\n\n" + "\n".join(worst)


def _failure_line(one: Failure) -> str:
    place = f"está en el puesto {one.rank}" if one.rank else "no está en la lista"
    return (
        f"- **{one.question.id}** «{' '.join(one.question.question.split())}» Se esperaba: {_expected(one)}. Lo que "
        f"responde {place}. Se encontró: {names_of(one.instead)}."
    )


def _expected(one: Failure) -> str:
    """Name what answers first, then what helps."""
    relevant = one.question.relevant
    ranked: list[Provision] = sorted(relevant, key=lambda named: (-relevant[named], *named))
    return "; ".join(f"{name_of(named)} (grado {relevant[named]})" for named in ranked)


def peer_sections(found: Findings) -> Iterable[str]:
    """Yield the section, where peers were asked for; those that are not installed are named."""
    peers = found.peers
    if not peers.runs and not peers.missing:
        return
    lines = ["## Otros buscadores"]
    if peers.runs:
        lines.append(
            f"Los mismos {figure(peers.provisions)} preceptos, enteros, y las mismas preguntas, una tras otra. Los que "
            "usan vectores usan los mismos, de análisis semántico latente. La diferencia es lo que gana la "
            "configuración en uso."
        )
        rows = [["articulado", *metric_row(found.outcome.measured)[1:], *NOT_COMPARED, "–", "–", "–"]]
        for run, one in zip(peers.runs, found.rivals, strict=True):
            packages = ", ".join(f"{name} {version}" for name, version in run.packages.items())
            times = [figure(run.index_seconds, 1), figure(run.question_ms, 1)]
            rows.append([*metric_row(one.configuration), *difference(one), packages, *times])
        columns = [f"Δ {MAIN} de articulado", *COMPARED, "Paquetes", "Indexar (s)", "Pregunta (ms)"]
        lines.append(table(["Buscador", *SHOWN, *columns], rows))
    lines += [f"- {message}" for message in peers.missing.values()]
    yield "\n\n".join(lines)
