"""What is wrong with a profile file, in words for its author; pydantic's own are many lines of English."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

LISTS = ("collections", "filter_fields", "companions")
"""Sections that are written with double brackets."""

_BY_ERROR_TYPE = {
    "missing": "falta; escríbalo",
    "string_type": "debe ser un texto, entre comillas",
    "string_too_short": "no puede estar vacío",
    "string_pattern_mismatch": "solo puede tener letras minúsculas sin acentos, cifras y «_», y empieza por una letra",
    "int_type": "debe ser un número entero",
    "int_parsing": "debe ser un número entero",
    "int_from_float": "debe ser un número entero",
    "float_type": "debe ser un número",
    "float_parsing": "debe ser un número",
    "finite_number": "debe ser un número",
    "bool_type": "debe ser true o false",
    "bool_parsing": "debe ser true o false",
    "too_short": "hace falta al menos uno",
    "too_long": "son demasiados",
    "tuple_type": "debe ser una lista, entre corchetes",
    "dict_type": "debe ser una sección de claves con su valor",
    "model_type": "debe ser una sección de claves con su valor",
    "dataclass_type": "debe ser una sección de claves con su valor",
}
"""By the type of an error of pydantic."""

_BY_TOML_MESSAGE = {
    "Cannot declare": "esta sección ya está escrita; deje una",
    "Cannot overwrite": "esta clave ya tiene valor; deje uno",
    "Duplicate": "esta clave ya tiene valor; deje uno",
    "Unterminated string": "faltan las comillas que cierran el texto",
    "Illegal character": "hay un carácter que no puede ir ahí; ¿faltan las comillas que cierran el texto?",
    "Unescaped": "en un texto entre comillas dobles, «\\» se escribe «\\\\»",
    "Unclosed": "falta el corchete o la llave que cierra",
    "Expected ']": "falta el corchete que cierra el nombre de la sección",
    "Expected '='": "a la clave le falta «=» y su valor",
    "Expected newline": "sobra algo tras el valor; escriba cada clave en su línea",
    "Invalid value": "el valor no es válido; los textos van entre comillas, y sí y no son true y false",
    "Invalid": "no se entiende; escriba clave = valor, o [sección]",
}
"""By how the messages of ``tomllib`` begin, the first that fits."""

_POSITION = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)$")


def problem_of(error: Exception, content: Mapping[str, Any], schema: type[BaseModel]) -> str:
    """Return where a profile breaks the schema, and how; ``content`` is its TOML, for the names of its parts."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        where, problem = " ".join(location(first["loc"], content).split()), _value_problem(first, schema)
        return f"{where}: {problem}" if where else problem
    if isinstance(error, UnicodeDecodeError):
        return "no está en UTF-8; guárdelo como texto UTF-8"
    if isinstance(error, OSError):
        return "el fichero no se puede abrir; compruebe sus permisos"
    return _syntax_problem(str(error))


def location(path: Sequence[str | int], content: Mapping[str, Any]) -> str:
    """Return where a problem is as the file has it: "[[collections]] «notes», weight" or "[case.response] chunks"."""
    head, *rest = path or ("",)
    if head in LISTS:
        if not rest:
            return f"[[{head}]]"
        number, *rest = rest
        return ", ".join(
            (f"[[{head}]] {_item_name(content.get(str(head)), int(number))}", *([_key_path(rest)] if rest else []))
        )
    *sections, key = (part for part in (head, *rest) if isinstance(part, str))
    within = _key_path([key, *(part for part in rest if isinstance(part, int))])
    return f"[{'.'.join(sections)}] {within}" if sections else within


def _item_name(items: object, number: int) -> str:
    """Return the name of an item of a list, or its number, counted from 1, where it has none."""
    item = items[number] if isinstance(items, list) else None
    name = item.get("name") if isinstance(item, dict) else None
    return f"«{name}»" if isinstance(name, str) and name else f"número {number + 1}"


def _key_path(path: Sequence[str | int]) -> str:
    """Return the keys within a section, joined by dots; an index in a list of texts is counted from 1."""
    keys = ".".join(part for part in path if isinstance(part, str))
    numbers = [str(part + 1) for part in path if isinstance(part, int)]
    return " ".join((keys, *numbers))


def _value_problem(details: ErrorDetails, schema: type[BaseModel]) -> str:
    """Return what is wrong with a value, and what would be right."""
    limits, path = details.get("ctx", {}), details["loc"]
    match details["type"]:
        case "extra_forbidden":
            keys = ", ".join(_keys(schema, path[:-1]))
            return f"no es una clave conocida; las que hay son {keys}"
        case "literal_error":
            values = re.findall(r"'([^']*)'", str(limits["expected"]))
            return "los valores posibles son " + " y ".join(f'"{value}"' for value in values)
        case "greater_than":
            return f"debe ser mayor que {limits['gt']:g}"
        case "greater_than_equal":
            return f"debe ser {limits['ge']:g} o más"
        case "less_than_equal":
            return f"debe ser {limits['le']:g} o menos"
        case "tuple_type" if path[0] in LISTS and len(path) == 1:
            return f"cada uno se escribe con dobles corchetes, [[{path[0]}]]"
        case "value_error":
            return details["msg"].removeprefix("Value error, ")
        case error_type:
            return _BY_ERROR_TYPE.get(error_type, "el valor no es válido")


def _keys(schema: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    """Return the keys of the section that a path leads to."""
    section: Any = schema
    for key in path:
        if isinstance(key, str):
            annotation = section.model_fields[key].annotation
            section = next(option for option in (annotation, *get_args(annotation)) if _is_section(option))
    if is_dataclass(section):
        return [field.name for field in fields(section)]
    return [field.alias or name for name, field in section.model_fields.items() if path or name != "folder"]


def _is_section(annotation: Any) -> bool:
    return is_dataclass(annotation) or (isinstance(annotation, type) and issubclass(annotation, BaseModel))


def _syntax_problem(message: str) -> str:
    """Return what is wrong with a file that is no TOML, after its line and column where ``tomllib`` tells them."""
    position = _POSITION.search(message)
    problem = next((text for begin, text in _BY_TOML_MESSAGE.items() if message.startswith(begin)), "no es TOML")
    if position is None:
        return problem
    where = f"línea {position[1]}, columna {position[2]}" if position[1] else "al final del fichero"
    return f"{where}: {problem}"
