"""Numbers in digits, in words (Spanish and English) and in Roman numerals: reading and writing."""

import re
from decimal import Decimal

from articulado.language.folding import fold

_FIGURE = r"\d+(?:[.,]\d+)*"
_FRACTIONS = {"¼": Decimal("0.25"), "½": Decimal("0.5"), "¾": Decimal("0.75")}
_MULTIPLES = {
    "k": 1_000,
    "mil": 1_000,
    "thousand": 1_000,
    "m": 1_000_000,
    "mm": 1_000_000,
    "million": 1_000_000,
    "millon": 1_000_000,
    "millones": 1_000_000,
}
NUMBER = rf"(?P<digits>\d{{1,3}}(?: \d{{3}})+(?:[.,]\d+)?|{_FIGURE})(?P<fraction>[¼½¾])?"
"""Pattern of a number in lower-case text; its groups are the first two arguments of ``parse_number``."""
MULTIPLE = rf"(?:\s?(?P<multiple>{'|'.join(sorted(_MULTIPLES, key=len, reverse=True))})\b)?"
"""Pattern of a multiplier ("mil", "k"); its group is the third argument of ``parse_number``."""

_ZERO_WORDS = frozenset(("none", "no", "ninguno", "ninguna", "nada", "zero", "cero"))
_AMOUNT = re.compile(rf"(?P<sign>[-(]\s?)?(?:[$€£]|usd|eur)?\s?(?P<minus>-)?{NUMBER}{MULTIPLE}")


def parse_number(digits: str, fraction: str | None = None, multiple: str | None = None) -> Decimal | None:
    """Return the value of digits with separators, or ``None`` if these make no sense.

    Of two different separators the last is that of the decimals. A repeated one, or a single one before exactly three
    digits, groups thousands.

    >>> parse_number("1.234,56"), parse_number("12.5", multiple="k"), parse_number("1.2.3,4")
    (Decimal('1234.56'), Decimal('12500.0'), None)
    """
    digits = digits.replace(" ", "")
    separators = [character for character in digits if character in ".,"]
    if len(set(separators)) == 2:
        whole, decimals = digits.rsplit(separators[-1], 1)
        if separators.count(separators[-1]) > 1:
            return None
    elif len(separators) > 1 or (separators and re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", digits)):
        whole, decimals = digits, ""
    else:
        whole, _, decimals = digits.replace(",", ".").partition(".")
    if re.search(r"[.,]", whole) and not re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", whole):
        return None
    value = Decimal(f"{re.sub('[.,]', '', whole)}.{decimals or 0}") + _FRACTIONS.get(fraction or "", 0)
    return value * _MULTIPLES.get(multiple or "", 1)


def parse_amount(written: str) -> Decimal | None:
    """Return the only amount in a text such as "$10,000", "1.234,56 €", "($500)", "10k" or "none", else ``None``."""
    text = written.casefold().replace("ó", "o").strip()
    if text in _ZERO_WORDS:
        return Decimal(0)
    matches = list(_AMOUNT.finditer(text))
    if len(matches) != 1 or re.search(r"\d", text[: matches[0].start()] + text[matches[0].end() :]):
        return None
    match = matches[0]
    value = parse_number(match["digits"], match["fraction"], match["multiple"])
    negative = bool(match["minus"]) or (match["sign"] or "").strip() in ("-", "(")
    return -value if value is not None and negative else value


# fmt: off
CARDINALS = (  # One to twenty-nine, folded: each is one word
    "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce", "trece",
    "catorce", "quince", "dieciseis", "diecisiete", "dieciocho", "diecinueve", "veinte", "veintiuno", "veintidos",
    "veintitres", "veinticuatro", "veinticinco", "veintiseis", "veintisiete", "veintiocho", "veintinueve",
)
_TENS = ("treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa")
_HUNDREDS = (
    "doscient", "trescient", "cuatrocient", "quinient", "seiscient", "setecient", "ochocient", "novecient",
)
ORDINAL_STEMS = ("primer", "segund", "tercer", "cuart", "quint", "sext", "septim", "octav", "noven")
# fmt: on
_ORDINAL_TENS = {"decim": 10, "vigesim": 20, "trigesim": 30, "cuadragesim": 40, "quincuagesim": 50}
_ORDINAL_TENS |= {"sexagesim": 60, "septuagesim": 70, "octogesim": 80, "nonagesim": 90, "centesim": 100}
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_LARGEST_ROMAN = 3_999  # Larger numbers need letters with a bar

_VALUES = (
    {word: value for value, word in enumerate(CARDINALS, start=1)}
    | {word: 10 * value for value, word in enumerate(_TENS, start=3)}
    | {"cien": 100, "ciento": 100}
    | {stem + "os": 100 * value for value, stem in enumerate(_HUNDREDS, start=2)}
)
# How a cardinal is written before what it counts: "un día", "doscientas horas".
_COUNTING = _VALUES | {"un": 1, "una": 1, "veintiun": 21, "veintiuna": 21}
_COUNTING |= {stem + "as": 100 * value for value, stem in enumerate(_HUNDREDS, start=2)}
# How laws number: "una" is the first of something feminine, and one law has a "curenta y tres".
_NUMBERING = _VALUES | {"una": 1, "curenta": 40}
_THOUSAND = "mil"
_MILLIONS = re.compile(r"\s+millon(?:es)?\b(?:\s+de\b)?")

_WORD = re.compile(r"[a-z]+")
_NEXT_CARDINAL = re.compile(r"\s+(?:y\s+)?([a-z]+)")
_NEXT_ORDINAL = re.compile(r"\s+([a-z]+)")
_DIGITS = re.compile(r"(\d{1,4})(?:\.?\s?[ºª])?(?![\w])")
# "D" and "M" are left out: what provisions are numbered by does not go so far.
_ROMAN_NUMERAL = re.compile(r"(?=[ivxlc])(c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})")
_LETTER_VALUES = {letter: value for value, letter in _ROMAN if len(letter) == 1}
_COUNTING_WORD = "|".join(sorted([*_COUNTING, _THOUSAND], key=len, reverse=True))
_THIN = "[ \u00a0\u2009\u202f]"  # Blanks that group thousands in newer texts: "1 221 euros"
_NUMBER = re.compile(
    rf"(?<![\w.,/])(?:(?P<digits>\d{{1,3}}(?:(?:\.\d{{3}})+|(?:{_THIN}\d{{3}})+)(?!\d)(?:,\d+)?|\d+(?:[.,]\d+)?)|(?P<word>{_COUNTING_WORD})\b)"
)
_GROUPED = re.compile(rf"\d{{1,3}}(?:(?:\.|{_THIN})\d{{3}})+")
_NEXT_COUNTING = re.compile(rf"(?P<and>\s+y)?\s+(?P<word>{_COUNTING_WORD})\b")


def _ordinals() -> dict[str, int]:
    table: dict[str, int] = {"primer": 1, "tercer": 3, "undecimo": 11, "undecima": 11, "duodecimo": 12, "duodecima": 12}
    for value, stem in [*enumerate(ORDINAL_STEMS, 1), (7, "setim")]:
        for gender in "oa":
            table[stem + gender] = value
            for tens, base in _ORDINAL_TENS.items():
                table[tens + "o" + stem + gender] = base + value
                # "decimoctavo", "vigesimoctava": the two o's may be written as one.
                table[tens + stem + gender] = base + value
    for stem, value in _ORDINAL_TENS.items():
        table[stem + "o"] = table[stem + "a"] = value
    return table


_ORDINALS = _ordinals()


def read_words(folded: str, position: int = 0) -> tuple[int, int] | None:
    """Read the ordinal or cardinal of a provision at a position of a folded text; return value and end.

    >>> read_words("articulo treinta y tres", 9)
    (33, 23)
    """
    first = _WORD.match(folded, position)
    if first is None:
        return None
    table, next_word = (_ORDINALS, _NEXT_ORDINAL) if first[0] in _ORDINALS else (_NUMBERING, _NEXT_CARDINAL)
    if first[0] not in table:
        return None
    value, end = table[first[0]], first.end()
    while value % 10 == 0:
        following = next_word.match(folded, end)
        addend = table.get(following[1], 0) if following else 0
        if following is None or not 0 < addend < (100 if value % 100 == 0 else 10):
            break
        value, end = value + addend, following.end()
    return value, end


def numeral(text: str) -> int | None:
    """Return the value of a text that is a numeral as a whole, or ``None``.

    >>> [numeral(text) for text in ("undécima", "treinta y tres", "7.ª", "VII", "hola")]
    [11, 33, 7, 7, None]
    """
    folded = fold(text).strip(" .")
    if digits := _DIGITS.fullmatch(folded):
        return int(digits[1])
    words = read_words(folded)
    if words is not None and words[1] == len(folded):
        return words[0]
    return _read_roman(folded)


def _read_roman(folded: str) -> int | None:
    if not folded or _ROMAN_NUMERAL.fullmatch(folded) is None:
        return None
    values = [_LETTER_VALUES[letter] for letter in folded]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def roman(number: int) -> str:
    """Return a number in small Roman numerals; beyond 3,999 in figures."""
    if not 1 <= number <= _LARGEST_ROMAN:
        return str(number)
    written = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        written += letters * count
    return written


def read_number(folded: str, position: int = 0) -> tuple[int, int, Decimal] | None:
    """Return start, end and value of the next number of a folded text, in digits or words, or ``None``.

    >>> read_number("son doscientas mil horas")
    (4, 18, Decimal('200000'))
    """
    match = _NUMBER.search(folded, position)
    if match is None:
        return None
    value, end = _digits(match["digits"]), match.end()
    if match["word"]:
        value, end = _counting(folded, match["word"], match.end())
    if millions := _MILLIONS.match(folded, end):
        value, end = value * 1_000_000, millions.end()
    return match.start(), end, value


def _digits(written: str | None) -> Decimal:
    whole, _, decimals = (written or "0").partition(",")
    if _GROUPED.fullmatch(whole):
        whole = re.sub(r"\D", "", whole)
    return Decimal(f"{whole}.{decimals}" if decimals else whole)


def _counting(folded: str, first: str, end: int) -> tuple[Decimal, int]:
    thousands, current = (1, 0) if first == _THOUSAND else (0, _COUNTING[first])
    last = 1_000 if first == _THOUSAND else current
    while following := _NEXT_COUNTING.match(folded, end):
        word, joined = following["word"], bool(following["and"])
        if word == _THOUSAND and not thousands and not joined:
            thousands, current, last = current, 0, 1_000
        elif word != _THOUSAND and _COUNTING[word] < _upper_bound(last, joined):
            last = _COUNTING[word]
            current += last
        else:
            break
        end = following.end()
    return Decimal(1_000 * thousands + current), end


def _upper_bound(last: int, joined: bool) -> int:
    """Return the limit of the next addend: a hundred after "mil", a ten after "y"; 0 if none may follow."""
    if joined:
        return 10 if 30 <= last < 100 and last % 10 == 0 else 0
    return last if last == 1_000 else 100 if last >= 100 else 0
