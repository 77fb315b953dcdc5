"""What ``articulado case calibrate`` shows: tables no wider than 80 columns."""

from rich.console import Console

from cli.case.calibrate_run import CalibrationResult
from cli.render import clean
from cli.tables import say, table
from evaluation.case_desk.decisions import Decisions
from evaluation.case_desk.findings import Measured, ProfileFindings, pooled
from evaluation.case_desk.report_rows import (
    DECISIONS_HEAD,
    HEAD,
    bin_rows,
    comparison_rows,
    decision_rows,
    format_curve,
    format_found,
)

BINS_HEAD = ("Casos", "Antes: conf.", "aciertos", "Después: conf.", "aciertos")
LEGEND = (
    "Acierta el caso cuyo artículo es el que mejor encaja; el que ningún artículo lleva, nunca. Todo se mide con los "
    "casos con los que no se ajustó la curva. ECE: distancia media entre confianza y aciertos; con tan pocos casos, la "
    "de una confianza exacta tampoco sería 0. Brier: media de (confianza − resultado)². AUC: con qué frecuencia lo "
    "acertado tiene más confianza que lo demás. Bien decidido: con el veredicto que debe, y con su artículo si sigue. "
    "Sin deber: de los que deben parar, los que siguen. Datos vistos: de los que faltan o no valen, los que nombra."
)


def print_calibrations(out: Console, result: CalibrationResult) -> None:
    """Print each profile, all of them together where they are several, and the files that were written."""
    for position, findings in enumerate(result.profiles):
        if position:
            out.print()
        _print_profile(out, findings)
    if len(result.profiles) > 1:
        for graph, measured in pooled(result.profiles).items():
            say(out, f"\nTodos los perfiles, {graph}", style="bold")
            _print_measured(out, measured)
    say(out, f"\n{LEGEND}", style="dim")
    for path in result.written:
        say(out, f"Escrito: {path}")


def _print_profile(out: Console, findings: ProfileFindings) -> None:
    answerable = sum(case.answerable for case in findings.cases)
    head = f"{findings.profile}: {len(findings.cases)} casos, {answerable} con artículo"
    out.print(clean(head), style="bold", markup=False)
    say(out, f"Vectores {findings.embedder}, reordenación {findings.reranker}.")
    if findings.not_indexed:
        say(out, f"Aviso: el índice no tiene estos artículos: {', '.join(findings.not_indexed)}.", style="yellow")
    for graph, report in findings.reports.items():
        say(out, f"\n{graph}", style="bold")
        say(out, f"Curva: {format_curve(report.curve)}.")
        _print_measured(out, report.measured)


def _print_measured(out: Console, measured: Measured) -> None:
    confidence = measured.confidence
    say(out, f"Casos que se miden: {len(confidence.scored)}. Artículo acertado: {format_found(confidence)}.")
    table(out, HEAD, comparison_rows(confidence))
    table(out, BINS_HEAD, bin_rows(confidence))
    _print_decisions(out, measured.decisions)
    if measured.decisions_on_every:
        say(out, "\nLo que se decide en todos los casos, también los del ajuste:")
        _print_decisions(out, measured.decisions_on_every)


def _print_decisions(out: Console, decisions: Decisions) -> None:
    if decisions:
        table(out, DECISIONS_HEAD, decision_rows(decisions))
