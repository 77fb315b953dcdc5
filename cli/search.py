"""Command ``articulado search``: list the provisions found for a question, without an answer."""

import asyncio
import re
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console

from articulado.answering.footnotes import named
from articulado.config.profile import Profile
from articulado.language.formats import written
from articulado.language.languages import Language
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
from graph.open_graphs import OpenGraphs
from server.lookup.law import LawDesk
from server.lookup.results import SearchHit, SearchResult

_PROVISION_ID = re.compile(r"[A-Z][\w-]*-\d{4}-\d+#")  # "BOE-A-2015-11430#Artículo 38"


def print_results(out: Console, found: SearchResult, profile: Profile, language: Language, limit: int) -> None:
    """List provisions in order, at most ``limit``: name, collection, score, origin, link."""
    if not found["hits"]:
        out.print(
            language.translate("view_nothing_found_law" if profile.features.spanish_law else "view_nothing_found")
        )
    labels = {collection.name: collection.label for collection in profile.collections}
    provisions: dict[tuple[object, ...], list[SearchHit]] = {}
    for hit in found["hits"]:
        provisions.setdefault((hit["law_id"], hit["provision_key"], hit["valid_from"]), []).append(hit)
    for rank, parts in enumerate(list(provisions.values())[:limit], start=1):
        best = parts[0]
        name = named(best["law"], best["provision"], best["title"])
        print_indented(out, f"{rank:>2}. {name}{_parts(parts, language)}", indent=0, hang=4, style="bold")
        score = language.translate("view_score", score=written(best["score"], 2, language.code))
        label = labels.get(best["collection"], best["collection"])
        print_indented(out, f"{label} · {score} · {_came_from(parts, language)}", indent=4)
        if best["note"]:
            print_indented(out, language.translate("view_attention", text=best["note"]), indent=4, style="yellow")
        if best["document"]:
            own = language.translate("view_own_document", document=best["document"])
            print_indented(out, own, indent=4, style="dim")
        elif not best["official"]:
            print_indented(out, language.translate("view_not_official"), indent=4, style="dim")
        if best["url"]:
            print_indented(out, best["url"], indent=4, style="cyan")
    if found["hits"] and not found["answers"]:
        out.print(f"\n{language.translate('view_below_floor')}", style="yellow")


def _parts(parts: Sequence[SearchHit], language: Language) -> str:
    total, found = parts[0]["parts"], sorted({hit["part"] for hit in parts})
    if len(found) == total:
        return ""
    *others, last = found
    if not others:
        return f" ({last}/{total})"
    return f" ({language.translate('view_parts', parts=', '.join(map(str, others)), last=last, total=total)})"


def _came_from(parts: Sequence[SearchHit], language: Language) -> str:
    origins = dict.fromkeys(origin for hit in parts for origin in hit["origins"])
    # A provision that was looked up is what it is: its identifier says nothing more.
    searches = dict.fromkeys(words for hit in parts for words in hit["found_by"] if not _PROVISION_ID.match(words))
    # Searches are shown as they were made: marks inside them stay.
    begin, end, *_ = language.data.quotation_marks
    said = ", ".join(language.translate(f"view_origin_{origin}") for origin in origins)
    return f"{said} {', '.join(f'{begin}{words}{end}' for words in searches)}".strip()


MAX_LIMIT = 100

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
            desk = LawDesk(OpenGraphs.over(services, portable=False))
            found = await desk.search(question_text, limit if as_json else None, context)
            if as_json:
                print_json(found)
            else:
                out, language = console(), services.language
                for message in found["absent"]:
                    print_indented(out, message, indent=0, style="bold yellow")
                    out.print()
                print_results(out, found, services.profile, language, limit)
                others = found["warnings"][len(found["absent"]) :]
                print_warnings(out, others, language.translate("view_warning", text="{text}"))

    asyncio.run(run_command())
