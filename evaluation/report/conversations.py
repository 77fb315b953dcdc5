"""A report on conversations: ``report.json`` for programs, ``report.md`` for people."""

import json
from collections.abc import Iterable
from pathlib import Path

from articulado.language.translation import reason
from articulado.values.errors import InvalidInput
from evaluation.conversations.findings import ConversationFindings
from evaluation.report.answer_rows import FORM_HEAD, form_rows
from evaluation.report.conversation_json import conversations_json
from evaluation.report.conversation_rows import TURNS_HEAD, TURNS_LEGEND, describe_turn, turn_rows
from evaluation.report.tables import table
from evaluation.report.write import JSON, MARKDOWN


def write_conversations(folder: Path, findings: ConversationFindings) -> list[Path]:
    """Write the report and return its files; the same findings give the same files, byte for byte.

    Raises:
        InvalidInput: the folder cannot be written.
    """
    values = json.dumps(conversations_json(findings), ensure_ascii=False, indent=2)
    texts = {JSON: f"{values}\n", MARKDOWN: conversations_markdown(findings)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            f"No se puede escribir el informe en {folder}: {reason(error)}. Indique otra carpeta."
        ) from error
    return [folder / name for name in texts]


def conversations_markdown(findings: ConversationFindings) -> str:
    """Return the report in Spanish, as Markdown."""
    return "\n\n".join(_sections(findings)) + "\n"


def _sections(findings: ConversationFindings) -> Iterable[str]:
    tally = findings.tally
    yield f"# Evaluación de conversaciones: {findings.gold.name}"
    yield f"{findings.conversations} conversaciones, {tally.all.turns} turnos. {TURNS_LEGEND}"
    yield table(TURNS_HEAD, turn_rows(tally))
    if tally.form:
        yield table(FORM_HEAD, form_rows(tally.form))
    if failed := findings.failed:
        yield f"## Turnos que fallan: {len(failed)}"
        yield "\n".join(
            f"- **{result.conversation}, turno {result.number}** «{' '.join(result.turn.question.split())}» "
            f"{describe_turn(result)}"
            for result in failed
        )
    yield "## Máquina y versiones"
    yield table(["", ""], [[name, value] for name, value in findings.environment.items()])
