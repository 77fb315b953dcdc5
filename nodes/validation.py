"""Validation of caller input for questions and cases.

Each check returns the clean value or raises ``InvalidInput`` with a message that says how to correct it.
"""

import math
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import Any, get_args

from langchain_core.messages import HumanMessage, convert_to_messages

from articulado.answering.footnotes import without_footnotes
from articulado.cases.fields import canonical_value
from articulado.cases.phrases import is_placeholder
from articulado.cases.readers import text_of
from articulado.config.profile import Profile
from articulado.language.languages import spoken_now
from articulado.language.translation import translate
from articulado.legal.territory.mentions import communities, find_territory
from articulado.values.answers import AnswerOutcome, Message
from articulado.values.cases import CollectedValue
from articulado.values.chunks import MAX_CHUNK_ID
from articulado.values.errors import ConfigurationError, InvalidInput
from state.context import ResolvedContext

MAX_QUESTION_CHARACTERS = 4_000
MAX_MESSAGE_CHARACTERS = 4_000
MAX_MESSAGES = 20
MAX_CARRIED = 30
ATTACHMENTS = {
    "image": "question.attached_image",
    "audio": "question.attached_audio",
    "video": "question.attached_video",
    "file": "question.attached_file",
}
ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant"}


def checked_question(question: object) -> str:
    """Return the question stripped and in NFC, the form of the indexed texts."""
    if not isinstance(question, str) or not question.strip():
        raise InvalidInput(translate("question.empty"))
    # Composed, so that an accent typed as a letter and a mark is the accent that the law has.
    question = unicodedata.normalize("NFC", question).strip()
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise InvalidInput(translate("question.too_long", number=len(question), maximum=MAX_QUESTION_CHARACTERS))
    return question


def checked_keys(given: Any, known: Collection[str]) -> Any:
    """Return the input of a run if all keys are in ``known`` and ``question`` agrees with ``messages``."""
    if not isinstance(given, Mapping):
        return given
    unknown = [name for name, value in given.items() if name not in known and value is not None]
    if unknown:
        names = ", ".join(spoken_now().quoted(str(name)[:40]) for name in unknown[:5])
        raise InvalidInput(translate("question.unknown_keys", names=names, known=", ".join(sorted(known))))
    question, messages = given.get("question"), given.get("messages")
    if question and messages:
        last = convert_to_messages(messages if isinstance(messages, list) else [messages])[-1]
        if not isinstance(last, HumanMessage) or str(last.text).strip() != str(question).strip():
            raise InvalidInput(translate("question.asked_twice"))
    return given


def checked_attachments(message: HumanMessage) -> list[str]:
    """Return the kinds of non-text content blocks of a question, each once; it must have text, too."""
    types = (block["type"] for block in message.content_blocks)
    kinds: list[str] = list(dict.fromkeys(kind if kind in ATTACHMENTS else "file" for kind in types if kind != "text"))
    if kinds and not str(message.text).strip():
        raise InvalidInput(translate("question.attachment_alone", kinds=_named(kinds)))
    return kinds


def attachment_warnings(kinds: Sequence[str]) -> list[str]:
    return [translate("question.attachments_unread", kinds=_named(kinds))] if kinds else []


def _named(kinds: Sequence[str]) -> str:
    return ", ".join(translate(ATTACHMENTS[kind]) for kind in kinds)


def checked_history(history: object) -> list[Message]:
    """Return the last messages, each cut to ``MAX_MESSAGE_CHARACTERS``, without appended sources."""
    if not isinstance(history, list):
        raise InvalidInput(translate("question.history_no_list"))
    messages: list[Message] = []
    for number, message in enumerate(history, start=1):
        role = ROLES.get(message.get("role", "")) if isinstance(message, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if role is None or not isinstance(content, str):
            raise InvalidInput(translate("question.message_invalid", number=number))
        text = without_footnotes(content) if role == "assistant" else content
        checked: Message = {"role": role, "content": text[:MAX_MESSAGE_CHARACTERS]}  # type: ignore[typeddict-item]
        if (outcome := message.get("outcome")) in get_args(AnswerOutcome):
            checked["outcome"] = outcome
        messages.append(checked)
    return messages[-MAX_MESSAGES:]


def checked_ids(ids: object) -> list[int]:
    """Return the first ``MAX_CARRIED`` chunk ids as integers, each once."""
    if not isinstance(ids, list):
        raise InvalidInput(translate("question.ids_no_list"))
    checked: list[int] = []
    for value in ids:
        is_number = isinstance(value, str) and len(value) <= len(str(MAX_CHUNK_ID)) and value.isascii()
        number = int(value) if is_number and value.isdigit() else value
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= MAX_CHUNK_ID:
            raise InvalidInput(translate("question.no_chunk_id", value=str(value)[:40]))
        checked.append(number)
    return list(dict.fromkeys(checked))[:MAX_CARRIED]


def check_options(context: ResolvedContext, profile: Profile) -> None:
    """Check the options of a run against the profile and the map of Spain.

    Raise ``InvalidInput`` for a collection not in the profile or a territory not in Spain, ``ConfigurationError`` if
    retrieval is switched off and the profile has no packaged records.
    """
    if not context.rag_enabled and not profile.features.records:
        raise ConfigurationError(translate("question.no_records", name=profile.name))
    unknown = [name for name in context.collections if name not in profile.names]
    if unknown:
        raise InvalidInput(
            translate("question.unknown_collection", name=unknown[0], available=", ".join(profile.names))
        )
    if context.territory and not find_territory(context.territory):
        raise InvalidInput(
            translate("question.unknown_territory", territory=context.territory, communities=", ".join(communities()))
        )


def check_collections(context: ResolvedContext, profile: Profile) -> None:
    if not profile.for_questions and not context.collections:
        raise InvalidInput(translate("question.cases_only", name=profile.name))


MAX_INQUIRY_CHARACTERS = 4_000
MAX_FILTER_CHARACTERS = 200
MAX_DATA = 100
MAX_DATUM_CHARACTERS = 500
MIN_TOKENS, MAX_TOKENS = 200, 200_000
MAX_DEPTH = 3  # Nesting of groups of collected data, like the sections of a form


def checked_inquiry(inquiry: object) -> str:
    """Return the inquiry in one line and in NFC."""
    if not isinstance(inquiry, str) or not inquiry.strip():
        raise InvalidInput(translate("case.inquiry_empty"))
    inquiry = " ".join(unicodedata.normalize("NFC", inquiry).split())
    if len(inquiry) > MAX_INQUIRY_CHARACTERS:
        raise InvalidInput(translate("case.inquiry_too_long", number=len(inquiry), maximum=MAX_INQUIRY_CHARACTERS))
    return inquiry


def checked_filters(state: Mapping[str, Any], profile: Profile) -> dict[str, str]:
    """Return the given filter fields, spelt as in the knowledge base."""
    filters: dict[str, str] = {}
    for field in profile.filter_fields:
        sent = state.get(field.name)
        if sent is None or sent == "":
            continue
        if not isinstance(sent, str) or len(sent) > MAX_FILTER_CHARACTERS:
            raise InvalidInput(translate("case.filter_no_text", name=field.name, maximum=MAX_FILTER_CHARACTERS))
        if value := " ".join(sent.split()):
            filters[field.name] = canonical_value(field, value)
    return filters


def checked_data(collected: object) -> dict[str, CollectedValue]:
    """Return the collected data by name; numbers and booleans keep their type."""
    if collected is None:
        return {}
    if not isinstance(collected, Mapping) or not all(isinstance(name, str) for name in collected):
        raise InvalidInput(translate("case.data_no_object"))
    try:
        data = flatten(collected)
    except ValueError as error:
        raise InvalidInput(translate("case.data_too_deep", levels=MAX_DEPTH)) from error
    if len(data) > MAX_DATA:
        raise InvalidInput(translate("case.data_too_many", number=len(data), maximum=MAX_DATA))
    for name, value in data.items():
        if len(name) > MAX_DATUM_CHARACTERS or len(text_of(value)) > MAX_DATUM_CHARACTERS:
            raise InvalidInput(translate("case.datum_too_long", name=name[:40], maximum=MAX_DATUM_CHARACTERS))
    return data


def flatten(collected: Mapping[str, Any], depth: int = MAX_DEPTH) -> dict[str, CollectedValue]:
    """Return collected data by name without groups, empty values, and placeholders that repeat a given value.

    Raise ``ValueError`` if groups or lists are nested too deep, a number is not finite, or a name has two values.

    >>> flatten({"plan_data": {"balance": 1500}, "left": None, "married": True})
    {'balance': 1500, 'married': True}
    """
    if depth < 0:
        raise ValueError("too many groups in one another")
    values: dict[str, CollectedValue] = {}
    for name, value in collected.items():
        flat = flatten(value, depth - 1) if isinstance(value, Mapping) else {str(name): _typed(value)}
        for key, datum in flat.items():
            text = text_of(datum)
            if not text or (key in values and is_placeholder(text)):
                continue
            if key in values and text_of(values[key]) != text and not is_placeholder(text_of(values[key])):
                raise ValueError(f"{key} twice")
            values[key] = datum
    return values


def _typed(value: object) -> CollectedValue:
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("not a finite number")
        return value
    if isinstance(value, list | tuple):
        if any(isinstance(element, list | tuple | Mapping) for element in value):
            raise ValueError("a list of lists or groups")
        return ", ".join(filter(None, (text_of(_typed(element)) for element in value)))
    return "" if value is None else " ".join(unicodedata.normalize("NFC", str(value)).split())


def checked_tokens(tokens: object, default: int) -> int:
    """Return the token budget of a response."""
    if tokens is None:
        return default
    if isinstance(tokens, bool) or not isinstance(tokens, int) or not MIN_TOKENS <= tokens <= MAX_TOKENS:
        raise InvalidInput(
            translate("case.tokens_out_of_range", minimum=MIN_TOKENS, maximum=MAX_TOKENS, tokens=str(tokens)[:40])
        )
    return tokens
