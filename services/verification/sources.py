"""The fragments that an answer was written from, as its checks read them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import parse_citations
from articulado.prompting.notes import whole_note
from articulado.values.chunks import Candidate, ProvisionRef


@dataclass(frozen=True)
class Source:
    """A fragment of the context; ``number`` (1-based) is that of its marker.

    ``text`` is the text of the provision. ``besides`` is what else the model read of the fragment: heading, summary,
    notes. A figure may stand there, a quotation may not. ``law_id`` and ``provision_key`` may be empty where a context
    that comes from elsewhere names a law or a provision that is not known.
    """

    number: int
    law_id: str
    law_name: str
    provision: str
    provision_key: str
    text: str
    besides: str = ""

    @property
    def ref(self) -> ProvisionRef:
        """What all fragments of one provision share."""
        return self.law_id, self.provision_key

    @property
    def mark(self) -> str:
        """The number as a marker has it, without brackets."""
        return f"C{self.number}"

    @property
    def everything(self) -> str:
        """All that the model read of the fragment."""
        return f"{self.besides}\n{self.text}" if self.besides else self.text


def sources_of(context: Sequence[Candidate]) -> list[Source]:
    """Return the sources of an answer, in the order of their markers."""
    return [_source(number, candidate) for number, candidate in enumerate(context, start=1)]


def _source(number: int, candidate: Candidate) -> Source:
    chunk = candidate["chunk"]
    heading = f"{chunk['law_name']}. {chunk['provision']}. {chunk['title']}"
    besides = "\n".join(filter(None, (heading, chunk["breadcrumb"], chunk["summary"], whole_note(chunk))))
    return Source(
        number, chunk["law_id"], chunk["law_name"], chunk["provision"], chunk["provision_key"], chunk["text"], besides
    )


@lru_cache(maxsize=4096)
def provisions_in(text: str, law_id: str) -> tuple[ProvisionRef, ...]:
    """Return the provisions that a text of a law refers to, each once: as it names them, and as they are read today."""
    refs: list[ProvisionRef] = []
    for citation in parse_citations(text, CitationContext(law_id=law_id or None, prose=True)):
        refs += [(law, citation.provision_key) for law in (citation.current_id, citation.law_id) if law]
    return tuple(dict.fromkeys(refs))
