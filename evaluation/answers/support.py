"""Claims of an answer that no fragment supports: provisions and figures.

Words are compared, not meaning: an answer that draws a wrong conclusion from right provisions and figures passes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from articulado.answering.passages import LEFT_OUT
from articulado.language.folding import fold
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import Citation, parse_citations
from articulado.legal.labels import provision_name
from articulado.legal.laws.registry import known_laws
from articulado.values.chunks import Chunk
from evaluation.answers.figures import figures_in, table_numbers

CitedProvision = tuple[str | None, str]
"""Law (``None`` where the registry does not know it) and provision key."""

_QUOTED = re.compile(r"«([^«»]*)»")
_QUOTES = str.maketrans("«»“”„", '"""""')


@dataclass(frozen=True)
class Unsupported:
    """Provisions and figures of an answer that nothing supports, each once, as the answer writes them."""

    provisions: tuple[str, ...]
    figures: tuple[str, ...]


def unsupported(answer: str, question: str, context: Sequence[Chunk], cited: Sequence[Chunk]) -> Unsupported:
    """Return what in an answer has no support.

    A provision has it that is among the fragments of the ``context``, or named in one or in the question, or within
    words «…» that one has; without a law it needs the same number in any law. A figure has it that is in a ``cited``
    fragment or in the question, in digits or in words, with the same unit or in a table.
    """
    return Unsupported(
        provisions=tuple(dict.fromkeys(_provisions(_without_quotations(answer, context), question, context))),
        figures=tuple(dict.fromkeys(_figures(answer, question, cited))),
    )


def _provisions(answer: str, question: str, context: Sequence[Chunk]) -> Iterator[str]:
    supported = {ref for chunk in context for ref in _named_in(chunk)}
    supported |= {ref for citation in parse_citations(question) for ref in _refs(citation)}
    numbers = {key for _, key in supported}
    # By paragraphs: "dicha ley" is one that the same paragraph names.
    for paragraph in answer.splitlines():
        # In "según el ET, 24 mensualidades" there is no article 24.
        amounts = {figure.start for figure in figures_in(paragraph)}
        for citation in parse_citations(paragraph):
            ref = (citation.law_id, citation.provision_key)
            is_supported = ref in supported if citation.law_named else citation.provision_key in numbers
            if not is_supported and citation.start not in amounts:
                yield _label(citation)


def _figures(answer: str, question: str, cited: Sequence[Chunk]) -> Iterator[str]:
    texts = [question, *map(_text, cited)]
    supported = {figure.key for text in texts for figure in figures_in(text)}
    in_tables = {number for text in texts for number in table_numbers(text)}
    for figure in figures_in(answer):
        if figure.key not in supported and figure.value not in in_tables:
            yield figure.written


def _named_in(chunk: Chunk) -> Iterator[CitedProvision]:
    # The second article of a number is known as "art:1~2"; an answer can only call it "artículo 1".
    yield chunk["law_id"], chunk["provision_key"].partition("~")[0]
    for citation in parse_citations(_text(chunk), CitationContext(law_id=chunk["law_id"])):
        yield from _refs(citation)


def _refs(citation: Citation) -> set[CitedProvision]:
    """Return the provision that is cited, under the law that is named and under the one where it is read today."""
    return {(law_id, citation.provision_key) for law_id in (citation.law_id, citation.current_id or citation.law_id)}


def _text(chunk: Chunk) -> str:
    fields = (chunk["title"], chunk["summary"], chunk["status_note"], chunk["text"])
    return "\n".join(filter(None, fields))


def _without_quotations(answer: str, chunks: Sequence[Chunk]) -> str:
    texts = [_plain(_text(chunk)) for chunk in chunks]

    def unless_verbatim(quotation: re.Match[str]) -> str:
        pieces = [_plain(piece) for piece in quotation[1].split(LEFT_OUT)]
        verbatim = all(any(piece in text for text in texts) for piece in pieces if piece)
        return "«»" if verbatim else quotation[0]

    return _QUOTED.sub(unless_verbatim, answer)


def _plain(text: str) -> str:
    return " ".join(fold(text).translate(_QUOTES).split())


def _label(citation: Citation) -> str:
    """Return a provision as a person would point to it: "artículo 99 (Estatuto de los Trabajadores)"."""
    law = known_laws().get(citation.law_id or "")
    return provision_name(citation.provision_key) + (f" ({law.short})" if law else "")
