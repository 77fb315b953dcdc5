"""How many threads libraries for vectors compute in: read from the environment when they are imported."""

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Variables by which they compute in the thread that calls them.

What is computed here takes a millisecond: more threads only wait for each other, and each takes memory.
"""
