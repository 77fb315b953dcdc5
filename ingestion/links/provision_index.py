"""Find a provision, and the wording of it that is in force on a day, among the chunks of all laws."""

from collections import defaultdict
from collections.abc import Sequence

from legal.laws.mentions import current_law
from legal.laws.registry import known_laws
from state.chunks import Chunk, ProvisionRef

_FOREVER = "9999"


class ProvisionIndex:
    """The chunks by law and key, the parts of each wording in order. Days are ISO 8601."""

    def __init__(self, chunks: Sequence[Chunk]):
        self._wordings: dict[ProvisionRef, dict[str, list[Chunk]]] = {}
        self._rows: dict[tuple[str, str, str], dict[str, None]] = defaultdict(dict)
        self._laws = {chunk["law_id"] for chunk in chunks if chunk["source"] == "official"}
        for chunk in chunks:
            law_id, key = chunk["law_id"], chunk["provision_key"]
            self._wordings.setdefault((law_id, key), {}).setdefault(chunk["valid_from"] or "", []).append(chunk)
            self._rows[law_id, key.partition(":")[0], key.partition("~")[2]][key] = None
        for parts in (parts for wordings in self._wordings.values() for parts in wordings.values()):
            parts.sort(key=lambda part: part["part"])
        self._add_ranges_and_duplicates()

    def _add_ranges_and_duplicates(self) -> None:
        """Let a range answer for its articles, and a duplicate ("art:5~2") for its label, where nothing else does."""
        for (law_id, key), wordings in list(self._wordings.items()):
            kind, _, number = key.partition(":")
            low, _, high = number.partition("-")
            if low.isdigit() and high.isdigit():
                for inside in range(int(low), int(high) + 1):
                    self._wordings.setdefault((law_id, f"{kind}:{inside}"), wordings)
            self._wordings.setdefault((law_id, key.partition("~")[0]), wordings)

    def has_text(self, law_id: str) -> bool:
        """Tell whether any provision of a law is indexed with its own text: records alone may leave some out."""
        return law_id in self._laws

    def has(self, law_id: str | None, key: str) -> bool:
        """Tell whether a provision is indexed, in whatever wording."""
        return (law_id or "", key) in self._wordings

    def parts(self, chunk: Chunk) -> list[Chunk]:
        """Return all parts of the wording of a chunk, in order."""
        return self._wordings[chunk["law_id"], chunk["provision_key"]][chunk["valid_from"] or ""]

    def wording_on(self, law_id: str, key: str, day: str) -> list[Chunk]:
        """Return the parts of the wording in force on a day: else of the last before it, else of the first after it.

        Empty where the provision is not indexed.
        """
        wordings = sorted(self._wordings.get((law_id, key), {}).items())
        begun = [parts for since, parts in wordings if since <= day]
        return begun[-1] if begun else wordings[0][1] if wordings else []

    def wording_or_successor(self, law_id: str, key: str, day: str) -> list[Chunk]:
        """Return the parts of ``wording_on``, of the successor where the law itself has none in force on the day.

        Only a successor that kept the numbers of the articles has the same provision.
        """
        parts = self.wording_on(law_id, key, day)
        known = known_laws().get(law_id)
        if known is None or (parts and _in_force(parts[0], day)):
            return parts
        successors = self.wording_on(current_law(known).id, key, day)
        return successors if successors and _in_force(successors[0], day) else parts

    def neighbours(self, chunk: Chunk) -> tuple[str | None, str | None]:
        """Return the keys of the provisions of its kind before and after a chunk's, on the day that it was written."""
        law_id, key, day = chunk["law_id"], chunk["provision_key"], chunk["valid_from"] or ""
        row = list(self._rows[law_id, key.partition(":")[0], key.partition("~")[2]])
        at = row.index(key)
        before = (other for other in reversed(row[:at]) if self._existed(law_id, other, day))
        after = (other for other in row[at + 1 :] if self._existed(law_id, other, day))
        return next(before, None), next(after, None)

    def _existed(self, law_id: str, key: str, day: str) -> bool:
        wordings = self._wordings[law_id, key].values()
        return not day or any(_in_force(parts[0], day) for parts in wordings)


def _in_force(chunk: Chunk, day: str) -> bool:
    return (chunk["valid_from"] or "") <= day < (chunk["valid_to"] or _FOREVER)
