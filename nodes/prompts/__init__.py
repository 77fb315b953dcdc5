"""Prompt texts, one Markdown file each, by language: the stable part of every model call.

A profile may have its own in their place.
"""

from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from services.profile.profile import Profile
from services.prompts import prompt_for

Prompts = Mapping[str, str]
"""Prompts by their names."""

NAMES = ("decompose", "decompose_followup", "answer", "answer_classic")

_FOLDER = Path(str(resources.files(__name__)))


def load_prompt(name: str, profile: Profile) -> str:
    """Return the prompt of this name (``services.prompts.prompt_for``)."""
    return prompt_for(name, profile, _FOLDER)


def load_prompts(profile: Profile) -> Prompts:
    """Read all prompts of the answering graph: once, where it is wired, and not while a question waits."""
    return {name: load_prompt(name, profile) for name in NAMES}
