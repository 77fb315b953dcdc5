"""Choose what to quote: the passages of the context that answer a question best."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from legal.citations.parser import Citation
from services.domain.base import Domain
from services.domain.lexicon import StemWeights
from services.offline.passages import LEFT_OUT, MAX_PASSAGE_CHARACTERS, Passage, quote
from services.offline.rating import Rated, rate
from services.prompting.fragments import Fragment

MAX_PROVISIONS = 4
MAX_BLOCKS = 3
"""Sentences of a provision, a list counting as one."""
MAX_CHARACTERS, MAX_OPENING, MAX_APARTADO = 1_800, 1_200, 2_400
"""Of one provision: of its best sentences, of its beginning, or of the apartado that a question names."""

_RELEVANT, _RELEVANT_OFF_FIELD = 0.25, 0.5
"""Score below which a sentence has nothing to do with the question: with one of the field, with any other."""
_CLOSE = 0.7
"""Share of the best score that a further sentence or provision must have to be quoted, too."""
_USELESS = 0.4


@dataclass(frozen=True)
class Quotation:
    """What is quoted of one provision, in the order of its text, and the fragments that it stands in."""

    fragments: tuple[Fragment, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """Quotations, a provision each, and the fragments that have nothing to do with the question."""

    quotations: list[Quotation]
    useless: list[Fragment]


def choose(
    question: str, fragments: Sequence[Fragment], domain: Domain, weights: StemWeights, earlier: str = ""
) -> Choice:
    """Choose the passages that cover the question best, of 4 provisions at most.

    Provisions keep the order of the fragments; what is no longer in force comes last, and only where it says more
    than what is. A provision that the question names goes first; if the question says no more than the name, nothing
    else is quoted, not even where the provision is not among the fragments. ``earlier`` is the question that a
    follow-up is about: it counts less.
    """
    matter = domain.matter(question)
    rated = rate(question, fragments, domain, weights, earlier)
    named = [one for one in rated if one.asked]
    others = [one for one in rated if not one.asked and matter]
    floor = _RELEVANT if domain.on_field(f"{question} {earlier}") else _RELEVANT_OFF_FIELD
    best = max([floor, *(one.score for one in others if not one.past)])
    present = max((one.coverage for one in others if not one.past), default=0.0)
    close = [one for one in others if one.score >= max(floor, _CLOSE * best)]
    close = [one for one in close if not one.past or one.coverage > present]
    ranked = sorted(close, key=lambda one: -one.score)[: max(0, MAX_PROVISIONS - len(named))]
    # The order of the fragments knows more of laws than that of the scores, unless it knows half of the question.
    ranked.sort(key=lambda one: (one.past, -one.score if earlier else others.index(one)))
    chosen = [*named[:MAX_PROVISIONS], *ranked]
    quotations = [_quotation(one, floor if matter else None) for one in chosen]
    said = {id(passage.fragment) for one in named for passage in one.passages}
    said |= {id(fragment) for quotation in quotations for fragment in quotation.fragments}
    for one in others:
        least = max(floor, _USELESS * best)
        said |= {id(at.fragment) for at, score in zip(one.passages, one.scores, strict=True) if score >= least}
    return Choice(quotations, [fragment for fragment in fragments if id(fragment) not in said])


def _quotation(rated: Rated, floor: float | None) -> Quotation:
    """Quote the best passages; of a named provision its beginning, where nothing in it reaches the ``floor``."""
    passages, scores = rated.passages, rated.scores
    if rated.asked:
        passages = _asked_for(passages, rated.asked)
        scores = [rated.scores[rated.passages.index(one)] for one in passages]
    opens = rated.asked is not None and (floor is None or max(scores) < floor)
    most = MAX_APARTADO if rated.asked and rated.asked.apartado else MAX_OPENING
    chosen = _opening(passages, most) if opens else _best(passages, scores)
    sources = {id(part.fragment): part.fragment for one in chosen for part in (*one.leads, one)}
    return Quotation(tuple(sources.values()), quote([_shortened(one) for one in chosen], rated.passages))


def _asked_for(passages: list[Passage], asked: Citation) -> list[Passage]:
    """Return the passages of the apartado and the letter that a question names; all where it has no such."""
    inside = [one for one in passages if one.apartado == asked.apartado] if asked.apartado else passages
    lettered = [one for one in inside if one.letter == asked.letter] if asked.letter else []
    return lettered or inside or passages


def _opening(passages: Sequence[Passage], most: int) -> list[Passage]:
    lengths = accumulate(len(passage.text) for passage in passages)
    return [one for one, length in zip(passages, lengths, strict=True) if one is passages[0] or length <= most]


def _best(passages: Sequence[Passage], scores: Sequence[float]) -> list[Passage]:
    """Return the best passages, those close to the best and within the limits, in the order of the text."""
    kept: list[int] = []
    for index in sorted(range(len(passages)), key=lambda index: -scores[index]):
        chosen = [passages[other] for other in (*kept, index)]
        fits = (
            sum(len(one.text) for one in chosen) <= MAX_CHARACTERS and len({one.block for one in chosen}) <= MAX_BLOCKS
        )
        repeated = any(passages[other].text == passages[index].text for other in kept)
        if not kept or (fits and not repeated and scores[index] >= _CLOSE * scores[kept[0]]):
            kept.append(index)
    return [passages[index] for index in sorted(kept)]


def _shortened(passage: Passage) -> Passage:
    if len(passage.text) <= MAX_PASSAGE_CHARACTERS:
        return passage
    return replace(passage, text=f"{passage.text[:MAX_PASSAGE_CHARACTERS].rsplit(' ', 1)[0]} {LEFT_OUT}")
