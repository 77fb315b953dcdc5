"""What is to be said of variables that look like the program's and are read by nothing."""

import os
from pathlib import Path

from dotenv import dotenv_values

from server.policy import variable_names
from services.environment import known_variables, misspelt

_DEBUG = "ARTICULADO_DEBUG"


def misspelt_variables(env_file: Path = Path(".env")) -> list[str]:
    """Return a sentence for each variable of the environment, or of ``.env``, that nothing reads."""
    environment = {**dotenv_values(env_file), **os.environ} if env_file.is_file() else os.environ
    known = known_variables() | variable_names().keys() | {_DEBUG}
    names = {name: value or "" for name, value in environment.items()}
    return [
        f"Nada lee la variable {slip.name}." + (f" ¿Quería decir {slip.meant}?" if slip.meant else "")
        for slip in misspelt(names, known)
    ]
