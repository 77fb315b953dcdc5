"""Write the numbers of lists, which word processors and browsers compute and do not store."""

_LETTERS = 26
_LARGEST_BY_LETTERS = 4 * _LETTERS
_LARGEST_ROMAN = 3_999
"""What follows needs letters with a bar above."""
_LARGEST_START = 999_999
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


def first_number(written: str) -> int:
    """Return the number with which a list begins, as a file has it; 1 where it is none, or beyond all reason."""
    known = written.isascii() and written.isdecimal() and len(written) <= len(str(_LARGEST_START))
    return int(written) if known else 1


def letter(number: int) -> str:
    """Return the letters of a number from 1: a to z, then aa, bb; beyond four letters in figures."""
    if not 1 <= number <= _LARGEST_BY_LETTERS:
        return str(number)
    return chr(ord("a") + (number - 1) % _LETTERS) * ((number - 1) // _LETTERS + 1)


def roman(number: int) -> str:
    """Return a number from 1 in small Roman numerals; beyond 3,999 in figures."""
    if not 1 <= number <= _LARGEST_ROMAN:
        return str(number)
    written = ""
    for value, numeral in _ROMAN:
        count, number = divmod(number, value)
        written += numeral * count
    return written
