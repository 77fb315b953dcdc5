"""How a chat model keeps to the form that it is asked for: what replies lack, and what they show of the machinery."""

import re
from collections.abc import Sequence
from typing import Literal, get_args

from articulado.prompting.protocol_lines import DELIMITER
from articulado.prompting.self_evaluation import parse_reply
from articulado.prompting.stream_splitter import StreamSplitter
from state.rag import RagState

Trait = Literal[
    "no_delimiter",
    "no_used",
    "no_drop",
    "unknown_marks",
    "protocol_words",
    "fragment_words",
    "needs",
    "second_answer",
    "asked_again",
]
"""A fault of the reply that is shown, but for the last three: that something was asked for with NEED, that there was
another answer with it, and that the model was asked for the same once more.
"""
TRAITS: tuple[Trait, ...] = get_args(Trait)

_PROTOCOL = re.compile(r"\b(?:NEED|USED|DROP|META)\b")
_FRAGMENT = re.compile(r"\bfragment(?:o?s?)\b", re.IGNORECASE)


def form_of(replies: Sequence[str], state: RagState) -> frozenset[Trait]:
    """Return the traits of the replies to one question, at least one, of which the last is shown.

    Words of the machinery count in what a person reads: those of the self-evaluation, and "fragmento".
    """
    splitter = StreamSplitter()
    splitter.feed(replies[-1])
    splitter.close()
    keywords = {keyword for keyword, _ in splitter.self_evaluation}
    shown = state["answer"] if state["outcome"] == "answer" else ""
    answers = 2 if state["refetched"] and len(replies) > 1 else 1
    traits: dict[Trait, bool] = {
        "no_delimiter": DELIMITER not in replies[-1],
        "no_used": "USED" not in keywords,
        "no_drop": "DROP" not in keywords,
        "unknown_marks": not all(verdict["valid"] for verdict in state["verdicts"]),
        "protocol_words": bool(_PROTOCOL.search(shown)),
        "fragment_words": bool(_FRAGMENT.search(shown)),
        "needs": any(parse_reply(reply, 0).needs for reply in replies),
        "second_answer": answers > 1,
        "asked_again": len(replies) > answers,
    }
    return frozenset(trait for trait, holds in traits.items() if holds)
