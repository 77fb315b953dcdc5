"""``articulado ask``: one question, one answer with its sources."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from cli.ask.checks import print_end
from cli.ask.view import AnswerView, final_result
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
)
from cli.render import console, print_json
from cli.session import ask_graph, opened_services

Previous = Annotated[
    str | None,
    typer.Option("--previous", metavar="ID,ID", help="Fragmentos de la respuesta anterior (su context_chunk_ids)."),
]
DossierFile = Annotated[
    Path | None,
    typer.Option(
        "--dossier",
        metavar="FICHERO",
        help="Escribe además el expediente de la respuesta, que se comprueba con articulado verify FICHERO.",
    ),
]


def ask(
    question: Question,
    index: IndexFolder = None,
    profile: ProfileOption = None,
    as_of: AsOf = None,
    territory: Territory = None,
    collections: Collections = None,
    rerank: Rerank = None,
    previous: Previous = None,
    dossier: DossierFile = None,
    as_json: Json = False,
) -> None:
    """Answer one question and print its sources."""
    from nodes.validation import checked_ids

    settings, knowledge = read_configuration(index, profile)
    context = run_context(knowledge, as_of, territory, collections, rerank)
    question_text = read_question(question)
    ids = checked_ids([part.strip() for part in previous.split(",")]) if previous else None

    if dossier:
        from cli.ask.dossier import check_writable

        check_writable(dossier)

    async def run_command() -> None:
        async with opened_services(settings, knowledge) as services:
            from graph.rag import build_rag

            if dossier:
                from langgraph.checkpoint.memory import InMemorySaver

                from cli.ask.dossier import THREAD, write_dossier
            # Only what is remembered can be read off the run afterwards.
            graph = build_rag(services, InMemorySaver() if dossier else None, whole_chunks=bool(dossier))
            events = ask_graph(graph, question_text, context, previous=ids, thread=THREAD if dossier else None)
            out = console()
            result = await (final_result(events) if as_json else AnswerView(out).show(events))
            if not as_json:
                print_end(out, result, services.profile, services.language)
            if dossier:
                state = (await graph.aget_state({"configurable": {"thread_id": THREAD}})).values
                write_dossier(dossier, {**state, **result}, context, services)
            if as_json:  # after all that may fail: what is written to stdout is one object
                print_json(result)

    asyncio.run(run_command())
