"""An answer split into paragraphs and sentences, each with its sources, for the checks."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from articulado.language.folding import fold
from articulado.language.languages import Language
from articulado.language.quantities import Quantity
from articulado.language.sentences import sentence_spans
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import Citation, parse_citations
from articulado.legal.laws.mentions import mentions_in
from articulado.prompting.citation_markers import marker_spans
from articulado.values.findings import Finding
from articulado.verification.quoted_text import quotations_in
from articulado.verification.sources import Source, provisions_in

Mark = tuple[int, int, tuple[int, ...]]
"""Start, end and source numbers of a marker."""

_NAMED_SOURCE = re.compile(r"[\[(【［]\s*(?:fuente|source|documento)\s+(\d{1,2})\s*[\])】］]", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"[\[【［]\^?(\d{1,2})(?:†[^\]】］]*)?[\]】］](?![(:])")
_ENDS = re.compile(r"[.!?…»”\"]\s*$")
_GOES_ON = re.compile(r"\s*[,;:]?\s*[a-záéíóúñ]")

_SOURCE_BEHIND = re.compile(
    r"(?:\s(?!(?:y|e|o|u|ni|pero|aunque|que)\b)\w+){0,7}"
    r"(?:,?\s?(?P<bracket>[(\[])\s?|,?\s(?P<lead>según|conforme al?|de (?:acuerdo|conformidad) con|a tenor del?)\s"
    r"|,?\s(?:por|ex|del?|en virtud del?)\s|,\s)"
    r"(?:(?:lo (?:dispuesto|establecido|previsto) (?:en|por)|véase|ver|cfr?\.|vid\.)\s)?(?:(?:el|la|los|las)\s)?",
    re.IGNORECASE,
)
_SOURCE_AHEAD = re.compile(
    r"\b(?:según|conforme al?|de (?:acuerdo|conformidad) con|a tenor del?)\s(?:\w+\s){0,4}$", re.IGNORECASE
)
_SUBJECT = re.compile(r"(?:^|[,;:.]\s(?:y\s)?|\sy\s)el\s$", re.IGNORECASE)
_SAYS = re.compile(r"(?:(?!\b(?:que|remi\w+|relación)\b)[^;()]){0,80}", re.IGNORECASE)
_JOINED = re.compile(r"(?:(?!\bsegún\b|\bconforme\b|\d|[(;]).){0,45}", re.IGNORECASE | re.DOTALL)
_NEXT = re.compile(r"[;]|\s(?:y|e|mientras|pero)\b")
_SET_APART = re.compile(
    r"\b(?:antes|anterior(?:mente)?|antigu[oa]|entonces|ya no|redacción|y no|no son?|sino|frente a|en (?:vez|lugar) de"
    r"|convenio|pacto|carta|hasta la reforma)\b",
    re.IGNORECASE,
)


def marks_in(text: str) -> list[Mark]:
    """Return the markers of an answer in order; bare numbers in brackets count if it has no others.

    >>> marks_in("Son 30 días [C2]."), marks_in("Son 30 días [2].")
    ([(12, 16, (2,))], [(12, 15, (2,))])
    """
    own = [*marker_spans(text), *((m.start(), m.end(), (int(m[1]),)) for m in _NAMED_SOURCE.finditer(text))]
    return sorted(own) or [(m.start(), m.end(), (int(m[1]),)) for m in _BARE_NUMBER.finditer(text)]


def marks_by_sentence(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[Mark, ...]]:
    """Return the markers of each sentence; one behind a full stop belongs to the sentence before it."""
    marks: list[list[Mark]] = [[] for _ in spans]
    for mark in marks_in(text):
        position = next((n for n, (first, last) in enumerate(spans) if first <= mark[0] < last), None)
        if position is not None:
            marks[position - _is_behind(text, spans, position, mark[0], mark[1])].append(mark)
    return [tuple(each) for each in marks]


def _is_behind(text: str, spans: Sequence[tuple[int, int]], position: int, start: int, end: int) -> bool:
    if not position:
        return False
    between = _without_marks(text[spans[position - 1][0] : start])
    leads = not _without_marks(text[spans[position][0] : start]).strip()
    gap = text[spans[position - 1][1] : start]
    return leads and "\n" not in gap and bool(_ENDS.search(between)) and not _GOES_ON.match(text, end)


def _without_marks(text: str) -> str:
    for start, end, _ in reversed(marks_in(text)):
        text = text[:start] + text[end:]
    return text


def named_provisions(text: str, sources: Sequence[Source]) -> list[Citation]:
    """Return the provisions named in an answer; one without a law gets the most likely law of the context.

    That is the only law of the sources or their references with this number, else the last named law, else the
    commonest.
    """
    majority = Counter(source.law_id for source in sources if source.law_id).most_common(1)
    last = majority[0][0] if majority else None
    refs, resolved = {source.ref for source in sources}, []
    for citation in parse_citations(text, CitationContext(several=True)):
        as_named = (citation.law_id, citation.provision_key) in refs
        law_id = citation.law_id if as_named else citation.current_id or citation.law_id
        if law_id is None and not citation.law_named:
            law_id = _law_by_number(citation, sources, last)
        elif law_id:
            last = law_id
        resolved.append(replace(citation, law_id=law_id))
    return resolved


def _law_by_number(citation: Citation, sources: Sequence[Source], last: str | None) -> str | None:
    key = citation.provision_key
    laws = dict.fromkeys(source.law_id for source in sources if source.provision_key == key)
    if not laws:
        # A text that is told again may lose the law that its sentence ends with ("los artículos 40 y 50 del …").
        cited = (ref for source in sources for ref in provisions_in(source.text, source.law_id) if ref[1] == key)
        laws = dict.fromkeys(law_id for law_id, _ in cited)
        return next(iter(laws)) if len(laws) == 1 else last
    return last if last in laws else next(iter(laws))


MAX_READ = 30_000
LEAST_QUOTED = 4
"""Words from which a text in quotation marks is a quotation, not a name or term."""


@dataclass(frozen=True)
class Sentence:
    """A sentence or a list item: ``answer.text[start:end]``."""

    text: str
    start: int
    end: int
    paragraph: int
    written_marks: tuple[Mark, ...]  # its markers, also one behind its full stop
    marks: tuple[int, ...]  # numbers of its markers that point to a source
    named: tuple[Citation, ...]
    rests_on: tuple[
        int, ...
    ]  # sources of its provisions and markers, else of the next or last markers in its paragraph


def without_names(sentence: Sentence) -> str:
    """Return the text of a sentence without its citations and the names of laws."""
    text = sentence.text
    spans = [(each.start - sentence.start, each.end - sentence.start) for each in sentence.named]
    spans += [(each.start, each.end) for each in mentions_in(text, fold(text), None, literal=True)]
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text


@dataclass(frozen=True)
class FigureSource:
    """The provisions given as the source of a figure; ``is_led``: words such as "según" introduce them."""

    named: tuple[Citation, ...]
    is_led: bool


def source_of_figure(sentence: Sentence, figure: Quantity, figures: Sequence[Quantity]) -> FigureSource | None:
    """Return the provisions that a sentence gives as the source of a figure, ``None`` if it does not tell.

    They follow the figure, or precede it after "según" or as the subject; a figure set apart from the law has none.
    """
    text, named = sentence.text, sorted(sentence.named, key=lambda each: each.start)
    spans = [(each.start - sentence.start, each.end - sentence.start) for each in named]
    following = next((n for n, span in enumerate(spans) if span[0] >= figure.end), len(spans))
    begin = spans[following - 1][1] if following else 0
    if _SET_APART.search(text, begin, spans[following][1] if following < len(spans) else len(text)):
        return None

    def has_figure(start: int, end: int) -> bool:
        return any(start <= each.start < end for each in figures)

    def are_joined(number: int, stop: str = "") -> bool:
        start, end = spans[number - 1][1], spans[number][0]
        between = text[start:end]
        return bool(_JOINED.fullmatch(between)) and not has_figure(start, end) and not (stop and stop in between)

    if following < len(spans):
        start = spans[following][0]
        behind = _SOURCE_BEHIND.fullmatch(text, figure.end, start)
        if behind and not has_figure(figure.end, start):
            last = following + 1
            while last < len(spans) and are_joined(last, ")" if behind["bracket"] else ""):
                last += 1
            return FigureSource(tuple(named[following:last]), bool(behind["lead"]))
        if not _NEXT.search(text, figure.end, start):
            return None
    first = following - 1
    if first < 0 or has_figure(begin, figure.start) or re.search(r"[;()]", text[begin : figure.start]):
        return None
    while first and are_joined(first):
        first -= 1
    start, sources = spans[first][0], tuple(named[first:following])
    if _SOURCE_AHEAD.search(text, 0, start):
        return FigureSource(sources, is_led=True)
    is_subject = _SUBJECT.search(text, 0, start) and _SAYS.fullmatch(text, begin, figure.start)
    return FigureSource(sources, is_led=False) if is_subject else None


@dataclass(frozen=True)
class ReadAnswer:
    """An answer divided into sentences; figures of ``question``, ``conversation`` and ``days`` need no source."""

    text: str
    question: str
    sources: tuple[Source, ...]
    sentences: tuple[Sentence, ...]
    conversation: str = ""
    days: tuple[date, ...] = ()

    def source(self, number: int) -> Source:
        return self.sources[number - 1]

    def of_paragraph(self, paragraph: int) -> list[Source]:
        """Return the sources of a paragraph in order; all sources if it has no marker and names no provision."""
        numbers = {n for sentence in self.sentences if sentence.paragraph == paragraph for n in sentence.rests_on}
        return [source for source in self.sources if source.number in numbers] or list(self.sources)

    def of_sentence(self, sentence: Sentence) -> list[Source]:
        """Return the sources of a sentence in order; those of its paragraph if it has none."""
        own = [source for source in self.sources if source.number in sentence.rests_on]
        return own or self.of_paragraph(sentence.paragraph)


def read_answer(
    text: str, question: str, sources: Sequence[Source], conversation: str = "", days: Sequence[date] = ()
) -> ReadAnswer:
    """Split the first ``MAX_READ`` characters of an answer into sentences, and assign their sources."""
    text = text[:MAX_READ]
    valid = {source.number for source in sources}
    quoted = [(each.start, each.end) for each in quotations_in(text) if each.length >= LEAST_QUOTED]
    # What a quotation names is the source's to say.
    named = [each for each in named_provisions(text, sources) if not _within(each.start, quoted)]
    pieces = _pieces(text)
    written = marks_by_sentence(text, [(start, end) for start, end, _ in pieces])
    marks = [tuple(dict.fromkeys(n for _, _, numbers in each for n in numbers if n in valid)) for each in written]
    read: list[Sentence] = []
    for position, (start, end, paragraph) in enumerate(pieces):
        own_named = tuple(citation for citation in named if start <= citation.start < end)
        refs = {(citation.law_id, citation.provision_key) for citation in own_named}
        by_name = [source.number for source in sources if source.ref in refs]
        by_mark = marks[position] or _nearest_marks(position, pieces, marks)
        rests_on = _with_other_parts(dict.fromkeys([*by_mark, *by_name]), sources)
        placed = (written[position], marks[position])
        read.append(Sentence(text[start:end], start, end, paragraph, *placed, own_named, rests_on))
    return ReadAnswer(text, question, tuple(sources), tuple(read), conversation, tuple(days))


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _with_other_parts(numbers: Iterable[int], sources: Sequence[Source]) -> tuple[int, ...]:
    cited = list(numbers)
    refs = {source.ref for source in sources if source.number in cited and source.provision_key}
    return tuple(dict.fromkeys([*cited, *(source.number for source in sources if source.ref in refs)]))


def _pieces(text: str) -> list[tuple[int, int, int]]:
    pieces: list[tuple[int, int, int]] = []
    paragraph = 0
    for start, end in sentence_spans(text):
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
    """Mark each figure without a source, and remove the quotation marks and markers of false quotations."""
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
    for begin, stop, _ in reversed(marker_spans(text)):
        text = text[:begin] + text[stop:]
    return not text.strip(' .,;:)»”"')
