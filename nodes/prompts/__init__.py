"""Prompt texts, one Markdown file each, in Spanish: the stable part of every model call."""

from functools import cache
from importlib import resources


@cache
def load_prompt(name: str) -> str:
    """Return the text of ``nodes/prompts/<name>.md`` without surrounding white space."""
    return resources.files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
