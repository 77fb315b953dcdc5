"""How a knowledge-base article is told from any other YAML, and where it goes."""

from pathlib import Path

from services.profile.profile import Profile

SUFFIX = ".article.yaml"


def is_article(file: Path | str) -> bool:
    """Tell whether a file is an article by its name; any other YAML belongs to the document beside it."""
    return Path(file).name.lower().endswith(SUFFIX)


def destination(profile: Profile) -> str:
    """Return the collection of a profile's articles, and of all that has no other: by default its first."""
    return profile.knowledge.collection if profile.knowledge else profile.names[0]
