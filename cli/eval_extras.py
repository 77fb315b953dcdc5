"""What ``articulado eval`` shows of an ablation, of answers, and of other searches."""

from collections.abc import Sequence

from rich.console import Console

from cli.eval_table import number, say, signed, table
from evaluation.answers.answers import AnswerResult, answer_means
from evaluation.report.findings import Findings, Step
from evaluation.retrieval.metrics import MAIN
from language.formats import figure


def print_configurations(out: Console, steps: Sequence[Step]) -> None:
    """Print the configurations of an ablation, each against the one before."""
    say(out, f"\nTécnicas, cada una frente a la línea anterior en {MAIN}", style="bold")
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


def print_answers(out: Console, answers: Sequence[AnswerResult]) -> None:
    """Print what the answers are worth."""
    say(out, "\nRespuestas", style="bold")
    rows = [(name, number(mean), str(count)) for name, (mean, count) in answer_means(answers).items()]
    table(out, ("Medida", "Media", "n"), rows)


def print_peers(out: Console, findings: Findings) -> None:
    """Print what other searches find among the same provisions, and what the one in use gives against each."""
    peers, ours = findings.peers, findings.outcome
    say(out, f"\nOtros buscadores sobre los mismos {figure(peers.provisions)} preceptos", style="bold")
    rows = [("articulado", *_means(ours.measured.means), "", "", figure(ours.latency.p50, 1))]
    for run, rival in zip(peers.runs, findings.rivals, strict=True):
        against = (signed(rival.against.difference), number(rival.against.p)) if rival.against else ("", "")
        rows.append((run.name, *_means(rival.configuration.means), *against, figure(run.question_ms, 1)))
    table(out, ("", MAIN, "R@20", "hit@3", "Ventaja", "p", "ms"), rows)
    for why in peers.missing.values():
        say(out, why, style="yellow")


def _means(means: dict[str, float]) -> tuple[str, str, str]:
    return number(means[MAIN]), number(means["R@20"]), number(means["hit@3"])
