"""Knowledge-base profiles: what makes the graph independent of one field of law (data in ``profiles/``)."""

import tomllib
from importlib import resources

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from legal.signals import SignalWeights
from services.errors import ConfigurationError


class Collection(BaseModel):
    """One collection: its weight in the ranking and what a user calls it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    weight: float = Field(gt=0, le=1)
    label: str


class Profile(BaseModel):
    """One knowledge base. ``relevance_floor`` in [0, 1] is compared with the best relevance.

    ``signals`` are the weights of the legal signals (``legal.signals.final_score``).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str
    language: str
    default_law: str
    relevance_floor: float = Field(ge=0, le=1)
    signals: SignalWeights
    collections: tuple[Collection, ...]

    def weight(self, collection: str) -> float:
        """Return the weight of a collection (1.0 for one that the profile does not name)."""
        return next((c.weight for c in self.collections if c.name == collection), 1.0)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the collections, in the order of the file."""
        return tuple(collection.name for collection in self.collections)


def load_profile(name: str) -> Profile:
    """Read ``profiles/<name>.toml``.

    Raises:
        ConfigurationError: there is no such profile, or it breaks the schema.
    """
    folder = resources.files("profiles")
    known = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    if name not in known:
        raise ConfigurationError(
            f"No existe el perfil «{name}». Perfiles disponibles: {', '.join(known)} (ARTICULADO_PROFILE)."
        )
    try:
        return Profile.model_validate(tomllib.loads(folder.joinpath(f"{name}.toml").read_text(encoding="utf-8")))
    except (ValidationError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"El perfil «{name}» no se puede leer: {error}") from error
