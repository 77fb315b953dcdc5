"""Data sets as files: one JSON object a line."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from articulado.language.translation import reason
from articulado.values.errors import InvalidInput


def json_lines(path: Path, needed: str) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Yield the objects of a file with the number of their line and the words for where that is; skip blank lines.

    Raises:
        InvalidInput: the file cannot be read, or a line is no JSON object; ``needed`` says what one has.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} no está en UTF-8. Conviértalo, por ejemplo con iconv -t UTF-8.") from error
    except OSError as error:
        raise InvalidInput(f"No se puede leer {path}: {reason(error)}. Compruebe la ruta.") from error
    # Not splitlines: a JSON text may hold the separators of lines and paragraphs as they are.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, línea {number}"
            yield number, where, _object(line, where, needed)


def _object(line: str, where: str, needed: str) -> Mapping[str, Any]:
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        column = f" (columna {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidInput(f"{where}: no es JSON válido{column}. Escriba un objeto JSON por línea.") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"{where}: no es un objeto JSON. {needed}")
    return value
