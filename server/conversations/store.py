"""Store of conversations and ratings in memory, SQLite or PostgreSQL. Moments are in UTC."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from typing_extensions import TypedDict

from articulado.calculations.written import Worked
from articulado.config.extras import importing
from articulado.language.translation import translate
from articulado.values.answers import AnswerOutcome, CaseGuide, Citation, Message, NearestNeed, Suggestion
from articulado.values.errors import ConfigurationError, ConversationUnknown, InvalidInput, StoreUnavailable
from articulado.values.findings import Certificate, Finding, Freshness, NamedVerdict, Remission
from server.conversations.checkpoint_trimming import LeanSaver
from server.conversations.sharing import Box, SharedBox
from state.rag import fresh_turn

if TYPE_CHECKING:
    import aiosqlite
    import psycopg
    from langgraph.checkpoint.base import BaseCheckpointSaver

MEMORY = "memory"
_SQLITE, POSTGRES = "sqlite:", ("postgresql://", "postgres://")
_CONNECTIONS = 10
_SECONDS = 10.0
_PAUSE = 0.1
_SETUP = 0x61727469

Rating = Literal["up", "down"]


NAME_PATTERN, LONGEST_NAME = r"^[\w-]+(?:\.[\w-]+)*$", 64  # words joined by single dots: never a path
_NAME = re.compile(NAME_PATTERN)


def check_name(thread_id: str) -> None:
    """Raise ``InvalidInput`` unless a name has the form ``NAME_PATTERN`` and at most ``LONGEST_NAME`` characters."""
    if len(thread_id) > LONGEST_NAME or not _NAME.fullmatch(thread_id):
        raise InvalidInput(translate("conversations.bad_name"))


class KeptTurn(TypedDict):
    """A question with its answer, and everything shown beside it; ``asked`` is the moment of the answer (UTC)."""

    asked: str
    as_of: str | None
    question: str
    answer: str
    outcome: AnswerOutcome
    citations: list[Citation]
    choices: list[NearestNeed]
    unread: list[Citation]
    findings: list[Finding]
    provisions: list[NamedVerdict]
    remissions: list[Remission]
    precedence: list[str]
    freshness: Freshness | None
    certificate: Certificate | None
    calculations: list[Worked]
    guides: list[CaseGuide]
    suggestions: list[Suggestion]
    warnings: list[str]


class Feedback(TypedDict):
    """A rating of one answer; ``thread_id`` is the stored name of its conversation, empty if it had none."""

    id: str
    thread_id: str
    caller: str
    question: str
    answer: str
    rating: Rating
    comment: str
    given: str


class FeedbackBox(Box):
    """Ratings of answers."""

    namespace, moment = ("feedback",), "given"

    async def put(
        self, caller: str, thread_id: str, question: str, answer: str, rating: Rating, comment: str = ""
    ) -> Feedback:
        """Store a rating, in place of an earlier one of the same answer by the same caller."""
        given: Feedback = {
            "id": _id_of(caller, thread_id, question, answer),
            "thread_id": thread_id,
            "caller": caller,
            "question": question,
            "answer": answer,
            "rating": rating,
            "comment": comment,
            "given": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        await self._store.aput(self.namespace, given["id"], dict(given), index=False)
        return given


class TitleBox(Box):
    """Names that users give to conversations."""

    namespace, moment = ("titles",), "given"

    async def put(self, thread_id: str, title: str) -> None:
        given = datetime.now(UTC).isoformat(timespec="seconds")
        entry = {"thread_id": thread_id, "title": title, "given": given}
        await self._store.aput(self.namespace, thread_id, entry, index=False)

    async def of_all(self) -> dict[str, str]:
        """Return the given names by the stored name of their conversation."""
        return {item.value["thread_id"]: item.value["title"] for item in await self._items()}


def _id_of(*whose: str) -> str:
    return blake2b(json.dumps(whose).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Conversation:
    """Stored conversation: the messages for the next turn, the turns, and the moment of the last one (UTC)."""

    thread_id: str
    messages: tuple[Message, ...]
    turns: tuple[KeptTurn, ...]
    last: datetime


class Conversations:
    """Conversations in a checkpointer, with ratings, shared copies and given names in a store."""

    def __init__(
        self, saver: "BaseCheckpointSaver[str]", store: BaseStore, erase: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self.saver = LeanSaver(saver)
        self.feedback = FeedbackBox(store)
        self.shared = SharedBox(store)
        self.titles = TitleBox(store)
        self._erase = erase

    async def read(self, thread_id: str) -> Conversation:
        """Return a conversation, or raise ``ConversationUnknown``."""
        checkpoints = [found.checkpoint for found in await self.saver.line(_config(thread_id))]
        if not checkpoints:
            raise ConversationUnknown(translate("conversations.unknown", thread=thread_id.rpartition("/")[2]))
        turns: dict[int, KeptTurn] = {}
        for checkpoint in checkpoints:
            values = checkpoint["channel_values"]
            # A run that was cut off by an earlier version may have left a turn without an answer.
            if values.get("answer"):
                turns.setdefault(values["turn"], _turn_of(values, checkpoint["ts"]))
        return Conversation(
            thread_id,
            tuple(checkpoints[0]["channel_values"].get("transcript", ())),
            tuple(turns[number] for number in sorted(turns)),
            datetime.fromisoformat(checkpoints[0]["ts"]),
        )

    async def last_used(self) -> dict[str, datetime]:
        """Return the moment of the last turn of each conversation (UTC), the latest first."""
        last: dict[str, datetime] = {}
        async for found in self.saver.alist(None):
            thread = found.config["configurable"]["thread_id"]
            day = datetime.fromisoformat(found.checkpoint["ts"])
            last[thread] = max(day, last.get(thread, day))
        return dict(sorted(last.items(), key=lambda item: item[1], reverse=True))

    async def delete(self, thread_id: str) -> None:
        """Delete a conversation with its ratings, links and name, or raise ``ConversationUnknown``."""
        if await self.saver.aget_tuple(_config(thread_id)) is None:
            raise ConversationUnknown(translate("conversations.unknown", thread=thread_id.rpartition("/")[2]))
        await self._delete(thread_id)
        await self._erase_traces()

    async def _delete(self, thread_id: str) -> None:
        await self.saver.adelete_thread(thread_id)
        await self.feedback.delete_of(thread_id)
        await self.shared.delete_of(thread_id)
        await self.titles.delete_of(thread_id)

    async def _erase_traces(self) -> None:
        if self._erase:
            await self._erase()

    async def forget(self, days: float, now: datetime | None = None) -> list[str]:
        """Delete conversations, ratings and links older than so many days; return the names of the conversations."""
        before = (now or datetime.now(UTC)) - timedelta(days=days)
        old = [thread for thread, last in (await self.last_used()).items() if last < before]
        for thread in old:
            await self._delete(thread)
        await self.feedback.forget(before)
        await self.shared.forget(before)
        await self._erase_traces()
        return old


def _turn_of(values: Mapping[str, Any], moment: str) -> KeptTurn:
    at_rest: dict[str, Any] = {**fresh_turn(), "as_of": None, "warnings": []}
    turn: Any = {name: values.get(name, at_rest.get(name)) for name in KeptTurn.__annotations__}
    turn["asked"] = moment
    return cast(KeptTurn, turn)


def _config(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}


@asynccontextmanager
async def open_conversations(where: str, home: Path) -> AsyncIterator[Conversations]:
    """Open the conversations of ``where``: ``memory``, ``sqlite:FILE`` (below ``home``), or ``postgresql://…``."""
    if where == MEMORY:
        yield Conversations(InMemorySaver(), InMemoryStore())
    elif where.startswith(_SQLITE):
        async with _sqlite(_below(home, where.removeprefix(_SQLITE))) as conversations:
            yield conversations
    elif where.startswith(POSTGRES):
        async with _postgres(where) as conversations:
            yield conversations
    else:
        raise ConfigurationError(translate("conversations.nowhere", where=where))


def _below(home: Path, name: str) -> Path:
    return home / Path(name).expanduser()


@asynccontextmanager
async def _sqlite(file: Path) -> AsyncIterator[Conversations]:
    import sqlite3

    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.store.sqlite.aio import AsyncSqliteStore

    try:
        await asyncio.to_thread(file.parent.mkdir, parents=True, exist_ok=True)
        # Each of the two has transactions of its own.
        connection, items = await aiosqlite.connect(file), await aiosqlite.connect(file, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise StoreUnavailable(translate("conversations.unavailable", where=file)) from error
    try:
        saver, store = AsyncSqliteSaver(connection), AsyncSqliteStore(items)
        try:
            for each in (connection, items):
                # Deleted text is overwritten with zeros, not just given up.
                await each.execute("PRAGMA secure_delete = ON")
            await saver.setup()
            await store.setup()
            await _erase_once(items)
        except sqlite3.Error as error:
            raise StoreUnavailable(translate("conversations.unavailable", where=file)) from error

        async def erase() -> None:
            await _empty_log(items)

        async with store:
            yield Conversations(saver, store, erase)
    finally:
        await connection.close()
        await items.close()


_ERASED = 0x61727469  # application id of a file whose free pages hold no deleted text ("arti")
_TRIES = 50  # attempts to empty the log while another process reads the file; closing the file empties it as well


async def _erase_once(connection: "aiosqlite.Connection") -> None:
    """Rewrite a file in which an earlier version deleted text without overwriting it."""
    async with connection.execute("PRAGMA application_id") as cursor:
        row = await cursor.fetchone()
    if row is None or row[0] != _ERASED:
        await connection.execute("VACUUM")
        await connection.execute(f"PRAGMA application_id = {_ERASED}")
        await _empty_log(connection)


async def _empty_log(connection: "aiosqlite.Connection") -> None:
    """Write the log of changes (WAL) into the file and truncate it: it holds earlier versions of pages."""
    for _ in range(_TRIES):
        async with connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") as cursor:
            row = await cursor.fetchone()
        if row is None or not row[0]:
            return
        await asyncio.sleep(_PAUSE)


@asynccontextmanager
async def _postgres(url: str) -> AsyncIterator[Conversations]:
    with importing("postgres"):
        import psycopg
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
        from langgraph.store.postgres.aio import AsyncPostgresStore
        from psycopg.rows import dict_row
        from psycopg_pool import AsyncConnectionPool, PoolTimeout

    settings: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    pool: AsyncConnectionPool[psycopg.AsyncConnection[dict[str, Any]]] = AsyncConnectionPool(
        url,
        max_size=_CONNECTIONS,
        kwargs=settings,
        open=False,
        timeout=_SECONDS,
        # Connections die with a restart of the database: none is handed out dead.
        check=AsyncConnectionPool.check_connection,
    )
    try:
        try:
            await pool.open(wait=True)
            saver, store = AsyncPostgresSaver(pool), AsyncPostgresStore(pool)
            async with pool.connection() as connection, asyncio.timeout(_SECONDS):
                # Servers that start at once would make the same tables. Asked for again and again, because one that
                # waits for the lock within a statement would keep the other's indexes from being built.
                while not await _locked(connection):  # noqa: ASYNC110  the one that has it is another process
                    await asyncio.sleep(_PAUSE)
                try:
                    await saver.setup()
                    await store.setup()
                finally:
                    await connection.execute("SELECT pg_advisory_unlock(%s)", (_SETUP,))
        except (psycopg.Error, PoolTimeout, TimeoutError) as error:
            host = psycopg.conninfo.conninfo_to_dict(url).get("host", "")
            raise StoreUnavailable(translate("conversations.unavailable", where=f"postgresql://{host}")) from error
        async with store:
            yield Conversations(saver, store)
    finally:
        await pool.close()


async def _locked(connection: "psycopg.AsyncConnection[dict[str, Any]]") -> bool:
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s) AS locked", (_SETUP,))
    row = await cursor.fetchone()
    return bool(row and row["locked"])
