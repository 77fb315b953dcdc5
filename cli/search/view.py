"""Search results on screen and as JSON."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from cli.render import clean, print_indented
from language.languages import Language
from services.profile.profile import Profile
from services.prompting.notes import state_note, whole_note
from state.chunks import REPEALED, Candidate, ordering_score


def as_dict(rank: int, candidate: Candidate) -> dict[str, Any]:
    """Return a candidate as ``search --json`` lists it; ``score`` decides the order."""
    chunk = candidate["chunk"]
    return {
        "rank": rank,
        "chunk_id": chunk["id"],
        "law_id": chunk["law_id"],
        "law": chunk["law_name"],
        "provision": chunk["provision"],
        "title": chunk["title"],
        "part": chunk["part"],
        "collection": chunk["collection"],
        "score": ordering_score(candidate),
        "search_score": candidate["score"],
        "rerank_score": candidate.get("rerank_score"),
        "origins": candidate["origins"],
        "found_by": candidate["found_by"],
        "status": chunk["status"],
        "text_state": chunk.get("text_state"),
        "official": chunk["source"] == "official",
        "url": chunk["url"],
    }


def print_results(
    out: Console, ranked: Sequence[Candidate], profile: Profile, language: Language, *, abstained: bool
) -> None:
    """List candidates in order, in the language of the profile: provision, collection, score, origin, link."""
    if not ranked:
        out.print(language.say("view_nothing_found_law" if profile.features.spanish_law else "view_nothing_found"))
    labels = {collection.name: collection.label for collection in profile.collections}
    for rank, candidate in enumerate(ranked, start=1):
        chunk = candidate["chunk"]
        title = f". {chunk['title']}" if chunk["title"] not in ("", chunk["provision"]) else ""
        part = f" ({chunk['part']}/{chunk['parts']})" if chunk["parts"] > 1 else ""
        heading = f"{rank:>2}. {chunk['law_name']}, {chunk['provision']}{title}{part}"
        out.print(clean(heading), style="bold", markup=False)
        decimals = f"{ordering_score(candidate):.2f}".replace(".", language.say("view_decimal_mark"))
        score = language.say("view_score", score=decimals)
        label = labels.get(chunk["collection"], chunk["collection"])
        print_indented(out, f"{label} · {score} · {_came_from(candidate, language)}", indent=4)
        if chunk["status"] in REPEALED:
            caution = language.say("view_attention", text=whole_note(chunk) or chunk["status"])
            print_indented(out, caution, indent=4, style="yellow")
        elif note := state_note(chunk):
            print_indented(out, language.say("view_attention", text=note), indent=4, style="yellow")
        if chunk["source"] != "official":
            print_indented(out, language.say("view_not_official"), indent=4, style="dim")
        if chunk["url"]:
            print_indented(out, chunk["url"], indent=4, style="cyan")
    if ranked and abstained:
        out.print(f"\n{language.say('view_below_floor')}", style="yellow")


def _came_from(candidate: Candidate, language: Language) -> str:
    origins = ", ".join(language.say(f"view_origin_{origin}") for origin in candidate["origins"])
    # Searches are shown as they were made: marks inside them stay.
    begin, end, *_ = language.data.quotation_marks
    words = ", ".join(f"{begin}{words}{end}" for words in candidate["found_by"])
    return f"{origins} {words}".strip()
