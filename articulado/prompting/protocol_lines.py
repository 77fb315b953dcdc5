"""Recognise the protocol lines of a reply: the delimiter and the lines of the self-evaluation.

The delimiter is ``===META===``. Models also write ``---META---``, ``=== METADATA``, ``## META``, ``[META]``
or ``META:``, and full-width signs (``ＵＳＥＤ｜１``). A form that no answer contains is a delimiter at any
position (``is_certain``). A form that may be a heading about a goal (Spanish "meta") or a company of that
name is a delimiter only if lines of self-evaluation follow it.

All functions take one line without its break, or the beginning of one. They inspect a bounded part of it.
"""

import re
from itertools import product

DELIMITER = "===META==="
DECORATION = " \t>*_`~#+•-\"'«»“”\ufeff\u200b"
"""What models put around a line that was to stand bare."""

RULES = "=＝-－—"
"""The signs that delimiters are drawn with, in both widths."""

_WIDE = {0xFF01 + offset: 0x21 + offset for offset in range(94)} | {0x3000: " ", ord("│"): "|", ord("¦"): "|"}
_TAILS = ("DATA", "DATOS", "INFO")
_WORDS = ("META", *("".join(parts) for parts in product(("META",), ("", " ", "-", "_"), _TAILS)))
_WORD = rf"META(?:[ _-]?(?:{'|'.join(_TAILS)}))?"
_FRAME = DECORATION + "=–—―═━─<>[](){}|/\\:·!"
_LONGEST = 100
"""Characters of decoration before or after a word; with more it is none of the protocol."""

_SIGNS = rf"[\s{re.escape(_FRAME)}]{{0,{_LONGEST}}}"
_DELIMITER_LINE = re.compile(rf"^(?P<before>{_SIGNS})(?P<word>{_WORD})(?P<after>{_SIGNS})$", re.IGNORECASE)
_CERTAIN = re.compile(r"={3}|^[^\0]*[-–—―]{2}[^\0]*\0[^\0]*[-–—―]{2}")
_RULES = (("=", 3), ("-", 3), ("—", 2))
_INLINE = re.compile(
    "|".join(
        rf"(?<!{sign}){sign}{{{least},{_LONGEST}}}[ \t]{{0,9}}{_WORD}[ \t]{{0,9}}{sign}{{{least}}}"
        for sign, least in _RULES
    ),
    re.IGNORECASE,
)
_LETTERS = "".join(f"(?:{letter}" for letter in "META") + ")?" * len("META")
_INLINE_START = re.compile(
    rf"(?:{'|'.join(f'(?<!{sign}){sign}{{1,{_LONGEST}}}' for sign, _ in _RULES)})[ \t]{{0,9}}"
    rf"(?:{_LETTERS}|(?:{'|'.join(_WORDS)})[ \t]{{0,9}}[=\-—]{{0,2}}|META[ _-]?(?:D(?:A(?:TO?)?)?|I(?:NF?)?))$",
    re.IGNORECASE,
)
_CUT_OFF = re.compile(rf"^[\s{re.escape(_FRAME)}]*[=\-–—#*_<\[]{{2,}}\s*ME(?:T|TA)?[^\w]*$")
_LEAD = (
    rf"^(?:{_SIGNS}{_WORD}{_SIGNS}|[\s{re.escape(DECORATION)}]{{0,{_LONGEST}}}(?:\d{{1,2}}[.)]\s{{0,9}}[*_`]{{0,9}})?)"
)
_GAP = r"[\s*_`]{0,20}"
_EVALUATION = re.compile(rf"{_LEAD}(USED|DROP|NEED){_GAP}[|:](.*)$", re.IGNORECASE)
_EVALUATION_ANYWHERE = re.compile(rf"(?<![^\W_])(?:USED|DROP|NEED){_GAP}[|:]", re.IGNORECASE)
_EVALUATION_START = re.compile(
    rf"{_LEAD}(?:\d{{1,2}}|U?|US|USE|USED{_GAP}|D?|DR|DRO|DROP{_GAP}|N?|NE|NEE|NEED{_GAP})$", re.IGNORECASE
)


_KEYWORDS = ("meta", "used", "drop", "need")
_WIDE_SIGN = re.compile("[" + "".join(map(re.escape, map(chr, _WIDE))) + "]")


def narrow(text: str) -> str:
    """Return a text of the same length whose full-width signs and letters are the usual ones: ``｜`` -> ``|``."""
    return text.translate(_WIDE) if _WIDE_SIGN.search(text) else text


def may_hold_protocol(text: str) -> bool:
    """Tell whether a text has a word of the protocol: without one it has neither a delimiter nor an evaluation."""
    folded = narrow(text).casefold()
    return any(word in folded for word in _KEYWORDS)


def evaluation(line: str) -> re.Match[str] | None:
    """Match a line of self-evaluation: the keyword, in any case, and after the separator the rest of the line.

    A delimiter may stand before it.
    """
    return _EVALUATION.match(narrow(line))


def evaluation_signs(line: str) -> list[int]:
    """Return where the separators of all keywords in a line are: who quotes a part of it may begin a line with it."""
    return [match.end() - 1 for match in _EVALUATION_ANYWHERE.finditer(narrow(line))]


def is_delimiter(line: str) -> bool:
    """Tell whether a line is a delimiter, or a heading of one word that could be."""
    return bool(_DELIMITER_LINE.match(narrow(line)))


def is_certain(line: str) -> bool:
    """Tell whether a line is a delimiter by its own signs: three ``=``, or dashes on both sides."""
    match = _DELIMITER_LINE.match(narrow(line))
    return bool(match and _CERTAIN.search(f"{match['before']}\0{match['after']}"))


def is_as_asked_for(line: str) -> bool:
    """Tell whether the word of a delimiter is in capitals, as it was asked for, or a longer one that is no goal."""
    match = _DELIMITER_LINE.match(narrow(line))
    return bool(match and (match["word"].isupper() or len(match["word"]) > len("META")))


def inline_delimiter(line: str) -> re.Match[str] | None:
    """Find the first ``===META===`` or ``---META---`` in a line; more of its signs may follow it."""
    return _INLINE.search(narrow(line))


def inline_delimiter_begins(line: str) -> re.Match[str] | None:
    """Find the end of a line that more text may make a ``===META===`` or ``---META---``."""
    return _INLINE_START.search(narrow(line))


def may_become_protocol(line: str) -> bool:
    """Tell whether more text may make a delimiter or a line of self-evaluation of what a line begins with, or has."""
    text = narrow(line)
    if _EVALUATION_START.match(text) or _EVALUATION.match(text) or _DELIMITER_LINE.match(text):
        return True
    word = text.lstrip(_FRAME)
    return len(text) - len(word) <= _LONGEST and any(known.startswith(word.upper()) for known in _WORDS)


def is_cut_off(line: str) -> bool:
    """Tell whether a line, the last of a reply, is a delimiter of which the end is missing."""
    return bool(_CUT_OFF.match(narrow(line)))
