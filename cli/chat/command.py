"""``articulado chat``: a conversation, in which follow-up questions build on the answers before."""

import asyncio
import contextlib
import sys

from cli.options import (
    AsOf,
    Collections,
    IndexFolder,
    ProfileOption,
    Rerank,
    Territory,
    read_configuration,
    run_context,
)
from cli.render import console
from cli.session import announce_first_index

PROMPT = "\n› "


def chat(
    index: IndexFolder = None,
    profile: ProfileOption = None,
    as_of: AsOf = None,
    territory: Territory = None,
    collections: Collections = None,
    rerank: Rerank = None,
) -> None:
    """Hold a conversation on the terminal."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  editing and history at the prompt

    from langgraph.checkpoint.memory import InMemorySaver

    from cli.chat.conversation import Conversation
    from graph.compose import open_services
    from graph.rag import build_rag

    settings, knowledge = read_configuration(index, profile)
    context = run_context(knowledge, as_of, territory, collections, rerank)
    out = console()
    # One loop for the whole conversation keeps connections alive from one question to the next.
    with asyncio.Runner() as runner:
        services = runner.run(open_services(settings, knowledge, announce=announce_first_index))
        try:
            conversation = Conversation(
                build_rag(services, InMemorySaver()),
                context,
                out,
                services.language,
                runner.run,
                law=services.profile.features.spanish_law,
            )
            conversation.hold(lambda: input(PROMPT if sys.stdin.isatty() else ""))
        finally:
            runner.run(services.close())
