"""Special regimes: which one a provision is of, and which ones a question names (``data/regimes.toml``)."""

import tomllib
from functools import cache, lru_cache
from importlib import resources

from pydantic import BaseModel, ConfigDict, Field

from language.folding import fold
from legal.synonym_table import words_of
from legal.synonyms import root
from state.chunks import Chunk


class Regime(BaseModel):
    """One special regime; the fields are explained at the top of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    laws: tuple[str, ...]
    headings: tuple[str, ...]
    terms: tuple[str, ...] = Field(min_length=1)


@cache
def regimes() -> tuple[Regime, ...]:
    """Read and check the table.

    Raises:
        ValueError: the file breaks its schema.
    """
    source = resources.files("legal.data").joinpath("regimes.toml").read_text(encoding="utf-8")
    return tuple(Regime.model_validate(entry) for entry in tomllib.loads(source)["regime"])


@lru_cache(maxsize=256)
def named_regimes(question: str) -> frozenset[str]:
    """Return the names of the regimes that a question names."""
    words = words_of(question)
    said, roots = f" {' '.join(words)} ", f" {' '.join(map(root, words))} "
    return frozenset(
        regime.name
        for regime in regimes()
        for term in regime.terms
        if (f" {term.lower()} " in said if term.isupper() else f" {_rooted(term)} " in roots)
    )


def regime_of(chunk: Chunk) -> str | None:
    """Return the name of the regime that a chunk is about, by its law or by the chapter it stands in."""
    return _by_law().get(chunk["law_id"]) or _by_heading(chunk["breadcrumb"])


@cache
def _by_law() -> dict[str, str]:
    return {law: regime.name for regime in regimes() for law in regime.laws}


@lru_cache(maxsize=4096)
def _by_heading(breadcrumb: str) -> str | None:
    folded = fold(breadcrumb)
    return next((one.name for one in regimes() for words in one.headings if fold(words) in folded), None)


@cache
def _rooted(term: str) -> str:
    return " ".join(map(root, words_of(term)))
