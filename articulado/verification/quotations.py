"""Report altered, invented and misattributed quotations of an answer."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import permutations

from articulado.language.folding import fold
from articulado.language.numerals import numeral
from articulado.language.translation import translate
from articulado.values.chunks import ProvisionRef
from articulado.values.findings import Finding
from articulado.verification.quoted_text import (
    Difference,
    Likeness,
    Quotation,
    difference_from,
    most_alike,
    pieces_of,
    quotations_in,
)
from articulado.verification.reading import LEAST_QUOTED, ReadAnswer, Sentence
from articulado.verification.sources import Source, Words, make_finding, may_hold, words_of

_SURE_WORDS = 6

_NEGATIONS = frozenset(("no", "ni", "sin", "nunca", "solo", "salvo", "excepto"))
_NAME_WORDS = 10

_NEAR_BY = 160

_ALIKE = 0.6

_VERY_ALIKE = 0.8


@dataclass(frozen=True)
class _Introduction:
    """``is_vouched``: the sentence has a marker, or names a source behind the quotation."""

    before: str
    sources: tuple[int, ...]
    own: bool
    is_vouched: bool
    names_other: str

    def matches(self, cue: str) -> bool:
        return _cues()[cue].search(self.before) is not None

    @property
    def is_literal(self) -> bool:
        return self.matches("literal") or self.matches("reporting")


def quotation_findings(
    answer: ReadAnswer,
    quotations: Sequence[Quotation] | None = None,
    *,
    known: Mapping[ProvisionRef, str] | None = None,
) -> list[Finding]:
    """Return the errors in the quotations of an answer: in those of its text, or in those given.

    ``known`` are indexed texts by provision: a quotation from a named provision that the model did not read is right.
    """
    question = words_of(f"{answer.question}\n{answer.conversation}")
    quoted = quotations_in(answer.text) if quotations is None else quotations
    unread = [text for ref, text in (known or {}).items() if ref not in {source.ref for source in answer.sources}]
    findings = (_finding(answer, quotation, question, unread) for quotation in quoted)
    return [finding for finding in findings if finding]


def stands_in(pieces: Sequence[Words], texts: Sequence[str]) -> bool:
    """Return True if one of the texts contains the pieces of a quotation in order."""
    return any(_stands_in(pieces, text) for text in texts)


def _finding(answer: ReadAnswer, quotation: Quotation, question: Words, unread: Sequence[str]) -> Finding | None:
    introduction = _introduction(answer, quotation)
    is_of_user = bool(question.tokens) and _in_order(quotation.pieces, question)
    if is_of_user or not _counts(quotation, introduction) or stands_in(quotation.pieces, unread):
        return None
    holders = [source for source in answer.sources if _holds(source, quotation, answer)]
    attributed = [source for source in answer.sources if source.number in introduction.sources]
    if holders:
        return _wrong_source(quotation, introduction, attributed, holders)
    if any(stands_in(quotation.pieces, (source.besides,)) for source in answer.sources if source.besides):
        return None
    others = [source for source in answer.sources if source not in attributed]
    alike = most_alike(quotation, attributed) if attributed else None
    if alike is None or alike.share < _VERY_ALIKE:
        elsewhere = most_alike(quotation, others)
        alike = elsewhere if elsewhere and (alike is None or elsewhere.share > alike.share + 0.1) else alike
    if alike and alike.share >= _threshold(quotation, introduction):
        difference = difference_from(alike)
        if difference is None or _is_a_name(quotation, introduction, difference):
            return None
        return _altered(quotation, alike, difference)
    return _invented(quotation, attributed) if _is_claimed(quotation, introduction) else None


def _counts(quotation: Quotation, introduction: _Introduction) -> bool:
    if quotation.length >= LEAST_QUOTED:
        return True
    return quotation.length > 1 and introduction.matches("literal")


def _threshold(quotation: Quotation, introduction: _Introduction) -> float:
    if introduction.matches("suggested") or introduction.matches("of_others"):
        return _VERY_ALIKE
    if quotation.length < _SURE_WORDS:
        return 0.5 if introduction.matches("literal") else 0.74
    return _ALIKE if introduction.is_literal or introduction.own or quotation.is_block else _VERY_ALIKE


def _is_a_name(quotation: Quotation, introduction: _Introduction, difference: Difference) -> bool:
    if quotation.length > _SURE_WORDS or introduction.is_literal or introduction.is_vouched or quotation.is_block:
        return False
    changed = words_of(f"{difference.said} {difference.real}").tokens
    return not any(token in _NEGATIONS or numeral(token) is not None for token in changed)


def _is_claimed(quotation: Quotation, introduction: _Introduction) -> bool:
    if introduction.matches("suggested") or introduction.matches("of_others"):
        return False
    if _cues()["personal"].search(fold(quotation.text)):
        return False
    if introduction.matches("literal"):
        return True
    if quotation.is_block:
        return introduction.before.rstrip(" *_").endswith(":") and introduction.is_literal
    if introduction.matches("coined") and quotation.length < _NAME_WORDS:
        return False
    if quotation.length < _SURE_WORDS:
        return introduction.is_vouched or (introduction.own and introduction.matches("reporting"))
    return introduction.own or introduction.is_literal


def _introduction(answer: ReadAnswer, quotation: Quotation) -> _Introduction:
    inside = [s for s in answer.sentences if s.start < quotation.end and quotation.start < s.end]
    leading = _leading(answer, inside[0]) if inside else None
    begin = max((leading or inside[0]).start if inside else 0, quotation.start - _NEAR_BY)
    before = _QUOTED.sub(" ", fold(answer.text[begin : quotation.start])).rstrip('«“"‘ *_>')
    whole = [*([leading] if leading else []), *inside]
    sources, other = _own_sources(answer, quotation, whole)
    own = bool(sources)
    if not sources and inside:
        sources = tuple(source.number for sentence in inside for source in answer.of_sentence(sentence))
    behind = any(each.marks or any(c.start >= quotation.end for c in each.named) for each in inside)
    return _Introduction(before, sources, own, own and behind, other)


_QUOTED = re.compile(r"«[^«»]*»|“[^“”]*”")


def _leading(answer: ReadAnswer, sentence: Sentence) -> Sentence | None:
    place = answer.sentences.index(sentence)
    before = answer.sentences[place - 1] if place else None
    return before if before and before.text.rstrip(" *_>").endswith(":") else None


def _own_sources(
    answer: ReadAnswer, quotation: Quotation, sentences: Sequence[Sentence]
) -> tuple[tuple[int, ...], str]:
    marks = [mark for sentence in sentences for mark in sentence.marks]
    named = [
        citation
        for sentence in sentences
        for citation in sentence.named
        if not quotation.start <= citation.start < quotation.end
    ]
    by_name: list[int] = []
    other = ""
    for citation in named:
        numbers = [
            source.number
            for source in answer.sources
            if source.provision_key == citation.provision_key
            and citation.law_id in (None, source.law_id, *([] if citation.law_named else [source.law_id]))
        ]
        by_name += numbers
        if not numbers and citation.law_id is not None:
            other = answer.text[citation.start : citation.end]
    return tuple(dict.fromkeys([*marks, *by_name])), other


def _wrong_source(
    quotation: Quotation,
    introduction: _Introduction,
    attributed: Sequence[Source],
    holders: Sequence[Source],
) -> Finding | None:
    if quotation.length < _SURE_WORDS or any(source in attributed for source in holders):
        return None
    if {source.ref for source in attributed} & {source.ref for source in holders if source.provision_key}:
        return None
    if introduction.own and attributed:
        claimed = _name(attributed[0])
    elif introduction.names_other:
        claimed = introduction.names_other
    else:
        return None
    real = holders[0]
    message = translate("quotation.wrong_source", real=_name(real), claimed=claimed)
    return _quotation_finding("wrong_source", quotation, message, real, _evidence(real, quotation))


def _altered(quotation: Quotation, alike: Likeness, difference: Difference) -> Finding:
    said, real, source = difference.said, difference.real, _name(alike.source)
    kind = "altered" if said else "dropped_words"
    if not said:
        message = translate("quotation.dropped", real=real, source=source)
    elif not real:
        message = translate("quotation.added", said=said, source=source)
    else:
        message = translate("quotation.replaced", said=said, real=real, source=source)
    return _quotation_finding(kind, quotation, message, alike.source, alike.evidence)


def _invented(quotation: Quotation, attributed: Sequence[Source]) -> Finding:
    names = ", ".join(dict.fromkeys(map(_name, attributed[:3])))
    message = translate("quotation.invented", sources=names) if names else translate("quotation.invented_anywhere")
    return _quotation_finding("invented", quotation, message, attributed[0] if attributed else None, "")


def _quotation_finding(kind: str, quotation: Quotation, message: str, source: Source | None, evidence: str) -> Finding:
    text, mark = quotation.text, source.mark if source else ""
    span = 0, len(text)
    return make_finding("quotation", kind, text, span, message, offset=quotation.start, mark=mark, evidence=evidence)


def _name(source: Source) -> str:
    return f"{source.provision} ({source.law_name})" if source.law_name else source.provision or source.mark


def _evidence(source: Source, quotation: Quotation) -> str:
    words = words_of(source.text)
    end = words.find(quotation.pieces[0].compact)
    if end is None:
        return ""
    after = words.offsets.index(end)
    return words.written(after - len(quotation.pieces[0].tokens), after)


def _holds(source: Source, quotation: Quotation, answer: ReadAnswer) -> bool:
    if _stands_in(quotation.pieces, source.text):
        return True
    first = quotation.pieces[0]
    if not _stands_in([first], source.text) and first.compact[:12] in words_of(source.besides).compact:
        return _in_order(quotation.pieces, words_of(f"{source.provision}\n{source.everything}"))
    parts = [part for part in answer.sources if source.provision_key and part.ref == source.ref]
    if len(parts) < 2:
        return False
    texts = [part.text for part in parts]
    lines = [pieces for line in quotation.text.split("\n") if (pieces := pieces_of(line))]
    return (
        all(any(words_of(text).find(piece.compact) for text in texts) for piece in quotation.pieces)
        or (len(lines) > 1 and all(stands_in(line, texts) for line in lines))
        or any(_in_order(quotation.pieces, words_of(f"{one}\n{two}")) for one, two in permutations(texts, 2))
    )


def _stands_in(pieces: Sequence[Words], text: str) -> bool:
    return may_hold(text, pieces) and _in_order(pieces, words_of(text))


def _in_order(pieces: Sequence[Words], words: Words) -> bool:
    begin = 0
    for piece in pieces:
        end = words.find(piece.compact, begin)
        if end is None:
            return False
        begin = end
    return True


@cache
def _cues() -> dict[str, re.Pattern[str]]:
    text = resources.files("articulado.verification").joinpath("data", "quotations.toml").read_text(encoding="utf-8")
    return {name: re.compile(pattern) for name, pattern in tomllib.loads(text).items()}
