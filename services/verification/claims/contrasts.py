"""Terms of which a law says one where a wrong answer says another: ``contrasts.toml``, and its terms among words."""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Member(BaseModel):
    """One term of a contrast; the header of the data file explains the fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    label: str
    words: tuple[str, ...] = Field(min_length=1)


class Contrast(BaseModel):
    """Terms that exclude one another."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    check: Literal["condition", "negation"]
    members: tuple[Member, ...] = Field(min_length=2)
    turns: bool = False


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    contrast: tuple[Contrast, ...]


@dataclass(frozen=True)
class Term:
    """A term among words, ``words[first:last]``: member ``member`` of contrast ``contrast``."""

    contrast: int
    member: int
    first: int
    last: int


_Word = tuple[tuple[str, bool], ...]
"""The alternatives of one word, each with whether it may go on."""


@cache
def contrasts() -> tuple[Contrast, ...]:
    """Return the table."""
    text = resources.files("services.verification.claims").joinpath("contrasts.toml").read_text(encoding="utf-8")
    return _Table.model_validate(tomllib.loads(text)).contrast


def terms_among(words: Sequence[str]) -> list[Term]:
    """Return the terms among folded words; of those of one contrast that overlap, the first and longest.

    >>> [term] = terms_among(["pension", "no", "contributiva"])
    >>> contrasts()[term.contrast].members[term.member].label
    'no contributiva'
    """
    ends: dict[int, int] = {}
    terms = []
    for first in range(len(words)):
        longest: dict[int, Term] = {}
        for contrast, member, pattern in _beginning_with(words[first]):
            last = first + len(pattern)
            if ends.get(contrast, 0) > first or last > len(words):
                continue
            if contrast in longest and longest[contrast].last >= last:
                continue
            if all(_fits(word, allowed) for word, allowed in zip(words[first + 1 : last], pattern[1:], strict=True)):
                longest[contrast] = Term(contrast, member, first, last)
        for contrast, term in longest.items():
            ends[contrast] = term.last
            terms.append(term)
    return terms


def _fits(word: str, allowed: _Word) -> bool:
    return any(word.startswith(form) if open_ended else word == form for form, open_ended in allowed)


@lru_cache(maxsize=65_536)
def _beginning_with(word: str) -> tuple[tuple[int, int, tuple[_Word, ...]], ...]:
    return tuple(entry for entry in _patterns() if _fits(word, entry[2][0]))


@cache
def _patterns() -> tuple[tuple[int, int, tuple[_Word, ...]], ...]:
    return tuple(_read_patterns())


def _read_patterns() -> Iterator[tuple[int, int, tuple[_Word, ...]]]:
    for number, contrast in enumerate(contrasts()):
        for place, member in enumerate(contrast.members):
            for wording in member.words:
                yield number, place, tuple(_alternatives(word) for word in wording.split())


def _alternatives(word: str) -> _Word:
    return tuple((form.rstrip("*"), form.endswith("*")) for form in word.split("|"))
