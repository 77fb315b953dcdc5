"""The text of an answer as it streams, without white space around it and without code fences left over at its end."""

import re
from collections.abc import Callable

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
