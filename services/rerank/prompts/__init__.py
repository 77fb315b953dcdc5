"""Prompt texts of rerankers, one Markdown file each, in Spanish."""

from functools import cache
from importlib import resources


@cache
def load_prompt(name: str) -> str:
    """Return the text of ``services/rerank/prompts/<name>.md`` without surrounding white space."""
    return resources.files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
