"""What a child is embedded with, above its own text: where in which law it stands, and its place in the parent."""

from collections.abc import Mapping

from services.settings import ChunkContext
from state.chunks import Chunk


def breadcrumb(chunk: Chunk) -> str:
    """Return law, chapter, and provision with its title, a line each; a line that would be empty is left out."""
    heading = ". ".join(filter(None, (chunk["provision"], chunk["title"])))
    return "\n".join(filter(None, (chunk["law_name"], chunk["breadcrumb"], heading)))


def context_of(chunk: Chunk, kind: ChunkContext, sentences: Mapping[int, str]) -> str:
    """Return the context of a child: nothing, its breadcrumb, or that and the reader's sentence, if it has one.

    ``sentences`` are those of ``ingestion.context.situate``, by the id of the child.
    """
    if kind == "none":
        return ""
    sentence = sentences.get(chunk["id"], "") if kind == "reader" else ""
    return "\n".join(filter(None, (breadcrumb(chunk), sentence)))
