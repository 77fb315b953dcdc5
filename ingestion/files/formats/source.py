"""The bytes of a file, and what tells that they are of another format than its name says."""

from pathlib import Path

from state.errors import InvalidInput, reason

_SIGNATURES = {
    b"%PDF-": "un PDF",
    b"PK\x03\x04": "un documento de Office o un ZIP",
    b"\xd0\xcf\x11\xe0": "un documento de Office antiguo o protegido con contraseña",
}


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        InvalidInput: it cannot be read, or is empty.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"El fichero «{path}» no se puede leer: {reason(error)}.") from error
    if not data.strip():
        raise InvalidInput(f"El fichero «{path}» está vacío. Quítelo de la carpeta o vuelva a descargarlo.")
    return data


def actual_format(data: bytes) -> str:
    """Return what a file is by its first bytes ("un PDF"); empty where they tell nothing."""
    return next((name for signature, name in _SIGNATURES.items() if data.startswith(signature)), "")


def refuse_other_formats(path: Path, data: bytes) -> None:
    """Refuse bytes that are no text, for a file whose name says that it is one.

    Raises:
        InvalidInput: they are of a known other format.
    """
    if actual_format(data):
        raise other_format(path, data)


def other_format(path: Path, data: bytes) -> InvalidInput:
    """Return the error for a file that is not what its extension says."""
    name = actual_format(data)
    what = f"es {name}" if name else "no lo es"
    return InvalidInput(f"El fichero «{path}» tiene la extensión «{path.suffix}», pero {what}. Corrija la extensión.")


def no_text(path: Path) -> InvalidInput:
    """Return the error for a file in which there is no text."""
    return InvalidInput(f"El fichero «{path}» no contiene texto. Compruebe que es el documento completo.")
