"""User ratings of answers, stored in a LangGraph store."""

import json
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Literal

from langgraph.store.base import BaseStore, SearchItem
from typing_extensions import TypedDict

Rating = Literal["up", "down"]
_ROOM = "feedback"
_PAGE = 100


class Feedback(TypedDict):
    """A rating of one answer; ``thread_id`` is its conversation, as it is kept, empty where it stood in none."""

    id: str
    thread_id: str
    caller: str
    question: str
    answer: str
    rating: Rating
    comment: str
    given: str


class FeedbackBox:
    """The ratings in a store."""

    def __init__(self, store: BaseStore) -> None:
        self._store = store

    async def put(
        self, caller: str, thread_id: str, question: str, answer: str, rating: Rating, comment: str = ""
    ) -> Feedback:
        """Keep a rating, and return it with its id and moment (UTC, ISO 8601).

        Who rates an answer again thinks otherwise of it: the last rating holds.
        """
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
        await self._store.aput((_ROOM,), given["id"], dict(given), index=False)
        return given

    async def all(self) -> list[Feedback]:
        """Return all ratings, the oldest first."""
        found: list[Feedback] = [item.value for item in await self._items()]  # type: ignore[misc]
        return sorted(found, key=lambda given: (given["given"], given["id"]))

    async def delete(self, thread_id: str) -> None:
        """Delete the ratings of a conversation."""
        for item in await self._items():
            if item.value["thread_id"] == thread_id:
                await self._store.adelete((_ROOM,), item.key)

    async def forget(self, before: datetime) -> None:
        """Delete the ratings given before a moment."""
        for item in await self._items():
            if datetime.fromisoformat(item.value["given"]) < before:
                await self._store.adelete((_ROOM,), item.key)

    async def _items(self) -> list[SearchItem]:
        items: list[SearchItem] = []
        while page := await self._store.asearch((_ROOM,), limit=_PAGE, offset=len(items)):
            items += page
        return items


def _id_of(*whose: str) -> str:
    return blake2b(json.dumps(whose).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
