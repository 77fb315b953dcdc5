"""Report on conversations: ``report.json`` for programs, ``report.md`` for people.

The same findings give the same files, byte for byte.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from articulado.language.formats import NONE, figure
from articulado.language.translation import reason
from articulado.values.errors import InvalidInput
from evaluation.answers.tally import Share
from evaluation.conversations import ConversationFindings, ConversationTally, TurnResult, Turns
from evaluation.gold.questions import Provision, format_provision, key_of
from evaluation.report.answers import FORM_HEAD, form_rows
from evaluation.report.as_json import DECIMALS
from evaluation.report.tables import display_names, table
from evaluation.report.write import JSON, MARKDOWN


def conversations_json(findings: ConversationFindings) -> dict[str, Any]:
    """Return everything that was measured, turn by turn."""
    tally = findings.tally
    return {
        "name": findings.gold.name,
        "gold": str(findings.gold.path),
        "conversations": findings.conversations,
        "turns": tally.all.turns,
        "ignored_keys": list(findings.gold.ignored),
        "not_held": _names(findings.not_indexed),
        "environment": dict(findings.environment),
        "all": _turns(tally.all),
        "later": _turns(tally.later),
        "by_number": {str(number): _turns(turns) for number, turns in tally.by_number.items()},
        "by_kind": {kind: _turns(turns) for kind, turns in tally.by_kind.items()},
        "form": {trait: _share(share) for trait, share in tally.form.items()},
        "per_turn": [_turn(result) for result in findings.results],
    }


def _turns(turns: Turns) -> dict[str, Any]:
    return {
        "turns": turns.turns,
        "hit@3": _share(turns.hit),
        "hit_in_context": _share(turns.read),
        "must_keep": _share(turns.kept),
        "intrusion": _share(turns.intruding),
        "intrusion_cited": _share(turns.intruding_cited),
        "facts": _share(turns.facts),
        "refused": _share(turns.refused),
    }


def _share(share: Share) -> dict[str, Any]:
    return {
        "count": share.count,
        "of": share.total,
        "share": None if share.value is None else round(share.value, DECIMALS),
    }


def _turn(result: TurnResult) -> dict[str, Any]:
    turn = result.turn
    return {
        "conversation": result.conversation,
        "number": result.number,
        "kind": turn.kind,
        "question": turn.question,
        "searches": list(result.searches),
        "answer": result.answer,
        "outcome": result.outcome,
        "relevant": {format_provision(provision): grade for provision, grade in turn.relevant.items()},
        "hit@3": result.hit if result.asks else None,
        "hit_in_context": result.was_read if result.asks else None,
        "cited": _names(result.cited),
        "context": _names(result.read),
        "must_keep": _names(turn.must_keep),
        "kept": _names(result.kept),
        "must_not": _names(turn.must_not),
        "intruding": _names(result.intruding),
        "intruding_cited": _names(result.intruding_cited),
        "missing_facts": list(result.missing),
        "form": None if result.form is None else sorted(result.form),
    }


def _names(provisions: Iterable[Provision]) -> list[str]:
    return [format_provision(provision) for provision in provisions]


TURNS_HEAD = ("Turnos", "n", "hit@3", "leído", "conserva", "n", "sobra", "citado", "n", "rechaza")
TURNS_LEGEND = (
    "hit@3: un precepto que responde está entre los tres primeros que se citan; leído: está entre lo que leyó el "
    "modelo (los turnos que no preguntan nada no cuentan en ninguno de los dos). Conserva: preceptos de turnos "
    "anteriores que aún debía leer y lee. Sobra: preceptos que no debía leer y lee; citado: y además cita. Rechaza: "
    "no se contesta."
)

_DECIMALS = 3


def turn_rows(tally: ConversationTally) -> list[tuple[str, ...]]:
    """Return all turns, those of each number, all but the first, and those of each kind."""
    groups = {"todos": tally.all}
    groups |= {f"turno {number}": turns for number, turns in tally.by_number.items()}
    if tally.later.turns:
        groups["del 2 en adelante"] = tally.later
    return [(name, *_cells(turns)) for name, turns in [*groups.items(), *tally.by_kind.items()]]


def describe_turn(result: TurnResult) -> str:
    """Say what was expected of a turn, and what went wrong with it."""
    parts = [f"Se esperaba: {display_names(_best(result))}. Se cita: {display_names(result.cited)}"]
    if lost := [provision for provision in result.turn.must_keep if provision not in result.kept]:
        parts.append(f"Se pierde: {display_names(lost)}")
    if result.intruding:
        parts.append(f"Sobra: {display_names(result.intruding)}")
    return ". ".join(parts) + "."


def _best(result: TurnResult) -> Sequence[Provision]:
    return [provision for provision in result.turn.relevant if key_of(provision) in result.turn.answering]


def _cells(turns: Turns) -> tuple[str, ...]:
    return (
        str(turns.turns),
        _value(turns.hit),
        _value(turns.read),
        _value(turns.kept),
        str(turns.kept.total),
        _value(turns.intruding),
        _value(turns.intruding_cited),
        str(turns.intruding.total),
        _value(turns.refused),
    )


def _value(share: Share) -> str:
    return NONE if share.value is None else figure(share.value, _DECIMALS)


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
