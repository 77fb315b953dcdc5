"""Split the text of a long provision into parts that a search can tell apart."""

from articulado.language.sentence_spans import CLAUSES, Cuts, Span, between_sentences, blanks_matching, cut
from articulado.language.table_text import head_of, with_heads
from articulado.legal.labels import WRITTEN_SUFFIXES

MAX_PART = 2_000
"""Characters of a part at most."""

CUTS: tuple[Cuts, ...] = (
    # Before an apartado: "2. …", "2 bis. …", "3.º …", or the next article that the text quotes.
    blanks_matching(rf"\n\n(?=«?(?:\d{{1,2}}(?: (?:{WRITTEN_SUFFIXES}))?(?:\.º|\.|\.ª) |Artículo \d))"),
    blanks_matching(r"\n\n"),
    blanks_matching(r"\n"),
    between_sentences,
    *CLAUSES,
)
"""Where a text is cut, from the best place to the worst."""


def split_text(text: str, limit: int = MAX_PART) -> list[str]:
    r"""Split a text into parts of at most ``limit`` characters, in order; a text that fits is one part.

    Cuts are made before apartados, else between paragraphs, rows or sentences. Only a single sentence or row that
    does not fit is cut at a clause or a blank (and a word longer than the limit, wherever it must be). A part that
    begins inside a table has its head before it.

    >>> split_text("1. Primer apartado.\n\n2. Segundo apartado.", limit=25)
    ['1. Primer apartado.', '2. Segundo apartado.']
    """
    text = text.strip()
    return list(with_heads(text, spans_of(text, limit)))


def spans_of(text: str, limit: int = MAX_PART) -> list[Span]:
    """Return where the parts of a text begin and end; with the head of a table before them, they fit too."""
    if len(text) > limit:
        limit -= max(len(f"{head}\n") if (head := head_of(table)) else 0 for table in text.split("\n\n"))
    return [(start, end) for start, end in cut(text, limit, CUTS) if end > start] if text else []
