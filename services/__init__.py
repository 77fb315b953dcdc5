"""Adapters of outside things, one each, and the Protocols that stages see."""

from services.threads import compute_in_one_thread

# Before any of them imports a library for vectors.
compute_in_one_thread()
