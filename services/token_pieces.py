"""Pieces of text whose tokens are known, from ``data/token_pieces.txt``."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

SHORT = 4
"""Bytes of the longest part that the list holds for the sake of longer words."""

DIGITS = 3
"""Of the digits 0 to 9, how many the patterns leave together; each such number is a token of both encodings."""

LEADS = frozenset(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\t«¿¡“‘—–")
"""Characters that may open a piece before its letters."""

_FORMS = 3
_ENCODINGS = ("cl100k_base", "o200k_base")


@dataclass(frozen=True)
class Known:
    """What is known of one encoding.

    ``words`` maps a word in small letters to its counts: a digit each for the word alone, after a space, after one of
    ``LEADS`` (the most), then the same with a capital; first those of cl100k_base, then those of o200k_base.
    ``symbols`` maps pieces without letters to their count; ``short`` are tokens of 2 to 4 bytes, as Latin-1 text.
    """

    words: dict[str, str]
    symbols: dict[str, int]
    short: frozenset[str]
    first: int

    def count(self, piece: str) -> int | None:
        """Return the tokens of a piece, exactly or (after one of ``LEADS``) at least; nothing if it is not listed."""
        if piece.isascii() and (len(piece) == 1 or (piece.isdecimal() and len(piece) <= DIGITS)):
            return 1
        listed = self.symbols.get(piece)
        if listed is not None:
            return listed
        form, word = (1 if piece[0] == " " else 2, piece[1:]) if piece[0] in LEADS else (0, piece)
        counts = self.words.get(word)
        if counts is None:
            small = word[:1].lower() + word[1:]
            # Not all capitals are the capital of their small letter: that of "K" in kelvin is another.
            counts = self.words.get(small) if small[:1].upper() + small[1:] == word else None
            form += _FORMS
        return None if counts is None else int(counts[self.first + form])


@cache
def known(encoding: str) -> Known:
    """Return what is listed of an encoding."""
    which = _ENCODINGS.index(encoding)
    words, parts, rows = _read()
    short = {part for told, group in parts.items() if told[which] == "1" for part in group}
    symbols = {piece: counts[which] for counts, pieces in rows for piece in pieces}
    short.update(_latin(piece) for piece, count in symbols.items() if count == 1 and len(piece) <= SHORT)
    return Known(words, symbols, frozenset(part for part in short if len(part) <= SHORT), which * 2 * _FORMS)


@cache
def _read() -> tuple[dict[str, str], dict[str, list[str]], list[tuple[tuple[int, int], list[str]]]]:
    """Return words with their counts, parts by the encodings that have them, and symbols with their counts."""
    text = resources.files("services.data").joinpath("token_pieces.txt").read_text(encoding="utf-8")
    words: dict[str, str] = {}
    parts: dict[str, list[str]] = {}
    symbols: list[tuple[tuple[int, int], list[str]]] = []
    for line in text.split("\n"):
        kind, _, rest = line.partition(" ")
        match kind:
            case "#" | "":
                pass
            case "part":
                told, _, group = rest.partition(" ")
                parts[told] = [part.replace("_", " ") for part in _latin(group).split(" ")]
            case "symbol":
                *counted, pieces = json.loads(rest)
                symbols.append((tuple(counted), pieces))
            case counts:
                words.update(dict.fromkeys(rest.split(), counts))
    return words, parts, symbols


def _latin(text: str) -> str:
    return text.encode().decode("latin-1")
