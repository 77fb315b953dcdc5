"""Turn parents into the entries of an index: parents, which a search yields, and children, which it finds them by."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b

from articulado.config.settings import ChunkContext
from articulado.values.chunks import Chunk, indexed_text
from ingestion.chunking.children import STRATEGY, child, children_of
from ingestion.context.request import context_of


@dataclass(frozen=True)
class Entry:
    """A point of the index.

    ``dense`` is the text to embed and ``within`` the larger one in which it stands; ``sparse`` is the text whose words
    count. What is empty is not encoded. ``lay_phrasings`` is how people ask about a parent, a line each.
    """

    chunk: Chunk
    dense: str = ""
    sparse: str = ""
    within: str = ""
    lay_phrasings: str = ""


def entries_of(
    parents: Iterable[Chunk],
    lay_phrasings: Mapping[int, str],
    kind: ChunkContext,
    sentences: Mapping[int, str],
    *,
    in_whole: bool = True,
) -> Iterator[Entry]:
    """Yield each parent, and after it its children.

    Meaning is matched with small texts, words with large ones (docs/retrieval.md has the figures): the children are
    embedded, each with its context, and the words of the whole parent are counted. ``lay_phrasings`` is how people ask
    about a parent, by its id: never shown, and a child of its own. ``sentences`` are the reader's context sentences by
    the id of the child. ``in_whole``: the embedder reads a child within its parent.
    """
    for parent in parents:
        phrasings = lay_phrasings.get(parent["id"], "")
        whole = f"{indexed_text(parent)}\n{phrasings}"
        yield replace(_entry({**parent, "strategy": STRATEGY}, sparse=whole), lay_phrasings=phrasings)
        children, within = list(children_of(parent)), whole if in_whole else ""
        for piece in children:
            yield _entry(piece, dense=_joined(context_of(piece, kind, sentences), piece["text"]), within=within)
        if phrasings:
            piece = child(parent, len(children) + 1, phrasings)
            yield _entry(piece, dense=_joined(context_of(piece, kind, {}), phrasings), within=within)


def _joined(context: str, text: str) -> str:
    return f"{context}\n{text}" if context else text


def _entry(chunk: Chunk, dense: str = "", sparse: str = "", within: str = "") -> Entry:
    """Return an entry whose chunk has a hash of all that it is and is found by."""
    payload = {name: value for name, value in chunk.items() if name != "content_hash"}
    content = json.dumps([payload, dense, sparse, within], ensure_ascii=False, sort_keys=True)
    digest = blake2b(content.encode(), digest_size=16).hexdigest()
    return Entry({**chunk, "content_hash": digest}, dense, sparse, within)
