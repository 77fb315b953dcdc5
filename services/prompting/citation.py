"""Citations of fragments, as a caller receives them."""

from datetime import date

from articulado.legal.wordings import wording_note
from articulado.values.answers import Citation
from articulado.values.chunks import Candidate, page_of
from services.prompting.notes import whole_note
from services.prompting.outgoing_links import inert


def citation(
    number: int, candidate: Candidate, day: date | None = None, tracked: frozenset[str] = frozenset()
) -> Citation:
    """Return the citation of one fragment; with a day asked about, which wording it is.

    ``tracked`` are the laws whose source tells amendments. What the source says of itself is inert: whoever wrote it is
    a stranger.
    """
    chunk = candidate["chunk"]
    cited: Citation = {
        "mark": f"C{number}",
        "chunk_id": chunk["id"],
        "law_id": chunk["law_id"],
        "law": inert(chunk["law_name"]),
        "provision": inert(chunk["provision"]),
        "provision_key": chunk["provision_key"],
        "title": inert(chunk["title"]),
        "url": chunk["url"],
        "note": inert(whole_note(chunk)),
        "summary": inert(chunk["summary"]),
        "official": chunk["source"] == "official",
        "valid_from": chunk["valid_from"],
        "valid_to": chunk["valid_to"],
        "wording": wording_note(chunk, day, tracked) if day else "",
        "page": page_of(chunk),
        "agreement": chunk.get("agreement"),
    }
    if "text_state" in chunk:
        cited["text_state"] = chunk["text_state"]
    return cited


def unread_source(candidate: Candidate, day: date | None = None, tracked: frozenset[str] = frozenset()) -> Citation:
    """Return the source line of a provision that the answer names and the model did not read, with its text."""
    return {**citation(0, candidate, day, tracked), "mark": "", "text": inert(candidate["chunk"]["text"])}
