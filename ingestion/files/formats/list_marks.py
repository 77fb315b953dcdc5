"""Write the numbers of lists, which word processors and browsers compute and do not store."""

_ROMAN = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


def letter(number: int) -> str:
    """Return the letters of a number from 1: a to z, then aa, bb."""
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


def roman(number: int) -> str:
    """Return a number from 1 in small Roman numerals."""
    written = ""
    for value, numeral in _ROMAN:
        count, number = divmod(number, value)
        written += numeral * count
    return written
