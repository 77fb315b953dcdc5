"""The passage of a chunk that a model scores: a heading and the text, cut where a sentence ends."""

import re
from collections.abc import Iterator

from articulado.language.spanish import sentences
from articulado.values.chunks import Chunk
from articulado.values.protocols import TokenCounter

FRAME_TOKENS = 4
"""Special tokens of a pair, at most: ``<s> question </s></s> passage </s>``."""

_WORD = re.compile(r"\S+")


def passage_of(chunk: Chunk) -> str:
    """Return the passage of a chunk: law, provision and title in a line of their own, then its text."""
    heading = ". ".join(filter(None, (chunk["provision"], chunk["title"])))
    return "\n".join(filter(None, (" > ".join(filter(None, (chunk["law_name"], heading))), chunk["text"].strip())))


def cut_pair(question: str, passages: list[str], limit: int, counter: TokenCounter) -> tuple[str, list[str]]:
    """Return a question and its passages, cut so that each pair has at most ``limit`` tokens.

    A question longer than half of that is cut to it, so that every passage has the other half.
    """
    cut_question = cut(question, (limit - FRAME_TOKENS) // 2, counter)
    room = limit - FRAME_TOKENS - counter.count(cut_question)
    return cut_question, [cut(passage, room, counter) for passage in passages]


def cut(text: str, limit: int, counter: TokenCounter) -> str:
    """Return the beginning of a text, up to the last full sentence that fits.

    Where that leaves more than half of the room empty (a heading, and a sentence of a page), the last word decides.
    """
    end, spent = _fitting(text, _sentence_ends(text), limit, counter)
    if text[end:].strip() and 2 * spent < limit:
        end, _ = _fitting(text, _word_ends(text), limit, counter)
    # A single endless word is cut anywhere: a token has at least a character.
    return text[: end or limit]


def _fitting(text: str, ends: Iterator[int], limit: int, counter: TokenCounter) -> tuple[int, int]:
    """Return the last of the ends that fits, and the tokens up to it.

    The pieces are counted one by one: the pieces of a tokenizer never reach over white space, and each is counted once.
    """
    last = spent = 0
    for end in ends:
        cost = counter.count(text[last:end])
        if spent + cost > limit:
            break
        last, spent = end, spent + cost
    return last, spent


def _sentence_ends(text: str) -> Iterator[int]:
    end = 0
    for sentence in sentences(text):
        end = text.index(sentence, end) + len(sentence)
        yield end


def _word_ends(text: str) -> Iterator[int]:
    return (word.end() for word in _WORD.finditer(text))
