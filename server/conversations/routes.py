"""Conversations over HTTP: hold one for a run, and routes that read, export and delete them.

A conversation belongs to the key that began it, and no other key can read it.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from typing_extensions import TypedDict

from articulado.language.languages import language as language_of
from articulado.language.translation import translate
from articulado.values.answers import Citation, Message
from articulado.values.errors import ConversationBusy, InvalidInput
from server.conversations.checkpoint_trimming import LeanSaver
from server.conversations.export import ENDINGS, MEDIA_TYPES, Format, export
from server.conversations.store import Conversations, KeptTurn
from server.operations.requests import current_caller

THREAD = "thread_id"
"""Where the input of a run names the conversation that it goes on with."""
_NAME = re.compile(r"[\w.-]{1,64}")
_DAY = 86_400


class Threads:
    """The conversations of a server, each of the caller that began it; ``kept`` is set while the server runs."""

    def __init__(self) -> None:
        self.kept: Conversations | None = None
        self._busy: set[str] = set()

    @asynccontextmanager
    async def held(self, thread_id: str) -> AsyncIterator[tuple[LeanSaver, str]]:
        """Hold a conversation for one run; yields where and under which name it is kept.

        Raises:
            InvalidInput: the name is none, or nothing is kept here.
            ConversationBusy: a run of it goes on at the moment.
        """
        kept, name = self.kept_as(thread_id)
        if name in self._busy:
            raise ConversationBusy(translate("conversations.busy", thread=thread_id))
        self._busy.add(name)
        try:
            yield kept.saver, name
        finally:
            self._busy.discard(name)

    def kept_as(self, thread_id: str) -> tuple[Conversations, str]:
        """Return where and under which name a caller's conversation is kept: nobody reads another's.

        Raises:
            InvalidInput: it is none that a conversation may have, or nothing is kept here.
        """
        if not _NAME.fullmatch(thread_id):
            raise InvalidInput(translate("conversations.bad_name"))
        if self.kept is None:
            raise InvalidInput(translate("conversations.not_kept"))
        return self.kept, f"{current_caller()}/{thread_id}"

    async def forget_daily(self, days: float) -> None:
        """Delete old conversations now and once a day, until cancelled."""
        while self.kept is not None:
            await self.kept.forget(days)
            await asyncio.sleep(_DAY)


class ReadConversation(TypedDict):
    """A conversation: its messages, its turns with all that was shown, the last citations, the last moment (UTC)."""

    thread_id: str
    messages: list[Message]
    turns: list[KeptTurn]
    citations: list[Citation]
    last: str


def conversation_routes(threads: Threads, title: str, language: str, *, law: bool) -> APIRouter:
    """Return the routes that read, export and delete the caller's conversations.

    ``title`` and ``language`` are those of an exported document; ``law``: its notice speaks of legal advice.
    """
    router = APIRouter(tags=["conversations"])
    Thread = Annotated[str, Path(alias=THREAD)]  # noqa: N806 - a type

    @router.get("/conversations/{thread_id}")
    async def read(thread_id: Thread) -> ReadConversation:
        """Return a conversation, turn by turn."""
        kept, name = threads.kept_as(thread_id)
        found = await kept.read(name)
        return {
            "thread_id": thread_id,
            "messages": list(found.messages),
            "turns": list(found.turns),
            "citations": found.turns[-1]["citations"] if found.turns else [],
            "last": found.last.isoformat(),
        }

    @router.get("/conversations/{thread_id}/export", response_class=Response)
    async def exported(thread_id: Thread, form: Annotated[Format, Query(alias="format")] = "markdown") -> Response:
        """Return a conversation as a document, each answer with its sources."""
        kept, name = threads.kept_as(thread_id)
        found = await kept.read(name)
        content = await asyncio.to_thread(export, found, form, title, language_of(language), law=law)
        headers = {"content-disposition": f'attachment; filename="articulado.{ENDINGS[form]}"'}
        return Response(content, media_type=MEDIA_TYPES[form], headers=headers)

    @router.delete("/conversations/{thread_id}", status_code=204)
    async def delete(thread_id: Thread) -> Response:
        """Delete a conversation, and all that is kept about it."""
        kept, name = threads.kept_as(thread_id)
        await kept.delete(name)
        return Response(status_code=204)

    return router


async def stopped(task: asyncio.Task[None]) -> None:
    """Cancel a task of the server and wait until it has ended."""
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
