"""A model's reply as it comes in: its text without the reasoning before it, how it ended, and what it cost."""

from dataclasses import dataclass, field
from typing import Literal

from langchain_core.messages import AIMessage, BaseMessage

OPENING_TAG, CLOSING_TAG = "<think>", "</think>"
"""What reasoning models put around their reasoning, before the reply."""
LINE_ALLOWANCE = 2_000
"""Characters more that a reply may have to end with a line."""


class ReasoningFilter:
    """Drops a leading ``<think>…</think>``, which OpenAI-compatible servers leave in the text, however it is cut.

    >>> reasoning = ReasoningFilter()
    >>> [reasoning.feed(piece) for piece in ("<thi", "nk>¿Treinta?</think>", "Treinta", " días.")]
    ['', '', 'Treinta', ' días.']
    """

    def __init__(self) -> None:
        self._pending = ""  # what may be the beginning of a tag: never longer than one
        self._place: Literal["before", "inside", "behind", "reply"] = "before"

    def feed(self, text: str) -> str:
        """Take the next piece of the reply and return the text that is no reasoning for certain."""
        if self._place == "reply":
            return text
        text, self._pending = self._pending + text, ""
        if self._place == "before":
            text = text.lstrip()
            if not OPENING_TAG.startswith(text[: len(OPENING_TAG)]):
                self._place = "reply"
                return text
            if len(text) < len(OPENING_TAG):
                self._pending = text
                return ""
            self._place, text = "inside", text[len(OPENING_TAG) :]
        if self._place == "inside":
            _, closing, behind = text.partition(CLOSING_TAG)
            if not closing:
                self._pending = text[1 - len(CLOSING_TAG) :]
                return ""
            self._place, text = "behind", behind
        text = text.lstrip()
        if text:
            self._place = "reply"
        return text

    def rest(self) -> str:
        """Return at the end of the reply the text that was held back; reasoning without an end is no reply."""
        return self._pending if self._place == "before" else ""


@dataclass
class ReplyAccumulator:
    """A reply as its messages or chunks come in: its text without reasoning, how it ended, and what it cost.

    With a ``limit`` in characters, the text ends at the first line break behind it, or ``LINE_ALLOWANCE`` later; it is
    ``full`` then. It has ``begun`` with its first text, be that reasoning.
    """

    limit: int | None = None
    full: bool = False
    begun: bool = False
    finish_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    _pieces: list[str] = field(default_factory=list)
    _length: int = 0
    _reasoning: ReasoningFilter = field(default_factory=ReasoningFilter)

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    @property
    def cut(self) -> bool:
        """Whether there would have been more of it."""
        return self.full or self.finish_reason == "length"

    def add(self, message: BaseMessage) -> str:
        """Take in a message or a chunk of one, and return its text, without the model's reasoning.

        The largest token counts win, not their sum: servers that report usage with every chunk report totals.
        """
        self.finish_reason = message.response_metadata.get("finish_reason") or self.finish_reason
        if isinstance(message, AIMessage) and message.usage_metadata:
            self.input_tokens = max(self.input_tokens, message.usage_metadata["input_tokens"])
            self.output_tokens = max(self.output_tokens, message.usage_metadata["output_tokens"])
        self.begun = self.begun or bool(message.text)
        return self._keep(self._reasoning.feed(str(message.text)))

    def end(self) -> str:
        """Take in the end of the reply, and return the text that waited for it."""
        return self._keep(self._reasoning.rest())

    def _keep(self, text: str) -> str:
        """Add text, as much as there is room for, and return it."""
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
