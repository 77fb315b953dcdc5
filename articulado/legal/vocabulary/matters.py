"""Matters outside the statutes, special regimes, and the bodies to which a refusal refers."""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache

from pydantic import BaseModel, ConfigDict, Field

from articulado.language.folding import fold
from articulado.legal.data import read_table
from articulado.legal.laws.registry import known_laws
from articulado.legal.vocabulary.synonyms import expand, has_field_term, root, significant_words
from articulado.values.chunks import Chunk


class MatterTexts(BaseModel):
    """Name of a matter, and the place of its answer, in one language."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    about: str = Field(min_length=1)
    where: str


class Matter(MatterTexts):
    """One matter; ``data/matters.toml`` explains the fields."""

    key: str = Field(min_length=1)
    en: MatterTexts

    def in_language(self, code: str) -> MatterTexts:
        return self.en if code == "en" else self


@cache
def matters() -> Mapping[str, Matter]:
    return {matter.key: matter for matter in map(Matter.model_validate, read_table("matters.toml")["matter"])}


SPECIAL_LAW = 0.85  # Factor of laws beside the general statutes of the field
AMENDING_PROVISION = 0.5  # Factor of provisions that amend another law and quote it
KIND_PRIORS: Mapping[str, float] = {"dt": 0.85, "df": 0.8, "dd": 0.8}  # transitional, final and derogatory provisions


class Regime(BaseModel):
    """One special regime; ``data/regimes.toml`` explains the fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    laws: tuple[str, ...]
    headings: tuple[str, ...]
    terms: tuple[str, ...] = Field(min_length=1)


@cache
def regimes() -> tuple[Regime, ...]:
    return tuple(Regime.model_validate(entry) for entry in read_table("regimes.toml")["regime"])


@lru_cache(maxsize=256)
def named_regimes(question: str) -> frozenset[str]:
    occurs = _occurrences(question)
    return frozenset(regime.name for regime in regimes() if any(map(occurs, regime.terms)))


def regime_of(chunk: Chunk) -> str | None:
    return _by_law().get(chunk["law_id"]) or _by_heading(chunk["breadcrumb"])


@cache
def _by_law() -> dict[str, str]:
    return {law: regime.name for regime in regimes() for law in regime.laws}


@lru_cache(maxsize=4096)
def _by_heading(breadcrumb: str) -> str | None:
    folded = fold(breadcrumb)
    return next((regime.name for regime in regimes() for words in regime.headings if fold(words) in folded), None)


def _occurrences(text: str) -> Callable[[str], bool]:
    """Return a function that tells if a term occurs in a text: an acronym as written, other words by their roots."""
    words = significant_words(text)
    written, roots = f" {' '.join(words)} ", f" {' '.join(map(root, words))} "
    return lambda term: f" {term.lower()} " in written if term.isupper() else f" {_rooted(term)} " in roots


@cache
def _rooted(term: str) -> str:
    return " ".join(map(root, significant_words(term)))


def prior(question: str, chunk: Chunk) -> float:
    """Return a factor in (0, 1] by the kind of provision and its law (docs/decisions/0053)."""
    law = known_laws().get(chunk["law_id"])
    regime = regime_of(chunk)
    special = regime not in named_regimes(question) if regime else law is not None and not law.general
    amending = AMENDING_PROVISION if chunk["title"].startswith("Modificaci") else 1.0
    return KIND_PRIORS.get(chunk["provision_key"].partition(":")[0], 1.0) * (SPECIAL_LAW if special else 1.0) * amending


class Door(BaseModel):
    """The body to ask: a sentence in Spanish and in English."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    where: str = Field(min_length=1)
    en: str = Field(min_length=1)

    def in_language(self, code: str) -> str:
        return self.en if code == "en" else self.where


class _TopicDoor(Door):
    terms: tuple[str, ...] = Field(min_length=1)


class Doors(BaseModel):
    """The doors by topic, for other questions of the field, for another field, and for questions outside any field."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    default: Door
    outside: Door
    other_field: Door
    door: tuple[_TopicDoor, ...]

    def for_topic(self, text: str) -> Door:
        """Return the first door with the most terms in a text, else ``default``, or ``outside`` of the field."""
        occurs = _occurrences(text)
        counts = [sum(map(occurs, door.terms)) for door in self.door]
        best = max(counts)
        if best:
            return self.door[counts.index(best)]
        return self.default if has_field_term(text) or expand(text) else self.outside


@cache
def doors() -> Doors:
    return Doors.model_validate(read_table("doors.toml"))
