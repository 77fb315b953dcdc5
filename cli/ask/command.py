"""Command ``articulado ask``: answer one question with its sources, and optionally write a dossier of the answer."""

import asyncio
import json
import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from articulado.language.translation import reason, translate
from articulado.store.opening import open_index
from articulado.values.errors import InvalidInput
from articulado.verification.dossier import make_dossier, provenance_of
from cli.ask.view import AnswerView, final_result, print_end
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
from graph.services import Services
from state.context import RunContext
from state.rag import result_of

THREAD = "dossier"


def check_writable(file: Path) -> None:
    """Raise ``InvalidInput`` if a file is not writable, before a question is paid for."""
    try:
        existed = file.exists()
        with file.open("a", encoding="utf-8"):
            pass
        if not existed:
            file.unlink()
    except OSError as error:
        raise InvalidInput(translate("verify.no_folder", file=file, reason=reason(error))) from error


def write_dossier(file: Path, state: Mapping[str, Any], context: RunContext, services: Services) -> None:
    """Write the dossier of a run atomically, in place of an earlier file."""
    manifest = open_index(services.settings.index_folder).manifest if services.settings.rag_enabled else None
    provenance = provenance_of(
        services.profile,
        services.model_names,
        manifest,
        version("articulado"),
        quotes_only=services.quotes_only,
    )
    result = result_of(state)
    dossier = make_dossier(state, result, context.model_dump(mode="json", exclude_none=True), provenance)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        draft.write_text(json.dumps(dossier, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        draft.replace(file)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InvalidInput(translate("verify.no_folder", file=file, reason=reason(error))) from error


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
        check_writable(dossier)

    async def run_command() -> None:
        async with opened_services(settings, knowledge) as services:
            from graph.rag import build_rag
            from nodes.chunk_shelf import ChunkShelf

            if dossier:
                from langgraph.checkpoint.memory import InMemorySaver

            # Only what is remembered can be read off the run afterwards.
            graph = build_rag(services, InMemorySaver() if dossier else None)
            events = ask_graph(graph, question_text, context, previous=ids, thread=THREAD if dossier else None)
            out = console()
            result = await (final_result(events) if as_json else AnswerView(out).show(events))
            if not as_json:
                print_end(out, result, services.profile, services.language)
            if dossier:
                values = (await graph.aget_state({"configurable": {"thread_id": THREAD}})).values
                state = await ChunkShelf(services.stores).resolved(values)
                write_dossier(dossier, {**state, **result}, context, services)
            if as_json:  # after all that may fail: what is written to stdout is one object
                print_json(result)

    asyncio.run(run_command())
