"""Say what is wrong with an article file in words for its editor; pydantic's own are many lines of English."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from articulado.language.translation import translate
from articulado.values.errors import InvalidInput

Problem = tuple[tuple[str | int, ...], str]
"""The path in the file to what is wrong, and what it is."""

_MESSAGES = {
    "missing": "article.missing",
    "extra_forbidden": "article.extra",
    "string_type": "article.text",
    "string_too_short": "article.empty",
    "too_short": "article.empty_list",
    "list_type": "article.list",
    "bool_type": "article.true_false",
    "float_type": "article.number",
    "finite_number": "article.number",
    "dict_type": "article.section",
    "model_type": "article.section",
    "date_type": "article.date",
}


def article_error(file: Path, where: str, what: str) -> InvalidInput:
    """Return the error for an article that cannot be used; ``where`` is a location in it, or empty."""
    return InvalidInput(translate("article.unusable", file=file, what=": ".join(filter(None, (where, what)))))


def schema_error(file: Path, error: ValidationError) -> InvalidInput:
    """Return the first problem that pydantic has found as an error that names file, chunk and key."""
    first = error.errors(include_url=False)[0]
    return article_error(file, location(first["loc"]), _what(first))


def location(path: Sequence[str | int]) -> str:
    """Return where in an article a problem is, counting from 1.

    >>> location(("chunks", 2, "fields", 0, "data_type"))
    'trozo 3, fields 1, data_type'
    """
    steps: list[str] = []
    for part in path:
        if isinstance(part, int) and steps:
            steps[-1] += f" {part + 1}"
        else:
            steps.append(translate("article.chunk") if part == "chunks" else str(part))
    return ", ".join(steps)


def _what(error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    match error["type"]:
        case "literal_error":
            return translate("article.choices", values=str(context["expected"]).replace(" or ", ", "))
        case "string_pattern_mismatch":
            shape = "article.snake_case" if "_" in context["pattern"] else "article.slug"
            return translate(shape, written=error["input"])
        case other:
            return translate(_MESSAGES[other]) if other in _MESSAGES else error["msg"]
