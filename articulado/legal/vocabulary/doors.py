"""Bodies to ask where there is no answer, by the topic of the question.

The table is ``articulado/legal/data/doors.toml``.
"""

import tomllib
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict, Field

from articulado.legal.vocabulary.synonyms import root, significant_words


class Door(BaseModel):
    """Whom to ask, a sentence in Spanish and in English."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    where: str = Field(min_length=1)
    en: str = Field(min_length=1)

    def in_language(self, code: str) -> str:
        """Return the sentence in English (``en``), else in Spanish."""
        return self.en if code == "en" else self.where


class _TopicDoor(Door):
    terms: tuple[str, ...] = Field(min_length=1)


class Doors(BaseModel):
    """The table: the doors by topic, that of any other question of the field, and that of another field."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    default: Door
    other_field: Door
    door: tuple[_TopicDoor, ...]

    def for_topic(self, text: str) -> Door:
        """Return the door with the most terms in a text, the first of those with as many; else ``default``."""
        words = significant_words(text)
        written, roots = f" {' '.join(words)} ", f" {' '.join(map(root, words))} "
        counts = [sum(_occurs(term, written, roots) for term in door.terms) for door in self.door]
        most = max(counts)
        return self.door[counts.index(most)] if most else self.default


@cache
def doors() -> Doors:
    """Read and check the table.

    Raises:
        ValueError: the file breaks its schema.
    """
    source = resources.files("articulado.legal.data").joinpath("doors.toml").read_text(encoding="utf-8")
    return Doors.model_validate(tomllib.loads(source))


def _occurs(term: str, written: str, roots: str) -> bool:
    return f" {term.lower()} " in written if term.isupper() else f" {_rooted(term)} " in roots


@cache
def _rooted(term: str) -> str:
    return " ".join(map(root, significant_words(term)))
