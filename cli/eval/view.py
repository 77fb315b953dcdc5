"""Terminal view of ``articulado eval``: metric tables and the worst questions.

Tables are at most 80 columns wide.
"""

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console

from articulado.language.formats import figure
from articulado.legal.laws.registry import known_laws
from cli.render import clean, number, print_text, signed, table
from evaluation.answers.answers import answer_means
from evaluation.conversations import ConversationFindings
from evaluation.gold.questions import Provision, format_provision
from evaluation.measure import Measurement, SetMeasurement
from evaluation.recording.recording import REPLIES, WAITING
from evaluation.recording.run import RecordedRun
from evaluation.report.findings import Findings, Step
from evaluation.report.tables import (
    ANSWERABLE_HEAD,
    FORM_HEAD,
    TURNS_HEAD,
    TURNS_LEGEND,
    UNANSWERABLE_HEAD,
    answerable_rows,
    describe_refusers,
    describe_relevance,
    describe_turn,
    form_rows,
    turn_rows,
    unanswerable_rows,
)
from evaluation.retrieval.evaluate import FIRST, FOUND_WITHIN, Failure, Kind, Outcome
from evaluation.retrieval.run import MAIN
from evaluation.statistics import Paired

MAX_FAILED = 5


def print_conversations(out: Console, findings: ConversationFindings) -> None:
    """Print the turns of one set by number and kind, and the first of those that fail."""
    turns, failed = findings.tally.all.turns, findings.failed
    title = f"{findings.gold.name}: {findings.conversations} conversaciones, {turns} turnos"
    out.print(clean(title), style="bold", markup=False)
    table(out, TURNS_HEAD, turn_rows(findings.tally))
    if findings.tally.form:
        table(out, FORM_HEAD, form_rows(findings.tally.form))
    if failed:
        print_text(out, f"\nFallan {len(failed)} turnos; los primeros:", style="bold")
    for result in failed[:MAX_FAILED]:
        print_text(out, f"{result.conversation}, turno {result.number}: {result.turn.question}")
        print_text(out, describe_turn(result), indent=4)
    print_text(out, f"\n{TURNS_LEGEND}", style="dim")


MAX_STALE = 10


def print_recording(out: Console, measurement: Measurement, run: RecordedRun) -> None:
    """Print what a recorded run was, then the questions that it could not finish and the replies they wait for."""
    recording = run.recording
    print_text(out, f"\nGrabación: {run.describe()} ({len(recording.asked)} consultas)", style="bold")
    for difference in recording.differences:
        print_text(out, difference, style="yellow")
    if stale := recording.stale:
        more = f" y {len(stale) - MAX_STALE} más" if len(stale) > MAX_STALE else ""
        print_text(
            out, f"Respuestas que ninguna consulta ha pedido: {', '.join(stale[:MAX_STALE])}{more}.", style="yellow"
        )
        print_text(out, "Son de otras preguntas, o han cambiado el índice, los textos o las opciones.", indent=4)
    if measurement.unfinished:
        print_text(out, waiting_for(measurement), style="yellow")
        rows = [(id_, name, missing.role, missing.hash) for (name, id_), missing in measurement.unfinished.items()]
        table(out, ("Sin terminar", "Fichero", "Falta", "Consulta"), rows)


def waiting_for(measurement: Measurement) -> str:
    """Return how many replies a recording lacks, and where they are to be written."""
    assert measurement.recorded is not None  # else nothing waits
    recording = measurement.recorded.recording
    waiting, replies = recording.folder / WAITING, recording.folder / REPLIES
    return (
        f"Faltan {len(recording.missing)} respuestas, y {len(measurement.unfinished)} preguntas o conversaciones no se "
        f"miden. Lea cada consulta en {waiting}, escriba su respuesta en {replies}/<consulta>.txt y repita la orden."
    )


MAX_WORST = 5
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


def print_measurement(out: Console, measurement: Measurement) -> None:
    """Print each gold set: metrics, categories, abstention, latency, comparison, failures and worst questions."""
    for position, set_measurement in enumerate(measurement.sets):
        if position:
            out.print()
        _print_set(out, set_measurement, measurement)
    for position, conversations in enumerate(measurement.conversations):
        if position or measurement.sets:
            out.print()
        _print_unusual(out, conversations.not_indexed, conversations.gold.ignored)
        print_conversations(out, conversations)
    if measurement.sets:
        print_text(out, f"\n{LEGEND}", style="dim")
    if measurement.recorded:
        print_recording(out, measurement, measurement.recorded)
    for path in measurement.written:
        print_text(out, f"Escrito: {path}")


def _print_set(out: Console, set_measurement: SetMeasurement, measurement: Measurement) -> None:
    outcome = set_measurement.outcome
    positives, negatives = len(outcome.positives), len(outcome.negatives)
    out.print(clean(f"{outcome.gold.name}: {_questions(positives + negatives)}"), style="bold", markup=False)
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
    print_text(out, f"{line}; {declined} de {negatives} sin respuesta, bien declinadas.")
    latency = outcome.latency
    print_text(out, f"Recuperación por pregunta: p50 {figure(latency.p50)} ms, p95 {figure(latency.p95)} ms.")
    kinds = [failure.kind for failure in set_measurement.findings.failures]
    line = f"Fallos: {kinds.count('retrieval')} de recuperación, {kinds.count('ranking')} de ordenación"
    print_text(
        out, f"{line}, {kinds.count('answer')} de respuesta." if set_measurement.findings.answers else f"{line}."
    )
    _print_worst(out, set_measurement.findings.worst[:MAX_WORST], outcome)


def _print_optional(out: Console, findings: Findings) -> None:
    if findings.configurations and findings.outcome.positives:
        _print_configurations(out, findings.steps)
    if findings.answers:
        _print_answers(out, findings)
    if (findings.peers.runs or findings.peers.missing) and findings.outcome.positives:
        _print_peers(out, findings)


def _print_unusual(out: Console, not_indexed: Sequence[Provision], ignored: Sequence[str]) -> None:
    """Warn of labels that the index lacks, and of keys that mean nothing."""
    if not_indexed:
        shown = ", ".join(map(format_provision, not_indexed[:MAX_MISSING]))
        more = f" y {len(not_indexed) - MAX_MISSING} más" if len(not_indexed) > MAX_MISSING else ""
        warning = f"Aviso: el índice no tiene {len(not_indexed)} de los preceptos esperados: {shown}{more}."
        print_text(out, f"{warning} ¿Es el índice para el que se escribió el fichero?", style="yellow")
    if ignored:
        print_text(out, f"Aviso: no se usan estos campos del fichero: {', '.join(ignored)}.", style="yellow")


def _print_metrics(out: Console, outcome: Outcome) -> None:
    measured = outcome.measured
    rows = [
        (name, number(mean), f"{number(measured.intervals[name].low)} – {number(measured.intervals[name].high)}")
        for name, mean in measured.means.items()
    ]
    table(out, ("Métrica", "Media", "Intervalo 95 %"), rows)


def _print_categories(out: Console, outcome: Outcome) -> None:
    rows = [
        (name, str(len(measured.per_question)), *(number(measured.means[metric]) for metric in BY_CATEGORY))
        for name, measured in outcome.by_category.items()
    ]
    table(out, ("Categoría", "n", *BY_CATEGORY), rows)


def _print_comparison(out: Console, against: Mapping[str, Paired], other: str) -> None:
    print_text(out, f"\nFrente a {other} (+/=/−: preguntas mejores, iguales y peores aquí)")
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
    table(out, ("Métrica", "Aquí", "Otro", "Dif.", "Intervalo 95 %", "p", "+/=/−"), rows)


def _print_configurations(out: Console, steps: Sequence[Step]) -> None:
    """Print the configurations of an ablation, each against the one before."""
    print_text(out, f"\nTécnicas, cada una frente a la línea anterior en {MAIN}", style="bold")
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
    table(out, ("Configuración", MAIN, "Intervalo 95 %", "Dif.", "p", "R@20", "hit@3"), rows)


def _print_answers(out: Console, findings: Findings) -> None:
    """Print what became of the questions, and what the answers are worth."""
    print_text(out, "\nRespuestas", style="bold")
    answerable, unanswerable = findings.tally.answerable, findings.tally.unanswerable
    if findings.outcome.positives:
        table(out, ANSWERABLE_HEAD, answerable_rows(answerable))
    if findings.outcome.negatives:
        table(out, UNANSWERABLE_HEAD, unanswerable_rows(unanswerable))
        print_text(out, describe_refusers(unanswerable.outcomes))
    if rows := [(name, number(mean), str(count)) for name, (mean, count) in answer_means(findings.answers).items()]:
        table(out, ("Medida", "Media", "n"), rows)
    if findings.tally.form:
        table(out, FORM_HEAD, form_rows(findings.tally.form))
    if findings.relevance:
        print_text(out, f"\n{describe_relevance(findings.relevance)}")


def _print_peers(out: Console, findings: Findings) -> None:
    """Print what other searches find among the same provisions, and what the one in use gives against each."""
    peers, ours = findings.peers, findings.outcome
    print_text(out, f"\nOtros buscadores sobre los mismos {figure(peers.provisions)} preceptos", style="bold")
    rows = [("articulado", *_means(ours.measured.means), "", "", figure(ours.latency.p50, 1))]
    for run, rival in zip(peers.runs, findings.rivals, strict=True):
        against = (signed(rival.against.difference), number(rival.against.p)) if rival.against else ("", "")
        rows.append((run.name, *_means(rival.configuration.means), *against, figure(run.question_ms, 1)))
    table(out, ("", MAIN, "R@20", "hit@3", "Ventaja", "p", "ms"), rows)
    for reason in peers.missing.values():
        print_text(out, reason, style="yellow")


def _means(means: dict[str, float]) -> tuple[str, str, str]:
    return number(means[MAIN]), number(means["R@20"]), number(means["hit@3"])


def _print_worst(out: Console, worst_first: Sequence[Failure], outcome: Outcome) -> None:
    if worst_first:
        print_text(out, f"\nPeores preguntas por {MAIN}", style="bold")
    laws = {row.provision[0]: row.law for retrieved in outcome.retrieved.values() for row in retrieved.rows}
    for failure in worst_first:
        question = failure.question
        score = number(outcome.measured.per_question[question.id][MAIN])
        print_text(out, f"{question.id} ({score}): {question.question}")
        print_text(
            out, f"Fallo de {FAILURES[failure.kind]}." if failure.kind else f"{FAILURES[None].capitalize()}.", indent=4
        )
        print_text(out, f"Se esperaba: {_listed(question.relevant, laws)}.", indent=4)
        print_text(out, f"Se encontró: {_listed(failure.instead, laws) or 'nada'}.", indent=4)


def _listed(provisions: Iterable[Provision], laws: Mapping[str, str]) -> str:
    return "; ".join(f"{_law(law_id, laws)}, {label}" for law_id, label in provisions)


def _law(law_id: str, laws: Mapping[str, str]) -> str:
    law = known_laws().get(law_id)
    return law.abbreviation or law.short if law else laws.get(law_id, law_id)


def _questions(count: int) -> str:
    return f"{count} pregunta" if count == 1 else f"{count} preguntas"
