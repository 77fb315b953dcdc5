"""Prompt texts, one Markdown file each, by language (``texts/``): the stable part of every model call.

A profile may have its own in their place.
"""

from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from articulado.config.profile import Profile
from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError

Prompts = Mapping[str, str]
"""Prompts by their names."""

NAMES = ("decompose", "decompose_followup", "answer", "answer_classic", "repair_marks")
"""The prompts of the answering graph."""

_FOLDER = Path(str(resources.files("services.prompting").joinpath("texts")))


def load_prompts(profile: Profile) -> Prompts:
    """Return all prompts of the answering graph; read once, where it is wired, and not while a question waits.

    Raises:
        ConfigurationError: a prompt of the profile cannot be read, or is empty.
    """
    return {name: load_prompt(name, profile) for name in NAMES}


def load_prompt(name: str, profile: Profile) -> str:
    """Return a prompt without surrounding white space, the title of the profile in the place of ``{title}``.

    It is ``prompts/<name>.md`` in the profile's own folder, or else ``texts/<language>/<name>.md``.

    Raises:
        ConfigurationError: the profile's own prompt cannot be read, or is empty.
    """
    own_file = profile.own_folder / "prompts" / f"{name}.md"
    file = own_file if own_file.is_file() else _FOLDER / profile.language / f"{name}.md"
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(translate("profile.prompt_unreadable", file=file)) from error
    if not text:
        raise ConfigurationError(translate("profile.prompt_empty", file=file))
    # Not str.format: a profile's own prompt may have braces.
    return text.replace("{title}", profile.title)
