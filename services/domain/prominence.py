"""How prominent the words of a chunk are: by the part of it that they stand in."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from articulado.legal.domain.base import Domain
from articulado.values.chunks import Chunk

MAX_KEPT = 4_096
"""Chunks whose stems are kept: about 40 MB; a question looks at about a hundred."""

_TITLE, _LAY_PHRASINGS, _TEXT, _BREADCRUMB, _LAW = 1.0, 0.9, 0.75, 0.6, 0.4
"""How prominent a stem is by the part of a chunk that it stands in."""


class Prominence:
    """Reads how prominent each stem of a chunk is, in (0, 1]; kept for the next question, by what the chunk says.

    ``lay_phrasings`` returns how people ask about a chunk; by default nothing is known of that.
    """

    def __init__(self, domain: Domain, lay_phrasings: Callable[[Chunk], str] = lambda chunk: "") -> None:
        self._stems = domain.stems
        self._lay_phrasings = lay_phrasings
        self._read = lru_cache(MAX_KEPT)(self._worked_out)

    def __call__(self, chunk: Chunk) -> Mapping[str, float]:
        """Return the strength of each stem of a chunk; not to be changed."""
        topic = chunk["topic"].replace("_", " ")
        return self._read(
            chunk["law_name"],
            chunk["breadcrumb"],
            chunk["text"],
            " ".join((self._lay_phrasings(chunk), topic, *chunk["attributes"].values())),
            f"{chunk['provision']} {chunk['title']}",
        )

    def _worked_out(self, law: str, breadcrumb: str, text: str, phrasings: str, title: str) -> Mapping[str, float]:
        strengths: dict[str, float] = {}
        for strength, part in (
            (_LAW, law),
            (_BREADCRUMB, breadcrumb),
            (_TEXT, text),
            (_LAY_PHRASINGS, phrasings),
            (_TITLE, title),
        ):
            strengths.update(dict.fromkeys(self._stems(part), strength))
        return strengths
