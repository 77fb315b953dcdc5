"""The profile of the law without the packaged records and the articles that take long to index."""

import tomllib
from pathlib import Path
from shutil import copy

from support.paths import REPOSITORY

PROFILES = REPOSITORY / "profiles"

NAME = "laboral_pruebas"
"""Those of packaged profiles are taken."""


def write_laboral(folder: Path, *, articles: bool = False, records: bool = False) -> str:
    """Write the profile without records, unless they are asked for; return its path as the settings want it.

    With its articles it has what goes with them, too: outside matters and labelled inquiries.
    """
    text = (PROFILES / "laboral.toml").read_text(encoding="utf-8")
    text = text.replace("records = true", f"records = {str(records).lower()}")
    text = text.replace('name = "laboral"', f'name = "{NAME}"')
    knowledge = '[knowledge]\nfolder = "laboral/articles"\ncollection = "casos"\nofficial = false\n'
    assert knowledge in text
    text = text.replace(knowledge, knowledge.replace("laboral/", f"{PROFILES}/laboral/") if articles else "")
    assert tomllib.loads(text)["features"]["records"] is records
    if articles:
        own = folder / NAME
        own.mkdir()
        for name in ("outside.toml", "inquiries.jsonl"):
            copy(PROFILES / "laboral" / name, own)
    file = folder / f"{NAME}.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)
