"""Profile sections for collections, features, models, filter fields, relevance, signals and search.

The sections for cases are in ``articulado.config.case_sections``. Sections are frozen and reject unknown
keys.
"""

import re
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from articulado.legal.validity import SignalWeights
from articulado.values.chunks import LOWEST_RANK
from articulado.values.protocols import PLAIN, Fusion, RankConstant, SideWeight

TOPIC = "topic"
"""The filter field that is the topic of a chunk; every other is one of its attributes."""

NAME_MARK, SMALL_NAME_MARK = "§", "~"
"""What stands for a name in the patterns of a filter field; the second for a proper name in small letters."""

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Rank = Annotated[int, Field(ge=1, le=LOWEST_RANK)]
Weight = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """A section of a profile: it takes no unknown keys, and does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Collection(Section):
    """One collection: its weight in the ranking and what a user calls it.

    ``questions``: free questions are searched in it, too, and not only cases.
    """

    name: Name
    weight: float = Field(default=1.0, gt=0, le=1)
    label: str
    questions: bool = True


class Features(Section):
    """What a profile has switched on. Without any, nothing of Spanish law is at work.

    ``spanish_law``: citations, dates, territory and legal synonyms are read off a question, the encoder trained on the
    law is used offline, and provisions are ranked by it. ``records``: the packaged summaries and decisions are in its
    index. ``references``: what a candidate refers to becomes a candidate.
    """

    spanish_law: bool = False
    records: bool = False
    references: bool = True


class Models(Section):
    """Models of the roles where the settings name none; empty is the default of the settings."""

    reader: str = ""
    principal: str = ""
    embedder: str = ""
    checker: str = ""


class Knowledge(Section):
    """The articles that a profile brings along: they are in its index from the first use on.

    ``folder`` is relative to the profile's own; ``collection`` is where they go. ``official``: their text is the
    source itself; else it is a summary in our own words, and is marked as one.
    """

    folder: str = Field(min_length=1)
    collection: Name
    official: bool = True


class FilterField(Section):
    """A field that cases are filtered by. ``values`` are the known ones, each with other ways to write it.

    ``topic`` is the topic of a chunk, every other name one of its attributes.

    The rest is how the text of an inquiry names a value (``articulado.cases.mentions``). ``named_by`` are words that
    do so
    wherever they stand. ``values`` and ``others``, names of the same kind that no article is for, do so in one of the
    ``frames``, or anywhere where there are none. What stands ``aside`` in a pattern is not said of the case. Patterns
    search text in lower case without accents in which ``NAME_MARK`` stands for the name.
    """

    name: Name
    label: str
    values: dict[str, tuple[str, ...]] = {}
    named_by: dict[str, tuple[str, ...]] = {}
    others: dict[str, tuple[str, ...]] = {}
    frames: tuple[re.Pattern[str], ...] = ()
    aside: tuple[re.Pattern[str], ...] = ()

    @property
    def path(self) -> str:
        """Path of the field in a chunk (``SearchFilter.fields``)."""
        return TOPIC if self.name == TOPIC else f"attributes.{self.name}"


class RelevanceBands(Section):
    """From which relevance on a question is answered, and from which the nearest provisions are at least shown.

    Relevance is the probability in [0, 1] that the best candidates answer. Below ``near`` nothing is shown. A chat
    model that reads the candidates decides for itself: before it only what is below ``chat_model`` is declined. What
    follows an answer is answered from ``follow_up`` on, and what goes on where nothing was answered from ``insisting``
    on: who goes on asking meant it.
    """

    answer: Weight = 0.35
    near: Weight = 0.25
    chat_model: Weight = 0.03
    follow_up: Weight = 0.25
    insisting: Weight = 0.3


class Signals(Section):
    """Weights of the legal signals as a profile writes them, each in [0, 1]; without any, relevance alone counts."""

    relevance: Weight = 1.0
    hierarchy: Weight = 0.0
    recency: Weight = 0.0
    in_force: Weight = 0.0
    repealed: Weight = 0.0


class ReadAsSignals:
    """Annotation: read ``SignalWeights`` as ``Signals``, so that errors name the key."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return a schema that reads ``Signals`` and gives ``SignalWeights``."""
        return core_schema.no_info_after_validator_function(_weights, handler.generate_schema(Signals))


def _weights(signals: Signals) -> SignalWeights:
    return SignalWeights(**signals.model_dump())


Cap = Annotated[int, Field(ge=1, le=1000)]


class OfflineFusion(Fusion):
    """The fusion that was measured with the encoder of the package (docs/retrieval.md)."""

    k: RankConstant = 20
    dense: SideWeight = 3.0


class Fusions(Section):
    """The fusion by what makes the dense vectors: their rankings differ in how far they can be trusted.

    ``offline``: the encoders of this package. ``provider``: a model of a provider; none has been measured, so plain.
    """

    offline: OfflineFusion = OfflineFusion()
    provider: Fusion = PLAIN


class Caps(Section):
    """How many parents each step of a search yields, at most (docs/retrieval.md has what more and fewer give).

    ``prefetch`` of each ranking, ``per_collection`` of each query in a collection, ``per_query`` of each query in all
    collections, ``overall`` of all queries.
    """

    prefetch: Cap = 100
    per_collection: Cap = 60
    per_query: Cap = 100
    overall: Cap = 100


class Search(Section):
    """How a search is made; none of it is in an index."""

    caps: Caps = Caps()
    fusion: Fusions = Fusions()
