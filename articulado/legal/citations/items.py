"""Read the list of provisions in a citation: "artículos 51.1, 52 c) y 53", "44 a 47".

Dispositions are read too ("disposiciones adicionales primera y tercera"), and so are the apartado and the
letter before or after the number: "letra n) del artículo 49.1". All functions take folded text
(``articulado.language.folding``). They know nothing of laws.
"""

import re
from dataclasses import dataclass, replace

from articulado.language.formats import MONTHS
from articulado.language.numerals import CARDINALS, ORDINAL_STEMS, numeral, read_words
from articulado.legal.labels import SUFFIXES

_VALUE = (
    rf"(?:\d{{1,2}}(?:\.\d{{1,2}})?(?:\.?[ºª])?(?:[. ](?:{SUFFIXES})\b)?(?:\.?\s?[a-zñ]\))*(?![\w/%])"
    r"|[a-zñ](?:\s(?:bis|ter))?\)|[a-zñ](?!\w)"
    rf"|(?:{'|'.join(ORDINAL_STEMS)}|ultim)[oa]?s?\b|in fine|final\b|anterior(?:es)?\b"
    rf"|(?:{'|'.join(CARDINALS[:10])})\b)"
)
_SUBDIVISIONS = (
    r"(?:apartados?|aptdos?\.?|aps?\.|parrafos?|letras?|numeros?|num\.|reglas?|incisos?|puntos?|epigrafes?"
    r"|ordinal(?:es)?)"
)
# In "34, apartado 7, 36, apartado 1" the 36 has an apartado of its own.
_VALUES = rf"{_VALUE}(?:(?:\s*,\s*(?![yo]\s|\d+\s*,\s*{_SUBDIVISIONS})|\s+(?:y|o|e|u|a)\s+){_VALUE})*"
_MORE_SUBDIVISIONS = (
    r"\s*,?\s+(?:y\s+|o\s+)?(?:respectivamente\s*,\s+)?(?:(?:de\s+)?(?:el|la|los|las|del)\s+)?"
    rf"(?:(?:citad|referid|mencionad)[oa]s?\s+)?{_SUBDIVISIONS}\s+{_VALUES}"
)
_BEFORE = re.compile(
    rf"(?:{_SUBDIVISIONS}\s+{_VALUES}(?:{_MORE_SUBDIVISIONS})*"
    r"(?:\s*,?\s+(?:respectivamente\s*,\s+)?(?:del|de\s+la|de\s+las|de\s+los|de)|\s+(?:al?|en\s+(?:el|la)))\s+"
    r"(?:(?:citad|referid|mencionad|propi)[oa]s?\s+)?)$"
)
QUALIFIER = re.compile(
    rf"\s*,?\s*(?:(?:en\s+)?sus?\s+)?(?:{_SUBDIVISIONS}\s+{_VALUES}|(?:primer|segundo|tercer|ultimo)\s+parrafo)"
    # "…, apartado 3 del artículo 216" belongs to what follows.
    r"(?!\s*,?\s+del?\s+(?:la\s+|los\s+|las\s+)?(?:articulo|disposicion))"
)
"""What follows a provision and says which part of it is meant: ", apartado 3, letra b)"."""

_FIRST_NUMBER = re.compile(r"\d{1,2}")
_FIRST_LETTER = re.compile(r"(?<![a-zñ])([a-zñ])(?![a-zñ])")
_NUMBERED_SUBDIVISION = re.compile(
    rf"(?:apartados?|aptdos?\.?|aps?\.|numeros?|num\.)\s+"
    rf"(?:(?P<number>\d{{1,2}})(?:[. ](?P<suffix>{SUFFIXES})\b)?|(?P<word>[a-z]{{3,}}))"
)
# A letter without a bracket may be a conjunction: "apartados 1 y 2".
_LETTERED_SUBDIVISION = re.compile(
    r"(?:letras?\s+([a-zñ])(?![a-zñ])|(?:parrafos?|apartados?|incisos?|puntos?|reglas?)\s+([a-zñ])\)"
    r"|\d\.?\s?([a-zñ])\))"
)


def words_before(folded: str, head: int) -> re.Match[str] | None:
    """Find the words before a citation's head that say which part is meant ("apartado 2 del" artículo anterior)."""
    return _BEFORE.search(folded, max(0, head - 120), head)


def named_subdivision(words: str) -> tuple[str | None, str | None]:
    """Return the apartado ("4 bis") and the letter that words name, each ``None`` without one; of several the first.

    >>> named_subdivision("letra b) del apartado 4 bis del")
    ('4 bis', 'b')
    """
    letter = _LETTERED_SUBDIVISION.search(words)
    return _apartado(words), letter[letter.lastindex or 0] if letter else None


def suffixed_subdivision(suffix: str) -> tuple[str | None, str | None]:
    """Return the apartado and the letter that are written behind a number.

    >>> suffixed_subdivision(".1.c)"), suffixed_subdivision(".dos")
    (('1', 'c'), ('2', None))
    """
    letter = _FIRST_LETTER.search(suffix)
    digits, words = _FIRST_NUMBER.search(suffix), read_words(suffix, 1)
    return digits[0] if digits else str(words[0]) if words else None, letter[1] if letter else None


def _apartado(words: str) -> str | None:
    """Return the apartado of "apartado 4 bis, párrafo segundo" or "apartado tercero"."""
    match = _NUMBERED_SUBDIVISION.search(words)
    if match is None:
        return None
    if match["number"]:
        return match["number"] + (f" {match['suffix']}" if match["suffix"] else "")
    value = read_words(match["word"])
    return str(value[0]) if value else None


LONGEST_RANGE = 60
"""A range of more provisions than this is read as its two ends."""

_SUBDIVISION = (
    rf"(?:\.(?:{'|'.join(CARDINALS[:20])})\b"
    # "artículo 109. 2 de la Ley" has a blank too many.
    r"|\.\d{1,2}(?:\.?[ºª]|[a-zñ](?![\w)]))?(?!\d)|\.\s\d{1,2}(?:\.?\s?[a-zñ]\))?(?=\s+del?\b)"
    r"|\.?\s?[a-zñ](?:\s(?:bis|ter))?\)|\.[a-zñ](?![\w.]))"
)
_DIGITS = re.compile(
    rf"(?P<number>\d{{1,3}}|1\.\d{{3}})(?:\.?[ºª])?(?:\.?[ -]?(?P<suffix>{SUFFIXES})\b)?"
    # "161 bis 1 y 2": an apartado after a suffix needs no point.
    rf"(?P<sub>(?(suffix)(?:\s\d{{1,2}}(?=\s*[,;)]|\s+(?:[yo]|del?)\s))?){_SUBDIVISION}*)"
    # "149.1.18.ªde la Constitución" lacks a blank.
    r"(?!(?<![ºª])\w|[ºª/%]|-(?!\d{1,3}(?![\d/-]))|[.,]\d)"
)
_BLANKS = re.compile(r" *")
_ONLY = re.compile(r"unic[oa]\b")
_ROMAN = re.compile(r"[ivxl]+\b(?!\))")
_SUFFIX = re.compile(rf"\s+({SUFFIXES})\b")
_SUBDIVISION_OF_WORD = re.compile(rf"(?P<sub>{_SUBDIVISION}*)")
# What makes of a number an amount or a date and not an article.
_AMOUNT = re.compile(
    r"\s*(?:%|€|por\s+(?:100|cien)|dias?\b|mes(?:es)?\b|anos?\b|horas?\b|semanas?\b|euros?\b|trabajador|personas?\b"
    rf"|mil\b|millon|pesetas|de\s+(?:{MONTHS})\b)"
)
_AND = re.compile(r"\s*,?\s+(?:y|e|o|u|ni|y/o)\s+(?:(?:en|de|a|por|con)\s+)?(?:(?:el|los|del|al)\s+)?(?=\S)")
# "149.1.5.ª, 6.ª y 7.ª", "68.a), b) y c)": more of the same article.
_MORE = re.compile(r"(?:\s*,\s*(?:y\s+)?|\s+[yeou]\s+)(?:\d{1,2}\.?ª(?!\w)|(?:la\s+|las\s+|en\s+la\s+)?[a-zñ]\))")
# "artículo 28, 1, de la Constitución"
_AFTER_COMMA = re.compile(r"\s*,\s*(\d{1,2})(?:\.?º)?,(?=\s+del?\b)")
_COMMA = re.compile(r"\s*,\s*(?:(?:el|los)\s+)?(?=\S)")
_TO = re.compile(r"\s+(?:a|al|hasta el)\s+(?=\S)|-(?=\d)")


@dataclass(frozen=True)
class Item:
    """One provision of a list: its number as in a key ("48 bis"), and the apartado and letter, if given."""

    number: str
    start: int
    end: int
    apartado: str | None = None
    letter: str | None = None


@dataclass(frozen=True)
class ProvisionList:
    """The provisions that a citation lists, all of one kind (``art``, ``da``).

    ``start`` is where the words before them ("letra n) del …") begin.
    """

    kind: str
    start: int
    items: tuple[Item, ...]
    end: int


def _item(folded: str, position: int, kind: str) -> Item | None:
    if words := read_words(folded, position):
        number, end = str(words[0]), words[1]
        if suffix := _SUFFIX.match(folded, end):
            number, end = f"{number} {suffix[1]}", suffix.end()
        match = _SUBDIVISION_OF_WORD.match(folded, end)
    elif only := _ONLY.match(folded, position):
        number = "unico" if kind in ("art", "anexo") else "unica"
        match = _SUBDIVISION_OF_WORD.match(folded, only.end())
    elif (match := _DIGITS.match(folded, position)) is not None:
        if _AMOUNT.match(folded, match.end()):
            return None
        number = match["number"].replace(".", "") + (f" {match['suffix']}" if match["suffix"] else "")
    elif kind != "art" and (roman := _ROMAN.match(folded, position)) and (value := numeral(roman[0])):
        number, match = str(value), _SUBDIVISION_OF_WORD.match(folded, roman.end())
    if match is None:
        return None
    return Item(number, position, match.end(), *suffixed_subdivision(match["sub"]))


def _is_apartado(item: Item, last: Item, *, plural: bool) -> bool:
    """Tell "artículo 83.2 y 3" (apartado 3) from "artículos 51.1 y 53": the smaller number is of the same article."""
    if not item.number.isdigit() or item.apartado:
        return False
    if last.apartado:
        return int(item.number) < (int(last.number.split()[0]) if last.number[0].isdigit() else 0)
    if plural or last.letter or item.letter:
        return False
    return int(item.number) <= int(last.number.split()[0].replace("unico", "0"))


def _up_to(first: Item, last: Item) -> list[Item]:
    """Return the items of a range after its first one: those between, and the last."""
    if not (first.number.isdigit() and last.number.isdigit()):
        return [last]
    low, high = int(first.number), int(last.number)
    if not low < high <= low + LONGEST_RANGE:
        return [last]
    return [Item(str(number), last.start, last.end) for number in range(low + 1, high)] + [last]


def read_items(folded: str, position: int, kind: str, *, plural: bool) -> tuple[list[Item], int] | None:
    """Return the items of the list that begins at a position, and where it ends; ``None`` if none begins there."""
    first = _item(folded, position, kind)
    if first is None:
        return None
    items, end = [first], first.end
    while True:
        while more := (kind == "art" and _MORE.match(folded, end)) or QUALIFIER.match(folded, end):
            items[-1] = _with_subdivision(items[-1], more[0])
            end = more.end()
        if not plural and (apartado := _AFTER_COMMA.match(folded, end)):
            items[-1] = replace(items[-1], apartado=apartado[1])
            end = apartado.end()
        step = (to := _TO.match(folded, end)) or _AND.match(folded, end) or (plural and _COMMA.match(folded, end))
        following = _item(folded, step.end(), kind) if step else None
        if following is None:
            return items, end
        if kind == "art" and _is_apartado(following, items[-1], plural=plural):
            end = following.end
            continue
        items += _up_to(items[-1], following) if to else [following]
        end = following.end


def _with_subdivision(item: Item, words: str) -> Item:
    apartado, letter = named_subdivision(words)
    return replace(item, apartado=item.apartado or apartado, letter=item.letter or letter)


def read_provision_list(folded: str, head: re.Match[str], kind: str) -> ProvisionList | None:
    """Return what a citation lists after its head ("artículos", "disp. adic."); ``None`` if no number follows."""
    plural = head[0].startswith(("articulos", "arts", "disposiciones"))
    blanks = _BLANKS.match(folded, head.end())
    listed = read_items(folded, blanks.end() if blanks else head.end(), kind, plural=plural)
    if listed is None:
        return None
    items, end = listed
    words = words_before(folded, head.start())
    if words:
        items[0] = _with_subdivision(items[0], words[0])
    items[0] = replace(items[0], start=head.start())
    return ProvisionList(kind, words.start() if words else head.start(), tuple(items), end)
