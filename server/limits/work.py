"""Which requests start work that costs: our own, and those of an Agent Server that serves the same application."""

import re

from starlette.types import Scope

_AGENT_SERVER = re.compile(r"/(assistants|threads|runs|store|mcp|a2a)(/|$)")
_COSTLY_READS = frozenset(("/v1/search",))
"""What searches although it sends no body."""
_AGENT_RUN = re.compile(r"/(threads/[^/]+/)?runs(/(stream|wait|batch))?|/(mcp|a2a)(/.*)?")


def is_of_agent_server(scope: Scope) -> bool:
    """Tell whether a path is of the Agent Server's protocol, which has deadlines and a queue of its own."""
    return _AGENT_SERVER.match(scope["path"]) is not None


def is_run(scope: Scope) -> bool:
    """Tell whether a request starts a run of our own routes: all that send a body do, and searches."""
    return scope["type"] == "http" and _is_work(scope) and not is_of_agent_server(scope)


def begins_run(scope: Scope) -> bool:
    """Tell whether a request starts a run, be it ours or the Agent Server's."""
    if scope["type"] != "http" or not _is_work(scope):
        return False
    return not is_of_agent_server(scope) or _AGENT_RUN.fullmatch(scope["path"].rstrip("/")) is not None


def _is_work(scope: Scope) -> bool:
    return scope["method"] == "POST" or scope["path"] in _COSTLY_READS
