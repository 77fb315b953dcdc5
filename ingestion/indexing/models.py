"""Settings, profile and embedder that the points of an index are made with."""

from collections.abc import Callable
from dataclasses import dataclass

from articulado.config.profile import Profile, domain_of
from articulado.config.settings import Settings
from articulado.legal.domain.base import Domain
from articulado.values.protocols import Embedder


@dataclass(frozen=True)
class IndexModels:
    """Settings and profile of an index, and its embedder, built when it is first called for.

    ``embedder`` is ``None`` offline, where vectors are fitted to the texts themselves.
    """

    settings: Settings
    profile: Profile
    embedder: Callable[[], Embedder] | None

    @property
    def domain(self) -> Domain:
        """The domain of the profile."""
        return domain_of(self.profile)
