"""What ``articulado case calibrate`` shows: tables no wider than 80 columns."""

from rich.console import Console

from cli.case.calibrate_run import CalibrationResult
from cli.render import clean
from cli.tables import say, table
from evaluation.case_desk.calibration import BeforeAfter, CurveReport
from evaluation.case_desk.findings import ProfileFindings, pooled
from evaluation.case_desk.report_rows import (
    HEAD,
    KINDS_HEAD,
    bin_rows,
    comparison_rows,
    describe_kinds,
    format_auc,
    format_count,
    format_curve,
    kind_rows,
)

BINS_HEAD = ("Consultas", "Antes: conf.", "aciertos", "Después: conf.", "aciertos")
LEGEND = (
    "Acierta la consulta cuyo artículo se encuentra; la que ningún artículo resuelve, nunca. Todo se mide con la mitad "
    "de las consultas con la que no se ajustó la curva. ECE: distancia media entre confianza y aciertos; con tan "
    "pocas consultas, la de una confianza exacta tampoco sería 0. Brier: media de (confianza − resultado)². "
    "AUC: con qué frecuencia lo acertado tiene más confianza que lo demás."
)


def print_calibrations(out: Console, result: CalibrationResult) -> None:
    """Print each profile, all of them together where they are several, and the files that were written."""
    for position, findings in enumerate(result.profiles):
        if position:
            out.print()
        _print_profile(out, findings)
    if len(result.profiles) > 1:
        for graph, before_after in pooled(result.profiles).items():
            say(
                out,
                f"\nTodos los perfiles, {graph} ({len(before_after.scored)} consultas, AUC {format_auc(before_after)})",
                style="bold",
            )
            _print_before_after(out, before_after)
    say(out, f"\n{LEGEND}", style="dim")
    for path in result.written:
        say(out, f"Escrito: {path}")


def _print_profile(out: Console, findings: ProfileFindings) -> None:
    answerable = sum(case.answerable for case in findings.cases)
    head = f"{findings.profile}: {len(findings.cases)} consultas, {answerable} con artículo"
    out.print(clean(head), style="bold", markup=False)
    say(out, f"Vectores {findings.embedder}, reordenación {findings.reranker}.")
    if findings.not_indexed:
        say(out, f"Aviso: el índice no tiene estos artículos: {', '.join(findings.not_indexed)}.", style="yellow")
    for graph, report in findings.reports.items():
        _print_graph(out, graph, report)


def _print_graph(out: Console, graph: str, report: CurveReport) -> None:
    attempts = [*report.fitted_on, *(attempt.result for attempt in report.measured.scored)]
    say(out, f"\n{graph}", style="bold")
    accuracy = format_count([attempt.right for attempt in attempts if attempt.case.answerable])
    say(out, f"Artículo acertado: {accuracy}. AUC en la mitad que se mide: {format_auc(report.measured)}.")
    say(out, f"Curva: {format_curve(report.curve)}.")
    _print_before_after(out, report.measured)
    table(out, KINDS_HEAD, kind_rows(report.kinds))
    say(out, describe_kinds(report.kinds))


def _print_before_after(out: Console, before_after: BeforeAfter) -> None:
    table(out, HEAD, comparison_rows(before_after))
    table(out, BINS_HEAD, bin_rows(before_after))
