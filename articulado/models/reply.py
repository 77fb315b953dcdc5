"""A reply while it arrives: text, end, cost, and faults. Endless or overlong replies are stopped."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, BaseMessage

from articulado.models.habits import ReasoningFilter

MAX_REPLY_TOKENS = 12_000  # tokens of a reply without reasoning: about 20 pages
CHARACTERS_PER_TOKEN = 4  # average of Spanish prose; providers count tokens only at the end
MAX_STREAMED = MAX_REPLY_TOKENS * CHARACTERS_PER_TOKEN
MAX_RECEIVED = 400_000  # characters of a reply with reasoning: 100,000 tokens
LINE_ALLOWANCE = 2_000  # further characters to finish a line

_WINDOW = 12_000  # characters at the end of a reply that are searched for repetition
_LOOK_EVERY = 160  # characters between two searches
_SUFFIX = 24
_CANDIDATES = 40  # earlier occurrences of the last characters that are tried; a unit may contain several
_LEAST_COVERED = 400  # characters that repetitions must cover, so that lines of forms and tables do not count
_DIGITS = re.compile(r"\d+")
_PUNCTUATION = re.compile(r"[.!?…)»]{0,3}")
_LETTER = re.compile(r"[^\W\d_]")


def _exact(unit: str) -> int:
    """Return the number of repetitions of a unit that no answer has."""
    if not _LETTER.search(unit):
        return max(8, 2_000 // len(unit))
    return 4 if len(unit) >= 100 else 8


def _counted(unit: str) -> int:
    """Return the same for units with changing numbers, as in rows of tables."""
    return 30 if len(_LETTER.findall(unit)) >= 15 else 120


def repeated(text: str) -> int | None:
    """Return the end of the first unit of an endless repetition at the end of a text; ``None`` without one.

    A unit is a sentence, n-gram or paragraph; its numbers may change, as in a list.

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
    """Include the following punctuation: sentences share it with the one before."""
    return _PUNCTUATION.match(text, end).end()  # type: ignore[union-attr]


def _unmasked(text: str, length: int) -> int:
    """Return the length of the original text whose masked form has this length."""
    for number in _DIGITS.finditer(text):
        if number.start() >= length:
            break
        length += len(number[0]) - 1
    return length


def _period(text: str, least: Callable[[str], int]) -> int:
    """Return the length of the unit repeated at the end of a text, or 0."""
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
    """Collects messages or chunks of a reply: text without reasoning, end, and cost.

    Beyond ``limit`` the text ends at the next line break, or ``LINE_ALLOWANCE`` later.
    """

    limit: int | None = None  # characters
    reasoning: ReasoningFilter = field(default_factory=ReasoningFilter)
    full: bool = False  # the reply is stopped: too long, or repeating itself
    looped: bool = False  # it repeats itself
    void: bool = False  # the returned text was reasoning; the caller resets this
    begun: bool = False  # any text has arrived, even reasoning
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
        return "".join(self._pieces)

    @property
    def cut(self) -> bool:
        return (self.full and not self.looped) or self.finish_reason == "length"

    def add(self, message: BaseMessage) -> str:
        """Take a message or chunk; return its text without reasoning."""
        self.finish_reason = message.response_metadata.get("finish_reason") or self.finish_reason
        if isinstance(message, AIMessage) and message.usage_metadata:
            usage = message.usage_metadata
            cached = (usage.get("input_token_details") or {}).get("cache_read") or 0
            # Some servers report the tokens that they had not in their cache.
            read = usage["input_tokens"] + (cached if cached > usage["input_tokens"] else 0)
            # Token counts are maxima: servers that report usage with every chunk report totals.
            self.input_tokens = max(self.input_tokens, read)
            self.output_tokens = max(self.output_tokens, usage["output_tokens"])
        received = str(message.text)
        self.begun = self.begun or bool(received)
        text = self._keep(self.reasoning.feed(received))
        self._watch(received)
        return text

    def end(self) -> str:
        """Finish the reply; return the held text."""
        rest = self.reasoning.rest()
        if self.full and not self.looped and self._length:
            rest = ""
        elif self.looped:
            rest = rest[: repeated(rest) or 0].rstrip()
        return self._keep(rest)

    def _keep(self, text: str) -> str:
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
        """Stop a limited reply that repeats itself or reasons for too long."""
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
