"""An answer split into paragraphs and sentences, each with its sources, for the checks.

``read_answer`` reads at most 30,000 characters. A sentence rests on its own markers, else on the next ones
of its paragraph, else on the last ones before it. ``annotated`` marks figures without a source and removes
the quotation marks of false quotations.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from articulado.language.languages import Language
from articulado.language.sentence_spans import sentences
from articulado.legal.citations.parser import Citation
from articulado.prompting.citation_markers import marker_spans
from articulado.values.findings import Finding
from articulado.verification.attribution import marks_by_sentence, named_provisions
from articulado.verification.quoted_text import quotations_in
from articulado.verification.sources import Source

MAX_READ = 30_000
"""Characters of an answer that are checked: about ten times what a long one has."""
LEAST_QUOTED = 4
"""Words from which on what stands in quotation marks is taken from a source, and no name or term."""


@dataclass(frozen=True)
class Sentence:
    """A sentence or an item of a list: ``answer.text[start:end]``.

    ``marks`` are the numbers of the markers in it; ``rests_on`` those of the sources that it rests on: of its own
    markers, else those of the next ones in its paragraph, else of the last ones before it there; and those of the
    provisions that it names. ``named`` are the provisions that it names, with offsets into the answer.
    """

    text: str
    start: int
    end: int
    paragraph: int
    marks: tuple[int, ...]
    named: tuple[Citation, ...]
    rests_on: tuple[int, ...]


@dataclass(frozen=True)
class ReadAnswer:
    """An answer taken apart, and what it was written from. ``question`` holds figures that are the user's own.

    ``conversation`` holds the earlier turns of user and assistant, ``days`` today and the day whose law is asked for:
    their figures need no source.
    """

    text: str
    question: str
    sources: tuple[Source, ...]
    sentences: tuple[Sentence, ...]
    conversation: str = ""
    days: tuple[date, ...] = ()

    def source(self, number: int) -> Source:
        """Return the source of a marker (1-based)."""
        return self.sources[number - 1]

    def of_paragraph(self, paragraph: int) -> list[Source]:
        """Return the sources that a paragraph rests on, in order; all of them where it has neither marker nor name."""
        numbers = {n for sentence in self.sentences if sentence.paragraph == paragraph for n in sentence.rests_on}
        return [source for source in self.sources if source.number in numbers] or list(self.sources)

    def of_sentence(self, sentence: Sentence) -> list[Source]:
        """Return the sources that a sentence rests on, in order; those of its paragraph where it has none."""
        own = [source for source in self.sources if source.number in sentence.rests_on]
        return own or self.of_paragraph(sentence.paragraph)


def read_answer(
    text: str, question: str, sources: Sequence[Source], conversation: str = "", days: Sequence[date] = ()
) -> ReadAnswer:
    """Take an answer apart.

    A list belongs to the paragraph that it follows without a blank line, or with one where that ends in a colon. Of a
    text without end its beginning is read (``MAX_READ``).
    """
    text = text[:MAX_READ]
    valid = {source.number for source in sources}
    quoted = [(each.start, each.end) for each in quotations_in(text) if each.length >= LEAST_QUOTED]
    # What a quotation names is the source's to say.
    named = [each for each in named_provisions(text, sources) if not _within(each.start, quoted)]
    pieces = _pieces(text)
    written = marks_by_sentence(text, [(start, end) for start, end, _ in pieces])
    marks = [tuple(n for n in numbers if n in valid) for numbers in written]
    read: list[Sentence] = []
    for position, (start, end, paragraph) in enumerate(pieces):
        own_named = tuple(citation for citation in named if start <= citation.start < end)
        refs = {(citation.law_id, citation.provision_key) for citation in own_named}
        by_name = [source.number for source in sources if source.ref in refs]
        by_mark = marks[position] or _nearest_marks(position, pieces, marks)
        rests_on = _with_other_parts(dict.fromkeys([*by_mark, *by_name]), sources)
        read.append(Sentence(text[start:end], start, end, paragraph, marks[position], own_named, rests_on))
    return ReadAnswer(text, question, tuple(sources), tuple(read), conversation, tuple(days))


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _with_other_parts(numbers: Iterable[int], sources: Sequence[Source]) -> tuple[int, ...]:
    """Return the numbers of sources, and of the other parts of their provisions."""
    cited = list(numbers)
    refs = {source.ref for source in sources if source.number in cited and source.provision_key}
    return tuple(dict.fromkeys([*cited, *(source.number for source in sources if source.ref in refs)]))


def _pieces(text: str) -> list[tuple[int, int, int]]:
    """Return start, end and number of paragraph of each sentence."""
    pieces: list[tuple[int, int, int]] = []
    paragraph = 0
    for start, end in sentences(text):
        if pieces:
            before, gap = pieces[-1], text[pieces[-1][1] : start]
            if gap.count("\n") > 1 and not text[before[0] : before[1]].rstrip(" *_").endswith(":"):
                paragraph += 1
        pieces.append((start, end, paragraph))
    return pieces


def _nearest_marks(
    position: int, pieces: Sequence[tuple[int, int, int]], marks: Sequence[tuple[int, ...]]
) -> tuple[int, ...]:
    paragraph = pieces[position][2]
    after = (marks[n] for n in range(position + 1, len(pieces)) if pieces[n][2] == paragraph and marks[n])
    before = (marks[n] for n in range(position - 1, -1, -1) if pieces[n][2] == paragraph and marks[n])
    return next(after, ()) or next(before, ())


_OPENING, _CLOSING = '«“"‘', '»”"’'


def annotated(text: str, findings: Sequence[Finding], language: Language) -> str:
    """Return an answer in which each figure without a source says so, and words that are no quotation look like none.

    What passes for a quotation loses its quotation marks, and the markers that vouch for it. Findings of other kinds
    change nothing. Offsets of the findings are into the text.
    """
    # From the end, so that the places of what comes before stay as they are.
    for finding in sorted(findings, key=lambda each: -each["start"]):
        if finding["severity"] != "error":
            continue
        if finding["check"] == "figure":
            text = f"{text[: finding['end']]} {language.translate('verify_figure')}{text[finding['end'] :]}"
        elif finding["check"] == "quotation":
            text = _without_quotation_marks(text, finding, language)
    return text


def _without_quotation_marks(text: str, finding: Finding, language: Language) -> str:
    start, end = finding["start"], finding["end"]
    before, quoted, after = text[:start], text[start:end], text[end:]
    if before[-1:] and before[-1:] in _OPENING and after[:1] and after[:1] in _CLOSING:
        before, after = before[:-1], after[1:]
    elif quoted[:1] in _OPENING and quoted[-1:] in _CLOSING:
        quoted = quoted[1:-1]
    line_end = after.find("\n")
    rest = len(after) if line_end < 0 else line_end
    spans = [(begin, stop) for begin, stop, _ in marker_spans(after)]
    for begin, stop in reversed([span for span in spans if span[0] < rest and _only_marks(after[: span[0]])]):
        after = f"{after[:begin].rstrip(' ')}{after[stop:]}"
    return f"{before}{quoted} {language.translate('verify_quotation')}{after}"


def _only_marks(text: str) -> bool:
    """Tell whether there is nothing but punctuation and markers in a text."""
    for begin, stop, _ in reversed(marker_spans(text)):
        text = text[:begin] + text[stop:]
    return not text.strip(' .,;:)»”"')
