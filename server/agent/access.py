"""Authentication and authorization on an Agent Server, with the keys of ``server.access``.

The rules apply to the Agent Server protocol and to the routes of this project. Each key has its own
threads, runs, schedules and stored items. Assistants are available to every key.
"""

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import Any

from langgraph_sdk import Auth
from starlette.datastructures import Headers

from articulado.language.translation import translate, use_locale
from graph.open_graphs import configured_graphs
from server.access import KeyRing, identify
from server.guards import keys_file
from server.settings import ServerSettings

LOCAL = "@local"
"""Who calls a server without keys: somebody on its machine, which is all that its guards let in."""
OPERATE = "operate"
"""The permission to change the index."""
OWNER = "owner"

auth = Auth()


@auth.authenticate
async def authenticate(headers: Mapping[Any, Any]) -> Auth.types.MinimalUserDict:
    """Return who calls, by the key that a request carries.

    Raises:
        HTTPException: there is no such key (401).
    """
    # One server hands over bytes, another one text.
    given = Headers({_text(name): _text(value) for name, value in headers.items()})
    settings = _settings()
    has_keys, caller = await asyncio.to_thread(identify, _ring(), given)
    if not has_keys:
        return {"identity": LOCAL, "permissions": [OPERATE]}
    if caller is None:
        with use_locale(configured_graphs().profile.language):
            raise Auth.exceptions.HTTPException(401, detail=translate("server.no_key"))
    return {"identity": caller, "permissions": [OPERATE] if caller in settings.operators else []}


@auth.on
async def keep_apart(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> Auth.types.FilterType | None:
    """Mark what a caller makes as its own, and show it nothing else."""
    if ctx.user.identity == LOCAL:
        return None
    owned = {OWNER: ctx.user.identity}
    if value.get("metadata") is None:
        value["metadata"] = {}
    # In place: one server keeps the object that it has handed over.
    value["metadata"].update(owned)
    return owned


@auth.on.assistants
async def share_assistants(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> Auth.types.FilterType | bool | None:
    """Let everybody use assistants, and each change those that it made."""
    if ctx.action in ("read", "search"):
        return None
    return await keep_apart(ctx, value)


@auth.on.store
async def keep_items_apart(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> None:
    """Keep the stored items of a caller below its own name."""
    if ctx.user.identity != LOCAL:
        namespace = tuple(value.get("namespace") or ())
        value["namespace"] = namespace if namespace[:1] == (ctx.user.identity,) else (ctx.user.identity, *namespace)


@cache
def _settings() -> ServerSettings:
    return ServerSettings.read()


@cache
def _ring() -> KeyRing:
    return KeyRing(keys_file(_settings(), configured_graphs().settings.home))


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
