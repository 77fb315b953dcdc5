"""Models of an index, and the fingerprints that an index must have to be used with them."""

from collections.abc import Callable
from dataclasses import dataclass

from articulado.config.profile import Profile, domain_of
from articulado.config.settings import ModelSettings, Role, Settings
from articulado.encoders.bm25 import Bm25Encoder
from articulado.encoders.dual import fitted_fingerprint, packaged_encoder
from articulado.encoders.meaning import meaning_fingerprint
from articulado.encoders.sentences import SentenceEncoder, sentence_encoder
from articulado.legal.domain.base import Domain
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.store.generations import Fingerprints, Manifest
from articulado.values.protocols import Embedder

CHUNKER = "small_to_big:2000:300:50:6"
"""Fingerprint of the chunking; change it when the same document gives other chunks."""


def expected_fingerprints(settings: Settings, profile: Profile, chunker: str = CHUNKER) -> Fingerprints:
    """Return the fingerprints that an index must have to serve these settings and this profile."""
    domain = domain_of(profile)
    embedder, sparse = _embedder_fingerprint(settings, domain), Bm25Encoder.of(domain).fingerprint
    return Fingerprints(embedder=embedder, sparse=sparse, chunker=chunker)


def sentences_of(settings: Settings, profile: Profile) -> SentenceEncoder | None:
    """Return the encoder of collections indexed by meaning; ``None`` if a provider makes all vectors."""
    if settings.embedder.provider != "offline" or not profile.by_meaning:
        return None
    return sentence_encoder(settings)


def has_meaning_of(manifest: Manifest, settings: Settings, profile: Profile) -> bool:
    """Tell if the vectors by meaning of an index were made with these settings."""
    encoder = sentences_of(settings, profile)
    own = set(profile.by_meaning).intersection(manifest.collections) if encoder else set[str]()
    if manifest.meaning is None or encoder is None:
        return manifest.meaning is None and not own
    fingerprint = meaning_fingerprint(encoder)
    return manifest.meaning.fingerprint == fingerprint and own == set(manifest.meaning.collections)


def _embedder_fingerprint(settings: Settings, domain: Domain) -> str:
    if settings.embedder.provider == "fastembed":
        from articulado.encoders.local_models import FastembedEmbedder

        return FastembedEmbedder.of(settings).fingerprint
    if settings.embedder.provider != "offline":
        from articulado.models.openai import fingerprint_of

        return fingerprint_of(settings.embedder)
    if domain is SPANISH_LAW:
        return packaged_encoder(settings.offline_dimensions).fingerprint
    return fitted_fingerprint(settings.offline_dimensions, domain)


@dataclass(frozen=True)
class IndexModels:
    """Settings and profile of an index, and a factory of its embedder (``None`` offline)."""

    settings: Settings
    profile: Profile
    embedder: Callable[[], Embedder] | None

    @property
    def domain(self) -> Domain:
        return domain_of(self.profile)


def check_models(settings: Settings) -> None:
    """Check the chat models' settings before any paid request; raise ``ConfigurationError``."""
    roles: dict[Role, ModelSettings] = {
        "reader": settings.reader,
        "principal": settings.principal,
        "checker": settings.checker,
    }
    for role, model in roles.items():
        if model.provider != "offline":
            from articulado.models.openai import check_settings

            check_settings(role, model)
