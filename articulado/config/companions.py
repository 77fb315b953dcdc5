"""Companion provisions of a topic, and matters outside the scope of a profile (two TOML files).

``companions.toml`` names the provisions that go with a topic: deadlines, offices, amounts. ``outside.toml``
names the matters that no article of the profile handles. Both files lie beside the profile and are
optional.
"""

from collections import Counter
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from articulado.config.data_files import read_toml
from articulado.config.profile import Profile
from articulado.config.sections import Name, Section
from articulado.language.translation import translate
from articulado.legal.labels import provision_key, provision_name
from articulado.legal.laws.registry import known_laws
from articulado.values.chunks import ProvisionRef, Purpose

COMPANIONS_FILE = "companions.toml"
"""Name of the file, in the profile's own folder."""

MAX_OF_TOPIC = 4
"""Provisions that a topic may bring."""


def _known_law(reference: str) -> str:
    law_id = reference.partition("#")[0]
    if law_id not in known_laws():
        raise ValueError(translate("profile.companion_law", law_id=law_id))
    return reference


def _of_provision(reference: str) -> str:
    key = reference.partition("#")[2]
    if not key or provision_key(provision_name(key)) != key:
        raise ValueError(translate("profile.companion_provision", reference=reference))
    return _known_law(reference)


def _of_law_or_provision(reference: str) -> str:
    return _of_provision(reference) if "#" in reference else _known_law(reference)


class Condition(Section):
    """What a question is about, or not: provisions, or whole laws, that are found for it, and words that it says."""

    provisions: tuple[Annotated[str, AfterValidator(_of_law_or_provision)], ...] = ()
    words: tuple[Annotated[str, Field(min_length=1)], ...] = ()

    def names(self, provision: ProvisionRef) -> bool:
        """Tell whether a provision, or its law, is among those named."""
        return "#".join(provision) in self.provisions or provision[0] in self.provisions


class Companion(Section):
    """A provision that is brought: where it stands, the words that it is brought for, and what for."""

    provision: Annotated[str, AfterValidator(_of_provision)]
    says: str = Field(min_length=1)
    purpose: Purpose = Field(alias="for")

    @property
    def ref(self) -> ProvisionRef:
        """Law and key of the provision."""
        law_id, _, key = self.provision.partition("#")
        return law_id, key


class Topic(Section):
    """What goes with a topic: ``when`` says how it is recognised, ``unless`` what it is not about all the same."""

    name: Name
    when: Condition
    unless: Condition = Condition()
    bring: tuple[Companion, ...] = Field(min_length=1, max_length=MAX_OF_TOPIC)

    @model_validator(mode="after")
    def _check_condition(self) -> "Topic":
        if not self.when.provisions and not self.when.words:
            raise ValueError(translate("profile.companion_when"))
        return self


class _CompanionsFile(Section):
    companions: tuple[Topic, ...] = ()

    @model_validator(mode="after")
    def _check_names(self) -> "_CompanionsFile":
        names = Counter(topic.name for topic in self.companions)
        if name := next((name for name, count in names.items() if count > 1), ""):
            raise ValueError(translate("profile.companion_twice", name=name))
        return self


def load_companions(profile: Profile) -> tuple[Topic, ...]:
    """Return the topics of a profile that bring companions, in the order of its file; none where it has no file.

    Raises:
        ConfigurationError: the file cannot be read, or names what is not known; the message says where and what to do.
    """
    file = profile.own_folder / COMPANIONS_FILE
    return read_companions(file) if file.is_file() else ()


def read_companions(file: Path) -> tuple[Topic, ...]:
    """Read a file of companions.

    Raises:
        ConfigurationError: as of ``load_companions``.
    """
    return read_toml(file, _CompanionsFile).companions


OUTSIDE_FILE = "outside.toml"


class OutsideMatter(Section):
    """A matter that no article handles: what it is called, how people ask for it, and what there is to say of it."""

    name: str = Field(min_length=1)
    inquiries: tuple[str, ...] = Field(min_length=1)
    texts: tuple[str, ...] = ()


class _OutsideFile(Section):
    matters: tuple[OutsideMatter, ...] = ()


def load_outside(profile: Profile) -> tuple[OutsideMatter, ...]:
    """Return the matters of a profile, in the order of its file; none where it has no file.

    Raises:
        ConfigurationError: the file cannot be read, or breaks its schema; the message says where and what to do.
    """
    file = profile.own_folder / OUTSIDE_FILE
    return read_outside(file) if file.is_file() else ()


def read_outside(file: Path) -> tuple[OutsideMatter, ...]:
    """Read a file of matters.

    Raises:
        ConfigurationError: as of ``load_outside``.
    """
    return read_toml(file, _OutsideFile).matters
