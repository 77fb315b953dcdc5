"""The variables of the environment that a process goes by, and those that look like one and are none."""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from pydantic_settings import BaseSettings

from articulado.config.settings import ModelSettings, RerankSettings, Settings

PREFIX = "ARTICULADO_"
_ROLES = ("reader", "principal", "embedder")
_ALIKE = 0.7
"""How alike two names are, from 0 to 1, of which one may be a slip of the other."""


class Misspelt(NamedTuple):
    """A variable that nothing reads, and the one that was meant, empty where none is like it."""

    name: str
    meant: str


def names_of(settings: type[BaseSettings], prefix: str) -> Iterable[str]:
    """Return the variables that a class of settings reads."""
    return (f"{prefix}{name}".upper() for name in settings.model_fields)


def known_variables() -> frozenset[str]:
    """Return the variables of the agent, those of its models among them."""
    names = set(names_of(Settings, PREFIX)) - {f"{PREFIX}{role.upper()}" for role in (*_ROLES, "rerank")}
    for role in _ROLES:
        names |= set(names_of(ModelSettings, f"{PREFIX}{role}_"))
    # One name is both a strategy of the agent and, by its prefix, of the reranker's own settings.
    return frozenset(names | set(names_of(RerankSettings, f"{PREFIX}RERANK_")))


def misspelt(environment: Mapping[str, str], known: Collection[str]) -> list[Misspelt]:
    """Return the variables of the project's that nothing reads, in order.

    >>> misspelt({"ARTICULADO_PROFIL": "laboral"}, known_variables())
    [Misspelt(name='ARTICULADO_PROFIL', meant='ARTICULADO_PROFILE')]
    """
    unknown = sorted(name for name in environment if name.upper().startswith(PREFIX) and name.upper() not in known)
    return [Misspelt(name, next(iter(get_close_matches(name.upper(), known, 1, _ALIKE)), "")) for name in unknown]
