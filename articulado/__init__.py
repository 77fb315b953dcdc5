"""Library of the stages: Spanish labour law, retrieval, answers and their checks.

It imports no graph, no state and no user interface. Importing it sets the environment variables of
``ONE_THREAD`` unless they are set already, so that NumPy and similar libraries compute in the calling
thread. The computations here take about a millisecond, and worker threads would only spin and take memory.
"""

import os

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Environment variables by which NumPy and its like compute in one thread; read when those libraries are imported."""

for _name, _count in ONE_THREAD.items():
    os.environ.setdefault(_name, _count)
