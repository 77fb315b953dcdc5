"""Threads of the libraries for vectors."""

import os

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Variables by which they compute in the thread that calls them.

What is computed here takes a millisecond: another thread only waits for work, at full speed and for ten times as long
as there is any, and takes memory.
"""


def compute_in_one_thread() -> None:
    """Have libraries compute in the thread that calls them, if nobody has decided otherwise.

    They read it when they are imported: of one that is there already the threads stay as they are.
    """
    for name, count in ONE_THREAD.items():
        os.environ.setdefault(name, count)
