"""Notes on amendments of a provision, limited to the shown parts or to the needs of readers."""

import re
from collections.abc import Iterable, Sequence

from articulado.language.folding import fold
from articulado.language.sentences import first_sentences, sentences
from articulado.language.translation import translate
from articulado.legal.labels import WRITTEN_SUFFIXES
from articulado.values.chunks import Chunk

_AMENDING_NORM = re.compile(
    r" por (?:(?:el|la|los|las) )?(?:arts?\.|artículos? |disp|anexos? |apartados? |Ley|Real|Orden)"
)
_UNIT = rf"\d{{1,2}}(?: (?:{WRITTEN_SUFFIXES}))?(?:\.[\w.ªº]+\)?)?"
_AMENDED = re.compile(rf"\b(?:apartados?|como|el) ({_UNIT}(?:(?:, | y | a ){_UNIT})*)")
_RANGE = re.compile(r"(\d+)\S* a (\d+)")
_BEGINS_APARTADO = re.compile(rf"^(\d{{1,2}})(?: (?:{WRITTEN_SUFFIXES}))?\. ", re.MULTILINE)
_LETTERS = "abcdefghijklmnñopqrstuvwxyz"
_AMENDED_LETTER = re.compile(rf"(?<![\w.])([{_LETTERS}])\)")
_NOT_BY_LETTER = re.compile(r"suprim|derog|orden|numer|p[áa]rrafo", re.IGNORECASE)
"""Words of notes whose letters do not locate the amended text: a letter may be gone or moved."""
_BEGINS_UNIT = re.compile(
    rf"^(?:(?P<number>\d{{1,2}})(?: (?:{WRITTEN_SUFFIXES}))?\. |(?P<letter>[{_LETTERS}])\) )", re.MULTILINE
)

MAX_NOTE_WORDS = 40  # Words of a note beside a quotation; the first sentence may be longer
_AMENDMENT = re.compile(
    r"se (?:modific|anad|sustituy|renumer|reenumer|suprim|redact)|(?:texto )?redactad|correccion|el dia en que empezo"
    r"|parte de su texto ya no rige|la fecha de la reforma|vease|\[?ref\."
)
_OURS = re.compile(r" \(nota en lenguaje claro, no oficial\)")
_NO_LONGER_LAW = re.compile(
    r"\W*(?:precepto )?(?:(?:derogad|suprimid|anulad)[oa]s?|de vigencia agotada)\W*", re.IGNORECASE
)


def note_on(parts: Sequence[Chunk]) -> str:
    """Return the note on a provision; empty if it only reports amendments of parts other than ``parts``."""
    first = parts[0]
    # Any other note is on the force of the provision, or how it is to be read.
    if first["status"] != "modificada" or len(parts) == first["parts"]:
        return whole_note(first)
    note = first["status_note"]
    amended, shown = amended_apartados(note), shown_apartados(parts)
    letters = amended_letters(note)
    shown_of_them = shown_letters(parts, next(iter(amended), None)) if letters else frozenset()
    is_of_others = (amended and shown and not amended & shown) or (shown_of_them and not letters & shown_of_them)
    return state_note(first) if is_of_others else whole_note(first)


def whole_note(chunk: Chunk) -> str:
    """Return all notes on a text: on its force, and that it lacks amendments."""
    return " ".join(filter(None, (chunk["status_note"], state_note(chunk))))


def law_notes_once(groups: Iterable[Sequence[Chunk]]) -> list[str]:
    """Return for each group of chunks the notes on its laws, without those of an earlier group."""
    told: set[str] = set()
    written: list[str] = []
    for chunks in groups:
        notes = [
            note
            for note in dict.fromkeys(n for chunk in chunks for n in chunk.get("law_notes", ()))
            if note not in told
        ]
        told.update(notes)
        written.append(" ".join(notes))
    return written


def state_note(chunk: Chunk) -> str:
    """Return the note that a text is as enacted, without later amendments, or an empty text."""
    return translate("search.as_enacted") if chunk.get("text_state") == "as_enacted" else ""


def amended_apartados(note: str) -> frozenset[int]:
    """Return the amended apartados that a note names; empty if it does not begin with "Se …".

    >>> sorted(amended_apartados("Se modifican los apartados 1.d) y 5 por el art. 2.3 de la Ley 3/2023."))
    [1, 5]
    >>> sorted(amended_apartados("Se añade la letra m) por el art. 3 de la Ley 6/2024."))
    []
    """
    if not note.startswith("Se "):
        return frozenset()
    groups = _AMENDED.findall(_AMENDING_NORM.split(note)[0])
    return frozenset(number for group in groups for number in _numbers(group))


def amended_letters(note: str) -> frozenset[str]:
    """Return the amended or added letters that a note names ("las letras h) e i) del apartado 2").

    Empty if it names several apartados, or a letter that is gone, moved or amended in one paragraph only.
    """
    if not note.startswith("Se ") or len(amended_apartados(note)) > 1:
        return frozenset()
    told = _AMENDING_NORM.split(note)[0]
    return frozenset() if _NOT_BY_LETTER.search(told) else frozenset(_AMENDED_LETTER.findall(told))


def _numbers(group: str) -> Iterable[int]:
    for first, last in _RANGE.findall(group):
        yield from range(int(first), int(last) + 1)
    yield from (int(unit) for unit in re.findall(r"(?<![.\d])\d+", group))


def shown_apartados(parts: Sequence[Chunk]) -> frozenset[int]:
    """Return the apartados in parts of a provision; empty if a part has no number."""
    shown: set[int] = set()
    for part in parts:
        begins = list(_BEGINS_APARTADO.finditer(part["text"]))
        if not begins:
            return frozenset()
        numbers = [int(begin[1]) for begin in begins]
        shown.update(numbers)
        if begins[0].start() and part["part"] > 1:
            shown.add(numbers[0] - 1)
    return frozenset(shown)


def shown_letters(parts: Sequence[Chunk], apartado: int | None) -> frozenset[str]:
    """Return the letters in parts of a provision (of one ``apartado`` or all); empty if a part has none."""
    shown: set[str] = set()
    for part in parts:
        units = list(_BEGINS_UNIT.finditer(part["text"]))
        number = next((int(unit["number"]) - 1 for unit in units if unit["number"]), None)
        current = number if part["part"] > 1 else None
        if part["part"] > 1 and (not units or units[0].start()) and current in (None, apartado):
            first = units[0]["letter"] if units else None
            if not first:
                return frozenset()
            shown |= _letters_before(first)
        for unit in units:
            if unit["number"]:
                current = int(unit["number"])
            elif apartado is None or current in (None, apartado):
                shown.add(unit["letter"])
    return frozenset(shown)


def _letters_before(letter: str) -> set[str]:
    """Return the possible predecessors of a letter: many enumerations omit ñ."""
    at = _LETTERS.index(letter)
    return set(_LETTERS[max(0, at - (2 if letter == "o" else 1)) : at])


def says_only_gone(text: str) -> bool:
    """Tell if a text only says that it is no longer law ("(Derogado)")."""
    return bool(_NO_LONGER_LAW.fullmatch(text))


def note_for_readers(note: str) -> str:
    """Return the first sentences of a note on force, without history of amendments and final stop."""
    kept = [sentence for sentence in sentences(note) if not _AMENDMENT.match(fold(sentence))]
    return " ".join(first_sentences([_OURS.sub("", sentence) for sentence in kept], MAX_NOTE_WORDS)).rstrip(".")
