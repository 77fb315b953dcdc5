"""Recognise the protocol lines of a reply, take the answer out of its wrapper, and emit its text once it is certain.

Models wrap answers in a code block or in JSON; the words are in ``articulado/models/habits.toml``.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any, Literal

import regex

from articulado.models.habits import Wrappers, habits

DELIMITER = "===META==="
DECORATION = " \t>*_`~#+•-\"'«»“”\ufeff\u200b"  # Characters that models put around a protocol line

RULES = "=＝-－—"  # Characters that delimiters are drawn with, in both widths

_WIDE = {0xFF01 + offset: 0x21 + offset for offset in range(94)} | {0x3000: " ", ord("│"): "|", ord("¦"): "|"}
_TAILS = ("DATA", "DATOS", "INFO")
_WORDS = ("META", *("".join(parts) for parts in product(("META",), ("", " ", "-", "_"), _TAILS)))
_WORD = rf"META(?:[ _-]?(?:{'|'.join(_TAILS)}))?"
_FRAME = DECORATION + "=–—―═━─<>[](){}|/\\:·!"
_LONGEST = 100  # Characters of decoration before or after a word; with more it is none of the protocol

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
    """Return a text of the same length with full-width characters replaced: ``｜`` -> ``|``."""
    return text.translate(_WIDE) if _WIDE_SIGN.search(text) else text


def may_hold_protocol(text: str) -> bool:
    """Tell if a text has a word of the protocol (a quick check)."""
    folded = narrow(text).casefold()
    return any(word in folded for word in _KEYWORDS)


def evaluation(line: str) -> re.Match[str] | None:
    """Match a line of self-evaluation, also after a delimiter; the groups are the keyword and the rest of the line."""
    return _EVALUATION.match(narrow(line))


def evaluation_signs(line: str) -> list[int]:
    """Return the positions of the separators after keywords, anywhere in a line."""
    return [match.end() - 1 for match in _EVALUATION_ANYWHERE.finditer(narrow(line))]


def is_delimiter(line: str) -> bool:
    """Tell if a line is a delimiter, or a one-word heading that could be one."""
    return bool(_DELIMITER_LINE.match(narrow(line)))


def is_certain(line: str) -> bool:
    """Tell if the signs around the word prove a line to be a delimiter: three ``=``, or two dashes on both sides."""
    match = _DELIMITER_LINE.match(narrow(line))
    return bool(match and _CERTAIN.search(f"{match['before']}\0{match['after']}"))


def is_as_asked_for(line: str) -> bool:
    """Tell if a delimiter's word is as in the prompt: in capitals, or longer than META ("meta" is a Spanish noun)."""
    match = _DELIMITER_LINE.match(narrow(line))
    return bool(match and (match["word"].isupper() or len(match["word"]) > len("META")))


def inline_delimiter(line: str) -> re.Match[str] | None:
    """Find the first ``===META===`` or ``---META---`` in a line; more of its signs may follow."""
    return _INLINE.search(narrow(line))


def inline_delimiter_begins(line: str) -> re.Match[str] | None:
    """Find the end of a line that more text may complete to an inline delimiter."""
    return _INLINE_START.search(narrow(line))


def may_become_protocol(line: str) -> bool:
    """Tell if more text may turn a line into a delimiter or a self-evaluation."""
    text = narrow(line)
    if _EVALUATION_START.match(text) or _EVALUATION.match(text) or _DELIMITER_LINE.match(text):
        return True
    word = text.lstrip(_FRAME)
    return len(text) - len(word) <= _LONGEST and any(known.startswith(word.upper()) for known in _WORDS)


def is_cut_off(line: str) -> bool:
    """Tell if the last line of a reply is an incomplete delimiter."""
    return bool(_CUT_OFF.match(narrow(line)))


FENCE = "```"

_BARE_FENCE = re.compile(rf"{FENCE}\w{{0,20}}")
_LEADING_FENCE = re.compile(rf"\s*{FENCE}\w{{0,20}}[^\S\n]*\n\s*")


class AnswerText:
    """Emits text once it is certain that it does not end the answer; the emitted pieces add up to ``text``.

    White space and bare code fences are held back: models often put their self-evaluation in a block.
    """

    def __init__(self, emit: Callable[[str], None]) -> None:
        self._emit_text = emit
        self._emitted: list[str] = []
        self._held: list[str] = []
        self._line = ""  # of the current line, what is held back of it, without white space before it
        self._line_shown = False  # a part of the current line has been emitted
        self._in_block = False  # the fence before a self-evaluation that came first has been dropped, its pair not yet

    def __bool__(self) -> bool:
        return bool(self._emitted)

    @property
    def text(self) -> str:
        return "".join(self._emitted)

    def add(self, text: str) -> None:
        """Add the next piece."""
        lines = text.split("\n")
        last = next((index for index in range(len(lines) - 1, -1, -1) if not self._may_end(lines, index)), None)
        if last is None:
            self._held.append(text)
            self._line = _compact(lines[-1] if len(lines) > 1 else self._line + text)
            self._line_shown = self._line_shown and len(lines) == 1
            return
        ending = lines[last].rstrip()
        shown = "".join([*self._held, *(f"{line}\n" for line in lines[:last]), ending])
        self._held = ["\n".join([lines[last][len(ending) :], *lines[last + 1 :]])]
        self._line_shown = last == len(lines) - 1
        self._line = "" if self._line_shown else _compact(lines[-1])
        if not self._emitted:
            shown = (_LEADING_FENCE.sub("", shown, count=1) if self._in_block else shown).lstrip()
        self._emit(shown)

    def begin_again(self) -> None:
        """Drop the held text before any answer: it belongs to a self-evaluation that came first."""
        held = "".join(self._held)
        self._in_block ^= sum(line.strip().startswith(FENCE) for line in held.split("\n")) % 2 == 1
        self._held, self._line, self._line_shown = [], "", False

    def close(self) -> None:
        """End the text, and close an open code block."""
        if sum(line.lstrip().startswith(FENCE) for line in self.text.split("\n")) % 2:
            self._emit(f"\n{FENCE}")

    def _may_end(self, lines: list[str], index: int) -> bool:
        if index:
            line, begins = lines[index].strip(), True
        else:
            line, begins = (self._line + lines[0]).strip(), not self._line_shown
        return not line or (begins and bool(_BARE_FENCE.fullmatch(line)))

    def _emit(self, text: str) -> None:
        if text:
            self._emitted.append(text)
            self._emit_text(text)


def _compact(line: str) -> str:
    line = line.lstrip()
    content = line.rstrip()
    return content + line[len(content) :][:1]


class Unwrapper:
    r"""Passes on a streamed reply without the code block or JSON object around it.

    The text of a Markdown block is passed on at once. Other blocks and JSON are held until their end.

    >>> wrapper = Unwrapper()
    >>> wrapper.feed('{"answer": "Son 30 días [C1].", "used": [1]}') + wrapper.rest()
    'Son 30 días [C1].\n===META===\nUSED|1'
    """

    def __init__(self, words: Wrappers | None = None) -> None:
        self._words = words or habits().wrappers
        self._pending = ""
        self._state: Literal["begins", "plain", "held", "block"] = "begins"
        self._nested = False  # a block within the block
        self._line_begins = True

    def feed(self, text: str) -> str:
        """Add the next piece of the reply and return the text that is certain."""
        if self._state == "plain":
            return text
        self._pending += text
        if self._state == "begins":
            self._begin(last=False)
        if self._state == "held":
            return ""
        return self._in_block(last=False) if self._state == "block" else self._release()

    def rest(self) -> str:
        """End the reply and return the held text."""
        if self._state == "begins":
            self._begin(last=True)
        if self._state == "held":
            return unwrapped(self._pending, self._words)
        return self._in_block(last=True) if self._state == "block" else self._release()

    def _release(self) -> str:
        if self._state == "begins":
            return ""
        text, self._pending = self._pending, ""
        return text

    def _begin(self, *, last: bool) -> None:
        text = self._pending.lstrip()
        if announced := _preamble(self._words.preambles).match(text, partial=not last):
            if announced.partial:
                return
            text = text[announced.end() :].lstrip()
        fence = _opening_fence(self._words.fences).match(text, partial=not last)
        if fence and not fence.partial:
            markdown = fence[1].casefold() in ("markdown", "md")
            self._state, self._pending = ("block", text[fence.end() :]) if markdown else ("held", text)
        elif not text or fence:
            self._state = "plain" if last else "begins"
        elif _JSON.match(text):
            self._state, self._pending = "held", text
        elif last or text != "[":
            self._state, self._pending = "plain", text

    def _in_block(self, *, last: bool) -> str:
        """Return the complete lines of the block without its closing fence, and the text behind it."""
        *lines, rest = self._pending.splitlines(keepends=True) or [""]
        # The last line may still become a fence.
        held = not last and not rest.endswith("\n") and _may_be_fence(rest)
        self._pending = rest if held else ""
        kept = []
        for line in lines if held else [*lines, rest]:
            if self._state == "block" and self._line_begins and line.strip().startswith(FENCE):
                if not self._nested and line.strip() == FENCE:
                    self._state = "plain"
                    continue
                self._nested = not self._nested
            self._line_begins = line.endswith("\n")
            kept.append(line)
        return "".join(kept)


def unwrapped(reply: str, words: Wrappers) -> str:
    """Return the answer of a reply that is a code block or a JSON object, or else the reply."""
    fence = _opening_fence(words.fences).match(reply)
    content, behind = reply, ""
    if fence:
        content, closed, behind = _divided(reply[fence.end() :])
        if behind.strip() and not _PROTOCOL.match(behind.lstrip()) and "[C" not in content:
            return reply
        behind = behind if closed else ""
    if not _JSON.match(content.lstrip()):
        return f"{content}\n{behind}" if fence and fence[1].casefold() not in _JSON_FENCES else reply
    answer, end = _from_json(content.lstrip(), words)
    if not answer:
        return reply
    return "\n".join(filter(None, (answer, end.strip(), behind.strip())))


def _divided(text: str) -> tuple[str, bool, str]:
    nested, lines = False, text.split("\n")
    for number, line in enumerate(lines):
        if line.strip().startswith(FENCE):
            if not nested and line.strip() == FENCE:
                return "\n".join(lines[:number]), True, "\n".join(lines[number + 1 :])
            nested = not nested
    return text, False, ""


def _from_json(text: str, words: Wrappers) -> tuple[str, str]:
    """Return the answer of a JSON object, its self-evaluation as protocol lines, and the text behind it."""
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text)
    except ValueError:
        return _from_broken_json(text, words), ""
    value = value[0] if isinstance(value, list) and value else value
    if not isinstance(value, dict):
        return "", ""
    answer = next((_text_of(value[key], words) for key in _keys(value, words.answers)), "")
    strings = [each for each in value.values() if isinstance(each, str)]
    answer = answer or (strings[0] if len(strings) == 1 else "")
    nested = next((each for key, each in value.items() if key.casefold() == "meta" and isinstance(each, dict)), {})
    lines = [
        f"{keyword}|{', '.join(map(str, listed)) if isinstance(listed, list) else listed}"
        for keyword, names in (("USED", words.used), ("DROP", words.dropped), ("NEED", words.needs))
        for source in (value, nested)
        for listed in (source[key] for key in _keys(source, names))
        if listed
    ]
    if answer and lines and not _META.search(answer):
        answer = "\n".join([answer, DELIMITER, *lines])
    return answer, text[end:]


def _from_broken_json(text: str, words: Wrappers) -> str:
    keys = "|".join(map(re.escape, words.answers))
    found = re.search(rf'"(?:{keys})"\s*:\s*"((?:[^"\\]|\\.)*)', text, re.IGNORECASE)
    if not found:
        return ""
    written = found[1].rstrip("\\")
    try:
        return str(json.loads(f'"{written}"', strict=False))
    except ValueError:
        return written


def _keys(value: dict[str, Any], names: tuple[str, ...]) -> list[str]:
    by_name = {key.casefold().replace(" ", "_"): key for key in value}
    return list(dict.fromkeys(by_name[name.casefold()] for name in names if name.casefold() in by_name))


def _text_of(value: object, words: Wrappers) -> str:
    if isinstance(value, dict):
        return next((_text_of(value[key], words) for key in _keys(value, words.answers)), "")
    if isinstance(value, list):
        return "\n\n".join(filter(None, (_text_of(each, words) for each in value)))
    return value if isinstance(value, str) else ""


def _may_be_fence(line: str) -> bool:
    return line.strip() in ("", "`", "``") or line.strip().startswith(FENCE)


@cache
def _preamble(words: str) -> "regex.Pattern[str]":
    return regex.compile(words, regex.IGNORECASE | regex.VERBOSE)


@cache
def _opening_fence(words: str) -> "regex.Pattern[str]":
    return regex.compile(rf"```[^\S\n]*({words})[^\S\n]*\n", regex.IGNORECASE)


_JSON = re.compile(r"\{\s*(?:[\"}]|$)|\[\s*\{")
_JSON_FENCES = frozenset({"json", "json5", "jsonc"})
_PROTOCOL = re.compile(r"[=\-—#*\[(\s]{0,20}META|(?:USED|DROP|NEED)\W", re.IGNORECASE)
_META = re.compile(r"^\W{0,9}META\W{0,9}$", re.MULTILINE)
