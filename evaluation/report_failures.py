"""Sections of a report on what went wrong: failures by stage, and the worst questions."""

from collections.abc import Iterable

from evaluation.failures import FIRST, FOUND_WITHIN, Failure, Kind
from evaluation.findings import Findings
from evaluation.metrics import MAIN
from evaluation.provisions import Provision
from evaluation.report_text import name_of, names_of
from language.formats import figure

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
        lines += [f"### {name}: {share}", f"{meaning[0].upper()}{meaning[1:]}.", "\n".join(map(_line, failed))]
    yield "\n\n".join(filter(None, lines))
    if found.worst:
        values = found.outcome.measured.per_question
        worst = [f"{_line(one)} {MAIN}: {figure(values[one.question.id][MAIN], 3)}." for one in found.worst]
        yield f"## Peores preguntas ({MAIN})\n\n" + "\n".join(worst)


def _line(one: Failure) -> str:
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
