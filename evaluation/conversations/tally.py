"""What became of the turns of conversations: of all, of those after the first, by number and by kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.answers.form import Trait
from evaluation.answers.tally import Share, count_form
from evaluation.conversations.turns import TurnResult


@dataclass(frozen=True)
class Turns:
    """Some turns.

    ``hit`` (what answers is among the first three provisions cited) and ``read`` (the principal read it) are of the
    turns that ask something; ``kept``, ``intruding`` and ``intruding_cited`` of the provisions that their turns must
    keep, or must not have, all together; ``facts`` of those expected; ``refused`` of all turns.
    """

    turns: int
    hit: Share
    read: Share
    kept: Share
    intruding: Share
    intruding_cited: Share
    facts: Share
    refused: Share


@dataclass(frozen=True)
class ConversationTally:
    """All turns, those after the first, those of each number, and those of each kind.

    ``by_kind`` is in the order of the set; ``form`` goes by the traits of what a chat model wrote, empty without one.
    """

    all: Turns
    later: Turns
    by_number: Mapping[int, Turns]
    by_kind: Mapping[str, Turns]
    form: Mapping[Trait, Share]


def tally_turns(results: Sequence[TurnResult]) -> ConversationTally:
    """Count what became of all turns."""
    kinds = dict.fromkeys(result.turn.kind for result in results if result.turn.kind)
    numbers = sorted({result.number for result in results})
    return ConversationTally(
        all=count_turns(results),
        later=count_turns([result for result in results if result.number > 1]),
        by_number={at: count_turns([result for result in results if result.number == at]) for at in numbers},
        by_kind={kind: count_turns([result for result in results if result.turn.kind == kind]) for kind in kinds},
        form=count_form([result.form for result in results if result.form is not None]),
    )


def count_turns(results: Sequence[TurnResult]) -> Turns:
    """Count what became of some turns."""
    asking = [result for result in results if result.asks]
    to_keep = sum(len(result.turn.must_keep) for result in results)
    to_leave = sum(len(result.turn.must_not) for result in results)
    expected = sum(len(result.turn.answer_facts) for result in results)
    return Turns(
        turns=len(results),
        hit=Share(sum(result.hit for result in asking), len(asking)),
        read=Share(sum(result.was_read for result in asking), len(asking)),
        kept=Share(sum(len(result.kept) for result in results), to_keep),
        intruding=Share(sum(len(result.intruding) for result in results), to_leave),
        intruding_cited=Share(sum(len(result.intruding_cited) for result in results), to_leave),
        facts=Share(expected - sum(len(result.missing) for result in results), expected),
        refused=Share(sum(result.refused for result in results), len(results)),
    )
