"""The sentences that a chat model has written: none is paid for twice."""

from collections.abc import Sequence

from ingestion.context.paid_cache import PaidCache


class ContextCache(PaidCache):
    """Sentences by key."""

    contents = "frases de contexto"

    def get_many(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the sentences of those keys that have one; it may be empty.

        Raises:
            ConfigurationError: the file is damaged, or the system refuses it.
        """
        return {key: sentence.decode() for key, sentence in self._get_many(keys).items()}

    def put(self, key: str, sentence: str) -> None:
        """Keep a sentence; the last one of a key counts.

        Raises:
            ConfigurationError: the file is damaged, or the system refuses it.
        """
        self._put_many({key: sentence.encode()})
