"""``articulado search``: what is found for a question, in order, without an answer."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

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
from cli.render import console, print_json, print_warnings
from cli.session import opened_services

if TYPE_CHECKING:
    from articulado.values.chunks import Candidate

MAX_LIMIT = 100
SHOWN_STATE = ["queries", "candidates", "abstained", "warnings", "usage"]

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
            from articulado.retrieval.fusion import preference
            from cli.search.view import as_dict, print_results
            from graph.rag import build_retrieval

            state: dict[str, Any] = await build_retrieval(services).ainvoke(
                {"question": question_text}, context=context, output_keys=SHOWN_STATE
            )
            ranked: list[Candidate] = sorted(state["candidates"], key=preference)
            if as_json:
                listed = [as_dict(rank, candidate) for rank, candidate in enumerate(ranked[:limit], start=1)]
                print_json({"question": question_text, **state, "candidates": listed})
            else:
                out, language = console(), services.language
                print_results(out, ranked, services.profile, language, limit, abstained=state["abstained"])
                print_warnings(out, state["warnings"], language.translate("view_warning", text="{text}"))

    asyncio.run(run_command())
