"""Search results on screen and as JSON."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from cli.render import NOT_OFFICIAL, clean, print_indented
from services.profile import Profile
from state.chunks import REPEALED, Candidate, Origin, deciding

ORIGINS: dict[Origin, str] = {
    "hybrid": "búsqueda",
    "direct": "citado en la pregunta",
    "carryover": "respuesta anterior",
    "reference": "remisión de",
    "need": "pedido por el modelo",
    "records": "resúmenes incluidos",
}


def as_dict(rank: int, found: Candidate) -> dict[str, Any]:
    """Return a candidate as ``search --json`` lists it; ``score`` decides the order."""
    chunk = found["chunk"]
    return {
        "rank": rank,
        "chunk_id": chunk["id"],
        "law_id": chunk["law_id"],
        "law": chunk["law_name"],
        "provision": chunk["provision"],
        "title": chunk["title"],
        "part": chunk["part"],
        "collection": chunk["collection"],
        "score": deciding(found),
        "search_score": found["score"],
        "rerank_score": found.get("rerank_score"),
        "origins": found["origins"],
        "found_by": found["found_by"],
        "status": chunk["status"],
        "official": chunk["source"] == "official",
        "url": chunk["url"],
    }


def print_results(out: Console, ranked: Sequence[Candidate], profile: Profile, *, abstained: bool) -> None:
    """List candidates in order: provision, collection, score, where each came from, link."""
    if not ranked:
        out.print("No se ha encontrado nada. Pruebe con otras palabras o indique la ley y el artículo.")
    labels = {collection.name: collection.label for collection in profile.collections}
    for rank, found in enumerate(ranked, start=1):
        chunk = found["chunk"]
        title = f". {chunk['title']}" if chunk["title"] else ""
        part = f" ({chunk['part']}/{chunk['parts']})" if chunk["parts"] > 1 else ""
        heading = f"{rank:>2}. {chunk['law_name']}, {chunk['provision']}{title}{part}"
        out.print(clean(heading), style="bold", markup=False)
        score = f"{deciding(found):.2f}".replace(".", ",")
        label = labels.get(chunk["collection"], chunk["collection"])
        print_indented(out, f"{label} · puntuación {score} · {_came_from(found)}", indent=4)
        if chunk["status"] in REPEALED:
            print_indented(out, f"Atención: {chunk['status_note'] or chunk['status']}", indent=4, style="yellow")
        if chunk["source"] != "official":
            print_indented(out, f"({NOT_OFFICIAL})", indent=4, style="dim")
        if chunk["url"]:
            print_indented(out, chunk["url"], indent=4, style="cyan")
    if ranked and abstained:
        out.print("\nNada de esto alcanza la relevancia mínima: a esta pregunta no se respondería.", style="yellow")


def _came_from(found: Candidate) -> str:
    origins = ", ".join(ORIGINS[origin] for origin in found["origins"])
    words = ", ".join(f"«{words}»" for words in found["found_by"])
    return f"{origins} {words}".strip()
