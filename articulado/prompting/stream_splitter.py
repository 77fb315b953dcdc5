"""Split the streamed reply of the principal into answer and self-evaluation, and parse the latter.

Principals write the answer, then ``===META===``, then USED, DROP and NEED lines. Deviations:

- A delimiter within a line counts only if decoration or a line of self-evaluation follows it; elsewhere it is a
  quotation, replaced by an ellipsis.
- A delimiter before any answer does not end it: a self-evaluation that comes first is kept.
- Text after a delimiter is answer again if it has no line of self-evaluation and another delimiter follows, or if it
  is longer than the text before and alone has citation markers.
- A line that begins with USED, DROP or NEED and a separator is self-evaluation at any position.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from articulado.legal.labels import INITIALS, WRITTEN_SUFFIXES
from articulado.prompting.answer_text import (
    DECORATION,
    RULES,
    AnswerText,
    Unwrapper,
    evaluation,
    evaluation_signs,
    inline_delimiter,
    inline_delimiter_begins,
    is_as_asked_for,
    is_certain,
    is_cut_off,
    is_delimiter,
    may_become_protocol,
    may_hold_protocol,
)
from articulado.prompting.citation_markers import markers_in, numbers_in
from articulado.values.answers import Need

MAX_EVALUATION_LINE = 2_000

CUT_OFF = 3  # Minimum signs at the end of a reply that count as an incomplete delimiter

_DEFUSED = "=META="
_PIECES = re.compile(r"\n|[^\n]{1,500}")  # Processed pieces: the cost per line is quadratic in the new text
_BREAK = re.compile("\r\n|[\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")


def unify_breaks(text: str) -> str:
    return _BREAK.sub("\n", text)


def defuse_self_evaluation(text: str) -> str:
    """Return a text without delimiters and lines of self-evaluation, also in its parts: ``USED|1`` -> ``USED/1``."""
    text = unify_breaks(text)
    return "\n".join(map(_defused, text.split("\n"))) if may_hold_protocol(text) else text


def _defused(line: str) -> str:
    while delimiter := inline_delimiter(line):
        line = f"{line[: delimiter.start()]}{_DEFUSED}{line[delimiter.end() :].lstrip(RULES)}"
    if is_certain(line):
        line = _DEFUSED
    for sign in evaluation_signs(line):
        line = f"{line[:sign]}/{line[sign + 1 :]}"
    return line


class StreamSplitter:
    """Splits a streamed reply: answer text goes to ``emit`` once it is certain and adds up to ``answer``.

    ``self_evaluation`` has the keywords ("USED", "DROP", "NEED") in order, each with the rest of its line.
    """

    def __init__(self, emit: Callable[[str], None] = lambda text: None) -> None:
        self._wrapper = Unwrapper()
        self._text = AnswerText(emit)
        self.self_evaluation: list[tuple[str, str]] = []
        self._line = ""  # of the current line, what is neither answer nor self-evaluation yet
        self._line_begins = True  # nothing of the current line has been decided
        self._heading: list[str] = []  # a line that is a delimiter if self-evaluation follows, and blank ones after it
        self._after_delimiter = False
        self._stretch: list[str] = []  # text since the last delimiter
        self._stretch_evaluates = False  # it has a line of self-evaluation
        self._closed = False  # a stretch of self-evaluation has ended the answer for good
        self._ended_in_return = False  # a "\n" that comes next belongs to the "\r" before it

    @property
    def answer(self) -> str:
        return self._text.text

    def feed(self, text: str) -> None:
        self._take(self._wrapper.feed(text))

    def _take(self, text: str) -> None:
        for piece in _PIECES.findall(self._unify_breaks(text)):
            if piece == "\n":
                self._end_line(newline=True)
            else:
                self._line += piece
                self._settle(line_complete=False)

    def close(self) -> None:
        """End the reply."""
        self._take(self._wrapper.rest())
        self._end_line(newline=False)
        self._end_heading()
        if self._after_delimiter:
            self._end_stretch(last=True)
        self._text.close()

    def _unify_breaks(self, text: str) -> str:
        ended_in_return = self._ended_in_return
        if text:
            self._ended_in_return = text.endswith("\r")
        if ended_in_return and text.startswith("\n"):
            text = text[1:]
        return unify_breaks(text)

    def _end_line(self, *, newline: bool) -> None:
        self._settle(line_complete=True)
        line, ending = self._line, "\n" if newline else ""
        if match := evaluation(line) if self._line_begins else None:
            self._keep(match)
        elif self._line_begins and is_certain(line):
            self._end_heading()
            self._begin_stretch()
        elif self._line_begins and (is_delimiter(line) or (self._heading and not line.strip(DECORATION))):
            self._heading.append(line + ending)
        else:
            if not newline:
                # A delimiter that was cut off is no answer.
                cut_off = inline_delimiter_begins(line)
                line = line[: cut_off.start()] if cut_off and len(cut_off[0]) >= CUT_OFF else line
                line = "" if self._line_begins and is_cut_off(line) else line
            if line.strip() or newline:
                self._release_heading()
            self._add(line + ending)
        self._line, self._line_begins = "", True

    def _settle(self, *, line_complete: bool) -> None:
        if self._line_begins and len(self._line) > MAX_EVALUATION_LINE and evaluation(self._line):
            self._line = self._line[:MAX_EVALUATION_LINE]
        while delimiter := inline_delimiter(self._line):
            before, rest = self._line[: delimiter.start()], self._line[delimiter.end() :].lstrip(DECORATION + RULES)
            match = evaluation(before) if self._line_begins else None
            if before.strip(DECORATION) and not match:
                self._release_heading()
                self._add(before)
                self._line, self._line_begins = self._line[delimiter.start() :], False
                continue
            if not line_complete and _is_open(rest):
                return
            if rest and not evaluation(rest) and not _opens_with_delimiter(rest):
                self._line = f"{before}…{self._line[delimiter.end() :]}"
                continue
            if match:
                self._keep(match)
            else:
                self._end_heading()
            self._begin_stretch()
            self._line, self._line_begins = rest, True
        if line_complete or (self._line_begins and may_become_protocol(self._line)):
            return
        pending = inline_delimiter_begins(self._line)
        cut = pending.start() if pending else len(self._line)
        if cut and not (pending and self._line_begins and not self._line[:cut].strip(DECORATION)):
            self._release_heading()
            self._add(self._line[:cut])
            self._line, self._line_begins = self._line[cut:], False

    def _keep(self, match: re.Match[str]) -> None:
        if self._heading:
            self._heading = []
            self._begin_stretch()
        if not self._text:
            self._text.begin_again()
        self.self_evaluation.append((match.group(1).upper(), match.group(2)))
        self._stretch_evaluates = True

    def _begin_stretch(self) -> None:
        """Handle a delimiter; one before any answer announces an early self-evaluation."""
        if not self._text:
            self._text.begin_again()
            return
        if self._after_delimiter:
            self._end_stretch(last=False)
        self._after_delimiter = True

    def _end_heading(self) -> None:
        """Classify a heading before a delimiter or the end of the reply."""
        if self._heading and is_as_asked_for(self._heading[0].rstrip("\n")):
            self._heading = []
        self._release_heading()

    def _release_heading(self) -> None:
        heading, self._heading = self._heading, []
        for line in heading:
            self._add(line)

    def _add(self, text: str) -> None:
        if self._after_delimiter:
            self._stretch.append(text)
        else:
            self._text.add(text)

    def _end_stretch(self, *, last: bool) -> None:
        """Classify the text since the last delimiter; ``last``: the reply has ended."""
        stretch = "".join(self._stretch)
        quoted = not self._stretch_evaluates and not self._closed and not last
        if quoted:
            self._text.add(stretch)
        elif _outweighs(stretch, self.answer):
            self._text.add(f"\n{stretch.lstrip()}")
        self._closed = self._closed or self._stretch_evaluates
        self._stretch, self._stretch_evaluates = [], False


def _opens_with_delimiter(line: str) -> bool:
    delimiter = inline_delimiter(line)
    return bool(delimiter and not delimiter.start())


def _is_open(rest: str) -> bool:
    delimiter = inline_delimiter_begins(rest)
    if not rest or (delimiter and not delimiter.start()):
        return True
    return may_become_protocol(rest) and not evaluation(rest)


def _outweighs(stretch: str, answer: str) -> bool:
    """Tell if the text after a self-evaluation is the answer, and the text before it an introduction."""
    return len(stretch) > len(answer) and bool(markers_in(stretch)) and not markers_in(answer)


MAX_NEEDS = 2

_NOTHING = re.compile(r"^\W*(?:ning[uú]n[oa]?s?|nada|none|no|n/a)?\W*$", re.IGNORECASE)
_NEXT_KEYWORD = re.compile(r"[\s*_`]+(USED|DROP|NEED)\s*[|:｜]", re.IGNORECASE)
_ALL = re.compile(r"^\W*(?:tod[oa]s|all)\W*$", re.IGNORECASE)
_PROVISION = re.compile(
    rf"\b(?:art|disp|d\.?\s?[{INITIALS}]\b)|^\W*\d+(?:\.\d+)*\s*(?:{WRITTEN_SUFFIXES})?\W*$", re.IGNORECASE
)
_LABEL = re.compile(r"^\W*(?:art[ií]culo|article|ley|law|keywords|palabras clave)\W*$", re.IGNORECASE)


@dataclass(frozen=True)
class SelfEvaluation:
    """Fragments used and dropped (1-based, valid, disjoint), and needs."""

    used: list[int]
    dropped: list[int]
    needs: list[Need]


@dataclass(frozen=True)
class Reply(SelfEvaluation):
    """A parsed reply of the principal."""

    answer: str


def parse_reply(text: str, fragments: int) -> Reply:
    r"""Parse a whole reply on a number of fragments; never raises.

    >>> reply = parse_reply("Son 30 días [C1].\n===META===\nUSED|1\nDROP|2, 3\nNEED|artículo 49|ET", fragments=3)
    >>> reply.answer, reply.used, reply.dropped
    ('Son 30 días [C1].', [1], [2, 3])
    >>> reply.needs
    [{'kind': 'article', 'article': 'artículo 49', 'law': 'ET', 'keywords': ''}]
    """
    splitter = StreamSplitter()
    splitter.feed(text)
    splitter.close()
    evaluation = read_self_evaluation(splitter, fragments)
    return Reply(evaluation.used, evaluation.dropped, evaluation.needs, splitter.answer)


def read_self_evaluation(splitter: StreamSplitter, fragments: int, *, marked: bool = True) -> SelfEvaluation:
    """Return the self-evaluation of a closed splitter; DROP wins over USED.

    Without a readable USED line, the cited fragments count as used, or all if the answer is not ``marked``.
    """
    values: dict[str, list[str]] = {"USED": [], "DROP": [], "NEED": []}
    for keyword, line in splitter.self_evaluation:
        first, *rest = _NEXT_KEYWORD.split(line)
        values[keyword].append(first)
        for name, value in zip(rest[::2], rest[1::2], strict=True):
            values[name.upper()].append(value)
    valid = range(1, fragments + 1)
    dropped = _numbers(values["DROP"], valid)
    readable = [value for value in values["USED"] if _NOTHING.match(value) or _numbers([value], valid)]
    cited = markers_in(splitter.answer, valid) if marked else list(valid)
    claimed = _numbers(readable, valid) if readable else cited
    used = [n for n in claimed if n in valid and n not in dropped]
    needs = [need for need in map(_need, values["NEED"]) if need][:MAX_NEEDS]
    return SelfEvaluation(used, dropped, needs)


def _numbers(values: list[str], valid: range) -> list[int]:
    numbers = (n for value in values for n in (valid if _ALL.match(value) else numbers_in(value, valid)))
    return [n for n in dict.fromkeys(numbers) if n in valid]


def _need(value: str) -> Need | None:
    parts = [part.strip(" \t*_`[]\"'«»") for part in value.replace("｜", "|").split("|")]
    parts = [part[:200] for part in parts if not _NOTHING.match(part) and not _LABEL.match(part)]
    if not parts:
        return None
    if len(parts) > 1 and _PROVISION.search(parts[0]):
        return {"kind": "article", "article": parts[0], "law": parts[1], "keywords": ""}
    return {"kind": "keywords", "article": "", "law": "", "keywords": " ".join(parts)}
