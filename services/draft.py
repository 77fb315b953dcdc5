"""What one attempt at a reply has brought so far."""

from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, BaseMessage

from services.thoughts import ThoughtFilter


@dataclass
class Draft:
    """Text, how it ended, and what it cost."""

    text: str = ""
    finish_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    thoughts: ThoughtFilter = field(default_factory=ThoughtFilter)

    def add(self, message: BaseMessage) -> str:
        """Take in a message or a chunk of one, and return its text, without the model's thoughts.

        The largest token counts win, not their sum: servers that report usage with every chunk report totals.
        """
        text = self.thoughts.feed(str(message.text))
        self.text += text
        self.finish_reason = message.response_metadata.get("finish_reason") or self.finish_reason
        if isinstance(message, AIMessage) and message.usage_metadata:
            self.input_tokens = max(self.input_tokens, message.usage_metadata["input_tokens"])
            self.output_tokens = max(self.output_tokens, message.usage_metadata["output_tokens"])
        return text

    def end(self) -> str:
        """Return the text that waited for the end of the reply."""
        text = self.thoughts.rest()
        self.text += text
        return text
