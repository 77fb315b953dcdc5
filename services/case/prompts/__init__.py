"""The instructions of an author, by language; a profile may have its own."""

from importlib import resources
from pathlib import Path

from services.profile.profile import Profile
from services.prompts import prompt_for

_FOLDER = Path(str(resources.files(__name__)))


def load_prompt(name: str, profile: Profile) -> str:
    """Return the prompt of this name (``services.prompts.prompt_for``)."""
    return prompt_for(name, profile, _FOLDER)
