"""What of a chunk is embedded and searched: its text, and where in which law it stands."""

from state.chunks import Chunk

HEADING_REPEATS = 3
"""A heading says in few words what many words below it are about."""


def indexed_text(chunk: Chunk) -> str:
    """Return law, breadcrumb, heading (three times) and text; a summary is to be read (docs/plain-language.md)."""
    heading = f"{chunk['provision']}. {chunk['title']}"
    parts = [chunk["law_name"], chunk["breadcrumb"], *[heading] * HEADING_REPEATS, chunk["text"]]
    return "\n".join(part for part in parts if part)
