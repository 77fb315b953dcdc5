"""Lists of provisions in a folded citation ("artículos 51.1, 52 c) y 53", "44 a 47") and places (apartado, letter)."""

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from articulado.language.formats import MONTHS
from articulado.language.numerals import CARDINALS, ORDINAL_STEMS, numeral, read_words
from articulado.legal.labels import SUFFIXES, labels_to, usual_suffix
from articulado.legal.laws.registry import acronyms

_LEVELS = {
    "apartado": r"apartados?|ap(?:td?|d)?os?\.|apt?dos?|aps?\.?|numeros?|nums?\.?|n\.?\s?º|§{1,2}|puntos?|epigrafes?"
    r"|paragraphs?",
    "letra": r"letras?|letters?|lets?\.?|lits?\.?",
    "below": r"parrafos?|par\.|parrs?\.?|pfos?\.?|incisos?|reglas?|ordinal(?:es)?|guion(?:es)?|sub(?:apartado|letra)s?",
}
"""Names of the parts of a provision by level; parts below a letter, and paragraphs, are not looked up."""
_LAST_PART = r"(?:(?:\d{1,2}\.?º|primer|segundo|tercer|cuarto|quinto|ultimo)\s+(?:parrafo|inciso)|in\s+fine)"
_SUBDIVISIONS = rf"(?:{'|'.join(_LEVELS.values())})"
_GAP = r"(?:\s+|(?<=[.§º])\s*)"
_BRACKETED = rf"[a-zñ](?:[\s.-]?(?:{SUFFIXES}))?\)(?:\s(?:{SUFFIXES})\b)?"
_VALUE = (
    rf"(?:\d{{1,2}}(?:\.\d{{1,2}})?(?:\.?[ºª])?(?:[. ](?:{SUFFIXES})\b)?(?:\.?\s?{_BRACKETED})*(?![\w/%])"
    rf"|{_BRACKETED}|[a-zñ](?:\s(?:{SUFFIXES})\b)?(?!\w)|[ivx]{{2,4}}\b"
    rf"|(?:{'|'.join(ORDINAL_STEMS)}|ultim)[oa]?s?\b|in fine|final\b|anterior(?:es)?\b"
    rf"|(?:{'|'.join(CARDINALS[:10])})\b)"
)
# In "34, apartado 7, 36, apartado 1" the 36 has an apartado of its own.
_VALUES = rf"{_VALUE}(?:(?:\s*,\s*(?![yo]\s|\d+\s*,\s*{_SUBDIVISIONS})|\s+(?:y|o|e|u|al?)\s+|-(?=\d)){_VALUE})*"
_MORE_SUBDIVISIONS = (
    r"\s*,?\s+(?:y\s+|o\s+)?(?:respectivamente\s*,\s+)?(?:(?:de\s+)?(?:el|la|los|las|del)\s+)?"
    rf"(?:(?:citad|referid|mencionad)[oa]s?\s+)?{_SUBDIVISIONS}{_GAP}{_VALUES}"
)
_BEFORE = re.compile(
    rf"(?:(?<!\w){_SUBDIVISIONS}{_GAP}{_VALUES}(?:{_MORE_SUBDIVISIONS})*"
    r"(?:\s*,?\s+(?:respectivamente\s*,\s+)?(?:del|de\s+la|de\s+las|de\s+los|de)|\s+(?:al?|en\s+(?:el|la)))\s+"
    r"(?:(?:citad|referid|mencionad|propi)[oa]s?\s+)?)$"
)
QUALIFIER = re.compile(
    rf"\s*,?\s*(?:(?:en\s+)?sus?\s+)?(?:{_SUBDIVISIONS}{_GAP}{_VALUES}|{_LAST_PART}\b)"
    # "…, apartado 3 del artículo 216" belongs to what follows.
    r"(?!\s*,?\s+del?\s+(?:la\s+|los\s+|las\s+)?(?:articulo|disposicion))"
)
"""Words behind a provision that name a part of it: ", apartado 3, letra b)"."""
_LETTERS_OF = re.compile(rf"{_GAP}{_VALUES}\s+(?:de\s+los|del|de)\s+(?:{_LEVELS['apartado']}){_GAP}")
"""Words behind "letra" if the apartado follows the letters: " b) del apartado "."""

_TOKEN = re.compile(
    rf"(?P<part>{_LAST_PART})"
    + "".join(rf"|(?<![a-zñ])(?P<{level}>{names})(?![a-zñ])" for level, names in _LEVELS.items())
    + rf"|(?P<number>\d{{1,3}})(?:\.?[ºª])?(?:[. -]?(?P<behind>{SUFFIXES})\b)?"
    rf"|(?<![a-zñ])(?P<sign>[a-zñ])(?:(?![a-zñ])|(?=(?:{SUFFIXES})\)))(?:(?:[\s.-]?(?P<inside>{SUFFIXES})\b)?(?P<bracket>\)))?"
    rf"(?:\s(?P<after>{SUFFIXES})\b)?"
    r"|(?P<comma>,)|(?P<dash>-)|(?P<roman>(?<![a-zñ])[ivx]{2,4}(?![a-zñ]))|(?P<word>[a-zñ]{2,})"
)


class Place(NamedTuple):
    """A part of a provision by its number ("4 bis") or letter ("b"); one of them may be empty."""

    apartado: str = ""
    letter: str = ""


@dataclass(frozen=True)
class Places:
    """Apartados and letters named by words, in order; ``unread``: spans of words on other parts, not looked up."""

    read: tuple[Place, ...] = ()
    unread: tuple[tuple[int, int], ...] = ()

    def have(self, level: str) -> bool:
        return any(getattr(place, level) for place in self.read)

    def after(self, before: "Places") -> "Places":
        """Join the places on both sides of a number: "letra n) del artículo 49.1"."""
        unread = (*before.unread, *self.unread)
        apartados = {place.apartado for place in self.read}
        if len(apartados) == 1 and self.read == (Place(*apartados),) and not before.have("apartado"):
            letters = tuple(Place(self.read[0].apartado, place.letter) for place in before.read)
            return Places(letters or self.read, unread)
        return Places((*before.read, *self.read), unread)


class _PlaceReader:
    """Reads words that name places; keeps the level of the next value, and if it joins the previous ones."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.unread: list[tuple[int, int]] = []
        self._level, self._level_start = "apartado", 0
        self._is_expected = True
        self._joins = self._is_range = False
        self._letters: list[str] | None = None  # those that wait for their apartado

    def read(self, folded: str, start: int, end: int) -> Places:
        for token in _TOKEN.finditer(folded, start, end):
            if token["part"]:
                self.unread.append(token.span())
            elif level := next((level for level in _LEVELS if token[level]), ""):
                self._level, self._level_start = level, token.start()
                self._is_expected, self._joins, self._is_range = True, False, False
                if level != "apartado":
                    self._letters = [] if _LETTERS_OF.match(folded, token.end(), end) else None
            elif token["number"]:
                self._number(_suffixed(token["number"], token["behind"]), token)
            elif token["sign"]:
                self._sign(folded, token)
            elif token["roman"]:
                self._leave(token)
            elif token["word"]:
                self._word(token)
            else:
                self._joins, self._is_range = True, bool(token["dash"])
        self.places += [Place("", letter) for letter in self._letters or ()]
        return Places(tuple(dict.fromkeys(self.places)), tuple(self.unread))

    def _word(self, token: re.Match[str]) -> None:
        word = token["word"]
        if word == "al":
            self._joins = self._is_range = True
        elif value := read_words(word):
            # "El artículo 11 bis y una disposición": no apartado.
            if (self._is_expected or self._joins) and word != "una":
                self._number(str(value[0]), token)
        elif self._level == "below" and self._is_expected and not word.startswith("anterior"):
            self._leave(token)

    def _number(self, number: str, token: re.Match[str]) -> None:
        deeper = not (self._is_expected or self._joins) or (self._level == "letra" and not self._joins)
        if self._level == "below" or deeper:
            self._leave(token)
            return
        last = self.places[-1] if self.places else None
        if self._letters:
            self.places += [Place(number, letter) for letter in self._letters]
        elif self._is_expected and self.places and not any(place.apartado for place in self.places):
            self.places = [place._replace(apartado=number) for place in self.places]
        else:
            reached = last.apartado if last and self._is_range else ""
            self.places += [Place(each) for each in labels_to(number, reached)]
        self._level, self._letters = "apartado", None
        self._is_expected = self._joins = self._is_range = False

    def _sign(self, folded: str, token: re.Match[str]) -> None:
        sign, suffix = token["sign"], token["inside"] or token["after"]
        after_comma = folded[: token.start()].endswith(", ")
        glued = folded[token.start() - 1] in ".0123456789" if token.start() else False
        # "letras a, e", but "letra a), y apartado 2"
        awaited = self._level == "letra" and (self._is_expected or self._joins) and not (after_comma and sign in "oy")
        if not (token["bracket"] or suffix or glued or awaited or sign not in "aeouy"):
            self._joins, self._is_range = True, sign == "a"
            return
        letter = _suffixed(sign, suffix)
        last = self.places[-1] if self.places else None
        if self._letters is not None:
            self._letters += labels_to(letter, self._letters[-1] if self._is_range and self._letters else "")
        elif last and last.letter:
            reached = last.letter if self._is_range else ""
            self.places += [Place(last.apartado, each) for each in labels_to(letter, reached)]
        elif last:
            self.places[-1] = last._replace(letter=letter)
        else:
            self.places.append(Place("", letter))
        self._level = "letra"
        self._is_expected = self._joins = self._is_range = False

    def _leave(self, token: re.Match[str]) -> None:
        if self._joins and self.unread and self._level == "below":
            self.unread[-1] = (self.unread[-1][0], token.end())
        else:
            named = self._is_expected and self._level == "below"
            self.unread.append((self._level_start if named else token.start(), token.end()))
        self._level = "below"
        self._is_expected = self._joins = False


def _suffixed(value: str, suffix: str | None) -> str:
    return f"{value} {usual_suffix(suffix)}" if suffix else value


def read_places(folded: str, start: int = 0, end: int | None = None) -> Places:
    """Return the places named in a span behind the number of a provision: "letras b) y d bis) del apartado 4 bis"."""
    return _PlaceReader().read(folded, start, len(folded) if end is None else end)


def words_before(folded: str, head: int) -> re.Match[str] | None:
    """Find the words before a citation's head that name a part ("apartado 2 del" artículo anterior)."""
    return _BEFORE.search(folded, max(0, head - 120), head)


MOST_APARTADOS = 40  # A number from this on is no apartado of a list ("arts. 310.3 y 59").
LONGEST_RANGE = 60

_SUBDIVISION = (
    rf"(?:\.(?:{'|'.join(CARDINALS[:20])})\b"
    # "artículo 109. 2 de la Ley" has a blank too many.
    rf"|\.\d{{1,2}}(?:\.?[ºª]|[a-zñ](?![\w)]))?(?!\d)(?:[. ](?:{SUFFIXES})\b)?"
    r"|\.\s\d{1,2}(?:\.?\s?[a-zñ]\))?(?=\s+del?\b)"
    rf"|\.?\s?{_BRACKETED}|\.[a-zñ](?:\s(?:{SUFFIXES})\b)?(?!\.?\w)"
    # "38(3)(b)", "41.2.III", "54.2 d ET", "4.2 c ter ET"
    rf"|\s?\((?:\d{{1,2}}|[a-zñ](?:\s(?:{SUFFIXES}))?)\)"
    rf"|\.[ivx]{{2,4}}\b|(?<=\d)\s[a-zñ]\s(?:{SUFFIXES})\b|(?<=\.\d)\s[b-df-nñp-tv-xz](?=\s|$))"
)
_DIGITS = re.compile(
    rf"(?P<number>\d{{1,3}}|1\.\d{{3}}|\d{{4,6}})(?:\.?[ºª])?(?:\.?[ -]?(?P<suffix>{SUFFIXES})\b)?"
    # "161 bis 1 y 2": an apartado after a suffix needs no point.
    rf"(?P<sub>(?(suffix)(?:\s\d{{1,2}}(?=\s*[,;)]|\s+(?:[yo]|del?)\s))?){_SUBDIVISION}*)"
    # "149.1.18.ªde la Constitución" lacks a blank.
    r"(?!(?<![ºª])\w|[ºª/%]|-(?!\d{1,3}(?![\d/-])|[a-zñ]\))|[.,]\d)"
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
_AND = re.compile(r"\s*,?\s+(?:y|e|o|u|ni|y/o|and|or)\s+(?:(?:en|de|a|por|con)\s+)?(?:(?:el|los|del|al)\s+)?(?=\S)")
# "149.1.5.ª, 6.ª y 7.ª", "68.a), b) y c)": more of the same article.
_MORE = re.compile(
    rf"(?:\s*,\s*(?:y\s+)?|\s+(?:[yeou]|al?)\s+|-)(?:\d{{1,2}}\.?ª(?!\w)|(?:la\s+|las\s+|en\s+la\s+)?{_BRACKETED})"
)
# "artículo 28, 1, de la Constitución"
_AFTER_COMMA = re.compile(r"\s*,\s*\d{1,2}(?:\.?º)?,(?=\s+del?\b)")
# "ET, 38, 1", "art. 38.1, 2 y 3 ET", "ET 38 1": how people write an apartado, which is less than the article.
_APARTADO_ASKED = re.compile(
    rf"(?P<comma>\s*,)?\s*(?P<number>\d{{1,2}})(?:\.?º)?(?:[. ](?:{SUFFIXES})\b)?(?:\s?{_BRACKETED}|[a-zñ](?!\w))?"
    r"(?![\w.)/%-])(?P<end>\s*$|\s+del?\s)?"
)
# "Artículo 38, 2 avisos": the number counts something.
_COUNTED = re.compile(r"\s+(?!estatuto|codigo|letra|apartado)([a-zñ]{4,})")
_COMMA = re.compile(r"\s*,\s*(?:(?:el|los)\s+)?(?=\S)")
_TO = re.compile(r"\s+(?:a|al|hasta(?:\s+el)?|to)\s+(?=\S)|-(?=\d)")


@dataclass(frozen=True)
class Item:
    """One provision of a list; ``number`` as in a key ("48 bis"), ``skipped``: span of a range too long to expand."""

    number: str
    start: int
    end: int
    places: Places = Places()
    skipped: tuple[int, int] | None = None


@dataclass(frozen=True)
class ProvisionList:
    """The provisions of a citation, all of one kind (``art``, ``da``); ``start`` includes the words before them."""

    kind: str
    start: int
    items: tuple[Item, ...]
    end: int


def _is_long(number: str) -> bool:
    return number.isdigit() and len(number) > 3


def _item(folded: str, position: int, kind: str, *, long: bool) -> tuple[Item, int] | None:
    if words := read_words(folded, position):
        number, end = str(words[0]), words[1]
        if suffix := _SUFFIX.match(folded, end):
            number, end = _suffixed(number, suffix[1]), suffix.end()
        match = _SUBDIVISION_OF_WORD.match(folded, end)
    elif only := _ONLY.match(folded, position):
        number = "unico" if kind in ("art", "anexo") else "unica"
        match = _SUBDIVISION_OF_WORD.match(folded, only.end())
    elif (match := _DIGITS.match(folded, position)) is not None:
        if _AMOUNT.match(folded, match.end()) or (_is_long(match["number"]) and not long):
            return None
        number = _suffixed(match["number"].replace(".", ""), match["suffix"])
    elif kind != "art" and (roman := _ROMAN.match(folded, position)) and (value := numeral(roman[0])):
        number, match = str(value), _SUBDIVISION_OF_WORD.match(folded, roman.end())
    if match is None:
        return None
    return Item(number, position, match.end(), read_places(folded, *match.span("sub"))), match.start("sub")


def _is_apartado(item: Item, last: Item, *, plural: bool) -> bool:
    """Tell "artículo 83.2 y 3" (apartado 3) from "artículos 51.1 y 53": the smaller number is an apartado."""
    if not item.number.isdigit() or item.places.have("apartado"):
        return False
    if last.places.have("apartado"):
        reached, article = last.places.read[-1].apartado.split()[0], last.number.split()[0]
        near = range(int(reached) if reached.isdigit() else 0, MOST_APARTADOS)
        return int(item.number) in near and article.isdigit() and int(item.number) < int(article)
    if plural or last.places.have("letter") or item.places.have("letter"):
        return False
    return int(item.number) <= int(last.number.split()[0].replace("unico", "0"))


def _up_to(first: Item, last: Item) -> list[Item]:
    if not (first.number.isdigit() and last.number.isdigit()):
        return [last]
    low, high = int(first.number), int(last.number)
    if not low < high <= low + LONGEST_RANGE:
        return [replace(last, skipped=(first.start, last.end) if low < high else None)]
    return [Item(str(number), last.start, last.end) for number in range(low + 1, high)] + [last]


def read_items(
    folded: str, position: int, kind: str, *, plural: bool, asked: bool = False, long: bool = False
) -> tuple[list[Item], int] | None:
    """Return the items of the list at a position and its end, or ``None``.

    ``asked``: a person wrote it, not a law; ``long``: the first number may have four digits or more, as a year has.
    """
    read = _item(folded, position, kind, long=long)
    if read is None:
        return None
    (first, places_start), long = read, long and _is_long(read[0].number)
    items, end = [first], first.end
    while True:
        while (
            more := (kind == "art" and _MORE.match(folded, end))
            or QUALIFIER.match(folded, end)
            or (not plural and _AFTER_COMMA.match(folded, end))
            or (asked and _apartado_asked(folded, end, items[-1].number, read_places(folded, places_start, end)))
        ):
            end = more.end()
        items[-1] = replace(items[-1], places=read_places(folded, places_start, end))
        step = (to := _TO.match(folded, end)) or _AND.match(folded, end) or (plural and _COMMA.match(folded, end))
        read = _item(folded, step.end(), kind, long=long) if step else None
        if read is None:
            return items, end
        following, following_start = read
        if kind == "art" and _is_apartado(following, items[-1], plural=plural):
            end = following.end
            continue
        if (
            to
            and following.number == items[-1].number
            and following.places.have("apartado")
            and items[-1].places.have("apartado")
        ):
            # "37.3 a 37.6": apartados of one article.
            until, *others = following.places.read
            apartados = [Place(each) for each in labels_to(until.apartado, items[-1].places.read[-1].apartado)]
            more_places = (*items[-1].places.read, *apartados, *others)
            items[-1] = replace(items[-1], places=replace(items[-1].places, read=more_places))
            return items, following.end
        items += _up_to(items[-1], following) if to else [following]
        end, places_start = following.end, following_start


def _apartado_asked(folded: str, position: int, article: str, places: Places) -> re.Match[str] | None:
    """Match the apartado of "38, 1" behind its number; a number that is not less is another article."""
    match, article = _APARTADO_ASKED.match(folded, position), article.split()[0]
    if match is None or not (match["comma"] or match["end"] is not None) or _AMOUNT.match(folded, match.end("number")):
        return None
    counted = _COUNTED.match(folded, match.start("end") if match["end"] is not None else match.end())
    if counted and counted[1] not in acronyms():
        return None
    last = places.read[-1] if places.read else None
    counts_on = last is None or (last.apartado.isdigit() and int(last.apartado) < int(match["number"]))
    return match if counts_on and article.isdigit() and int(match["number"]) < int(article) else None


def read_provision_list(folded: str, head: re.Match[str], kind: str, *, asked: bool = False) -> ProvisionList | None:
    """Return the provisions after a head ("artículos", "disp. adic."); ``None`` if no number follows."""
    plural = head[0].startswith(("articulos", "articles", "arts", "disposiciones", "dd"))
    blanks = _BLANKS.match(folded, head.end())
    begin = blanks.end() if blanks else head.end()
    listed = read_items(folded, begin, kind, plural=plural, asked=asked, long=kind == "art")
    if listed is None:
        return None
    items, end = listed
    words = words_before(folded, head.start())
    if words:
        items[0] = replace(items[0], places=items[0].places.after(read_places(folded, *words.span())))
    items[0] = replace(items[0], start=head.start())
    return ProvisionList(kind, words.start() if words else head.start(), tuple(items), end)
