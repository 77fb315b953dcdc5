"""Cut parents into the small pieces that are embedded (small to big)."""

from collections.abc import Iterator
from typing import cast

from articulado.language.sentence_spans import CLAUSES, between_sentences, cut
from articulado.language.table_text import with_heads
from articulado.legal.ids import chunk_id
from articulado.values.chunks import Chunk, WordingDates

STRATEGY = "small_to_big_contextual"
MAX_CHILD = 300
"""Characters that a child has of its own at most; cut at sentences, it mostly has fewer."""

OVERLAP = 50
"""Characters that a child repeats of the one before it, at most."""

_CUTS = (between_sentences, *CLAUSES)


def children_of(parent: Chunk) -> Iterator[Chunk]:
    """Yield the children of a parent, in order of the text: at least one of any text.

    Each holds whole sentences of the parent, as many as fit into ``MAX_CHILD`` characters (a longer sentence is cut at
    clauses), after the last words of the child before; rows of a table stand below the head of that instead. It has the
    parent's metadata and its text as ``parent_content``.
    """
    before = ""
    spans = cut(parent["text"], MAX_CHILD, _CUTS)
    for number, ((start, end), text) in enumerate(zip(spans, with_heads(parent["text"], spans), strict=True), start=1):
        own = parent["text"][start:end]
        yield child(parent, number, text if text != own else f"{_last_words(before)} {own}".strip())
        before = own


def child(parent: Chunk, number: int, text: str) -> Chunk:
    """Return a child of a parent; ``number`` counts from 1."""
    # A search yields the parent: what only that one needs is not kept in memory a second time.
    shared = cast(Chunk, {name: value for name, value in parent.items() if name != "details"})
    return {
        **shared,
        "id": chunk_id(parent["collection"], str(parent["id"]), "", None, parent["part"], number),
        "text": text,
        "strategy": STRATEGY,
        "parent_id": parent["id"],
        "parent_content": parent["text"],
        "refs": [],
        "wording": _end_of(parent["wording"]),
        "notes": [],
    }


def _end_of(wording: WordingDates) -> WordingDates:
    """Return what tells a superseded wording from one that ended with its law, by which a search leaves it out."""
    return {"last_day": wording["last_day"]} if "last_day" in wording else {}


def _last_words(text: str) -> str:
    """Return the end of a text, whole words of ``OVERLAP`` characters at most."""
    if len(text) <= OVERLAP:
        return text
    _, _, words = text[-OVERLAP - 1 :].partition(" ")
    return words
