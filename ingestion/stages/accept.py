"""Take the request and begin a run."""

import re
from typing import get_type_hints

from typing_extensions import TypedDict

from services.errors import InvalidInput
from state.ingest import Failure, IngestRequest, IngestState, SourceFile, Unresolved

_BOE_ID = re.compile(r"BOE-A-\d{4}-\d+")


class AcceptUpdate(TypedDict):
    """The request, and everything else as at the beginning of a run."""

    request: IngestRequest
    downloaded: list[SourceFile]
    stale: bool
    links: str
    resolved: int
    unresolved: dict[str, int]
    examples: list[Unresolved]
    generation: str
    counts: dict[str, int]
    documents: dict[str, int]
    failures: list[Failure]
    warnings: list[str]


async def accept(state: IngestState) -> AcceptUpdate:
    """Check the request.

    Raises:
        InvalidInput: it asks for nothing, or names a law that cannot be.
    """
    names = get_type_hints(IngestRequest)
    request: IngestRequest = {name: state[name] for name in names if state.get(name)}  # type: ignore[literal-required, assignment]
    if not set(request) - {"confirmed"}:
        raise InvalidInput(
            "Nada que hacer: indique ficheros o carpetas (articulado ingest RUTA…), normas del BOE (articulado ingest "
            "boe BOE-A-2015-11430) o qué quitar (articulado ingest remove BOE-A-2015-11430)."
        )
    wrong = [name for name in request.get("boe", []) if not _BOE_ID.fullmatch(name.strip())]
    if wrong:
        raise InvalidInput(
            f"«{wrong[0]}» no es un identificador del BOE. Tienen la forma BOE-A-2015-11430: está en la dirección de "
            "la norma en boe.es."
        )
    return {
        "request": request,
        "downloaded": [],
        "stale": False,
        "links": "",
        "resolved": 0,
        "unresolved": {},
        "examples": [],
        "generation": "",
        "counts": {},
        "documents": {},
        "failures": [],
        "warnings": [],
    }
