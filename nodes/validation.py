"""What a caller may send: each check returns the clean value or says what to mend."""

import unicodedata

from articulado.config.profile import Profile
from articulado.language.translation import translate
from articulado.legal.territory.mentions import communities, find_territory
from articulado.values.answers import Message
from articulado.values.chunks import MAX_CHUNK_ID
from articulado.values.errors import ConfigurationError, InvalidInput
from state.context import ResolvedContext

MAX_QUESTION_CHARACTERS = 4_000
MAX_MESSAGE_CHARACTERS = 4_000
MAX_MESSAGES = 20
MAX_CARRIED = 30
ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant"}


def checked_question(question: object) -> str:
    """Return the question without surrounding white space, its accents composed as the law's are.

    Raises:
        InvalidInput: it is empty, too long or no text.
    """
    if not isinstance(question, str) or not question.strip():
        raise InvalidInput(translate("question.empty"))
    # Composed, so that an accent typed as a letter and a mark is the accent that the law has.
    question = unicodedata.normalize("NFC", question).strip()
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise InvalidInput(translate("question.too_long", number=len(question), maximum=MAX_QUESTION_CHARACTERS))
    return question


def checked_history(history: object) -> list[Message]:
    """Return the last messages of the history, each cut to what a prompt can bear.

    Raises:
        InvalidInput: it is not a list of messages with role and content.
    """
    if not isinstance(history, list):
        raise InvalidInput(translate("question.history_no_list"))
    messages: list[Message] = []
    for number, message in enumerate(history, start=1):
        role = ROLES.get(message.get("role", "")) if isinstance(message, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if role is None or not isinstance(content, str):
            raise InvalidInput(translate("question.message_invalid", number=number))
        messages.append({"role": role, "content": content[:MAX_MESSAGE_CHARACTERS]})  # type: ignore[typeddict-item]
    return messages[-MAX_MESSAGES:]


def checked_ids(ids: object) -> list[int]:
    """Return chunk ids as integers, each once, at most as many as a context holds.

    Raises:
        InvalidInput: not a list, or an id that is no whole number in range.
    """
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
    """Check the options of a run against the profile and the map.

    Raises:
        InvalidInput: a collection that the profile does not have, or no territory of Spain.
        ConfigurationError: retrieval is switched off, and the profile has no records to look up instead.
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
    """Check that there is something to search for a free question.

    Raises:
        InvalidInput: all collections of the profile are for cases alone.
    """
    if not profile.for_questions and not context.collections:
        raise InvalidInput(translate("question.cases_only", name=profile.name))
