"""Numbers as people write them: with marks of thousands of either side of the Atlantic, signs, units and suffixes."""

import re
from decimal import Decimal

DIGITS = r"\d+(?:[.,]\d+)*"
"""A number with its marks, as text."""

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
NUMBER = rf"(?P<digits>\d{{1,3}}(?: \d{{3}})+(?:[.,]\d+)?|{DIGITS})(?P<fraction>[¼½¾])?"
MULTIPLE = rf"(?:\s?(?P<multiple>{'|'.join(sorted(_MULTIPLES, key=len, reverse=True))})\b)?"

_NOTHING = frozenset(("none", "no", "ninguno", "ninguna", "nada", "zero", "cero"))
_AMOUNT = re.compile(rf"(?P<sign>[-(]\s?)?(?:[$€£]|usd|eur)?\s?(?P<minus>-)?{NUMBER}{MULTIPLE}")


def number(digits: str, fraction: str | None = None, multiple: str | None = None) -> Decimal | None:
    """Return the value of digits with marks; ``None`` where the marks make no sense.

    Of two different marks the last one is that of the decimals. A single mark before exactly three digits parts
    thousands, and so does one that comes several times; any other is that of the decimals.
    """
    digits = digits.replace(" ", "")
    marks = [character for character in digits if character in ".,"]
    if len(set(marks)) == 2:
        whole, decimals = digits.rsplit(marks[-1], 1)
        if marks.count(marks[-1]) > 1:
            return None
    elif len(marks) > 1 or (marks and re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", digits)):
        whole, decimals = digits, ""
    else:
        whole, _, decimals = digits.replace(",", ".").partition(".")
    if re.search(r"[.,]", whole) and not re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", whole):
        return None
    value = Decimal(f"{re.sub('[.,]', '', whole)}.{decimals or 0}") + _FRACTIONS.get(fraction or "", 0)
    return value * _MULTIPLES.get(multiple or "", 1)


def amount(written: str) -> Decimal | None:
    """Return the amount in a text such as "$10,000", "1.234,56 €", "($500)", "10k", "none" or "33 days".

    ``None`` where there is no number, or more than one: what is meant then is anybody's guess.
    """
    text = written.casefold().replace("ó", "o").strip()
    if text in _NOTHING:
        return Decimal(0)
    found = list(_AMOUNT.finditer(text))
    if len(found) != 1 or re.search(r"\d", text[: found[0].start()] + text[found[0].end() :]):
        return None
    match = found[0]
    value = number(match["digits"], match["fraction"], match["multiple"])
    negative = bool(match["minus"]) or (match["sign"] or "").strip() in ("-", "(")
    return -value if value is not None and negative else value
