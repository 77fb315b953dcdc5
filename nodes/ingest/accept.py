"""Accept an ingestion request: check it and begin a run."""

from typing import cast, get_type_hints

from langgraph.runtime import Runtime

from articulado.language.translation import translate
from articulado.legal.ids import is_boe_id
from articulado.values.documents import IngestRequest
from articulado.values.errors import InvalidInput
from state.ingest import IngestRun, IngestState
from state.run import at_rest

_LISTS = {"paths": "leyes/", "boe": "BOE-A-2015-11430", "remove": "BOE-A-2015-11430"}


class AcceptUpdate(IngestRun):
    """The request, and all other keys reset."""

    request: IngestRequest


async def accept(state: IngestState, runtime: Runtime[None]) -> AcceptUpdate:
    """Check the request; an empty one renews the index from its own documents. Reads the keys of ``IngestInput``."""
    values = {name: state.get(name) for name in get_type_hints(IngestRequest)}
    for name in _LISTS:
        items = values[name] or []
        if not isinstance(items, list) or not all(isinstance(item, str) and item.strip() for item in items):
            raise InvalidInput(translate("ingest.list_of_texts", name=name, example=_LISTS[name]))
    if not isinstance(values["listing"] or {}, dict):
        raise InvalidInput(translate("ingest.listing_no_object"))
    if not isinstance(values["packaged"], bool | None):
        raise InvalidInput(translate("ingest.packaged_no_bool"))
    # A "no" to what comes along is no blank.
    asked = {name: value for name, value in values.items() if value or (name == "packaged" and value is False)}
    request = cast(IngestRequest, asked)
    wrong = [name for name in request.get("boe", []) if not is_boe_id(name.strip())]
    if wrong:
        raise InvalidInput(translate("ingest.no_boe_id", written=wrong[0]))
    return {**at_rest(IngestRun), "request": request}
