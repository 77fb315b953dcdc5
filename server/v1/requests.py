"""Request bodies of ``/v1``.

Unknown fields are refused. Days are written as AAAA-MM-DD.
"""

import re
from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from articulado.values.answers import RerankStrategy
from server.conversations.store import LONGEST_NAME, NAME_PATTERN, Rating
from server.v1 import examples
from state.context import RunContext

MAX_QUESTION = 4_000
MAX_ANSWER = 20_000
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def _written(value: object) -> object:
    """Let a day through as it is written: pydantic takes numbers, in texts too, for seconds since 1970."""
    if isinstance(value, str) and not _DAY.fullmatch(value):
        raise PydanticCustomError("date_parsing", "a day is written as AAAA-MM-DD")
    if value is not None and not isinstance(value, str | date):
        raise PydanticCustomError("date_type", "a day is written as AAAA-MM-DD")
    return value


Day = Annotated[date, BeforeValidator(_written, json_schema_input_type=date)]
Question = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION)]
ThreadId = Annotated[str, Field(pattern=NAME_PATTERN, max_length=LONGEST_NAME)]


def _shown(example: dict[str, Any]) -> ConfigDict:
    """Return the configuration of a body that is described with an example."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [example]})


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

    model_config = _shown(examples.ASK)

    question: Question = Field(description="La pregunta")
    thread_id: ThreadId | None = Field(default=None, description="Conversación en la que se pregunta")


class RequiredData(Options):
    """A case whose data are asked for; ``fields`` are the filters of the profile."""

    model_config = _shown(examples.REQUIRED_DATA)

    inquiry: Question = Field(description="Qué se pide en el caso")
    fields: dict[str, str] = Field(
        default_factory=dict, max_length=50, description="Campos de filtro del perfil, con su valor"
    )


class Respond(RequiredData):
    """A case to be answered with the data that were collected."""

    model_config = _shown(examples.RESPOND)

    collected_data: dict[str, Any] = Field(
        default_factory=dict, max_length=500, description="Los datos reunidos, también en grupos"
    )
    max_tokens: int = Field(
        default=3_000, ge=200, le=200_000, description="Tokens de contexto y respuesta juntos, como mucho"
    )


class Calculate(_Body):
    """A calculation with its inputs, or a question that both are read off."""

    model_config = _shown(examples.CALCULATE)

    calculation: str = Field(
        default="", max_length=100, description="Qué se calcula; «GET /v1/calculations» enumera los cálculos"
    )
    inputs: dict[str, Any] = Field(
        default_factory=dict,
        max_length=100,
        description="Los datos, por su nombre: fechas como AAAA-MM-DD, importes como números; mandan sobre la pregunta",
    )
    question: str = Field(
        default="", max_length=MAX_QUESTION, description="Pregunta de la que se leen el cálculo y los datos"
    )


class Fragment(_Body):
    """A text that an answer was written from."""

    text: str = Field(description="El texto, como se le dio a quien respondió")
    law_id: str = Field(default="", description="Norma: identificador, siglas o nombre")
    provision: str = Field(default="", description="Precepto, por ejemplo «Artículo 38»")


class Verify(_Body):
    """An answer of any system with its texts, or a dossier of ``articulado ask --dossier``."""

    model_config = _shown(examples.VERIFY)

    answer: str = Field(default="", max_length=200_000, description="La respuesta, con sus citas [C1]…")
    question: str = Field(default="", max_length=MAX_QUESTION, description="La pregunta a la que responde")
    context: list[Fragment] = Field(
        default_factory=list, max_length=200, description="Los textos de los que se escribió: el primero es [C1]"
    )
    dossier: dict[str, Any] | None = Field(
        default=None, description="Expediente de «articulado ask --dossier», en lugar de lo demás"
    )
    as_of: Day | None = Field(default=None, description="Derecho vigente en esta fecha (AAAA-MM-DD)")


class Check(_Body):
    """A brief: its text, or a file (PDF, DOCX, ODT, HTML, Markdown, text) in base64 with its name."""

    model_config = _shown(examples.CHECK)

    text: str = Field(default="", max_length=1_000_000, description="El texto del escrito")
    name: str = Field(default="escrito.txt", max_length=200, description="Nombre del fichero: dice su formato")
    content: str = Field(default="", description="Fichero en base64")
    day: Day | None = Field(default=None, description="Fecha del escrito (AAAA-MM-DD)")


class GivenFeedback(_Body):
    """What somebody thought of an answer."""

    model_config = _shown(examples.FEEDBACK)

    question: Question = Field(description="La pregunta")
    answer: str = Field(min_length=1, max_length=MAX_ANSWER, description="La respuesta que se valora")
    rating: Rating = Field(description="«up», si ha servido; «down», si no")
    comment: str = Field(default="", max_length=2_000, description="Qué falta o qué sobra")
    thread_id: ThreadId | None = Field(default=None, description="Conversación en la que se dio")
