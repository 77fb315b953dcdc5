"""Markdown tables, rows and cells shared by the report sections, and sections on failures and peers."""

from collections.abc import Iterable, Sequence

from articulado.language.formats import NONE, figure
from articulado.legal.laws.registry import known_laws
from evaluation.gold.questions import Provision
from evaluation.report.findings import Findings, Step
from evaluation.retrieval.evaluate import FIRST, FOUND_WITHIN, Configuration, Failure, Kind
from evaluation.retrieval.run import MAIN, P_3_NORMALISED
from evaluation.statistics import Reliability

VOICES = {"lay": "legas", "professional": "profesionales"}
"""How a reader knows the voices of a gold set."""

SHOWN = (MAIN, "R@20", "hit@1", "hit@3", P_3_NORMALISED, "RR")
"""Metrics of a table, in its order; the JSON report has all."""

COMPARED = ("p", "mejor / igual / peor")
"""Columns after the difference itself."""

NOT_COMPARED = [NONE] * 3
"""Cells of the first row of a table, which has none before it."""


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; what would break a cell (a bar, a line break) is altered."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def interval_text(mean: float, bounds: tuple[float, float]) -> str:
    """Return a mean with its interval.

    >>> interval_text(0.553, (0.487, 0.615))
    '0,553 [0,487; 0,615]'
    """
    low, high = bounds
    return f"{figure(mean, 3)} [{figure(low, 3)}; {figure(high, 3)}]"


def bin_rows(measured: Reliability) -> list[list[str]]:
    """Return mean confidence, share of right questions with its interval, and number of questions of each bin."""
    return [
        [figure(bin_.confidence, 3), interval_text(bin_.right, (bin_.low, bin_.high)), str(bin_.count)]
        for bin_ in measured.bins
    ]


def display_name(provision: Provision) -> str:
    """Return a provision as a person knows it: "Estatuto de los Trabajadores, Artículo 38"."""
    law_id, label = provision
    law = known_laws().get(law_id)
    return f"{law.short if law else law_id}, {label}"


def display_names(provisions: Sequence[Provision]) -> str:
    """Return provisions in a row; "nada" without any."""
    return "; ".join(map(display_name, provisions)) or "nada"


def metric_row(configuration: Configuration) -> list[str]:
    """Return the name and the metrics with their intervals; nothing is known without a question with an answer."""
    means = configuration.means
    return [
        configuration.name,
        *(interval_text(means[name], configuration.intervals[name]) if name in means else NONE for name in SHOWN),
    ]


def difference(step: Step) -> list[str]:
    """Return the paired difference with its interval, p, and on how many questions it is better, the same, worse."""
    if step.against is None:
        return NOT_COMPARED
    paired = step.against
    low, high = paired.interval
    change = f"{_signed(paired.difference)} [{_signed(low)}; {_signed(high)}]"
    return [change, figure(paired.p, 4), f"{paired.wins} / {paired.ties} / {paired.losses}"]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + figure(value, 3).replace("-", "−")


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
