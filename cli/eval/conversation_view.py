"""What ``articulado eval`` shows of conversations."""

from rich.console import Console

from cli.render import clean
from cli.tables import say, table
from evaluation.conversations.findings import ConversationFindings
from evaluation.report.answer_rows import FORM_HEAD, form_rows
from evaluation.report.conversation_rows import TURNS_HEAD, TURNS_LEGEND, describe_turn, turn_rows

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
        say(out, f"\nFallan {len(failed)} turnos; los primeros:", style="bold")
    for result in failed[:MAX_FAILED]:
        say(out, f"{result.conversation}, turno {result.number}: {result.turn.question}")
        say(out, describe_turn(result), indent=4)
    say(out, f"\n{TURNS_LEGEND}", style="dim")
