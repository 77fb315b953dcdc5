"""Command ``articulado search``: list the provisions found for a question, without an answer."""

import asyncio
import re
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console

from articulado.answering.footnotes import named
from articulado.config.profile import Profile
from articulado.language.formats import written
from articulado.language.languages import Language
from articulado.prompting.notes import state_note, whole_note
from articulado.values.chunks import REPEALED, Candidate, is_official, ordering_score, own_document, status_said
from cli.options import (
    AsOf,
    Collections,
    IndexFolder,
    Json,
    ProfileOption,
    Question,
    Rerank,
    Territory,
    read_configuration,
    read_question,
    run_context,
    whole,
)
from cli.render import console, print_indented, print_json, print_warnings
from cli.session import opened_services

_PROVISION_ID = re.compile(r"[A-Z][\w-]*-\d{4}-\d+#")  # "BOE-A-2015-11430#Artículo 38"


def as_dict(rank: int, candidate: Candidate) -> dict[str, Any]:
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
        "status": status_said(chunk),
        "text_state": chunk.get("text_state"),
        "official": is_official(chunk),
        "document": own_document(chunk),
        "url": chunk["url"],
    }


def print_results(
    out: Console, ranked: Sequence[Candidate], profile: Profile, language: Language, limit: int, *, abstained: bool
) -> None:
    """List provisions in order, at most ``limit``: name, collection, score, origin, link."""
    if not ranked:
        out.print(
            language.translate("view_nothing_found_law" if profile.features.spanish_law else "view_nothing_found")
        )
    labels = {collection.name: collection.label for collection in profile.collections}
    provisions: dict[tuple[object, ...], list[Candidate]] = {}
    for candidate in ranked:
        provisions.setdefault(_wording_of(candidate), []).append(candidate)
    for rank, parts in enumerate(list(provisions.values())[:limit], start=1):
        best = parts[0]
        chunk = best["chunk"]
        name = named(chunk["law_name"], chunk["provision"], chunk["title"])
        print_indented(out, f"{rank:>2}. {name}{_parts(parts, language)}", indent=0, hang=4, style="bold")
        score = language.translate("view_score", score=written(ordering_score(best), 2, language.code))
        label = labels.get(chunk["collection"], chunk["collection"])
        print_indented(out, f"{label} · {score} · {_came_from(parts, language)}", indent=4)
        if chunk["status"] in REPEALED:
            caution = language.translate("view_attention", text=whole_note(chunk) or chunk["status"])
            print_indented(out, caution, indent=4, style="yellow")
        elif note := state_note(chunk):
            print_indented(out, language.translate("view_attention", text=note), indent=4, style="yellow")
        if document := own_document(chunk):
            own = language.translate("view_own_document", document=document)
            print_indented(out, own, indent=4, style="dim")
        elif not is_official(chunk):
            print_indented(out, language.translate("view_not_official"), indent=4, style="dim")
        if chunk["url"]:
            print_indented(out, chunk["url"], indent=4, style="cyan")
    if ranked and abstained:
        out.print(f"\n{language.translate('view_below_floor')}", style="yellow")


def _wording_of(candidate: Candidate) -> tuple[object, ...]:
    chunk = candidate["chunk"]
    return chunk["law_id"], chunk["provision_key"], chunk["valid_from"]


def _parts(parts: Sequence[Candidate], language: Language) -> str:
    total, found = parts[0]["chunk"]["parts"], sorted({candidate["chunk"]["part"] for candidate in parts})
    if len(found) == total:
        return ""
    *others, last = found
    if not others:
        return f" ({last}/{total})"
    return f" ({language.translate('view_parts', parts=', '.join(map(str, others)), last=last, total=total)})"


def _came_from(parts: Sequence[Candidate], language: Language) -> str:
    origins = dict.fromkeys(origin for candidate in parts for origin in candidate["origins"])
    # A provision that was looked up is what it is: its identifier says nothing more.
    searches = dict.fromkeys(
        words for candidate in parts for words in candidate["found_by"] if not _PROVISION_ID.match(words)
    )
    # Searches are shown as they were made: marks inside them stay.
    begin, end, *_ = language.data.quotation_marks
    said = ", ".join(language.translate(f"view_origin_{origin}") for origin in origins)
    return f"{said} {', '.join(f'{begin}{words}{end}' for words in searches)}".strip()


MAX_LIMIT = 100
SHOWN_STATE = ["queries", "candidates", "cards", "turn_question", "abstained", "warnings", "usage"]

Limit = Annotated[
    int,
    typer.Option(
        "--limit", metavar="N", parser=whole("--limit", 1, MAX_LIMIT), help="Resultados como máximo.", show_default="10"
    ),
]


def search(
    question: Question,
    index: IndexFolder = None,
    profile: ProfileOption = None,
    as_of: AsOf = None,
    territory: Territory = None,
    collections: Collections = None,
    rerank: Rerank = None,
    limit: Limit = 10,
    as_json: Json = False,
) -> None:
    """Search provisions and print them without an answer."""
    settings, knowledge = read_configuration(index, profile)
    context = run_context(knowledge, as_of, territory, collections, rerank)
    question_text = read_question(question)

    async def run_command() -> None:
        async with opened_services(settings, knowledge) as services:
            from articulado.ingestion.incremental.base import IndexBase
            from articulado.ingestion.incremental.indexed_laws import absent_provisions
            from articulado.retrieval.fusion import ranked_provisions, with_cards
            from graph.rag import build_context

            state: dict[str, Any] = await build_context(services).ainvoke(
                {"question": question_text}, context=context, output_keys=SHOWN_STATE
            )
            ranked: list[Candidate] = ranked_provisions(with_cards(state["candidates"], state.pop("cards")))
            base = IndexBase(settings, knowledge)
            absent, others = absent_provisions(base, state.pop("turn_question"), state["warnings"])
            state["warnings"] = [*absent, *others]
            if as_json:
                listed = [as_dict(rank, candidate) for rank, candidate in enumerate(ranked[:limit], start=1)]
                print_json({"question": question_text, **state, "candidates": listed})
            else:
                out, language = console(), services.language
                for message in absent:
                    print_indented(out, message, indent=0, style="bold yellow")
                    out.print()
                print_results(out, ranked, services.profile, language, limit, abstained=state["abstained"])
                print_warnings(out, others, language.translate("view_warning", text="{text}"))

    asyncio.run(run_command())
