"""The sections of a report in Markdown that stand only in some: failures, worst questions and peers."""

from collections.abc import Iterable

from articulado.language.formats import figure
from evaluation.gold.provisions import Provision
from evaluation.report.findings import Findings
from evaluation.report.tables import (
    COMPARED,
    NOT_COMPARED,
    SHOWN,
    difference,
    display_name,
    display_names,
    metric_row,
    table,
)
from evaluation.retrieval.failures import FIRST, FOUND_WITHIN, Failure, Kind
from evaluation.retrieval.metrics import MAIN

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
