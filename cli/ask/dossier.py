"""Write the dossier of an answer, from which it can be checked again (``articulado verify``)."""

import json
import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from articulado.language.translation import reason, translate
from articulado.store.opening import open_index
from articulado.values.errors import InvalidInput
from articulado.verification.dossier import make_dossier, provenance_of
from graph.services import Services
from state.context import RunContext
from state.rag import result_of

THREAD = "dossier"
"""The thread of a run of which a dossier is written."""


def check_writable(file: Path) -> None:
    """See to it that a file can be written before a question is paid for.

    Raises:
        InvalidInput: its folder is missing, or nothing may be written there.
    """
    try:
        existed = file.exists()
        with file.open("a", encoding="utf-8"):
            pass
        if not existed:
            file.unlink()
    except OSError as error:
        raise InvalidInput(translate("verify.no_folder", file=file, reason=reason(error))) from error


def write_dossier(file: Path, state: Mapping[str, Any], context: RunContext, services: Services) -> None:
    """Write the dossier of a run, whole or not at all; one of the same name is replaced.

    Raises:
        InvalidInput: it cannot be written.
    """
    manifest = open_index(services.settings.index_folder).manifest if services.settings.rag_enabled else None
    provenance = provenance_of(services.profile, services.model_names, manifest, version("articulado"))
    result = result_of(state)
    dossier = make_dossier(state, result, context.model_dump(mode="json", exclude_none=True), provenance)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        draft.write_text(json.dumps(dossier, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        draft.replace(file)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InvalidInput(translate("verify.no_folder", file=file, reason=reason(error))) from error
