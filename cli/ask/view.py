"""An answer on screen: as it is written on a terminal, only when it is final in a pipe. It is there once."""

import re
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console
from rich.control import Control
from rich.rule import Rule
from rich.segment import ControlType
from rich.text import Text

from cli.render import clean

if TYPE_CHECKING:
    from articulado.values.answers import StreamEvent

STAGES = {
    "analyze_question": "Leyendo la pregunta…",
    "decompose": "Preparando la búsqueda…",
    "hybrid_search": "Buscando en la normativa…",
    "rerank": "Ordenando los preceptos encontrados…",
    "answer": "Redactando la respuesta…",
    "refetch": "Consultando más normativa…",
}


class WordWrap:
    """Breaks streamed text between words; a word is written once it is whole."""

    _WORD = re.compile(r"(\s*)(\S+)(?=\s)")

    def __init__(self, write: Callable[[str], None], width: int) -> None:
        self._write = write
        self._width = width
        self._column = 0
        self._pending = ""

    def feed(self, text: str) -> None:
        """Take the next piece of the text."""
        self._pending += text
        end = 0
        for match in self._WORD.finditer(self._pending):
            self._word(match[1], match[2])
            end = match.end()
        self._pending = self._pending[end:]

    def close(self) -> None:
        """Write what is left and end the line."""
        word = self._pending.strip()
        if word:
            self._word(self._pending[: self._pending.index(word)], word)
        self._write("\n")

    def _word(self, space: str, word: str) -> None:
        breaks, indent = space.count("\n"), space.rpartition("\n")[2]
        if breaks:
            space, self._column = "\n" * breaks + indent, cell_len(indent)
        elif self._column and self._column + cell_len(space + word) > self._width:
            space, self._column = "\n", 0
        else:
            self._column += cell_len(space)
        self._column += cell_len(word)
        self._write(space + word)


class AnswerView:
    """Shows one answer. What ``final`` says is authoritative: it takes the place of what was shown on the way.

    What no longer fits on the screen cannot be taken back: there, a line says from where on the answer holds.
    """

    def __init__(self, out: Console) -> None:
        self._out = out
        self._status = out.status(STAGES["analyze_question"])
        self._wrap: WordWrap | None = None
        self._shown = ""
        self._written: list[str] = []  # what is shown, as it was broken into lines

    async def show(self, events: "AsyncIterator[StreamEvent]") -> dict[str, Any]:
        """Show the events of one run and return its result."""
        result: dict[str, Any] = {}
        try:
            async for event in events:
                if event["type"] == "final":
                    result = dict(event.get("result", {}))
                elif self._out.is_terminal:
                    self._handle(event)
        finally:
            self._status.stop()
            self._end_text()
        self._settle(clean(result["answer"]).strip())
        return result

    def _handle(self, event: "StreamEvent") -> None:
        if event["type"] == "stage" and not self._shown:
            self._status.update(STAGES.get(event["stage"], self._status.status))
            self._status.start()
        elif event["type"] == "token":
            self._status.stop()
            self._wrap = self._wrap or WordWrap(self._write, self._out.width)
            self._wrap.feed(clean(event["text"]))
            self._shown += clean(event["text"])
        elif event["type"] == "retry" and self._shown:
            self._supersede(f"{event['reason']} Vale la respuesta que sigue:")
            self._status.update(clean(event["reason"]))
            self._status.start()

    def _write(self, text: str) -> None:
        self._written.append(text)
        self._out.out(text, end="")

    def _supersede(self, reason: str) -> None:
        """Take back what is shown, or else say that it no longer holds."""
        self._end_text()
        rows = _rows("".join(self._written), self._out.width)
        if rows < self._out.height and not self._out.is_dumb_terminal:
            up = ((ControlType.CURSOR_UP, 1), (ControlType.ERASE_IN_LINE, 2))
            self._out.control(Control(ControlType.CARRIAGE_RETURN, *up * rows))
        else:
            self._out.print(Rule(style="yellow"))
            self._out.print(clean(reason), style="yellow", markup=False)
        self._shown, self._written = "", []

    def _end_text(self) -> None:
        if self._wrap:
            self._wrap.close()
            self._wrap = None

    def _settle(self, answer: str) -> None:
        if answer == self._shown.strip():
            return
        if self._shown:
            self._supersede("Respuesta revisada:")
        self._out.print(Text(answer))


def _rows(text: str, width: int) -> int:
    """Return the rows of a terminal that some lines take up, each ended by its break."""
    return sum(max(1, -(-cell_len(line.expandtabs()) // width)) for line in text.split("\n")[:-1])


async def final_result(events: "AsyncIterator[StreamEvent]") -> dict[str, Any]:
    """Return the result of a run without showing anything."""
    return [dict(event.get("result", {})) async for event in events if event["type"] == "final"][-1]
