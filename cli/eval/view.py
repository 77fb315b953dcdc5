"""Figures of ``articulado eval`` in a terminal of 80 columns, and as a report in Markdown."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from rich.console import Console

from articulado.language.formats import figure
from articulado.language.translation import reason as reason_of
from articulado.legal.laws.registry import known_laws
from articulado.values.errors import InvalidInput
from cli.render import number, print_text, signed, table
from evaluation.answers.answers import answer_means
from evaluation.as_json import as_dict
from evaluation.conversations import ConversationFindings
from evaluation.gold.questions import Provision, format_provision
from evaluation.measure import Measurement, SetMeasurement
from evaluation.recording.run import RecordedRun
from evaluation.report import (
    ANSWERABLE_HEAD,
    CATEGORIES_HEAD,
    FORM_HEAD,
    RISK_HEAD,
    TURNS_HEAD,
    TURNS_LEGEND,
    UNANSWERABLE_HEAD,
    Findings,
    Step,
    answerable_rows,
    bin_rows,
    category_rows,
    describe_refusers,
    describe_relevance,
    describe_turn,
    form_rows,
    risk_rows,
    turn_rows,
    unanswerable_rows,
)
from evaluation.retrieval.evaluate import FIRST, FOUND_WITHIN, Failure, Kind, Outcome
from evaluation.retrieval.run import MAIN
from evaluation.statistics import Paired

MAX_FAILED, MAX_WORST = 5, 5
JSON, MARKDOWN = "report.json", "report.md"


class Out(Protocol):
    """Page that the view writes on; ``whole`` asks for all rows."""

    whole: bool

    def heading(self, text: str, level: int = 2) -> None:
        pass

    def text(self, text: str, style: str = "") -> None:
        pass

    def item(self, text: str, *details: str) -> None:
        pass

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        pass


class Terminal:
    """Lines of at most 80 columns on a console."""

    whole = False

    def __init__(self, console: Console) -> None:
        self._console = console
        self._begun = False

    def heading(self, text: str, level: int = 2) -> None:
        print_text(self._console, f"\n{text}" if self._begun else text, style="bold")
        self._begun = True

    def text(self, text: str, style: str = "") -> None:
        print_text(self._console, text, style=style)

    def item(self, text: str, *details: str) -> None:
        print_text(self._console, text)
        for detail in details:
            print_text(self._console, detail, indent=4)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        table(self._console, head, rows)


class Markdown:
    """Page in Markdown."""

    whole = True

    def __init__(self) -> None:
        self._blocks: list[str] = []

    @property
    def written(self) -> str:
        return "\n\n".join(self._blocks) + "\n"

    def heading(self, text: str, level: int = 2) -> None:
        self._blocks.append(f"{'#' * level} {_line(text)}")

    def text(self, text: str, style: str = "") -> None:
        self._blocks.append(_line(text))

    def item(self, text: str, *details: str) -> None:
        self._blocks.append(" ".join([f"- {_line(text)}", *map(_line, details)]))

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        lines = [head, ["---"] * len(head), *rows]
        self._blocks.append("\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines))


def _line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")


def write_report(folder: Path, measurement: Measurement) -> list[Path]:
    """Write ``report.json``, the same as ``--json``, and ``report.md`` into a folder, and return both files."""
    page = Markdown()
    print_measurement(page, measurement)
    texts = {JSON: json.dumps(as_dict(measurement), ensure_ascii=False, indent=2) + "\n", MARKDOWN: page.written}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            f"No se puede escribir el informe en {folder}: {reason_of(error)}. Indique otra carpeta."
        ) from error
    return [folder / name for name in texts]


def _print_conversations(out: Out, findings: ConversationFindings) -> None:
    turns, failed = findings.tally.all.turns, findings.failed
    out.heading(f"{findings.gold.name}: {findings.conversations} conversaciones, {turns} turnos", 1)
    _print_unusual(out, findings.not_indexed, findings.gold.ignored)
    out.table(TURNS_HEAD, turn_rows(findings.tally))
    if findings.tally.form:
        out.table(FORM_HEAD, form_rows(findings.tally.form))
    if failed:
        out.heading(f"Fallan {len(failed)} turnos{'' if out.whole else '; los primeros'}:")
    for result in failed[: None if out.whole else MAX_FAILED]:
        out.item(f"{result.conversation}, turno {result.number}: {result.turn.question}", describe_turn(result))
    out.text(f"\n{TURNS_LEGEND}", style="dim")
    _print_environment(out, findings.environment)


MAX_STALE = 10


def _print_recording(out: Out, measurement: Measurement, run: RecordedRun) -> None:
    recording = run.recording
    out.heading(f"Grabación: {run.describe()} ({len(recording.asked)} consultas)")
    for difference in recording.differences:
        out.text(difference, style="yellow")
    if stale := recording.stale:
        more = f" y {len(stale) - MAX_STALE} más" if len(stale) > MAX_STALE else ""
        out.text(f"Respuestas que ninguna consulta ha pedido: {', '.join(stale[:MAX_STALE])}{more}.", style="yellow")
        out.text("Son de otras preguntas, o han cambiado el índice, los textos o las opciones.")
    if measurement.unfinished:
        out.text(measurement.waiting, style="yellow")
        rows = [(id_, name, missing.role, missing.hash) for (name, id_), missing in measurement.unfinished.items()]
        out.table(("Sin terminar", "Fichero", "Falta", "Consulta"), rows)


MAX_MISSING = 10
BY_CATEGORY = ("nDCG@5", MAIN, "R@20", "hit@3", "success@3")
LEGEND = (
    "hit@k: un precepto que responde (grado 2) entre los k primeros; success@k: uno que al menos ayuda (grado 1). "
    "P@3/min(3,R): P@3 sobre lo más que la pregunta permite."
)
FAILURES: dict[Kind | None, str] = {
    None: "lo que responde está entre los tres primeros, pero falta otro precepto o va detrás",
    "retrieval": f"recuperación: nada de lo que responde está entre los {FOUND_WITHIN} primeros",
    "ranking": f"ordenación: está entre los {FOUND_WITHIN} primeros, no entre los {FIRST} primeros",
    "answer": "respuesta: se encontró, pero no se cita",
}


def print_measurement(out: Out, measurement: Measurement) -> None:
    """Print each gold set: metrics, categories, abstention, latency, comparison, failures and worst questions."""
    for set_measurement in measurement.sets:
        _print_set(out, set_measurement, measurement)
    for conversations in measurement.conversations:
        _print_conversations(out, conversations)
    if measurement.sets:
        out.text(f"\n{LEGEND}", style="dim")
    if measurement.recorded:
        _print_recording(out, measurement, measurement.recorded)


def _print_set(out: Out, set_measurement: SetMeasurement, measurement: Measurement) -> None:
    outcome = set_measurement.outcome
    positives, negatives = len(outcome.positives), len(outcome.negatives)
    out.heading(f"{outcome.gold.name}: {_questions(positives + negatives)}", 1)
    _print_unusual(out, set_measurement.not_indexed, outcome.gold.ignored)
    if positives:
        _print_metrics(out, outcome)
    if outcome.by_category:
        _print_categories(out, outcome)
    if set_measurement.against:
        _print_comparison(out, set_measurement.against, str(measurement.request.other))
    _print_optional(out, set_measurement.findings)
    refused, declined = len(outcome.wrongly_refused), len(outcome.rightly_declined)
    line = f"\nAbstención: {refused} de {positives} con respuesta, rechazadas sin razón"
    out.text(f"{line}; {declined} de {negatives} sin respuesta, bien declinadas.")
    latency = outcome.latency
    out.text(f"Recuperación por pregunta: p50 {figure(latency.p50)} ms, p95 {figure(latency.p95)} ms.")
    kinds = [failure.kind for failure in set_measurement.findings.failures]
    line = f"Fallos: {kinds.count('retrieval')} de recuperación, {kinds.count('ranking')} de ordenación"
    out.text(f"{line}, {kinds.count('answer')} de respuesta." if set_measurement.findings.answers else f"{line}.")
    _print_worst(out, set_measurement.findings.worst[: None if out.whole else MAX_WORST], outcome)
    _print_environment(out, set_measurement.findings.environment)


def _print_optional(out: Out, findings: Findings) -> None:
    if findings.configurations and findings.outcome.positives:
        _print_configurations(out, findings.steps)
    if findings.answers:
        _print_answers(out, findings)
    if (findings.peers.runs or findings.peers.missing) and findings.outcome.positives:
        _print_peers(out, findings)


def _print_unusual(out: Out, not_indexed: Sequence[Provision], ignored: Sequence[str]) -> None:
    if not_indexed:
        shown = ", ".join(map(format_provision, not_indexed[:MAX_MISSING]))
        more = f" y {len(not_indexed) - MAX_MISSING} más" if len(not_indexed) > MAX_MISSING else ""
        warning = f"Aviso: el índice no tiene {len(not_indexed)} de los preceptos esperados: {shown}{more}."
        out.text(f"{warning} ¿Es el índice para el que se escribió el fichero?", style="yellow")
    if ignored:
        out.text(f"Aviso: no se usan estos campos del fichero: {', '.join(ignored)}.", style="yellow")


def _print_environment(out: Out, environment: Mapping[str, str]) -> None:
    if out.whole and environment:
        out.heading("Máquina y versiones")
        out.table(("", ""), [*environment.items()])


def _print_metrics(out: Out, outcome: Outcome) -> None:
    measured = outcome.measured
    rows = [
        (name, number(mean), f"{number(measured.intervals[name].low)} – {number(measured.intervals[name].high)}")
        for name, mean in measured.means.items()
    ]
    out.table(("Métrica", "Media", "Intervalo 95 %"), rows)


def _print_categories(out: Out, outcome: Outcome) -> None:
    rows = [
        (name, str(len(measured.per_question)), *(number(measured.means[metric]) for metric in BY_CATEGORY))
        for name, measured in outcome.by_category.items()
    ]
    out.table(("Categoría", "n", *BY_CATEGORY), rows)


def _print_comparison(out: Out, against: Mapping[str, Paired], other: str) -> None:
    out.text(f"\nFrente a {other} (+/=/−: preguntas mejores, iguales y peores aquí)")
    rows = [
        (
            name,
            number(paired.second),
            number(paired.first),
            signed(paired.difference),
            f"{signed(paired.interval.low)} – {signed(paired.interval.high)}",
            number(paired.p),
            f"{paired.wins}/{paired.ties}/{paired.losses}",
        )
        for name, paired in against.items()
    ]
    out.table(("Métrica", "Aquí", "Otro", "Dif.", "Intervalo 95 %", "p", "+/=/−"), rows)


def _print_configurations(out: Out, steps: Sequence[Step]) -> None:
    out.heading(f"Técnicas, cada una frente a la línea anterior en {MAIN}")
    rows = []
    for step in steps:
        means, bounds = step.configuration.means, step.configuration.intervals[MAIN]
        rows.append(
            (
                step.configuration.name,
                number(means[MAIN]),
                f"{number(bounds.low)} – {number(bounds.high)}",
                signed(step.against.difference) if step.against else "",
                number(step.against.p) if step.against else "",
                number(means["R@20"]),
                number(means["hit@3"]),
            )
        )
    out.table(("Configuración", MAIN, "Intervalo 95 %", "Dif.", "p", "R@20", "hit@3"), rows)


_RISK = (
    "Si solo se contestaran las preguntas con una relevancia mínima, la cobertura sería la parte de todas ellas que se "
    "contesta, y el riesgo, la parte de estas que no tiene respuesta en la norma o en la que no se cita ningún "
    "precepto que responde. Bajo la curva, cuanta menos área, mejor; las preguntas sin relevancia no se cubren nunca."
)


def _print_answers(out: Out, findings: Findings) -> None:
    out.heading("Respuestas")
    answerable, unanswerable = findings.tally.answerable, findings.tally.unanswerable
    if findings.outcome.positives:
        out.table(ANSWERABLE_HEAD, answerable_rows(answerable))
    if findings.outcome.negatives:
        out.table(UNANSWERABLE_HEAD, unanswerable_rows(unanswerable))
        out.text(describe_refusers(unanswerable.outcomes))
    if rows := [(name, number(mean), str(count)) for name, (mean, count) in answer_means(findings.answers).items()]:
        out.table(("Medida", "Media", "n"), rows)
    if findings.tally.form:
        out.table(FORM_HEAD, form_rows(findings.tally.form))
    if findings.relevance:
        out.text(f"\n{describe_relevance(findings.relevance)}")
    if findings.relevance and out.whole:
        out.text(_RISK)
        out.table(RISK_HEAD, risk_rows(findings.relevance))
        out.table(("Relevancia media", "Con respuesta", "n"), bin_rows(findings.relevance.calibration.reliability))
        out.table(CATEGORIES_HEAD, category_rows(findings.relevance))


def _print_peers(out: Out, findings: Findings) -> None:
    peers, ours = findings.peers, findings.outcome
    out.heading(f"Otros buscadores sobre los mismos {figure(peers.provisions)} preceptos")
    rows = [("articulado", *_means(ours.measured.means), "", "", figure(ours.latency.p50, 1))]
    for run, rival in zip(peers.runs, findings.rivals, strict=True):
        against = (signed(rival.against.difference), number(rival.against.p)) if rival.against else ("", "")
        rows.append((run.name, *_means(rival.configuration.means), *against, figure(run.question_ms, 1)))
    out.table(("", MAIN, "R@20", "hit@3", "Ventaja", "p", "ms"), rows)
    for reason in peers.missing.values():
        out.text(reason, style="yellow")


def _means(means: dict[str, float]) -> tuple[str, str, str]:
    return number(means[MAIN]), number(means["R@20"]), number(means["hit@3"])


def _print_worst(out: Out, worst_first: Sequence[Failure], outcome: Outcome) -> None:
    if worst_first:
        out.heading(f"Peores preguntas por {MAIN}")
    laws = {row.provision[0]: row.law for retrieved in outcome.retrieved.values() for row in retrieved.rows}
    for failure in worst_first:
        question = failure.question
        score = number(outcome.measured.per_question[question.id][MAIN])
        out.item(
            f"{question.id} ({score}): {question.question}",
            f"Fallo de {FAILURES[failure.kind]}." if failure.kind else f"{FAILURES[None].capitalize()}.",
            f"Se esperaba: {_listed(question.relevant, laws)}.",
            f"Se encontró: {_listed(failure.instead, laws) or 'nada'}.",
        )


def _listed(provisions: Iterable[Provision], laws: Mapping[str, str]) -> str:
    return "; ".join(f"{_law(law_id, laws)}, {label}" for law_id, label in provisions)


def _law(law_id: str, laws: Mapping[str, str]) -> str:
    law = known_laws().get(law_id)
    return law.abbreviation or law.short if law else laws.get(law_id, law_id)


def _questions(count: int) -> str:
    return f"{count} pregunta" if count == 1 else f"{count} preguntas"
