"""The rank of a law among the norms, and the BOE's codes for the kinds of norm (``data/ranks.toml``)."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from legal.laws.registry import known_laws

LOWEST = 5
"""Rank of whatever is in no table."""


@dataclass(frozen=True)
class NormKind:
    """A kind of norm; the fields are explained at the top of ``data/ranks.toml``."""

    kind: str
    name: str
    rank: int
    code: str


@cache
def norm_kinds() -> dict[str, NormKind]:
    """Read the kinds of norm, by name of the kind.

    Raises:
        ValueError: an entry of the file breaks the schema; the message names it.
    """
    raw = tomllib.loads(resources.files("legal.data").joinpath("ranks.toml").read_text(encoding="utf-8"))
    kinds = {}
    for entry in raw["kind"]:
        try:
            kind = NormKind(**entry)
        except TypeError as error:
            raise ValueError(f"ranks.toml, «{entry.get('kind', '?')}»: {error}") from error
        if not 1 <= kind.rank <= LOWEST:
            raise ValueError(f"ranks.toml, «{kind.kind}»: rank {kind.rank} is not from 1 to {LOWEST}")
        kinds[kind.kind] = kind
    return kinds


@cache
def _by_code() -> dict[str, str]:
    return {kind.code: kind.kind for kind in norm_kinds().values()}


def kind_of_code(code: str) -> str:
    """Return the kind of norm of a BOE code ("1340" gives ``real_decreto``), empty where the BOE has no such code."""
    return _by_code().get(code, "")


def rank_of(law_id: str, kind: str) -> int:
    """Return the rank of a law, from 1 (Constitution) to 5: its own in the registry, else that of its kind.

    A kind that nobody knows ranks lowest, so that no law is read as if it were bound by it.
    """
    if law := known_laws().get(law_id):
        return law.rank
    return norm_kinds()[kind].rank if kind in norm_kinds() else LOWEST
