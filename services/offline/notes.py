"""Notes of fragments: whether they say that a text is law no longer, and what of them belongs into an answer."""

import re

from articulado.language.folding import fold
from articulado.language.spanish import sentences
from articulado.prompting.fragments import Fragment
from services.offline.shortening import shorten

MAX_NOTE_WORDS = 40

_NOT_IN_FORCE = re.compile(
    r"(?:\w+ ){0,3}(?:derogad[oa]|agotad[oa]|superad[oa]|anulad[oa])\b|se deroga(?:,| (?:por|con)\b)"
)
_AMENDMENT = re.compile(
    r"se (?:modific|anad|sustituy|renumer|reenumer|suprim|redact)|(?:texto )?redactad|correccion|el dia en que empezo"
    r"|parte de su texto ya no rige|la fecha de la reforma|vease|\[?ref\."
)
_OURS = re.compile(r" \(nota en lenguaje claro, no oficial\)")
_NO_LONGER_LAW = re.compile(
    r"\W*(?:precepto )?(?:(?:derogad|suprimid|anulad)[oa]s?|de vigencia agotada)\W*", re.IGNORECASE
)


def in_force(fragment: Fragment) -> bool:
    """Tell whether no note says that a fragment has been repealed or superseded as a whole."""
    # Of a fragment the offline principal knows what every other one does: what the prompt says.
    return not _NOT_IN_FORCE.match(fold(fragment.note))


def says_only_that_it_is_gone(text: str) -> bool:
    """Tell whether a text says no more than that it is law no longer ("(Derogado)")."""
    return bool(_NO_LONGER_LAW.fullmatch(text))


def note_for_readers(fragment: Fragment) -> str:
    """Return what a note says on the force of a text and how to read it, without a final stop; maybe nothing.

    Who amended a text, and how its days are known, stands with the sources.
    """
    kept = (sentence for sentence in sentences(fragment.note) if not _AMENDMENT.match(fold(sentence)))
    return shorten(_OURS.sub("", " ".join(kept)), MAX_NOTE_WORDS).rstrip(".")
