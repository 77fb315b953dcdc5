"""Find the file of a profile and the language it names, without reading the profile.

The command line needs both before it can report an unreadable profile. It imports no heavy package.
"""

import os
import re
from importlib import resources
from pathlib import Path

from articulado.language.translation import DEFAULT_LANGUAGE

SUFFIX = ".toml"
DEFAULT_PROFILE = "laboral"
VARIABLE = "ARTICULADO_PROFILE"

_LANGUAGE = re.compile(r"""^\s*language\s*=\s*["'](\w+)["']""", re.MULTILINE)


def packaged_folder() -> Path:
    """Return the folder of the profiles that come with articulado."""
    return Path(str(resources.files("profiles")))


def profile_file(name: str) -> Path | None:
    """Return the file of a profile, by its name or by the path of a ``.toml``; ``None`` where there is none."""
    own = name.endswith(SUFFIX)
    file = Path(name).expanduser() if own else packaged_folder() / f"{name}{SUFFIX}"
    return file if file.is_file() and (own or Path(name).name == name) else None


def spoken_language(name: object = None, env_file: Path | None = Path(".env")) -> str:
    """Return the language that the profile's file names, the default one where it cannot be told. Never raises.

    Without a name, the profile is that of the environment, of ``env_file``, or the default one, as in ``Settings``. So
    what is wrong with the settings or with the profile itself is said in its language.
    """
    try:
        named = name or os.environ.get(VARIABLE) or _of_env_file(env_file) or DEFAULT_PROFILE
        file = profile_file(str(named))
        match = _LANGUAGE.search(file.read_text(encoding="utf-8-sig")) if file else None
    except (OSError, ValueError):
        return DEFAULT_LANGUAGE
    return match[1] if match else DEFAULT_LANGUAGE


def _of_env_file(env_file: Path | None) -> str | None:
    if env_file is None or not env_file.is_file():
        return None
    from dotenv import dotenv_values

    return dotenv_values(env_file).get(VARIABLE)
