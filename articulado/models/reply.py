"""A reply as it comes in: its final text, its end, its cost, and the faults that are told with it.

``ReplyAccumulator`` takes whole messages or chunks. A reply that repeats itself without end is stopped, and
so is one that passes a limit; thoughts count as well, for a model may never come to its answer.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, BaseMessage

from articulado.models.habits import ReasoningFilter

MAX_REPLY_TOKENS = 12_000
"""Tokens of a reply without its reasoning: about 20 pages. A model that writes more has lost its way."""
CHARACTERS_PER_TOKEN = 4
"""Of Spanish prose, about: providers count tokens only when a reply has ended."""
MAX_STREAMED = MAX_REPLY_TOKENS * CHARACTERS_PER_TOKEN
"""Characters of a reply without its reasoning."""
MAX_RECEIVED = 400_000
"""Characters of a reply with its reasoning: 100,000 tokens."""
LINE_ALLOWANCE = 2_000
"""Characters more that a reply may have to end with a line."""

_WINDOW = 12_000
"""Characters at the end of a reply in which a repetition is looked for."""
_LOOK_EVERY = 160
"""Characters of new text after which it is looked for again."""
_SUFFIX = 24
_CANDIDATES = 40
"""Earlier occurrences of the last characters that are tried: a unit may contain them several times."""
_LEAST_COVERED = 400
"""Characters that repetitions must cover, so that no line of a form or of a table passes for one."""
_DIGITS = re.compile(r"\d+")
_PUNCTUATION = re.compile(r"[.!?…)»]{0,3}")
_LETTER = re.compile(r"[^\W\d_]")


def _exact(unit: str) -> int:
    """Return the repetitions of a unit that no answer has."""
    if not _LETTER.search(unit):
        return max(8, 2_000 // len(unit))
    return 4 if len(unit) >= 100 else 8


def _counted(unit: str) -> int:
    """Return the repetitions of a unit, but for its numbers, that no answer has: tables have rows of one form."""
    return 30 if len(_LETTER.findall(unit)) >= 15 else 120


def repeated(text: str) -> int | None:
    """Return where an endless repetition at the end of a text has said its unit once; ``None`` without one.

    A unit is a sentence, an n-gram or a paragraph. It may differ in its numbers, as the items of a list do.

    >>> text = "Depende del convenio. " + "Son treinta días naturales. " * 20
    >>> text[: repeated(text)]
    'Depende del convenio. Son treinta días naturales.'
    """
    tail = text[-_WINDOW:]
    if period := _period(tail, _exact):
        start = len(text) - period
        while start and text[start - 1] == text[start - 1 + period]:
            start -= 1
        return _sentence_end(text, start + period)
    masked = _DIGITS.sub("0", tail)
    period = _period(masked, _counted)
    if not period:
        return None
    start = len(masked) - period
    while start and masked[start - 1] == masked[start - 1 + period]:
        start -= 1
    return _sentence_end(text, len(text) - len(tail) + _unmasked(tail, start + period))


def _sentence_end(text: str, end: int) -> int:
    """Return the end of a text with the punctuation that follows: sentences share theirs with the one before."""
    return _PUNCTUATION.match(text, end).end()  # type: ignore[union-attr]


def _unmasked(text: str, length: int) -> int:
    """Return the length of the beginning of a text that is so long when each of its numbers is one sign."""
    for number in _DIGITS.finditer(text):
        if number.start() >= length:
            break
        length += len(number[0]) - 1
    return length


def _period(text: str, least: Callable[[str], int]) -> int:
    """Return the length of the unit that the end of a text repeats, 0 without one."""
    suffix, at = text[-_SUFFIX:], max(0, len(text) - _SUFFIX)
    for _ in range(_CANDIDATES):
        at = text.rfind(suffix, 0, at + _SUFFIX - 1)
        if at < 0 or len(text) < _LEAST_COVERED:
            return 0
        period = len(text) - _SUFFIX - at
        unit = text[-period:]
        covered = max(least(unit) * period, _LEAST_COVERED)
        if covered > len(text):
            return 0
        if text[-covered:-period] == text[period - covered :]:
            return period
    return 0


@dataclass
class ReplyAccumulator:
    """A reply as its messages or chunks come in: its text without reasoning, how it ended, and what it cost.

    With a ``limit`` in characters, the text ends at the first line break behind it, or ``LINE_ALLOWANCE`` later; it is
    ``full`` then, and ``looped`` if it repeated itself. It has ``begun`` with its first text, be that reasoning.
    ``void`` is set when text that was returned before has turned out to be reasoning; the caller resets it.
    """

    limit: int | None = None
    reasoning: ReasoningFilter = field(default_factory=ReasoningFilter)
    full: bool = False
    looped: bool = False
    void: bool = False
    begun: bool = False
    finish_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    _pieces: list[str] = field(default_factory=list)
    _length: int = 0
    _received: int = 0
    _window: str = ""
    _unread: int = 0

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    @property
    def cut(self) -> bool:
        """Whether there would have been more of it."""
        return (self.full and not self.looped) or self.finish_reason == "length"

    def add(self, message: BaseMessage) -> str:
        """Take in a message or a chunk of one, and return its text, without the model's reasoning.

        The largest token counts win, not their sum: servers that report usage with every chunk report totals.
        """
        self.finish_reason = message.response_metadata.get("finish_reason") or self.finish_reason
        if isinstance(message, AIMessage) and message.usage_metadata:
            usage = message.usage_metadata
            cached = (usage.get("input_token_details") or {}).get("cache_read") or 0
            # Some servers report the tokens that they had not in their cache.
            read = usage["input_tokens"] + (cached if cached > usage["input_tokens"] else 0)
            self.input_tokens = max(self.input_tokens, read)
            self.output_tokens = max(self.output_tokens, usage["output_tokens"])
        received = str(message.text)
        self.begun = self.begun or bool(received)
        text = self._keep(self.reasoning.feed(received))
        self._watch(received)
        return text

    def end(self) -> str:
        """Take in the end of the reply, and return the text that waited for it."""
        rest = self.reasoning.rest()
        if self.full and not self.looped and self._length:
            rest = ""
        elif self.looped:
            rest = rest[: repeated(rest) or 0].rstrip()
        return self._keep(rest)

    def _keep(self, text: str) -> str:
        """Add text, as much as there is room for, and return it."""
        if self.reasoning.void:
            self.void, self.reasoning.void = True, False
            self._pieces, self._length = [], 0
        if not text:
            return ""
        if self.limit is not None and self._length + len(text) > self.limit:
            longest = self.limit + LINE_ALLOWANCE - self._length
            line_end = text.find("\n", max(0, self.limit - self._length), longest)
            self.full = line_end >= 0 or len(text) >= longest
            text = text[: line_end if line_end >= 0 else longest]
        self._pieces.append(text)
        self._length += len(text)
        return text

    def _watch(self, received: str) -> None:
        """End a reply with a limit that repeats itself, or has thought for too long."""
        if self.limit is None:
            return
        self._received += len(received)
        self.full = self.full or self._received > MAX_RECEIVED
        self._window = (self._window + received)[-_WINDOW:]
        self._unread += len(received)
        if self._unread < _LOOK_EVERY:
            return
        self._unread = 0
        if repeated(self._window) is not None:
            self.full = self.looped = True
            text = self.text
            self._pieces = [text[: repeated(text)].rstrip()]
