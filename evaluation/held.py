"""Whether an index holds what a gold set asks for: one that was labelled on another index measures nothing."""

from collections.abc import Sequence

from evaluation.gold import Question
from evaluation.provisions import Provision, key_of
from services.protocols import ChunkStore


async def not_held(questions: Sequence[Question], store: ChunkStore) -> list[Provision]:
    """Return the right provisions that the index has in no wording, each once, in the order of the questions."""
    wanted: dict[tuple[str, str], Provision] = {}
    for question in questions:
        for named in question.relevant:
            wanted.setdefault(key_of(named), named)
    return [named for key, named in wanted.items() if not await store.find(*key)]
