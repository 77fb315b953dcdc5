"""Prompts: a profile's own, or else those of its language that come with the code."""

from pathlib import Path

from services.profile.profile import Profile
from state.errors import ConfigurationError


def prompt_for(name: str, profile: Profile, folder: Path) -> str:
    """Return a prompt without surrounding white space, the title of the profile in the place of ``{title}``.

    It is ``prompts/<name>.md`` in the profile's own folder, or else ``<language>/<name>.md`` in ``folder``.

    Raises:
        ConfigurationError: the profile's own prompt cannot be read, or is empty.
    """
    own = profile.own_folder / "prompts" / f"{name}.md"
    file = own if own.is_file() else folder / profile.language / f"{name}.md"
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"El prompt «{file}» no se puede leer: guárdelo como texto UTF-8.") from error
    if not text:
        raise ConfigurationError(f"El prompt «{file}» está vacío. Escríbalo, o quite el fichero para usar el general.")
    # Not str.format: a profile's own prompt may have braces.
    return text.replace("{title}", profile.title)
