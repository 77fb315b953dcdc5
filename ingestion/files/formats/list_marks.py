"""Write the numbers of lists, which word processors and browsers compute and do not store."""

_LETTERS = 26
_LARGEST_BY_LETTERS = 4 * _LETTERS
_LARGEST_START = 999_999


def first_number(written: str) -> int:
    """Return the number with which a list begins, as a file has it; 1 where it is none, or beyond all reason."""
    usable = written.isascii() and written.isdecimal() and len(written) <= len(str(_LARGEST_START))
    return int(written) if usable else 1


def letter(number: int) -> str:
    """Return the letters of a number from 1: a to z, then aa, bb; beyond four letters in figures.

    >>> [letter(number) for number in (1, 26, 27, 105)]
    ['a', 'z', 'aa', '105']
    """
    if not 1 <= number <= _LARGEST_BY_LETTERS:
        return str(number)
    return chr(ord("a") + (number - 1) % _LETTERS) * ((number - 1) // _LETTERS + 1)
