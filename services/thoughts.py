"""Keep the thoughts of a reasoning model out of its reply."""

OPENING, CLOSING = "<think>", "</think>"


class ThoughtFilter:
    """Drops a leading ``<think>…</think>``, which OpenAI-compatible servers leave in the text, however it is cut."""

    def __init__(self) -> None:
        self._held = ""
        self._decided = False

    def feed(self, text: str) -> str:
        """Take the next piece of the reply and return what of it is reply for certain."""
        if self._decided:
            return text
        searched = max(0, len(self._held) - len(CLOSING))
        self._held += text
        begun = self._held.lstrip()
        if OPENING.startswith(begun[: len(OPENING)]):
            closing = self._held.find(CLOSING, searched)
            if closing < 0:
                return ""
            self._held = self._held[closing + len(CLOSING) :].lstrip()
        self._decided = True
        return self._held

    def rest(self) -> str:
        """Return at the end of the reply what was held back; thoughts without an end are no reply."""
        return "" if self._decided or self._held.lstrip().startswith(OPENING) else self._held
