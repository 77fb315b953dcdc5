"""What was measured of conversations as plain values, for ``--json`` and for a report."""

from collections.abc import Iterable
from typing import Any

from evaluation.answers.tally import Share
from evaluation.conversations.findings import ConversationFindings
from evaluation.conversations.tally import Turns
from evaluation.conversations.turns import TurnResult
from evaluation.gold.provisions import Provision, format_provision
from evaluation.report.as_json import DECIMALS


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
