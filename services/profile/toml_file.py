"""Read a file of tables that lies beside a profile."""

import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError
from services.profile.problems import problem_of
from services.profile.sections import Section

_Schema = TypeVar("_Schema", bound=Section)


def read_toml(file: Path, schema: type[_Schema]) -> _Schema:
    """Read and check a file.

    Raises:
        ConfigurationError: it cannot be read, or breaks its schema; the message says where and what to do.
    """
    content: dict[str, Any] = {}
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        return schema.model_validate(content)
    except (ValidationError, tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        problem = problem_of(error, content, schema)
        raise ConfigurationError(translate("profile.file_unreadable", file=file, problem=problem)) from error
