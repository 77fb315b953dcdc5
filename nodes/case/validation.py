"""What a caller may send of a case: each check returns the clean value or says what to mend."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from articulado.cases.data.bounds import MAX_DEPTH, flatten
from articulado.cases.fields import canonical_value, is_known_value
from articulado.config.profile import Profile
from articulado.config.sections import TOPIC
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput

MAX_INQUIRY_CHARACTERS = 4_000
MAX_FILTER_CHARACTERS = 200
MAX_DATA = 100
MAX_DATUM_CHARACTERS = 500
MIN_TOKENS, MAX_TOKENS = 200, 200_000


def checked_inquiry(inquiry: object) -> str:
    """Return the inquiry in one line, its accents composed.

    Raises:
        InvalidInput: it is empty, too long or no text.
    """
    if not isinstance(inquiry, str) or not inquiry.strip():
        raise InvalidInput(translate("case.inquiry_empty"))
    inquiry = " ".join(unicodedata.normalize("NFC", inquiry).split())
    if len(inquiry) > MAX_INQUIRY_CHARACTERS:
        raise InvalidInput(translate("case.inquiry_too_long", number=len(inquiry), maximum=MAX_INQUIRY_CHARACTERS))
    return inquiry


def checked_filters(state: Mapping[str, Any], profile: Profile) -> dict[str, str]:
    """Return the filter fields that the caller gave, each as the knowledge base writes it.

    Raises:
        InvalidInput: one is no text, or too long, or the topic is not one of the profile's.
    """
    filters: dict[str, str] = {}
    for field in profile.filter_fields:
        sent = state.get(field.name)
        if sent is None or sent == "":
            continue
        if not isinstance(sent, str) or len(sent) > MAX_FILTER_CHARACTERS:
            raise InvalidInput(translate("case.filter_no_text", name=field.name, maximum=MAX_FILTER_CHARACTERS))
        if value := " ".join(sent.split()):
            filters[field.name] = canonical_value(field, value)
    _check_topic(filters, profile)
    return filters


def _check_topic(filters: Mapping[str, str], profile: Profile) -> None:
    """Refuse a topic that the profile does not list: it is the profile's own division, and nothing is found under it.

    What another field names, such as a provider, may exist without being known: it is searched for, with a warning.
    """
    for field in profile.filter_fields:
        value = filters.get(field.name, "")
        if field.name == TOPIC and value and not is_known_value(field, value):
            raise InvalidInput(
                translate("case.unknown_topic", value=value, name=field.label, known=", ".join(field.values))
            )


def checked_data(collected: object) -> dict[str, str]:
    """Return the collected data by name.

    Raises:
        InvalidInput: it is no object, or has too many or too long values.
    """
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
        if len(name) > MAX_DATUM_CHARACTERS or len(value) > MAX_DATUM_CHARACTERS:
            raise InvalidInput(translate("case.datum_too_long", name=name[:40], maximum=MAX_DATUM_CHARACTERS))
    return data


def checked_tokens(tokens: object, default: int) -> int:
    """Return the budget of a response.

    Raises:
        InvalidInput: it is no whole number, or out of range.
    """
    if tokens is None:
        return default
    if isinstance(tokens, bool) or not isinstance(tokens, int) or not MIN_TOKENS <= tokens <= MAX_TOKENS:
        raise InvalidInput(
            translate("case.tokens_out_of_range", minimum=MIN_TOKENS, maximum=MAX_TOKENS, tokens=str(tokens)[:40])
        )
    return tokens
