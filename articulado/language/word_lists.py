"""Loader of the word lists in ``articulado/language/data``.

A list has one entry per line. Lines that begin with # are comments.
"""

from collections.abc import Callable
from importlib import resources


def read_list(name: str) -> list[str]:
    """Return the lines of a word list that are neither empty nor comments."""
    lines = resources.files("articulado.language").joinpath("data", name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def word_families(name: str, stem: Callable[[str], str]) -> dict[str, str]:
    """Return the stem that words of one family share, by the stem that each would have by itself.

    A line is "head: member member …"; ``stem`` is the stemmer's own algorithm.
    """
    table: dict[str, str] = {}
    for line in read_list(name):
        head, _, members = line.partition(":")
        table.update({stem(member): stem(head) for member in members.split()})
    return table
