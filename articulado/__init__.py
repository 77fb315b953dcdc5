"""Library of the stages: Spanish labour law, retrieval, answers and their checks.

Importing it makes NumPy and similar libraries use one thread (``ONE_THREAD``) unless configured otherwise: computations
take about a millisecond, and worker threads only cost memory.
"""

import os

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Variables read when those libraries are imported."""

for _name, _count in ONE_THREAD.items():
    os.environ.setdefault(_name, _count)
