"""Finding an article that a profile brings along by what people call it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ingestion.articles.names import SUFFIX, is_article
from services.profile.profile import Profile

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where PyYAML was built with it


@dataclass(frozen=True)
class Named:
    """An article: its file and its id."""

    file: Path
    id: str


def article_named(profile: Profile, text: str) -> Named | None:
    """Return the article of a profile that goes by its id, its title, its path or the name of its file, in any case.

    The files are not checked: of one that cannot be read, only the name of the file counts.
    """
    wanted = " ".join(text.split()).casefold()
    folder = profile.articles
    for file in sorted(one for one in folder.iterdir() if is_article(one)) if folder and folder.is_dir() else ():
        stem = file.name[: -len(SUFFIX)]
        written = _read(file)
        id_ = written.get("id", stem)
        names = {id_, file.name, str(file), str(file.resolve()), written.get("title", "")}
        if wanted and wanted in {" ".join(name.split()).casefold() for name in names}:
            return Named(file, id_)
    return None


def _read(file: Path) -> dict[str, str]:
    """Return the texts at the top of a file by their keys; none where it cannot be read."""
    try:
        written = yaml.load(file.read_text(encoding="utf-8-sig"), _Loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValueError):
        return {}
    return {key: value for key, value in written.items() if isinstance(value, str)} if isinstance(written, dict) else {}
