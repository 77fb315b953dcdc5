"""What is asked of the author of a case, and the material that it works from; ``authors`` has the two there are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from articulado.values.chunks import Chunk
from articulado.values.protocols import Structured
from services.case.schema import CaseResponse, RequiredData


@dataclass(frozen=True)
class CaseMaterial:
    """What an author works from.

    ``context`` is the text of ``chunks`` as a model reads it. ``filters`` are the values that the case was searched
    with, ``collected`` the data at hand, ``missing`` those that are required and were not collected. ``answer_tokens``
    is the most that the answer may have.
    """

    inquiry: str
    chunks: Sequence[Chunk]
    context: str
    article_id: str
    article_title: str
    answer_tokens: int
    filters: Mapping[str, str] = field(default_factory=dict)
    collected: Mapping[str, str] = field(default_factory=dict)
    missing: Sequence[str] = ()


class CaseAuthor(Protocol):
    """Fills in the schemas of a case from its context."""

    async def required_data(self, material: CaseMaterial, *, deadline: float | None = None) -> Structured[RequiredData]:
        """Say what the case needs. ``deadline`` is a Unix time in seconds.

        Raises:
            ModelError: the model failed for good, or its reply breaks the schema twice.
        """
        ...

    async def respond(self, material: CaseMaterial, *, deadline: float | None = None) -> Structured[CaseResponse]:
        """Answer the case; raises as ``required_data``."""
        ...
