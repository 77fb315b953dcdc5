"""The domain of a profile, and the one that an index was made for, by its stored name."""

from articulado.language.languages import language
from articulado.legal.domain.base import Domain, PlainDomain
from articulado.legal.domain.spanish_law import SPANISH_LAW
from services.profile.profile import Profile


def domain_of(profile: Profile) -> Domain:
    """Return the domain of a profile: Spanish law where that is switched on, else a plain one in its language."""
    return SPANISH_LAW if profile.features.spanish_law else PlainDomain(language(profile.language))


def domain_named(name: str) -> Domain:
    """Return the domain that an index was made for.

    Raises:
        ConfigurationError: there is none of that name.
    """
    return SPANISH_LAW if name == SPANISH_LAW.name else PlainDomain(language(name))
