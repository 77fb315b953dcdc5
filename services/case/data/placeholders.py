"""Tell what people write where they have no value: "TBD", "por confirmar", "(fill in)", "???"."""

import re

from articulado.language.folding import fold
from articulado.language.languages import LANGUAGES, DataPatterns, language

_TEMPLATE = re.compile(r"\s*(?:<[a-z_][\w ]*>|\{+\s*[a-z_][\w. ]*\}+)\s*")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


def is_placeholder(text: str) -> bool:
    """Tell whether a text stands for a value that is not there, in any language: forms travel with their fillings.
    So does the name of a field in the marks of a template: "[plan name]", "<plan>", "{{plan}}".

    >>> is_placeholder("[Por determinar]"), is_placeholder("N/A"), is_placeholder("determined")
    (True, True, False)
    """
    bare = _bare(text)
    if not bare or is_not_applicable(text) or _TEMPLATE.fullmatch(fold(text)):
        return True
    in_brackets = text.strip().startswith("[")
    return any(
        data.placeholder.fullmatch(bare) or (in_brackets and data.template_name.fullmatch(bare))
        for data in all_data_patterns()
    )


def is_not_applicable(text: str) -> bool:
    """Tell whether a text says that there is nothing to say: "n/a", "no aplica", "none"."""
    return any(data.not_applicable.fullmatch(_bare(text)) for data in all_data_patterns())


def all_data_patterns() -> tuple[DataPatterns, ...]:
    """Return the patterns of every language."""
    return tuple(language(code).data_patterns for code in LANGUAGES)


def _bare(text: str) -> str:
    """Return a text folded, without the brackets, quotes and marks around it."""
    return _EDGES.sub("", " ".join(fold(text).split()))
