"""Split the streamed reply of the principal into the answer and the self-evaluation below it.

Principals write the answer, then ``===META===``, then USED, DROP and NEED lines. Deviations are handled as
follows:

- A delimiter on a line of its own is accepted in all the forms of ``protocol_lines``. A delimiter within a
  line counts only if nothing but decoration or a line of self-evaluation follows it. Elsewhere it is a
  quotation, and an ellipsis replaces it.
- A delimiter before any answer does not end the answer. A self-evaluation that comes first is kept, and the
  answer follows.
- The text after a delimiter is answer again in two cases. It has no line of self-evaluation and another
  delimiter follows: the first delimiter was quoted. Or it is longer than all text before it and alone has
  citation markers. Otherwise it is self-evaluation.
- A line that begins with USED, DROP or NEED and a separator is self-evaluation at any position.

``AnswerText`` removes the white space around an answer and the code fences left over at its end.
"""

import re
from collections.abc import Callable

from articulado.prompting.citation_markers import markers_in
from articulado.prompting.protocol_lines import (
    DECORATION,
    RULES,
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

FENCE = "```"

_BARE_FENCE = re.compile(rf"{FENCE}\w{{0,20}}")
_LEADING_FENCE = re.compile(rf"\s*{FENCE}\w{{0,20}}[^\S\n]*\n\s*")


class AnswerText:
    """Emits text as soon as it is certain that it does not end the answer; what is emitted adds up to ``text``.

    Held back is what may be its end: white space, and lines with nothing but a code fence, for models often put their
    self-evaluation in a block. Each piece is looked at once, whatever is held back.
    """

    def __init__(self, emit: Callable[[str], None]) -> None:
        self._emit_text = emit
        self._emitted: list[str] = []
        self._held: list[str] = []
        self._line = ""  # of the current line, what is held back of it, without white space before it
        self._line_shown = False  # a part of the current line has been emitted
        self._in_block = False  # the fence before a self-evaluation that came first has been dropped, its pair not yet

    def __bool__(self) -> bool:
        """Tell whether anything has been emitted."""
        return bool(self._emitted)

    @property
    def text(self) -> str:
        """What has been emitted."""
        return "".join(self._emitted)

    def add(self, text: str) -> None:
        """Take the next piece."""
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
        """Forget what was held back before any answer: it belongs to a self-evaluation that came first."""
        held = "".join(self._held)
        self._in_block ^= sum(line.strip().startswith(FENCE) for line in held.split("\n")) % 2 == 1
        self._held, self._line, self._line_shown = [], "", False

    def close(self) -> None:
        """Take the end: a block whose closing fence was held back, or never came, is closed."""
        if sum(line.lstrip().startswith(FENCE) for line in self.text.split("\n")) % 2:
            self._emit(f"\n{FENCE}")

    def _may_end(self, lines: list[str], index: int) -> bool:
        """Tell whether a line may be the last of an answer, and no part of it."""
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
    """Return a held line without white space before it, and with one sign of it at most after it."""
    line = line.lstrip()
    content = line.rstrip()
    return content + line[len(content) :][:1]


MAX_EVALUATION_LINE = 2_000
"""Characters that are read of a line of self-evaluation."""

CUT_OFF = 3
"""Signs at the end of a reply from which on they were to become a delimiter."""

_DEFUSED = "=META="
_PIECES = re.compile(r"\n|[^\n]{1,500}")
"""What is taken at once: deciding on a line costs the square of what is new of it."""
_BREAK = re.compile("\r\n|[\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")


def unify_breaks(text: str) -> str:
    """Return a text whose line breaks are all newlines."""
    return _BREAK.sub("\n", text)


def defuse_self_evaluation(text: str) -> str:
    """Return a text in which a splitter finds no delimiter and no line of self-evaluation: ``USED|1`` -> ``USED/1``.

    It finds none in a part of it either: a principal may be made to quote what stands in the middle of a line.
    """
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
    """Splits a streamed reply: answer text goes to ``emit`` as soon as it is certain, the self-evaluation is kept.

    What is emitted adds up to ``answer``, which neither begins nor ends with white space. ``self_evaluation`` are the
    keywords ("USED", "DROP", "NEED") in their order, each with the rest of its line.
    """

    def __init__(self, emit: Callable[[str], None] = lambda text: None) -> None:
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
        """The answer as far as it is certain."""
        return self._text.text

    def feed(self, text: str) -> None:
        """Take the next piece of the reply."""
        for piece in _PIECES.findall(self._unify_breaks(text)):
            if piece == "\n":
                self._end_line(newline=True)
            else:
                self._line += piece
                self._settle(line_complete=False)

    def close(self) -> None:
        """Take the end of the reply."""
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
        """Decide as much of the current line as can be decided: what is answer, a delimiter, or a self-evaluation."""
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
        """Keep a line of self-evaluation; the heading before it was a delimiter."""
        if self._heading:
            self._heading = []
            self._begin_stretch()
        if not self._text:
            self._text.begin_again()
        self.self_evaluation.append((match.group(1).upper(), match.group(2)))
        self._stretch_evaluates = True

    def _begin_stretch(self) -> None:
        """Take a delimiter; one before any answer only says that a self-evaluation comes first."""
        if not self._text:
            self._text.begin_again()
            return
        if self._after_delimiter:
            self._end_stretch(last=False)
        self._after_delimiter = True

    def _end_heading(self) -> None:
        """Decide what a heading is that a delimiter or the end of the reply follows."""
        if self._heading and is_as_asked_for(self._heading[0].rstrip("\n")):
            self._heading = []
        self._release_heading()

    def _release_heading(self) -> None:
        """Take a heading that no self-evaluation follows for answer."""
        heading, self._heading = self._heading, []
        for line in heading:
            self._add(line)

    def _add(self, text: str) -> None:
        """Add text to the answer; after a delimiter, keep it until the end of the stretch tells what it is."""
        if self._after_delimiter:
            self._stretch.append(text)
        else:
            self._text.add(text)

    def _end_stretch(self, *, last: bool) -> None:
        """Decide what the text since the last delimiter is; ``last``: the reply has ended."""
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
    """Tell whether more text may still decide what follows a delimiter on its line."""
    delimiter = inline_delimiter_begins(rest)
    if not rest or (delimiter and not delimiter.start()):
        return True
    return may_become_protocol(rest) and not evaluation(rest)


def _outweighs(stretch: str, answer: str) -> bool:
    """Tell whether the text after a self-evaluation is the answer, and what stood before it only led up to it."""
    return len(stretch) > len(answer) and bool(markers_in(stretch)) and not markers_in(answer)
