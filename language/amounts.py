"""Read numbers as people write them: separators of either side of the Atlantic, signs, units and suffixes."""

import re
from decimal import Decimal

_DIGITS = r"\d+(?:[.,]\d+)*"
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
NUMBER = rf"(?P<digits>\d{{1,3}}(?: \d{{3}})+(?:[.,]\d+)?|{_DIGITS})(?P<fraction>[¼½¾])?"
"""Pattern of a number in text in lower case; its groups are the first two arguments of ``parse_number``."""
MULTIPLE = rf"(?:\s?(?P<multiple>{'|'.join(sorted(_MULTIPLES, key=len, reverse=True))})\b)?"
"""Pattern of what multiplies the number before it ("mil", "k"); its group is the third argument."""

_ZERO_WORDS = frozenset(("none", "no", "ninguno", "ninguna", "nada", "zero", "cero"))
_AMOUNT = re.compile(rf"(?P<sign>[-(]\s?)?(?:[$€£]|usd|eur)?\s?(?P<minus>-)?{NUMBER}{MULTIPLE}")


def parse_number(digits: str, fraction: str | None = None, multiple: str | None = None) -> Decimal | None:
    """Return the value of digits with separators; ``None`` where the separators make no sense.

    Of two different separators the last one is that of the decimals. A single one before exactly three digits parts
    thousands, and so does one that comes several times; any other is that of the decimals.

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
    """Return the amount in a text such as "$10,000", "1.234,56 €", "($500)", "10k", "none" or "33 days".

    ``None`` where there is no number, or more than one: which one is meant then is anybody's guess.
    """
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
