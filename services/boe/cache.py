"""The raw responses of the BOE on disk: a folder for each law, bytes as they came."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from language.system import reason
from services.boe.xml import parse_xml
from state.errors import ConfigurationError

TEXT = "full.xml"
METADATA = "metadatos.xml"
_VALIDATORS = "validators.json"


@dataclass(frozen=True)
class CachedLaw:
    """The copy of a law. ``updated`` is the ``fecha_actualizacion`` of the whole text, ``metadata_updated`` that of the
    metadata; empty where the file is missing or damaged. ``validators`` are the headers of a conditional request.
    """

    updated: str = ""
    metadata_updated: str = ""
    validators: tuple[tuple[str, str], ...] = ()


class BoeCache:
    """Files ``full.xml``, ``metadatos.xml`` and ``validators.json`` (ETag, Last-Modified) in a folder for each law.

    Raises (from every method that writes): ConfigurationError, where the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def text_path(self, law_id: str) -> Path:
        """Return where the whole text of a law is, or will be."""
        return self.folder / law_id / TEXT

    def read(self, law_id: str) -> CachedLaw:
        """Return the copy of a law; a file that is cut off or of another law counts as missing."""
        folder = self.folder / law_id
        metadata_updated = updated_of(_bytes(folder / METADATA), law_id)
        return CachedLaw(
            updated_of(_bytes(folder / TEXT), law_id, whole=True),
            metadata_updated,
            _validators(_bytes(folder / _VALIDATORS)) if metadata_updated else (),
        )

    def write_text(self, law_id: str, body: bytes) -> None:
        """Replace the whole text of a law."""
        self._write(law_id, TEXT, body)

    def write_metadata(self, law_id: str, body: bytes, validators: dict[str, str]) -> None:
        """Replace the metadata of a law, and what the next request is conditional on.

        The validators come last: those of an older body cost a download, those of a newer one would hide it.
        """
        self._write(law_id, METADATA, body)
        self._write(law_id, _VALIDATORS, json.dumps(validators).encode())

    def _write(self, law_id: str, name: str, body: bytes) -> None:
        """Write a file whole or not at all."""
        folder = self.folder / law_id
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle, part = tempfile.mkstemp(dir=folder, prefix=f".{name}.")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(body)
                os.replace(part, folder / name)
            except BaseException:
                os.unlink(part)
                raise
        except OSError as error:
            raise ConfigurationError(
                f"No se puede guardar lo descargado del BOE en «{folder}»: {reason(error)}. Elija otra carpeta con "
                "ARTICULADO_HOME."
            ) from error


def updated_of(body: bytes, law_id: str, *, whole: bool = False) -> str:
    """Return the ``fecha_actualizacion`` of a response on a law, empty if it is none; ``whole``: with its text."""
    try:
        root = parse_xml(body)
    except ValueError:
        return ""
    if root.findtext("data/metadatos/identificador") != law_id or (whole and root.find("data/texto/bloque") is None):
        return ""
    return str(root.findtext("data/metadatos/fecha_actualizacion") or "")


def _validators(body: bytes) -> tuple[tuple[str, str], ...]:
    try:
        headers = json.loads(body)
    except ValueError:
        return ()
    return tuple((str(name), str(value)) for name, value in headers.items()) if isinstance(headers, dict) else ()


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
