"""Select what to quote: the passages of the context that answer a question best."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from legal.citations.parser import Citation
from services.domain.base import Domain
from services.domain.lexicon import StemWeights
from services.offline.passages import LEFT_OUT, MAX_PASSAGE_CHARACTERS, Passage, quote
from services.offline.rating import RatedProvision, rate_provisions
from services.prompting.fragments import Fragment

MAX_PROVISIONS = 4
MAX_BLOCKS = 3
"""Sentences of a provision, a list counting as one."""
MAX_CHARACTERS, MAX_OPENING, MAX_APARTADO = 1_800, 1_200, 2_400
"""Of one provision: of its best sentences, of its beginning, or of the apartado that a question names."""

_RELEVANT, _RELEVANT_OFF_DOMAIN = 0.25, 0.5
"""Score below which a sentence has nothing to do with the question: with one of the domain, with any other."""
_CLOSE = 0.7
"""Share of the best score that a further sentence or provision must have to be quoted, too."""
_IRRELEVANT = 0.4
"""Share of the best score below which a fragment that is not quoted has nothing to do with the question."""


@dataclass(frozen=True)
class Quotation:
    """What is quoted of one provision, in the order of its text, and the fragments that it stands in."""

    fragments: tuple[Fragment, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Selection:
    """Quotations, a provision each, and the fragments that have nothing to do with the question."""

    quotations: list[Quotation]
    irrelevant: list[Fragment]


def select_quotations(
    question: str, fragments: Sequence[Fragment], domain: Domain, weights: StemWeights, earlier: str = ""
) -> Selection:
    """Select the passages that cover the question best, of 4 provisions at most.

    Provisions keep the order of the fragments; what is no longer in force comes last, and only where it says more
    than what is. A provision that the question names goes first; if the question says no more than the name, nothing
    else is quoted, not even where the provision is not among the fragments. ``earlier`` is the question that a
    follow-up is about: it counts less.
    """
    topic = domain.question_topic(question)
    provisions = rate_provisions(question, fragments, domain, weights, earlier)
    named = [provision for provision in provisions if provision.citation]
    others = [provision for provision in provisions if not provision.citation and topic]
    floor = _RELEVANT if domain.in_domain(f"{question} {earlier}") else _RELEVANT_OFF_DOMAIN
    best = max([floor, *(other.score for other in others if not other.outdated)])
    present = max((other.coverage for other in others if not other.outdated), default=0.0)
    close = [other for other in others if other.score >= max(floor, _CLOSE * best)]
    close = [other for other in close if not other.outdated or other.coverage > present]
    ranked = sorted(close, key=lambda provision: -provision.score)[: max(0, MAX_PROVISIONS - len(named))]
    # The order of the fragments knows more of laws than that of the scores, unless it knows half of the question.
    ranked.sort(
        key=lambda provision: (provision.outdated, -provision.score if earlier else others.index(provision)),
    )
    selected = [*named[:MAX_PROVISIONS], *ranked]
    quotations = [_quotation(provision, floor if topic else None) for provision in selected]
    relevant = {id(passage.fragment) for provision in named for passage in provision.passages}
    relevant |= {id(fragment) for quotation in quotations for fragment in quotation.fragments}
    minimum = max(floor, _IRRELEVANT * best)
    for provision in others:
        scored = zip(provision.passages, provision.scores, strict=True)
        relevant |= {id(passage.fragment) for passage, score in scored if score >= minimum}
    return Selection(quotations, [fragment for fragment in fragments if id(fragment) not in relevant])


def _quotation(provision: RatedProvision, floor: float | None) -> Quotation:
    """Quote the best passages; of a named provision its beginning, where nothing in it reaches the ``floor``."""
    passages, scores, citation = provision.passages, provision.scores, provision.citation
    if citation:
        passages = _cited_passages(passages, citation)
        scores = [provision.scores[provision.passages.index(passage)] for passage in passages]
    if citation and (floor is None or max(scores) < floor):
        selected = _opening(passages, MAX_APARTADO if citation.apartado else MAX_OPENING)
    else:
        selected = _best(passages, scores)
    sources = {id(part.fragment): part.fragment for passage in selected for part in (*passage.lead_ins, passage)}
    return Quotation(tuple(sources.values()), quote([_shortened(passage) for passage in selected], provision.passages))


def _cited_passages(passages: list[Passage], citation: Citation) -> list[Passage]:
    """Return the passages of the apartado and the letter that a question names; all where it has no such."""
    inside = passages
    if citation.apartado:
        inside = [passage for passage in passages if passage.apartado == citation.apartado]
    lettered = [passage for passage in inside if passage.letter == citation.letter] if citation.letter else []
    return lettered or inside or passages


def _opening(passages: Sequence[Passage], limit: int) -> list[Passage]:
    """Return the first passages, of so many characters at most; the very first whatever its length."""
    lengths = accumulate(len(passage.text) for passage in passages)
    return [
        passage for passage, length in zip(passages, lengths, strict=True) if passage is passages[0] or length <= limit
    ]


def _best(passages: Sequence[Passage], scores: Sequence[float]) -> list[Passage]:
    """Return the best passages, those close to the best and within the limits, in the order of the text."""
    kept: list[int] = []
    for index in sorted(range(len(passages)), key=lambda index: -scores[index]):
        selected = [passages[other] for other in (*kept, index)]
        characters, blocks = sum(len(passage.text) for passage in selected), {passage.block for passage in selected}
        fits = characters <= MAX_CHARACTERS and len(blocks) <= MAX_BLOCKS
        repeated = any(passages[other].text == passages[index].text for other in kept)
        if not kept or (fits and not repeated and scores[index] >= _CLOSE * scores[kept[0]]):
            kept.append(index)
    return [passages[index] for index in sorted(kept)]


def _shortened(passage: Passage) -> Passage:
    if len(passage.text) <= MAX_PASSAGE_CHARACTERS:
        return passage
    return replace(passage, text=f"{passage.text[:MAX_PASSAGE_CHARACTERS].rsplit(' ', 1)[0]} {LEFT_OUT}")
