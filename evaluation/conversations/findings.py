"""One gold set of conversations on the index; reports are views of this."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluation.conversations.tally import ConversationTally, tally_turns
from evaluation.conversations.turns import TurnResult
from evaluation.gold.conversations import ConversationSet
from evaluation.gold.provisions import Provision


@dataclass(frozen=True)
class ConversationFindings:
    """The labels that the index lacks, every turn of the finished conversations, at least one, and the machine.

    ``environment`` is empty where no report was asked for.
    """

    gold: ConversationSet
    not_indexed: Sequence[Provision]
    results: Sequence[TurnResult]
    environment: Mapping[str, str]

    @cached_property
    def tally(self) -> ConversationTally:
        """What became of the turns."""
        return tally_turns(self.results)

    @property
    def conversations(self) -> int:
        """How many conversations were finished."""
        return len({result.conversation for result in self.results})

    @property
    def failed(self) -> list[TurnResult]:
        """The turns that miss, lose what they must keep, or bring what they must leave, in their order."""
        return [
            result
            for result in self.results
            if (result.asks and not result.hit) or len(result.kept) < len(result.turn.must_keep) or result.intruding
        ]
