"""Read and validate TOML and YAML files; errors tell the author line or section, and the problem."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from yaml.reader import ReaderError

from articulado.config.sections import Section
from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError

LISTS = ("collections", "filter_fields", "matters")  # sections with double brackets

_BY_ERROR_TYPE = {  # Messages by pydantic's error type
    "missing": "profile.missing",
    "string_type": "profile.text",
    "string_too_short": "profile.empty",
    "string_pattern_mismatch": "profile.pattern",
    "pattern_regex": "profile.pattern_regex",
    "int_type": "profile.whole",
    "int_parsing": "profile.whole",
    "int_from_float": "profile.whole",
    "float_type": "profile.number",
    "float_parsing": "profile.number",
    "finite_number": "profile.number",
    "bool_type": "profile.true_false",
    "bool_parsing": "profile.true_false",
    "too_short": "profile.at_least_one",
    "too_long": "profile.too_many",
    "tuple_type": "profile.list",
    "dict_type": "profile.section",
    "model_type": "profile.section",
    "dataclass_type": "profile.section",
}

_BY_TOML_MESSAGE = {  # Messages by the beginning of those of ``tomllib``; the first match counts
    "Cannot declare": "profile.toml_section_twice",
    "Cannot overwrite": "profile.toml_key_twice",
    "Duplicate": "profile.toml_key_twice",
    "Unterminated string": "profile.toml_quotes",
    "Illegal character": "profile.toml_character",
    "Unescaped": "profile.toml_escape",
    "Unclosed": "profile.toml_bracket",
    "Expected ']": "profile.toml_section_bracket",
    "Expected '='": "profile.toml_equals",
    "Expected newline": "profile.toml_newline",
    "Invalid value": "profile.toml_value",
    "Invalid": "profile.toml_line",
}

_POSITION = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)$")


def problem_of(error: Exception, content: Mapping[str, Any], schema: type[BaseModel]) -> str:
    """Return place and problem of a profile that breaks its schema; ``content``: its TOML, for names."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        where, problem = " ".join(location(first["loc"], content).split()), _value_problem(first, schema)
        return f"{where}: {problem}" if where else problem
    if isinstance(error, UnicodeDecodeError):
        return translate("profile.not_utf8")
    if isinstance(error, OSError):
        return translate("profile.not_opened")
    return _syntax_problem(str(error))


def location(path: Sequence[str | int], content: Mapping[str, Any]) -> str:
    """Return the place of a problem as in the file: "[[collections]] «notes», weight" or "[case.response] chunks"."""
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
    item = items[number] if isinstance(items, list) else None
    name = item.get("name") if isinstance(item, dict) else None
    return (
        translate("profile.item_name", name=name)
        if isinstance(name, str) and name
        else translate("profile.item_number", number=number + 1)
    )


def _key_path(path: Sequence[str | int]) -> str:
    keys = ".".join(part for part in path if isinstance(part, str))
    numbers = [str(part + 1) for part in path if isinstance(part, int)]
    return " ".join((keys, *numbers))


def _value_problem(details: ErrorDetails, schema: type[BaseModel]) -> str:
    limits, path = details.get("ctx", {}), details["loc"]
    match details["type"]:
        case "extra_forbidden":
            keys = ", ".join(_keys(schema, path[:-1]))
            return translate("profile.unknown_key", keys=keys)
        case "literal_error":
            values = re.findall(r"'([^']*)'", str(limits["expected"]))
            return translate("profile.choices", values=translate("system.and").join(f'"{value}"' for value in values))
        case "greater_than":
            return translate("profile.above", limit=limits["gt"])
        case "greater_than_equal":
            return translate("profile.at_least", least=limits["ge"])
        case "less_than_equal":
            return translate("profile.at_most", most=limits["le"])
        case "tuple_type" if path[0] in LISTS and len(path) == 1:
            return translate("profile.double_brackets", section=path[0])
        case "value_error":
            return details["msg"].removeprefix("Value error, ")
        case error_type:
            return translate(_BY_ERROR_TYPE.get(error_type, "profile.invalid"))


def _keys(schema: type[BaseModel], path: Sequence[str | int]) -> list[str]:
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
    position = _POSITION.search(message)
    problem = translate(
        next((key for begin, key in _BY_TOML_MESSAGE.items() if message.startswith(begin)), "profile.not_toml")
    )
    if position is None:
        return problem
    where = (
        translate("profile.position", line=position[1], column=position[2])
        if position[1]
        else translate("profile.end_of_file")
    )
    return f"{where}: {problem}"


_Schema = TypeVar("_Schema", bound=Section)


def read_toml(file: Path, schema: type[_Schema]) -> _Schema:
    """Read and check a file; raise ``ConfigurationError`` with place and remedy."""
    content: dict[str, Any] = {}
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        return schema.model_validate(content)
    except (ValidationError, tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        problem = problem_of(error, content, schema)
        raise ConfigurationError(translate("profile.file_unreadable", file=file, problem=problem)) from error


class UnreadableYaml(ValueError):
    """Invalid YAML; ``line`` counts from 1, ``None``: unknown."""

    def __init__(self, line: int | None) -> None:
        super().__init__(line)
        self.line = line


def load_yaml(written: str, loader: type[yaml.BaseLoader | yaml.SafeLoader]) -> object:
    """Parse YAML with a Python loader (those in C crash on deep nesting); raise ``UnreadableYaml``."""
    try:
        return yaml.load(written, Loader=loader)
    except yaml.MarkedYAMLError as error:
        raise UnreadableYaml(error.problem_mark.line + 1 if error.problem_mark else None) from error
    except ReaderError as error:
        raise UnreadableYaml(written.count("\n", 0, error.position) + 1) from error
    except (yaml.YAMLError, ValueError) as error:
        raise UnreadableYaml(None) from error
    except RecursionError:
        # It is the YAML that nests too deep, and not the document, of which that would be said.
        raise UnreadableYaml(None) from None
