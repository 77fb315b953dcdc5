"""Compare the figures and words of a sentence of a brief with the apartado or letter that it cites."""

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from textwrap import shorten

from articulado.language.quantities import DATE, Quantity, bare_numbers, quantities
from articulado.language.sentences import sentence_spans
from articulado.language.spanish import stems
from articulado.language.translation import translate
from articulado.legal.citations.items import Place
from articulado.legal.citations.parser import Citation
from articulado.values.findings import Finding
from articulado.verification.briefs.passages import Division
from articulado.verification.citations import part_name
from articulado.verification.computations import compounds
from articulado.verification.figures import figure_text, figures_of_law, finding_on_figure
from articulado.verification.reading import ReadAnswer, Sentence, source_of_figure, without_names
from articulado.verification.sources import (
    Source,
    is_comparable,
    is_in_range,
    is_range,
    is_same,
    make_finding,
    stands_in,
)

_DIRECTLY = re.compile(
    r"(?:\s(?!(?:el|los|las?)\b)\w+){0,2}\s(?:del?|de la)\s|(?:\s\w+){0,3}\sque\s(?:\w+\s){1,3}(?:el|la|los)\s"
)
_SPEAKS = re.compile(r"(?:\s+(?!que\b)[\w.,º]+){0,9}?\s+\w+(?:e|en|a|an)\b")
_IF = re.compile(r"\bsi\b[^.;,]*$", re.IGNORECASE)
_CLAUSE = re.compile(r"[;:]\s|,\s(?:por lo que|de modo que|lo que)\s")
_LEAST_OWN = 1.0
_LEAST_OWN_OF_COUNT = 2.0
_PHRASE = 90
_LEAD = 0.99
_ACRONYM = re.compile(r"\b[A-ZÁÉÍÓÚÑ]{2,}\b")
_VERY = re.compile(r"\bmuy\s+", re.IGNORECASE)
"""Serious and very serious faults are two kinds: join the adverb to the adjective."""


@dataclass(frozen=True)
class Cited:
    """A cited provision; ``referred`` is the text of the provisions to which its cited part refers."""

    citation: Citation
    division: Division
    source: Source
    collection: str = ""
    referred: str = ""

    @property
    def place(self) -> tuple[str, str]:
        return self.division.place_of(self.citation)

    @property
    def name(self) -> str:
        apartado, letter = self.place
        part = f".{apartado}" * bool(apartado) + f".{letter})" * bool(letter)
        return f"{self.source.provision.lower()}{part} ({self.source.law_name})"

    @property
    def scope(self) -> str:
        return self.division.scope(*self.place)

    def has(self, quantity: Quantity) -> bool:
        """Return True if the cited part contains a figure, or a range that includes it."""
        return _has(self.scope, quantity) or is_in_range(self.scope, quantity)

    def refers_to(self, quantity: Quantity) -> bool:
        """Return True if the cited part refers to a part or provision that contains a figure."""
        if not _patterns()["refers"].search(self.division.own(*self.place)):
            return False
        return _has(self.source.everything, quantity) or _has(self.referred, quantity)


def claim_findings(answer: ReadAnswer, cited: Sequence[Cited]) -> list[tuple[Finding, int]]:
    """Return the figures and words missing from the cited part, each with the offset of its citation."""
    findings: list[tuple[Finding, int]] = []
    by_start = {each.citation.start: each for each in cited}
    for sentence in answer.sentences:
        here = [by_start[each.start] for each in sentence.named if each.start in by_start]
        if here and len(here) == len(sentence.named):
            is_plain = len(here) == 1 and not tells_facts(sentence.text)
            findings += _figures(answer, sentence, here) or (_other_letter(sentence, here[0]) if is_plain else [])
    return findings


def is_supported(answer: ReadAnswer, cited: Cited) -> bool:
    """Return True if the sentence of a citation has a figure of the cited part."""
    sentence = next((each for each in answer.sentences if each.start <= cited.citation.start < each.end), None)
    figures = figures_of_law(answer, sentence) if sentence else []
    sources = [source_of_figure(sentence, each, figures) for each in figures] if sentence else []
    start = cited.citation.start
    return any(
        cited.has(figure) and (source is None or any(each.start == start for each in source.named))
        for figure, source in zip(figures, sources, strict=True)
    )


def _figures(answer: ReadAnswer, sentence: Sentence, cited: Sequence[Cited]) -> list[tuple[Finding, int]]:
    figures = [each for each in figures_of_law(answer, sentence) if each.unit != DATE]
    by_figure = {each.start: _sources_of(sentence, each, figures, cited) for each in figures}
    right = [each for each in figures if any(one.has(each) for one in by_figure[each.start])]
    bare = {number.value for number in bare_numbers(without_names(sentence)) if number.value > 1}
    findings = []
    whole = {part for each in compounds(sentence.text, figures) for part in each.parts}
    for figure in figures:
        if figure in right or figure in whole or not _is_said_of_law(sentence, figure, cited, figures):
            continue
        own = by_figure[figure.start]
        nearest = min(own, key=lambda each: abs(each.citation.start - sentence.start - figure.start))
        known = [each for each in quantities(nearest.scope) if is_comparable(figure, each)]
        known = [each for each in known if figure.unit != "euro" or not any(is_same(each, other) for other in right)]
        is_range = figure.unit == "euro"
        if not is_range and (
            any(
                is_comparable(figure, other) and _noun(sentence.text, other) == _noun(sentence.text, figure)
                for other in right
                if own in (cited, by_figure[other.start]) or by_figure[other.start] is cited
            )
            or any(each.value in bare for each in known)
        ):
            continue  # The figure of the law is there; this one is compared with it.
        if finding := _told(sentence, figure, nearest, known):
            findings.append((finding, nearest.citation.start))
    return findings


def _sources_of(
    sentence: Sentence, figure: Quantity, figures: Sequence[Quantity], cited: Sequence[Cited]
) -> Sequence[Cited]:
    source = source_of_figure(sentence, figure, figures)
    starts = {each.start for each in source.named} if source else set()
    return [each for each in cited if each.citation.start in starts] or cited


def _is_said_of_law(sentence: Sentence, figure: Quantity, cited: Sequence[Cited], figures: Sequence[Quantity]) -> bool:
    text = sentence.text
    if figure.unit == "euro":  # A sum of money is of the case, but for a range.
        return any(other.unit == "euro" and is_range(text, figure, other) for other in figures)
    starts = [place for each in cited if (place := each.citation.start - sentence.start) >= figure.end]
    if starts and _DIRECTLY.fullmatch(text, figure.end, min(starts)):
        return True
    bounds = [0, *(match.end() for match in _CLAUSE.finditer(text)), len(text)]
    clause = next(text[first:last] for first, last in pairwise(bounds) if figure.start < last)
    if tells_facts(clause):
        return False
    return not any(each.unit in (DATE, "euro") for each in quantities(clause))


def tells_facts(text: str) -> bool:
    """Return True if a text states facts of the case: by a past tense, a party, or a comparison with the law."""
    past = next((m for m in _patterns()["past"].finditer(text) if not _IF.search(text, 0, m.start())), None)
    return bool(past or _patterns()["measures"].search(text) or _patterns()["party"].search(text))


def _told(sentence: Sentence, figure: Quantity, cited: Cited, known: Sequence[Quantity]) -> Finding | None:
    said = _words_around(sentence)
    scope = cited.scope
    fitting = _fitting(said, figure, sentence.text, scope, known)
    if is_given := _is_given(sentence, figure):
        fitting = fitting or _only_one(figure, known)
    if (
        not is_given
        and not _is_compared(sentence.text, figure)
        and any(_allows(scope, each, figure) for each in fitting)
    ):
        return None  # A value of the case within a limit of the law.
    if fitting:
        phrases = list(dict.fromkeys(_phrase(scope, each, known) for each in fitting))
        shown = translate("brief.or").join(f"«{phrase}»" for phrase in phrases[:4])
        evidence = _sentence_of(scope, fitting[0])
        message = translate("brief.other_figure", where=figure_text(sentence, figure), provision=cited.name, real=shown)
        return finding_on_figure(sentence, figure, "unsupported", message, evidence)
    if cited.refers_to(figure):
        return None
    elsewhere = (
        next((part for part in cited.division.parts if _has(part.text, figure)), None)
        if cited.place != ("", "")
        else None
    )
    if elsewhere and len(said & content_stems(elsewhere.text)) >= min(2, len(said)):
        place = part_name(Place(elsewhere.apartado, elsewhere.letter)) if elsewhere.apartado or elsewhere.letter else ""
        if place:
            message = translate(
                "brief.elsewhere", where=figure_text(sentence, figure), provision=cited.name, place=place
            )
            return finding_on_figure(sentence, figure, "other_part", message, elsewhere.text)
    if not known and not _is_count(figure) and _is_stated(sentence, figure, cited):
        message = translate("brief.no_figure", where=figure_text(sentence, figure), provision=cited.name)
        return finding_on_figure(sentence, figure, "unsupported", message, "")
    return None


def _is_given(sentence: Sentence, figure: Quantity) -> bool:
    source = source_of_figure(sentence, figure, quantities(sentence.text))
    is_said = bool(source and source.is_led and _patterns()["is_of"].search(sentence.text[: figure.start]))
    return is_said and not _patterns()["applied"].search(sentence.text)


def _only_one(figure: Quantity, known: Sequence[Quantity]) -> list[Quantity]:
    alike = [each for each in known if each.per == figure.per and figure.kind in ("", each.kind)]
    return alike[:1] if len({each.value for each in known}) == 1 and not _is_count(figure) else []


def _is_stated(sentence: Sentence, figure: Quantity, cited: Cited) -> bool:
    text, start, end = sentence.text, cited.citation.start - sentence.start, cited.citation.end - sentence.start
    if _patterns()["leads"].search(text[:start]):
        return True
    return end <= figure.start and bool(_SPEAKS.match(text, end, figure.start))


def _fitting(
    said: frozenset[str], figure: Quantity, text: str, scope: str, known: Sequence[Quantity]
) -> list[Quantity]:
    """Return the figures of the law that a sentence may mean, by shared words, time and noun."""
    beside = [each for each in quantities(text) if each.start != figure.start]
    least = _LEAST_OWN_OF_COUNT if _is_count(figure) else _LEAST_OWN
    ranked: dict[int, tuple[tuple[int, bool, bool, float], Quantity]] = {}
    for each in known:
        first, last = next(span for span in sentences_of(scope) if each.start < span[1])
        before, behind = _own_start(scope, first, each, known), _own_end(scope, last, each, known)
        words = f"{scope[before : each.start]} {scope[each.end : behind]}"
        own = frozenset() if _patterns()["all_but"].search(words) else content_stems(words)
        rest = content_stems(scope[first:last]) - own
        shared = sum(any(is_same(one, other) for other in quantities(scope[first:last])) for one in beside)
        is_named_so = _noun(scope, each) == _noun(text, figure)
        if len(said & own) + (len(said & rest) + shared + is_named_so) / 2 < least:
            continue
        share = len(said & own) / len(own) if own else 0.0
        rank = (len(said & (own | rest)) + shared, each.per == figure.per, is_named_so, share)
        if first not in ranked or rank > ranked[first][0]:
            ranked[first] = rank, each
    best = max((rank[:3] for rank, _ in ranked.values()), default=None)
    return [each for rank, each in ranked.values() if rank[:3] == best]


def _is_compared(text: str, figure: Quantity) -> bool:
    return any(_patterns()[name].search(text[: figure.start]) for name in ("at_most", "at_least"))


def _allows(scope: str, limit: Quantity, figure: Quantity) -> bool:
    before = scope[: limit.start] if figure.unit != "euro" else ""
    if _patterns()["at_most"].search(before):
        return figure.value <= limit.value
    return bool(_patterns()["at_least"].search(before)) and figure.value >= limit.value


def _own_start(scope: str, first: int, figure: Quantity, known: Sequence[Quantity]) -> int:
    before = [each for each in known if first <= each.start and each.end <= figure.start]
    while before and is_range(scope, before[-1], figure):
        figure = before.pop()
    if before:
        return _own_end(scope, figure.start, before[-1], known)
    return max([first, *(scope.rfind(stop, first, figure.start) + 1 for stop in ",;:")])


def _own_end(scope: str, last: int, figure: Quantity, known: Sequence[Quantity]) -> int:
    following = [each.start for each in known if each.start >= figure.end]
    stops = [place for stop in (",", ";", " y ") if (place := scope.find(stop, figure.end, last)) >= 0]
    return min([last, *following, *stops])


def _other_letter(sentence: Sentence, cited: Cited) -> list[tuple[Finding, int]]:
    said = content_stems(without_names(sentence))
    apartado, letter = cited.place
    own = {
        each: content_stems(cited.division.own(apartado, each, marked=True))
        for each in cited.division.letters(apartado)
    }
    if not letter or len(own) < 2:
        return []
    letters_with = Counter(stem for words in own.values() for stem in words)
    scores = {each: sum(1 / letters_with[stem] for stem in said & words) for each, words in own.items()}
    best = max(scores, key=lambda each: scores[each])
    shared = said & own[best]
    if best == letter or len(shared) < 2 or len(shared) < 0.4 * len(said):
        return []
    others = [each for each in own if each != best]
    is_clear = scores[letter] <= scores[best] / 2 and scores[best] >= max(scores[each] for each in others) + _LEAD
    is_alone = not said & own[letter] and all(len(shared) >= len(said & own[each]) + 2 for each in others)
    if not (is_clear or is_alone):
        return []
    message = translate("brief.other_letter", provision=cited.name, place=part_name(Place(apartado, best)))
    finding = finding_on(sentence, cited, "other_part", message, cited.division.own(apartado, best))
    return [(finding, cited.citation.start)]


def finding_on(sentence: Sentence, cited: Cited, kind: str, message: str, evidence: str) -> Finding:
    span = cited.citation.start - sentence.start, cited.citation.end - sentence.start
    return make_finding("citation", kind, sentence.text, span, message, offset=sentence.start, evidence=evidence)


def _words_around(sentence: Sentence) -> frozenset[str]:
    text = sentence.text
    spans = [(each.start - sentence.start, each.end - sentence.start) for each in sentence.named]
    spans += [(each.start, max(each.end, each.per_end)) for each in quantities(text)]
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + " " * (end - start) + text[end:]
    return content_stems(text)


@lru_cache(maxsize=4096)
def content_stems(text: str) -> frozenset[str]:
    """Return the stems of a text without figures, acronyms and words common to all rules."""
    words = _VERY.sub("muy", _ACRONYM.sub(" ", text))
    return frozenset(stem for stem in stems(words) if len(stem) > 1 and not stem.isdigit()) - _of_everybody()


@lru_cache(maxsize=256)
def sentences_of(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentence_spans(text))


def _has(text: str, quantity: Quantity) -> bool:
    return bool(text) and stands_in(quantity, [Source(1, "", "", "", "", text)])


def _is_count(figure: Quantity) -> bool:
    return figure.is_count or figure.unit == "person"


def _noun(text: str, figure: Quantity) -> str:
    return " ".join(stems(text[figure.start : figure.end])[-1:])


def _phrase(scope: str, figure: Quantity, known: Sequence[Quantity]) -> str:
    last = next(end for _, end in sentences_of(scope) if figure.start < end)
    end = max(figure.end, figure.per_end, _own_end(scope, last, figure, known))
    return shorten(scope[figure.start : end].rstrip(" .,;"), _PHRASE, placeholder="…")


def _sentence_of(scope: str, figure: Quantity) -> str:
    first, last = next(span for span in sentences_of(scope) if figure.start < span[1])
    return " ".join(scope[first:last].split())


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(cue, re.IGNORECASE) for name, cue in _cues().items() if name != "of_everybody"}


@cache
def _cues() -> dict[str, str]:
    text = resources.files("articulado.verification").joinpath("data", "briefs.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _of_everybody() -> frozenset[str]:
    return frozenset(stems(_cues()["of_everybody"]))
