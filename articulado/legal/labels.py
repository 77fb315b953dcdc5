"""Canonical keys of provisions, their labels, and their anchors on the BOE's consolidated page.

A key is ``kind:number``, the same for every spelling in laws, questions and sources: ``art:48 bis``, ``art:30-44``,
``dt:11``, ``df:unica`` (the only one of its kind), ``da:nueva``, ``anexo:2``. A norm without articles has units
(``apartado:1``, ``norma:2``, ``regla:3``). ``preambulo`` and ``texto:`` with a title are no provisions.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from articulado.language.folding import fold
from articulado.language.numerals import numeral, read_words


class ProvisionKind(NamedTuple):
    """Names of a kind of provision; a disposition has an adjective and its cut form."""

    name: str
    plural: str
    adjective: str = ""
    cut: str = ""


KINDS: Mapping[str, ProvisionKind] = {
    "art": ProvisionKind("artículo", "artículos"),
    "da": ProvisionKind("disposición adicional", "disposiciones adicionales", "adicional", "adic"),
    "dt": ProvisionKind("disposición transitoria", "disposiciones transitorias", "transitoria", "trans"),
    "dd": ProvisionKind("disposición derogatoria", "disposiciones derogatorias", "derogatoria", "derog"),
    "df": ProvisionKind("disposición final", "disposiciones finales", "final", "final"),
    "anexo": ProvisionKind("anexo", "anexos"),
    "apartado": ProvisionKind("apartado", "apartados"),
    "norma": ProvisionKind("norma", "normas"),
    "regla": ProvisionKind("regla", "reglas"),
    "base": ProvisionKind("base", "bases"),
    "clausula": ProvisionKind("cláusula", "cláusulas"),
    "instruccion": ProvisionKind("instrucción", "instrucciones"),
    "criterio": ProvisionKind("criterio", "criterios"),
    "ley": ProvisionKind("ley", "leyes"),
}
"""Kinds of provision by key prefix, in the order of laws; after the annexes the units of norms without articles."""

PART_HEADINGS = {kind: KINDS[kind].plural.capitalize() for kind in ("da", "dt", "dd", "df", "anexo")}
"""Heading of the provisions of a kind ("Disposiciones adicionales"); articles have none."""

UNITS = tuple(KINDS)[len(PART_HEADINGS) + 1 :]

_DISPOSITIONS = {names.adjective[0]: kind for kind, names in KINDS.items() if names.adjective}
ADJECTIVES = "|".join(KINDS[kind].adjective for kind in _DISPOSITIONS.values())
CUT_ADJECTIVES = "|".join(KINDS[kind].cut for kind in _DISPOSITIONS.values())
INITIALS = "".join(_DISPOSITIONS)

DIVISIONS = ("libro", "titulo", "capitulo", "seccion", "subseccion")

_ONES = ("bis", "ter", "quater", "quinquies", "sexies", "septies", "octies", "nonies")
_TENS = ("decies", "vicies", "tricies")
# How a numeral below ten begins one above it; the usual spelling first.
_BEGINNINGS = (
    ("un", "semel"), ("duo",), ("ter", "tre", "tri"), ("quater", "quator", "quatuor", "quattuor"),
    ("quin", "quinquies", "quinque"), ("sex", "sexies", "se"), ("septen", "sept", "septies", "septem"),
    ("octo", "octies"), ("novo", "nonies", "nove", "noven", "novem", "novies"),
)  # fmt: skip


def _latin_numerals() -> Iterator[tuple[str, int, str]]:
    yield from ((word, value, word) for value, word in enumerate(_ONES, start=2))
    for tens, word in enumerate(_TENS, start=1):
        yield word, 10 * tens, word
        for ones, beginnings in enumerate(_BEGINNINGS, start=1):
            apart = f"{word} {('semel', *_ONES)[ones - 1]}"
            for spelling in (*(f"{beginning}{word}" for beginning in beginnings), apart):
                yield spelling, 10 * tens + ones, f"{beginnings[0]}{word}"


_SUFFIX_VALUES: Mapping[str, tuple[int, str]] = {
    spelling: (value, usual) for spelling, value, usual in _latin_numerals()
} | {"duodevicies": (18, "octodecies"), "undevicies": (19, "novodecies")}

SUFFIXES = "|".join(sorted(_SUFFIX_VALUES, key=len, reverse=True))
"""Latin suffixes of inserted provisions, apartados and letters, folded, as alternatives of a pattern."""
WRITTEN_SUFFIXES = SUFFIXES.replace("quater", "qu[aá]ter")


def usual_suffix(written: str) -> str:
    """Return the usual spelling of a suffix, as used in keys: "quater" for "quáter", "duovicies" for "vicies bis"."""
    return _SUFFIX_VALUES[" ".join(fold(written).split())][1]


def suffix_value(written: str) -> int:
    """Return the order of a suffix among those of one number: 2 for "bis", 20 for "vicies", 0 for none."""
    return _SUFFIX_VALUES[" ".join(fold(written).split())][0] if written else 0


def labels_to(label: str, reached: str) -> list[str]:
    """Return the labels after ``reached`` up to ``label`` ("4", "5" after "3"), or the last alone."""
    if reached.isdigit() and label.isdigit() and int(reached) < int(label):
        return [str(number) for number in range(int(reached) + 1, int(label) + 1)]
    if len(reached) == len(label) == 1 and reached < label and label.isalpha():
        return [chr(code) for code in range(ord(reached) + 1, ord(label) + 1)]
    return [label]


_HEAD = re.compile(
    rf"\s*(?:(?P<art>articulos?|arts?\b\.?)|disp(?:osicion(?:es)?|\.)?\s*(?P<disp>{CUT_ADJECTIVES})[a-z]*\.?"
    rf"|d\.?\s?(?P<letter>[{INITIALS}])\b\.?|(?P<annex>(?:anexo|anejo)s?\b))\s*"
)
_NUMBER = re.compile(
    r"(?P<digits>\d{1,4}(?:-\d{1,3}(?=\.|\s|$))?)(?:\.?[ºª])?(?![\dº/])|(?P<only>unic[oa]|nuev[oa])\b|(?P<roman>[ivxlc]+)\b"
)
_SUBANNEX = re.compile(r"\.([ivxl\d]+)\b")
_SUFFIX = re.compile(rf"\.?[\s-]*({SUFFIXES})\b")
_RANGE = re.compile(r"\s+al?\s+")
_EDITORIAL = re.compile(r"(?<!\s)\s*\[[^\[\])]*[\])]")
_UNIT_NAME = re.compile(rf"(?P<unit>{'|'.join(UNITS)})\s+(?=[\divxlc]|\w+(?:[.:]|$))|(?P<point>punto)\s+(?=\d)")
_NAMED_UNIT = re.compile(rf"\b(?:(?P<unit>{'|'.join(UNITS)})|punto)\s+(?:numero\s+|n\.?\s?º\s*)?")
_PLACES = re.compile(r"(?P<digits>\d{1,3}(?:\.\d{1,3})+)(?![\dº/,%])")
_UNIT_STOP = re.compile(r"(?:\.?[ºª])?(?P<after>(?:[.:)]|\s*[-–—])+\s*|\s+(?=[«(¿]?[A-ZÁÉÍÓÚÑ])|$)")
_FIGURES = re.compile(r"[\d.ºª]+|[IVXLC]+")
_LETTERS = ("C", "L")  # Numerals that are rather letters of a list


class Heading(NamedTuple):
    """A heading of a provision: its label as written, its key, its title (may be empty)."""

    label: str
    key: str
    title: str


def disposition_kind(adjective: str) -> str:
    """Return the kind of a disposition by its folded adjective: whole, cut, or the initial."""
    return _DISPOSITIONS[adjective[0]]


def provision_name(key: str) -> str:
    """Return the name of a key in Spanish: "artículo 48 bis" for ``art:48 bis``."""
    kind, _, number = key.partition(":")
    return f"{KINDS[kind].name if kind in KINDS else kind} {number}"


def cited_as(key: str, label: str) -> str:
    """Return the short name: an article by its number ("art. 48 bis"), another provision by its label."""
    kind, _, number = key.partition(":")
    return f"art. {number}" if kind == "art" and number[:1].isdigit() else label


def is_unit(key: str) -> bool:
    return key.partition(":")[0] in UNITS


def order_of_kind(key: str) -> int:
    """Return the position of a provision's kind in a law, from 0; unknown kinds come last."""
    kind = key.partition(":")[0]
    return list(KINDS).index(kind) if kind in KINDS else len(KINDS)


def _number_at(folded: str, position: int, *, roman: bool) -> tuple[str, int] | None:
    """Return the number of a key ("48 bis") at a position and its end; ``roman`` allows Roman numerals."""
    if words := read_words(folded, position):
        number, end = str(words[0]), words[1]
    else:
        match = _NUMBER.match(folded, position)
        if match is None or (match["roman"] and not roman):
            return None
        number, end = match[0], match.end()
        if match["only"]:
            return number, end
        number = match["digits"] or str(numeral(number) or number)
    if suffix := _SUFFIX.match(folded, end):
        number, end = f"{number} {usual_suffix(suffix[1])}", suffix.end()
    return number, end


def split_heading(heading: str) -> Heading | None:
    """Split "Disposición adicional nueva [sic]. Mejora…" into label, key and title; ``None`` for no provision.

    Blanks are normalised and editorial marks in brackets dropped.
    """
    text = " ".join(_EDITORIAL.sub("", heading).split())
    folded = fold(text)
    head = _HEAD.match(folded)
    if head is None:
        return None
    if head["art"]:
        kind, only = "art", ""
    elif head["annex"]:
        kind, only = "anexo", "unico"
    else:
        kind, only = disposition_kind(head["disp"] or head["letter"]), "unica"
    # Treaties number their articles in Roman capitals.
    numbered = _number_at(folded, head.end(), roman=kind != "art" or text[head.end() : head.end() + 1] in "IVXLC")
    if numbered is None:
        # A label without a number ends there: "Disposición final.", "ANEXO", but not "Anexo al contrato".
        bare = text[head.end() :]
        if not only or (bare and not text[: head.end()].rstrip().endswith(".") and bare[0] not in ".:"):
            return None
        end = head.end()
        number = only
    else:
        number, end = numbered
        if kind == "anexo" and (part := _SUBANNEX.match(folded, end)):
            number, end = number + part[0], part.end()
        until = _RANGE.match(folded, end)
        if until and (last := _number_at(folded, until.end(), roman=False)):
            number, end = f"{number}-{last[0]}", last[1]
    number = {"unica": only or "unico", "unico": only or "unico", "nuevo": "nueva"}.get(number, number)
    label = re.sub(r"^Arts?\b\.?", "Artículo", text[:end].rstrip(" ."))
    return Heading(label, f"{kind}:{number}", text[end:].lstrip(" .:").removesuffix("."))


def split_unit(heading: str, part: str = "") -> Heading | None:
    """Split "Primero. Objeto", "Norma 3.ª Plazos" or "2.1 Ámbito" into label, key and title, or return ``None``.

    An ordinal alone is an apartado, or a disposition if the kind ``part`` of the heading above is given.
    """
    text = " ".join(_EDITORIAL.sub("", heading).split())
    folded = fold(text)
    named = _UNIT_NAME.match(folded)
    start = named.end() if named else 0
    kind = named["unit"] if named else part or "apartado"
    if places := _PLACES.match(folded, start):
        number, end = places["digits"], places.end()
    elif numbered := _number_at(folded, start, roman=text[start : start + 1] in "IVXLC"):
        number, end = numbered
    else:
        return None
    stop = _UNIT_STOP.match(text, end)
    bare_number = not named and text[:1].isdigit()
    if stop is None or (not named and (text[start].islower() or text[start:end] in _LETTERS)):
        return None
    if bare_number and not stop["after"]:
        return None
    written = text[start:end].rstrip(" .")
    if part and not named:
        label = f"{KINDS[part].name.capitalize()} {written.lower()}"
    elif named:
        label = text[:end].rstrip(" .")
    else:
        # "Primera." is an instruction or a rule: which, only its norm tells.
        label = (
            written
            if written[-1:] == "a"
            else f"Apartado {written if _FIGURES.fullmatch(written) else written.lower()}"
        )
    return Heading(label, f"{kind}:{number}", text[stop.end() :].removesuffix("."))


def units_in(folded: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and key of the units in a folded text ("base segunda")."""
    for named in _NAMED_UNIT.finditer(folded):
        places = _PLACES.match(folded, named.end())
        numbered = (places["digits"], places.end()) if places else _number_at(folded, named.end(), roman=True)
        if numbered:
            yield named.start(), numbered[1], f"{named['unit'] or 'apartado'}:{numbered[0]}"


def provision_key(label: str) -> str | None:
    """Return the canonical key of a label, ``None`` if it names no provision.

    A bare number is an article. What follows the number (apartado, letter, title) does not matter.

    >>> [provision_key(label) for label in ("Art. 6 bis", "Disposición final undécima. Título", "38.1", "Capítulo I")]
    ['art:6 bis', 'df:11', 'art:38', None]
    """
    heading = split_heading(label)
    if heading is None and re.match(r"\s*\d", label):
        heading = split_heading("Artículo " + label.strip())
    if heading is None and _UNIT_NAME.match(fold(label)):
        heading = split_unit(label)
    return heading.key if heading else None


def anchor(label: str) -> str:
    """Guess the fragment of a provision on the BOE's consolidated page ("Artículo 48 bis" gives ``a48bis``).

    Some laws have running numbers (``a1-2`` is article 10 of the LO 3/2018), known only to the BOE's API: an unknown
    anchor opens the page at its top.
    """
    heading = split_heading(label)
    if heading is None:
        return ""
    kind, number = heading.key.split(":")
    folded = fold(heading.label)
    words = _HEAD.sub("", folded, count=1)
    if kind == "anexo":
        return "an" + re.sub(r"[^a-z0-9]", "", words)
    if kind == "art":
        return "a" + re.sub(r"[^a-z0-9]", "", _RANGE.split(words)[0])
    # The BOE spells "cuarta" so; the mistake is in the name of the block.
    return kind + (re.sub(r"[^a-z0-9]", "", words).replace("cuarta", "cuaa") or number)


def law_url(law_id: str) -> str:
    return f"https://www.boe.es/buscar/act.php?id={law_id}"


def provision_url(law_id: str, label: str) -> str:
    """Return the address of a provision on the BOE's consolidated page.

    >>> provision_url("BOE-A-2015-11430", "Artículo 48 bis")
    'https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a48bis'
    """
    fragment = anchor(label)
    return law_url(law_id) + (f"#{fragment}" if fragment else "")


_SUFFIX_OF_ITEM = rf"(?:[ .](?P<suffix>{WRITTEN_SUFFIXES}))"
_NUMBERED = re.compile(
    rf"(?m)^(?P<label>\d{{1,2}})(?:{_SUFFIX_OF_ITEM}?[.)]|{_SUFFIX_OF_ITEM.replace('suffix', 'behind')}) "
)
_ORDINAL = re.compile(rf"(?m)^(?P<label>\d{{1,2}}){_SUFFIX_OF_ITEM}?\.[ºª] ")
_LETTERED = re.compile(
    rf"(?m)^(?P<label>[a-zñ])(?:\){_SUFFIX_OF_ITEM.replace('suffix', 'behind')}[.)]?|{_SUFFIX_OF_ITEM}?\)) "
)


def excerpt(text: str, apartado: str, letter: str) -> str:
    """Return an apartado of a text, or a letter of it; empty if the text has none such."""
    inside = text
    if apartado:
        # "2.º" is an apartado only where the law has no "2.": else it is in a list inside one.
        inside = _item(text, _NUMBERED, apartado) or _item(text, _ORDINAL, apartado)
    return _item(inside, _LETTERED, letter) if letter else inside


def _item(text: str, markers: re.Pattern[str], label: str) -> str:
    """Return the text between the first marker with a label and the next higher one."""
    begin, wanted = -1, _label_order(*label.partition(" ")[::2])
    for marker in markers.finditer(text):
        groups = marker.groupdict()
        order = _label_order(marker["label"], groups.get("suffix") or groups.get("behind") or "")
        if begin < 0:
            if order == wanted:
                begin = marker.start()
        elif order > wanted:  # a list inside an item begins to count anew, and ends nothing
            return text[begin : marker.start()].strip()
    return text[begin:].strip() if begin >= 0 else ""


def _label_order(label: str, suffix: str) -> tuple[int, int]:
    # "ñ" comes after "n" and before "o".
    order = int(label) if label.isdigit() else 2 * ord("n") + 1 if label == "ñ" else 2 * ord(label)
    return order, suffix_value(suffix)
