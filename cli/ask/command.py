"""``articulado ask``: one question, one answer with its sources."""

import asyncio
from typing import Annotated, Any

import typer

from cli.options import (
    AsOf,
    Collections,
    IndexFolder,
    Json,
    Profile,
    Question,
    Rerank,
    Territory,
    read_configuration,
    read_question,
    run_context,
)

Previous = Annotated[
    str | None,
    typer.Option("--previous", metavar="ID,ID", help="Fragmentos de la respuesta anterior (su context_chunk_ids)."),
]


def ask(
    question: Question,
    index: IndexFolder = None,
    profile: Profile = None,
    as_of: AsOf = None,
    territory: Territory = None,
    collections: Collections = None,
    rerank: Rerank = None,
    previous: Previous = None,
    as_json: Json = False,
) -> None:
    """Responde una pregunta y dice en qué preceptos se apoya."""
    from cli.ask.view import AnswerView, result_of
    from cli.render import console, print_end, print_json
    from cli.session import ask_graph, opened_services
    from nodes.validation import checked_ids

    settings, knowledge = read_configuration(index, profile)
    context = run_context(knowledge, as_of, territory, collections, rerank)
    question_text = read_question(question)
    ids = checked_ids([part.strip() for part in previous.split(",")]) if previous else None

    async def run_command() -> None:
        async with opened_services(settings, knowledge) as services:
            from graph.rag import build_rag

            events = ask_graph(build_rag(services), question_text, context, previous=ids)
            if as_json:
                print_json(await result_of(events))
                return
            out = console()
            result: dict[str, Any] = await AnswerView(out).show(events)
            print_end(out, result, services.profile, services.language)

    asyncio.run(run_command())
