"""What an answer looks like that says that there is none."""

from articulado.language.languages import Language
from articulado.prompting.citation_markers import markers_in


def is_refusal(answer: str, language: Language) -> bool:
    """Tell whether the principal itself said that it does not know."""
    return answer.lstrip("*_ ").casefold().startswith(_refusal(language)) and not markers_in(answer)


def is_bare_refusal(answer: str, language: Language) -> bool:
    """Tell whether an answer says that it does not know, and nothing else."""
    return answer.strip("*_. \n").casefold() == _refusal(language)


def _refusal(language: Language) -> str:
    return language.translate("no_verified_information").casefold()
