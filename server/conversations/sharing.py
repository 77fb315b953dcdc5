"""Read-only copies of conversations under random links, which later turns do not change. Moments are in UTC."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from langgraph.store.base import BaseStore, SearchItem
from typing_extensions import TypedDict

from articulado.language.translation import translate
from articulado.values.errors import ConversationUnknown

_BYTES = 24
_PAGE = 100


class Share(TypedDict):
    """A link: its token, the number of turns behind it, and the moment when it was made (ISO 8601)."""

    token: str
    turns: int
    shared: str


class Box:
    """Namespace of a store for entries of conversations; ``moment`` is the field with the time of an entry."""

    namespace: tuple[str, ...]
    moment: str

    def __init__(self, store: BaseStore) -> None:
        self._store = store

    async def delete_of(self, thread_id: str) -> None:
        for item in await self._items():
            if item.value["thread_id"] == thread_id:
                await self._store.adelete(self.namespace, item.key)

    async def forget(self, before: datetime) -> None:
        for item in await self._items():
            if datetime.fromisoformat(item.value[self.moment]) < before:
                await self._store.adelete(self.namespace, item.key)

    async def _items(self) -> list[SearchItem]:
        items: list[SearchItem] = []
        while page := await self._store.asearch(self.namespace, limit=_PAGE, offset=len(items)):
            items += page
        return items


class SharedBox(Box):
    """Shared copies; ``thread_id`` is the stored name of their conversation."""

    namespace, moment = ("shared",), "shared"

    async def put(self, thread_id: str, turns: Sequence[Mapping[str, Any]]) -> Share:
        """Store a copy of turns under a new token."""
        share: Share = {
            "token": secrets.token_urlsafe(_BYTES),
            "turns": len(turns),
            "shared": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        kept = {**share, "thread_id": thread_id, "content": [dict(turn) for turn in turns]}
        await self._store.aput(self.namespace, share["token"], kept, index=False)
        return share

    async def read(self, token: str) -> tuple[Share, list[Any]]:
        """Return a link and the turns behind it; raise ``ConversationUnknown`` without such a link."""
        found = await self._store.aget(self.namespace, token)
        if found is None:
            raise ConversationUnknown(translate("conversations.not_shared"))
        return _share_of(found.value), list(found.value["content"])

    async def of(self, thread_id: str) -> list[Share]:
        """Return the links to a conversation, the oldest first."""
        found = [item.value for item in await self._items() if item.value["thread_id"] == thread_id]
        return sorted(map(_share_of, found), key=lambda share: (share["shared"], share["token"]))

    async def withdraw(self, thread_id: str, token: str) -> None:
        """Delete a link to a conversation; raise ``ConversationUnknown`` without such a link."""
        found = await self._store.aget(self.namespace, token)
        if found is None or found.value["thread_id"] != thread_id:
            raise ConversationUnknown(translate("conversations.not_shared"))
        await self._store.adelete(self.namespace, token)


def _share_of(kept: Mapping[str, Any]) -> Share:
    return {"token": kept["token"], "turns": kept["turns"], "shared": kept["shared"]}
