"""What a caller may send of a case: each check returns the clean value or says in Spanish what to mend."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from services.case.collected import MAX_DEPTH, flatten
from services.case.filters import canonical_value
from services.profile.profile import Profile
from state.errors import InvalidInput

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
        raise InvalidInput("La consulta está vacía. Escriba qué se pide en el caso, por ejemplo: «Me han despedido».")
    inquiry = " ".join(unicodedata.normalize("NFC", inquiry).split())
    if len(inquiry) > MAX_INQUIRY_CHARACTERS:
        raise InvalidInput(
            f"La consulta tiene {len(inquiry)} caracteres y el máximo es {MAX_INQUIRY_CHARACTERS}. Resúmala."
        )
    return inquiry


def checked_filters(state: Mapping[str, Any], profile: Profile) -> dict[str, str]:
    """Return the filter fields that the caller gave, each as the knowledge base writes it.

    Raises:
        InvalidInput: one is no text, or too long.
    """
    filters: dict[str, str] = {}
    for field in profile.filter_fields:
        sent = state.get(field.name)
        if sent is None or sent == "":
            continue
        if not isinstance(sent, str) or len(sent) > MAX_FILTER_CHARACTERS:
            raise InvalidInput(f"«{field.name}» debe ser un texto de {MAX_FILTER_CHARACTERS} caracteres como mucho.")
        if value := " ".join(sent.split()):
            filters[field.name] = canonical_value(field, value)
    return filters


def checked_data(collected: object) -> dict[str, str]:
    """Return the collected data by name.

    Raises:
        InvalidInput: it is no object, or has too many or too long values.
    """
    if collected is None:
        return {}
    if not isinstance(collected, Mapping) or not all(isinstance(name, str) for name in collected):
        raise InvalidInput(
            '«collected_data» debe ser un objeto JSON con un valor por dato, como {"saldo": "10.000 €"}.'
        )
    try:
        data = flatten(collected)
    except ValueError as error:
        raise InvalidInput(
            "Cada dato de «collected_data» debe ser un texto, un número, true, false o una lista de ellos. Los grupos, "
            f"como participant_data y plan_data, solo pueden tener {MAX_DEPTH} niveles, y ningún dato dos valores."
        ) from error
    if len(data) > MAX_DATA:
        raise InvalidInput(f"«collected_data» tiene {len(data)} datos y el máximo es {MAX_DATA}.")
    for name, value in data.items():
        if len(name) > MAX_DATUM_CHARACTERS or len(value) > MAX_DATUM_CHARACTERS:
            raise InvalidInput(
                f"El dato «{name[:40]}» de «collected_data» pasa de {MAX_DATUM_CHARACTERS} caracteres. Resúmalo."
            )
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
            f"«max_tokens» debe ser un número entero entre {MIN_TOKENS} y {MAX_TOKENS}, no «{str(tokens)[:40]}»."
        )
    return tokens
