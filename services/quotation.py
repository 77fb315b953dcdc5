"""Choose what to quote: the sentences of the context that answer a question best."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from legal.citations import parse_citations
from legal.labels import provision_key
from legal.laws import find_law
from legal.synonyms import of_the_field
from services.concepts import Concept, concepts_of, coverage
from services.figures import AskedFigure
from services.fragments import Fragment
from services.lexicon import StemWeights
from services.text import SpanishStemmer, sentences, stems

MAX_PROVISIONS = 4
MAX_SENTENCES = 3
MAX_SENTENCE_CHARACTERS = 600
MAX_FRAGMENT_CHARACTERS = 900

_HEADING, _BREADCRUMB = 0.8, 0.3
"""What a word of the title or the chapter counts for in each sentence below it."""
_FIGURE_BONUS = 0.35
_RANK_LOSS, _LAST = 0.03, 20
_NAMED = 2.0
_RELEVANT, _RELEVANT_OFF_FIELD = 0.25, 0.5
"""Score below which a sentence has nothing to do with the question: with one of the field, with any other."""
_CLOSE = 0.7
"""Share of the best score that a further sentence or provision must have to be quoted, too."""
_USELESS = 0.4
_CELLS = " | "
"""What parts the cells of a table row."""
_stem = SpanishStemmer().stem_word


@dataclass(frozen=True)
class Quotation:
    """What is quoted of one fragment: sentences in the order of its text. ``score`` compares quotations."""

    fragment: Fragment
    sentences: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class Choice:
    """Quotations, provision by provision, and the fragments that have nothing to do with it."""

    quotations: list[Quotation]
    useless: list[Fragment]


def choose(question: str, fragments: Sequence[Fragment], weights: StemWeights) -> Choice:
    """Choose the sentences that cover the question best, of 4 provisions at most.

    A sentence scores the share of the question that it covers together with its heading, a bonus for a figure where the
    question asks for one, and a little less the later its fragment comes. Provisions keep the order of the
    fragments, but one that the question names goes first, whatever it says.
    """
    concepts = concepts_of(question, weights)
    figure = AskedFigure(question)
    named = [(citation.law_id, citation.provision_key) for citation in parse_citations(question)]
    rated = []
    for position, fragment in enumerate(fragments):
        units = _units(fragment)
        loss = 1 - _RANK_LOSS * min(position, _LAST)
        scores = [_score(unit, fragment, concepts, figure, weights) * loss for unit in units]
        bonus = _NAMED if units and any(_is(fragment, law, key) for law, key in named) else 0.0
        rated.append(Quotation(fragment, _pick(units, scores), bonus + max(scores, default=0.0)))
    floor = _RELEVANT if of_the_field(question, _stem) else _RELEVANT_OFF_FIELD
    best = max([floor, *(one.score for one in rated if one.score < _NAMED)])
    chosen = sorted((one for one in rated if one.score >= max(floor, _CLOSE * best)), key=lambda one: -one.score)
    provisions = list(dict.fromkeys(_provision(one.fragment) for one in chosen))[:MAX_PROVISIONS]
    # The order of the fragments knows more of laws than that of the sentences.
    provisions.sort(key=lambda key: min(_place(one, fragments) for one in chosen if _provision(one.fragment) == key))
    return Choice(
        [one for provision in provisions for one in chosen if _provision(one.fragment) == provision],
        [one.fragment for one in rated if one.score < max(floor, _USELESS * best)],
    )


def _score(
    sentence: str, fragment: Fragment, concepts: Sequence[Concept], figure: AskedFigure, weights: StemWeights
) -> float:
    strengths = dict.fromkeys(stems(fragment.breadcrumb), _BREADCRUMB)
    strengths.update(dict.fromkeys(stems(fragment.title), _HEADING))
    strengths.update(dict.fromkeys(stems(sentence), 1.0))
    covered = coverage(concepts, strengths, weights)
    # The bonus needs a sentence that is about the matter.
    return covered + _FIGURE_BONUS * figure.given(sentence) * min(1.0, 2 * covered)


def _units(fragment: Fragment) -> list[str]:
    """Return what can be quoted alone: sentences, each lead-in that ends in a colon with the list or table below it."""
    units: list[str] = []
    for sentence in sentences(fragment.text or ("" if fragment.official else fragment.summary)):
        fits = bool(units) and len(units[-1]) + len(sentence) < MAX_SENTENCE_CHARACTERS
        if fits and (units[-1].endswith(":") or _goes_on(units[-1], sentence)):
            units[-1] += ("\n" if _CELLS in sentence else " ") + sentence
        else:
            units.append(sentence)
    return units


def _goes_on(unit: str, sentence: str) -> bool:
    """Tell whether a sentence is a further item of the list, or row of the table, that a unit has begun."""
    item = ": a) " in unit and re.match(r"[b-zñ]\) ", sentence) is not None
    return item or (_CELLS in sentence and _CELLS in unit.rsplit("\n", 1)[-1])


def _pick(units: Sequence[str], scores: Sequence[float]) -> tuple[str, ...]:
    """Return the best sentences, those close to the best and within the limits, in the order of the text."""
    kept: list[int] = []
    for index in sorted(range(len(units)), key=lambda index: -scores[index])[:MAX_SENTENCES]:
        length = sum(len(units[other]) for other in (*kept, index))
        if not kept or (scores[index] >= _CLOSE * scores[kept[0]] and length <= MAX_FRAGMENT_CHARACTERS):
            kept.append(index)
    return tuple(_shortened(units[index]) for index in sorted(kept))


def _shortened(sentence: str) -> str:
    if len(sentence) <= MAX_SENTENCE_CHARACTERS:
        return sentence
    return sentence[:MAX_SENTENCE_CHARACTERS].rsplit(" ", 1)[0] + " […]"


def _place(quotation: Quotation, fragments: Sequence[Fragment]) -> tuple[bool, int]:
    return quotation.score < _NAMED, fragments.index(quotation.fragment)


def _provision(fragment: Fragment) -> tuple[str, str, bool]:
    return fragment.law_name, fragment.provision, fragment.official


def _is(fragment: Fragment, law_id: str | None, key: str) -> bool:
    if provision_key(fragment.provision) != key:
        return False
    law = find_law(fragment.law_name) if law_id else None
    return law_id is None or (law is not None and law.id == law_id)
