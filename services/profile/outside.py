"""What a desk is asked and does not handle: the matters of the file ``outside.toml`` beside a profile."""

from pathlib import Path

from pydantic import Field

from services.profile.profile import Profile
from services.profile.sections import Section
from services.profile.toml_file import read_toml

FILE = "outside.toml"


class OutsideMatter(Section):
    """A matter that no article handles: what it is called, how people ask for it, and what there is to say of it."""

    name: str = Field(min_length=1)
    inquiries: tuple[str, ...] = Field(min_length=1)
    texts: tuple[str, ...] = ()


class _File(Section):
    matters: tuple[OutsideMatter, ...] = ()


def load_outside(profile: Profile) -> tuple[OutsideMatter, ...]:
    """Return the matters of a profile, in the order of its file; none where it has no file.

    Raises:
        ConfigurationError: the file cannot be read, or breaks its schema; the message says where and what to do.
    """
    file = profile.own_folder / FILE
    return read_outside(file) if file.is_file() else ()


def read_outside(file: Path) -> tuple[OutsideMatter, ...]:
    """Read a file of matters.

    Raises:
        ConfigurationError: as of ``load_outside``.
    """
    return read_toml(file, _File).matters
