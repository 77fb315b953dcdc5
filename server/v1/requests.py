"""Request bodies of ``/v1`` and of OpenAI's protocol; unknown fields are refused."""

import json
import re
from collections.abc import Sequence
from datetime import date
from hashlib import blake2b
from textwrap import shorten
from typing import Annotated, Any, Literal, NamedTuple, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from articulado.answering.footnotes import without_footnotes
from articulado.language.translation import translate
from articulado.retrieval.conversation.subject import choice_taken
from articulado.values.answers import Message, NearestNeed, RerankStrategy
from articulado.values.documents import OwnText
from server.conversations.store import LONGEST_NAME, NAME_PATTERN, Rating
from server.errors import RefusedField
from server.v1.examples import EXAMPLES
from state.context import RunContext

MAX_QUESTION = 4_000
MAX_ANSWER = 20_000
MAX_PASSAGE = 200_000
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def _written(value: object) -> object:
    """Accept days as AAAA-MM-DD only: pydantic would read numbers, in texts too, as seconds since 1970."""
    if isinstance(value, str) and not _DAY.fullmatch(value):
        raise PydanticCustomError("date_parsing", "a day is written as AAAA-MM-DD")
    if value is not None and not isinstance(value, str | date):
        raise PydanticCustomError("date_type", "a day is written as AAAA-MM-DD")
    return value


Day = Annotated[date, BeforeValidator(_written, json_schema_input_type=date)]
Question = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION)]
ThreadId = Annotated[str, Field(pattern=NAME_PATTERN, max_length=LONGEST_NAME)]


def _shown(name: str) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [EXAMPLES[name]]})


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Options(_Body):
    """The options of a run that a caller may set; the server's settings apply to those left out."""

    as_of: Day | None = Field(default=None, description="Derecho vigente en esta fecha (AAAA-MM-DD)")
    territory: str | None = Field(default=None, max_length=100, description="Comunidad autónoma o municipio")
    collections: list[str] | None = Field(default=None, max_length=50, description="Colecciones en las que se busca")
    max_chunks: int | None = Field(default=None, ge=1, le=100, description="Fragmentos que lee el modelo")
    rerank_strategy: RerankStrategy | None = Field(default=None, description="Reordenación")

    def context(self) -> RunContext:
        return RunContext(
            as_of=self.as_of,
            territory=self.territory,
            collections=self.collections,
            max_chunks_in_prompt=self.max_chunks,
            rerank_strategy=self.rerank_strategy,
        )


class Passage(_Body):
    """A passage of a document of the user."""

    provision: str = Field(max_length=300, description="Cómo se cita: «Artículo 15», «pág. 3»")
    title: str = Field(default="", max_length=1_000, description="Rúbrica")
    text: str = Field(max_length=MAX_PASSAGE, description="El texto")
    page: str = Field(default="", max_length=10, description="Página en la que empieza")


class OwnDocument(_Body):
    """A document of the user that one question is asked about, as ``/v1/documents`` returns it."""

    name: str = Field(min_length=1, max_length=200, description="Nombre del fichero")
    title: str = Field(default="", max_length=1_000, description="Nombre con el que se cita")
    passages: list[Passage] = Field(min_length=1, max_length=10_000, description="Sus partes, en su orden")


class SentFile(_Body):
    """A file of the user (PDF, DOCX, ODT, XLSX, HTML, Markdown, text) in base64, with its name."""

    model_config = _shown("sent_file")

    name: str = Field(min_length=1, max_length=200, description="Nombre del fichero: dice su formato")
    content: str = Field(min_length=1, description="Fichero en base64")


class Ask(Options):
    """A question, of a stored conversation if it names one."""

    model_config = _shown("ask")

    question: Question = Field(description="La pregunta")
    thread_id: ThreadId | None = Field(default=None, description="Conversación en la que se pregunta")
    keep_turns: int | None = Field(
        default=None,
        ge=0,
        description="Turnos de la conversación que se conservan; la respuesta sustituye a los siguientes",
    )
    document: OwnDocument | None = Field(
        default=None, description="Documento propio que se lee junto a la ley, como lo da «/v1/documents»"
    )

    def context(self) -> RunContext:
        document = cast(OwnText, self.document.model_dump()) if self.document else None
        return super().context().model_copy(update={"document": document})


class RequiredData(Options):
    """A case and the request for its data; ``fields`` are the filters of the profile."""

    model_config = _shown("required_data")

    inquiry: Question = Field(description="Qué se pide en el caso")
    fields: dict[str, str] = Field(
        default_factory=dict, max_length=50, description="Campos de filtro del perfil, con su valor"
    )


class Respond(RequiredData):
    """A case to be answered with the collected data."""

    model_config = _shown("respond")

    collected_data: dict[str, Any] = Field(
        default_factory=dict, max_length=500, description="Los datos reunidos, también en grupos"
    )
    max_tokens: int = Field(
        default=3_000, ge=200, le=200_000, description="Tokens de contexto y respuesta juntos, como mucho"
    )


class Calculate(_Body):
    """A calculation with its inputs, or a question that contains both."""

    model_config = _shown("calculate")

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
    """A source text of an answer."""

    text: str = Field(description="El texto, como se le dio a quien respondió")
    law_id: str = Field(default="", description="Norma: identificador, siglas o nombre")
    provision: str = Field(default="", description="Precepto, por ejemplo «Artículo 38»")


class Verify(_Body):
    """An answer of any system with its texts, or a dossier of ``articulado ask --dossier``."""

    model_config = _shown("verify")

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

    model_config = _shown("check")

    text: str = Field(default="", max_length=1_000_000, description="El texto del escrito")
    name: str = Field(default="escrito.txt", max_length=200, description="Nombre del fichero: dice su formato")
    content: str = Field(default="", description="Fichero en base64")
    day: Day | None = Field(default=None, description="Fecha del escrito (AAAA-MM-DD)")


class GivenFeedback(_Body):
    """A rating of an answer."""

    model_config = _shown("feedback")

    question: Question = Field(description="La pregunta")
    answer: str = Field(min_length=1, max_length=MAX_ANSWER, description="La respuesta que se valora")
    rating: Rating = Field(description="«up», si ha servido; «down», si no")
    comment: str = Field(default="", max_length=2_000, description="Qué falta o qué sobra")
    thread_id: ThreadId | None = Field(default=None, description="Conversación en la que se dio")


MODEL = "articulado"
_OWN_HISTORY = 20
_WORK_ORDER = "### Task:"
_ASKED_WITHIN = re.compile(r"<user_query>(.*?)</user_query>", re.DOTALL)
_CONTEXT_END, _HISTORY_BLOCK = "</context>", re.compile(r"<chat_history>(.*?)</chat_history>", re.DOTALL)
_FIRST_QUESTION = re.compile(r"^USER: *(.+)$", re.MULTILINE)
_WANTED = re.compile(r'\{\s*"(\w+)"\s*:\s*(\[|")')
_THOUGHTS = re.compile(r'\A\s*<details type="reasoning".*?</details>', re.DOTALL)
_CHOICE = re.compile(r"^(\d+)\. (.+?)( \([^()\n]+\)): ", re.MULTILINE)
_LONGEST_TITLE = 60
Unused = Annotated[Any, Field(description="Se admite, y no se usa")]
Refused = Annotated[Any, Field(description="No se admite: solo sin valor, o con el que equivale a no usarlo")]


class ChatMessage(BaseModel):
    """A message of a conversation; other fields of it are not read."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"] = Field(description="Quién habla")
    content: str | list[dict[str, Any]] | None = Field(default=None, description="Texto, o partes {type, text}")

    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(str(part["text"]) for part in self.content if isinstance(part.get("text"), str))
        return self.content or ""


class StreamOptions(BaseModel):
    """Options of a stream; others are not used."""

    include_usage: bool | None = Field(default=None, description="Un último trozo con «usage»")


class ChatRequest(Options):
    """A conversation in OpenAI's protocol that ends with a question, with the options of a run beside it."""

    model_config = _shown("chat")

    model: str = Field(max_length=200, description=f"«{MODEL}»")
    messages: list[ChatMessage] = Field(
        min_length=1, max_length=2_000, description="La conversación, hasta la pregunta"
    )
    stream: bool | None = Field(default=None, description="Por trozos, como eventos")
    stream_options: StreamOptions | None = Field(default=None, description="Opciones de los trozos")
    user: str | None = Field(default=None, max_length=500, description="Conversación en la que se pregunta")
    sources: bool = Field(default=True, description="Fuentes y avisos al final del texto")
    stages: bool = Field(default=False, description="Etapas como «reasoning_content»")
    full_result: bool = Field(default=False, description="El resultado completo, en «articulado»")
    n: Refused = None
    tool_choice: Refused = None
    function_call: Refused = None
    response_format: Refused = None
    logprobs: Refused = None
    top_logprobs: Refused = None
    modalities: Refused = None
    audio: Refused = None
    web_search_options: Refused = None
    tools: Unused = None
    functions: Unused = None
    temperature: Unused = None
    top_p: Unused = None
    top_k: Unused = None
    max_tokens: Unused = None
    max_completion_tokens: Unused = None
    presence_penalty: Unused = None
    frequency_penalty: Unused = None
    logit_bias: Unused = None
    seed: Unused = None
    stop: Unused = None
    parallel_tool_calls: Unused = None
    reasoning_effort: Unused = None
    verbosity: Unused = None
    prediction: Unused = None
    metadata: Unused = None
    store: Unused = None
    service_tier: Unused = None
    safety_identifier: Unused = None
    prompt_cache_key: Unused = None
    prompt_cache_retention: Unused = None

    def check(self) -> None:
        """Raise ``RefusedField`` if the request asks for a feature that this server lacks."""
        harmless: dict[str, tuple[Any, ...]] = {
            "n": (1,),
            "tool_choice": ("none", "auto"),
            "function_call": ("none", "auto"),
            "response_format": ({"type": "text"},),
            "top_logprobs": (0,),
            "modalities": (["text"],),
        }
        for name, info in type(self).model_fields.items():
            value = getattr(self, name)
            if info.description == _REFUSED and value and value not in harmless.get(name, ()):
                raise RefusedField(translate("server.chat_refused", field=name), name)


_REFUSED = ChatRequest.model_fields["n"].description


class Conversation(NamedTuple):
    """Question with the messages before it; ``order`` is a prompt of a chat program that is not a question."""

    question: str
    history: list[Message]
    order: str = ""
    is_partial: bool = False


def read_conversation(messages: Sequence[ChatMessage]) -> Conversation:
    """Return the last message as question, with the messages of user and assistant before it."""
    said = [message for message in messages if message.role in ("user", "assistant")]
    if not said or said[-1].role != "user":
        raise RefusedField(translate("server.chat_no_question"), "messages", "invalid_value")
    *before, last = said
    for part in last.content if isinstance(last.content, list) else ():
        if part.get("type", "text") not in ("text", "input_text"):
            raise RefusedField(translate("server.chat_attachment", kind=str(part["type"])[:40]), "messages")
    history: list[Message] = []
    for message in before:
        text = message.text()
        if message.role == "assistant":
            text = without_footnotes(_THOUGHTS.sub("", text))
        if text.strip():
            history.append({"role": message.role, "content": text.strip()})  # type: ignore[typeddict-item]
    history, text = history[-_OWN_HISTORY:], last.text()
    if not text.lstrip().startswith(_WORK_ORDER):
        taken = choice_taken(text, _offered(history[-1]["content"])) if history else None
        return Conversation(taken["question"] if taken else text, history)
    if asked := _ASKED_WITHIN.search(text):
        return Conversation(asked[1], history, is_partial=_CONTEXT_END in text)
    if after := text.rpartition(_CONTEXT_END)[2].strip() if _CONTEXT_END in text else "":
        return Conversation(after, history, is_partial=True)
    return Conversation(text, history, order=text if _HISTORY_BLOCK.search(text) else "")


def _offered(answer: str) -> list[NearestNeed]:
    offered = [{"number": int(one[1]), "need": one[2], "question": one[2] + one[3]} for one in _CHOICE.finditer(answer)]
    return cast("list[NearestNeed]", offered)


def carried_out(order: str) -> str:
    r"""Return the title or the empty list that a prompt of a chat program asks for about its own conversation.

    >>> carried_out('### Task: JSON { "title": "x" } <chat_history>\nUSER: ¿Vacaciones?\n</chat_history>')
    '{"title": "¿Vacaciones?"}'
    """
    asked = _FIRST_QUESTION.search(history[1]) if (history := _HISTORY_BLOCK.search(order)) else None
    title = shorten(asked[1], _LONGEST_TITLE, placeholder="…") if asked else ""
    wanted = _WANTED.search(order)
    if not wanted:
        return title
    empty: Any = [] if wanted[2] == "[" else title if wanted[1] == "title" else ""
    return json.dumps({wanted[1]: empty}, ensure_ascii=False)


def thread_of(user: str | None) -> str:
    """Return the conversation name of a ``user``, which may be any text; empty without one."""
    if not user:
        return ""
    if len(user) <= LONGEST_NAME and re.fullmatch(NAME_PATTERN, user):
        return user
    return f"user-{blake2b(user.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"
