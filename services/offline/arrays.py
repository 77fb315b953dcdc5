"""Files of named arrays (``.npz``): how one is opened, and what says that it cannot be read."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile

UNREADABLE = (OSError, ValueError, KeyError, IndexError, EOFError, BadZipFile, zlib.error, NotImplementedError)
"""What is raised for a file that is missing or damaged, when it is opened or when an array is read from it."""


@contextmanager
def open_arrays(file: Path) -> Iterator[NpzFile]:
    """Open a file, whose arrays are read as they are asked for.

    Raises:
        UNREADABLE: the file is missing or damaged.
    """
    # Opened here: numpy leaves a damaged file open.
    with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
        yield stored
