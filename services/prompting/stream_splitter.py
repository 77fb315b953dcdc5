"""The stream of a principal's reply, split into the answer and the self-evaluation below it.

Principals write the answer, then ``===META===``, then USED, DROP and NEED lines. Models get it wrong in every way:

- A delimiter counts where nothing but decoration follows it on its line, or a line of self-evaluation does. Anywhere
  else it is quoted, and an ellipsis stands for it.
- After a delimiter, a stretch without any line of self-evaluation is answer again if another delimiter follows (the
  first one was quoted), or if no answer has been written yet; any other stretch is self-evaluation.
- A line that begins with USED, DROP or NEED and a separator is self-evaluation wherever it stands.
"""

import re
from collections.abc import Callable

DELIMITER = "===META==="

_DELIMITER = re.compile(r"={3,}[ \t]*META[ \t]*={3,}", re.IGNORECASE)
_DELIMITER_START = re.compile(r"=+[ \t]*(?:M(?:E(?:T(?:A[ \t]*=*)?)?)?)?$", re.IGNORECASE)
_FENCE = "```"
_DECORATION = " \t>*_`~#+•-\"'«»“”"
_LEAD = rf"^[\s{re.escape(_DECORATION)}]*(?:\d{{1,2}}[.)]\s*[*_`]*)?"
_EVALUATION_LINE = re.compile(_LEAD + r"(USED|DROP|NEED)[\s*_`]*[|:｜](.*)$", re.IGNORECASE)
_EVALUATION_START = re.compile(
    _LEAD + r"(?:\d{1,2}|U?|US|USE|USED[\s*_`]*|D?|DR|DRO|DROP[\s*_`]*|N?|NE|NEE|NEED[\s*_`]*)$", re.IGNORECASE
)
_BREAKS = str.maketrans(dict.fromkeys("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", "\n"))


def unify_breaks(text: str) -> str:
    """Return a text whose line breaks are all newlines."""
    return text.replace("\r\n", "\n").translate(_BREAKS)


def defuse_self_evaluation(text: str) -> str:
    """Return a text in which a splitter finds no delimiter and no line of self-evaluation: ``USED|1`` -> ``USED/1``."""
    lines = _DELIMITER.sub("=META=", unify_breaks(text)).split("\n")
    return "\n".join(_without_separator(line) for line in lines)


def _without_separator(line: str) -> str:
    match = _EVALUATION_LINE.match(line)
    return f"{line[: match.start(2) - 1]}/{match.group(2)}" if match else line


class StreamSplitter:
    """Splits a streamed reply: answer text goes to ``emit`` as soon as it is certain, the self-evaluation is kept.

    What is emitted adds up to ``answer``, which neither begins nor ends with white space. ``self_evaluation`` are the
    keywords ("USED", "DROP", "NEED") in their order, each with the rest of its line.
    """

    def __init__(self, emit: Callable[[str], None] = lambda text: None) -> None:
        self._emit_text = emit
        self.answer = ""
        self.self_evaluation: list[tuple[str, str]] = []
        self._line = ""  # of the current line, what is neither answer nor self-evaluation yet
        self._line_begins = True  # nothing of the current line has been decided
        self._blank = ""  # white space and code fences that become answer only if more answer follows
        self._after_delimiter = False
        self._stretch = ""  # text since the last delimiter
        self._stretch_evaluates = False  # it has a line of self-evaluation
        self._closed = False  # a stretch of self-evaluation has ended the answer for good
        self._ended_in_return = False  # a "\n" that comes next belongs to the "\r" before it

    def feed(self, text: str) -> None:
        """Take the next piece of the reply."""
        for piece in re.split(r"(\n)", self._unify_breaks(text)):
            if piece == "\n":
                self._end_line(newline=True)
            elif piece:
                self._line += piece
                self._settle(line_complete=False)

    def close(self) -> None:
        """Take the end of the reply."""
        self._end_line(newline=False)
        if self._after_delimiter:
            self._end_stretch(last=True)
        if sum(line.lstrip().startswith(_FENCE) for line in self.answer.split("\n")) % 2:
            # The closing fence was held back, or the model put its self-evaluation inside the block.
            self._emit(f"\n{_FENCE}")

    def _unify_breaks(self, text: str) -> str:
        ended_in_return = self._ended_in_return
        if text:
            self._ended_in_return = text.endswith("\r")
        if ended_in_return and text.startswith("\n"):
            text = text[1:]
        return unify_breaks(text)

    def _end_line(self, *, newline: bool) -> None:
        self._settle(line_complete=True)
        if match := _EVALUATION_LINE.match(self._line) if self._line_begins else None:
            self._keep(match)
        else:
            # A delimiter that was cut off is no answer.
            self._text(_DELIMITER_START.sub("", self._line) if not newline else self._line)
            if newline:
                self._text("\n")
        self._line, self._line_begins = "", True

    def _settle(self, *, line_complete: bool) -> None:
        """Decide as much of the current line as can be decided: what is answer, a delimiter, or a self-evaluation."""
        while delimiter := _DELIMITER.search(self._line):
            before, rest = self._line[: delimiter.start()], self._line[delimiter.end() :].lstrip(_DECORATION + "=")
            if (not rest and not line_complete) or (rest and not line_complete and _EVALUATION_START.match(rest)):
                return
            if rest and not _EVALUATION_LINE.match(rest) and not _DELIMITER.match(rest):
                if not line_complete and _DELIMITER_START.match(rest):
                    return
                self._line = f"{before}…{self._line[delimiter.end() :]}"
                continue
            if evaluation := _EVALUATION_LINE.match(before) if self._line_begins else None:
                self._keep(evaluation)
            elif before.strip(_DECORATION):
                self._text(before)
            if self._after_delimiter:
                self._end_stretch(last=False)
            self._after_delimiter = True
            self._line, self._line_begins = rest, True
        if line_complete or (
            self._line_begins and (_EVALUATION_START.match(self._line) or _EVALUATION_LINE.match(self._line))
        ):
            return
        pending = _DELIMITER_START.search(self._line)
        cut = pending.start() if pending else len(self._line)
        if cut and not (pending and self._line_begins and not self._line[:cut].strip(_DECORATION)):
            self._text(self._line[:cut])
            self._line, self._line_begins = self._line[cut:], False

    def _keep(self, match: re.Match[str]) -> None:
        """Keep a line of self-evaluation."""
        self.self_evaluation.append((match.group(1).upper(), match.group(2)))
        self._stretch_evaluates = True

    def _text(self, text: str) -> None:
        """Show text of the answer; after a delimiter, keep it until the end of the stretch tells what it is."""
        if self._after_delimiter:
            self._stretch += text
        else:
            self._show(text)

    def _end_stretch(self, *, last: bool) -> None:
        """Decide what the text since the last delimiter is; ``last``: the reply has ended."""
        is_answer = not self._stretch_evaluates and not self._closed and (not last or not self.answer)
        if is_answer:
            self._show(self._stretch)
        self._closed = self._closed or self._stretch_evaluates
        self._stretch, self._stretch_evaluates = "", False

    def _show(self, text: str) -> None:
        """Emit text of the answer, but for what may turn out to be its end."""
        text = self._blank + text if self.answer or self._blank else text.lstrip()
        shown = self._without_open_end(text)
        self._blank = text[len(shown) :]
        if shown:
            self._emit(shown)

    def _emit(self, text: str) -> None:
        self.answer += text
        self._emit_text(text)

    def _without_open_end(self, text: str) -> str:
        """Cut trailing white space and bare code fences: models often put their self-evaluation in a block."""
        shown = text.rstrip()
        while True:
            before, line_break, line = shown.rpartition("\n")
            if line.strip() != _FENCE or not (line_break or not self.answer):
                return shown
            shown = before.rstrip()
