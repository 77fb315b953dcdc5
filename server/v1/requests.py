"""The bodies that ``/v1`` takes; a field that is not known is refused."""

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from services.conversations.feedback import Rating
from state.context import RerankStrategy, RunContext

MAX_QUESTION = 4_000
MAX_ANSWER = 20_000


def _written(value: object) -> object:
    """Let a day through as it is written: pydantic takes numbers for seconds since 1970."""
    if value is not None and not isinstance(value, str):
        raise PydanticCustomError("date_type", "a day is written as AAAA-MM-DD")
    return value


Day = Annotated[date, BeforeValidator(_written, json_schema_input_type=date)]
Question = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION)]
ThreadId = Annotated[str, Field(pattern=r"^[\w.-]{1,64}$")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Options(_Body):
    """The options of a run that a caller may set; left out, they are as the server's settings say."""

    as_of: Day | None = Field(default=None, description="Derecho vigente en esta fecha (AAAA-MM-DD)")
    territory: str | None = Field(default=None, max_length=100, description="Comunidad autónoma o municipio")
    collections: list[str] | None = Field(default=None, max_length=50, description="Colecciones en las que se busca")
    max_chunks: int | None = Field(default=None, ge=1, le=100, description="Fragmentos que lee el modelo")
    rerank_strategy: RerankStrategy | None = Field(default=None, description="Reordenación")

    def context(self) -> RunContext:
        """Return the options as the graphs take them."""
        return RunContext(
            as_of=self.as_of,
            territory=self.territory,
            collections=self.collections,
            max_chunks_in_prompt=self.max_chunks,
            rerank_strategy=self.rerank_strategy,
        )


class Ask(Options):
    """A question, of a conversation that the server keeps where it names one."""

    question: Question
    thread_id: ThreadId | None = None


class RequiredData(Options):
    """A case whose data are asked for; ``fields`` are the filters of the profile."""

    inquiry: Question
    fields: dict[str, str] = Field(default_factory=dict, max_length=50)


class Respond(RequiredData):
    """A case to be answered with the data that were collected."""

    collected_data: dict[str, Any] = Field(default_factory=dict, max_length=500)
    max_tokens: int = Field(default=3_000, ge=200, le=200_000)


class Fragment(_Body):
    """A text that an answer was written from."""

    text: str
    law_id: str = ""
    provision: str = ""


class Verify(_Body):
    """An answer of any system with its texts, or a dossier of ``articulado ask --dossier``."""

    answer: str = Field(default="", max_length=200_000)
    question: str = Field(default="", max_length=MAX_QUESTION)
    context: list[Fragment] = Field(default_factory=list, max_length=200)
    dossier: dict[str, Any] | None = None
    as_of: Day | None = None


class Check(_Body):
    """A brief: its text, or a file (PDF, DOCX, Markdown, text) in base64 with its name."""

    text: str = Field(default="", max_length=1_000_000)
    name: str = Field(default="escrito.txt", max_length=200)
    content: str = Field(default="", description="Fichero en base64")
    day: Day | None = Field(default=None, description="Fecha del escrito (AAAA-MM-DD)")


class GivenFeedback(_Body):
    """What somebody thought of an answer."""

    question: Question
    answer: Annotated[str, Field(min_length=1, max_length=MAX_ANSWER)]
    rating: Rating
    comment: str = Field(default="", max_length=2_000)
    thread_id: ThreadId | None = None
