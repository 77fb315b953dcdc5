"""The context of a case as a model reads it: whole chunks, each with its type and its article."""

from collections.abc import Sequence

from articulado.prompting.stream_splitter import defuse_self_evaluation
from articulado.values.articles import article_title
from articulado.values.chunks import Chunk

SEPARATOR = "\n---\n"


def render(chunks: Sequence[Chunk]) -> str:
    """Return the text of chunks in their order, each after a heading with its type, title and article."""
    return SEPARATOR.join(_render(chunk) for chunk in chunks)


def _render(chunk: Chunk) -> str:
    heading = f"[{chunk['chunk_type']}] {chunk['title']} (article {chunk['law_id']}: {article_title(chunk)})"
    text = "\n".join(_escaped(line) for line in chunk["text"].strip().split("\n"))
    return f"{_escaped(heading)}\n{text}"


def _escaped(line: str) -> str:
    """Return a line that cannot pass for a separator or a heading of the context."""
    return "—" if line.strip() and set(line.strip()) == {"-"} else defuse_self_evaluation(line)
