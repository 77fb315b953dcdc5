"""Rate the provisions of a context: how much of a question each passage covers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from language.folding import fold
from language.languages import Language
from legal.citations.parser import Citation
from legal.labels import provision_key
from legal.laws.mentions import find_law, law_mentions
from services.domain.base import Domain
from services.domain.concepts import Concept, coverage
from services.domain.lexicon import StemWeights
from services.offline.passages import Passage, passages_of
from services.prompting.fragments import Fragment


class AskedFigure:
    """What a question wants to know of "how much", "how long", "by when"."""

    def __init__(self, question: str, language: Language) -> None:
        self._cues = language.query_patterns
        self._asked = bool(self._cues.figure_asked.search(fold(question)))
        units = [self._cues.units[stem] for stem in language.stems(question) if stem in self._cues.units]
        self._in_unit = re.compile(rf"{self._cues.number}\s+(?:{'|'.join(units)})\b") if units else None

    def given(self, sentence: str) -> float:
        """Return how well a sentence serves: 1 a figure in the unit asked for, 0.4 any figure, 0 none or not asked."""
        if not self._asked:
            return 0.0
        bare = self._cues.reference.sub(" ", fold(sentence))
        if self._in_unit and self._in_unit.search(bare):
            return 1.0
        return 0.4 if self._cues.figure.search(bare) else 0.0


_HEADING, _BREADCRUMB = 0.8, 0.3
"""What a word of the title or the chapter counts for in each sentence below it."""
_FIGURE_BONUS = 0.35
_RANK_LOSS, _RANK_LOSS_IN_FOLLOW_UP, _LAST = 0.03, 0.01, 20
"""What each place behind costs; the order of the fragments knows nothing of an earlier question."""
_EARLIER = 0.7
"""What the matter of the question before counts for in a follow-up."""
_NOT_IN_FORCE = re.compile(r"(?:\w+ ){0,3}(?:derogad[oa]|agotad[oa]|superad[oa])\b|se deroga(?:,| (?:por|con)\b)")


@dataclass(frozen=True)
class Rated:
    """The passages of one provision and their scores.

    ``coverage`` is the best score before the place of the fragment counts; ``asked`` is how the question names the
    provision, if it does; ``past`` what is not in force, unless its law is named.
    """

    passages: list[Passage]
    scores: list[float]
    coverage: float
    asked: Citation | None
    past: bool

    @property
    def score(self) -> float:
        """Return the score of the best passage."""
        return max(self.scores, default=0.0)


def in_force(fragment: Fragment) -> bool:
    """Tell whether no note says that a fragment has been repealed or superseded as a whole."""
    # Of a fragment this principal knows what every other one does: what the prompt says.
    return not _NOT_IN_FORCE.match(fold(fragment.note))


class _Scorer:
    """Scores passages against a question."""

    def __init__(self, question: str, earlier: str, domain: Domain, weights: StemWeights) -> None:
        self._weights = weights
        self._stems = cache(domain.stems)
        self._figure = AskedFigure(question, domain.language)
        own = domain.concepts(question, weights)
        known = {concept.stems for concept in own}
        before = (one for one in domain.concepts(earlier, weights) if one.stems not in known)
        self._concepts: list[Concept] = [*own, *(replace(one, weight=_EARLIER * one.weight) for one in before)]

    def score(self, passage: Passage) -> float:
        """Return the share of the question that a passage covers, with a bonus for a figure that is asked for."""
        strengths = dict.fromkeys(self._stems(passage.fragment.breadcrumb), _BREADCRUMB)
        strengths.update(dict.fromkeys(self._stems(passage.fragment.title), _HEADING))
        for part in (*passage.leads, passage):
            strengths.update(dict.fromkeys(self._stems(part.text), 1.0))
        covered = coverage(self._concepts, strengths, self._weights)
        # The bonus needs a sentence that is about the matter.
        return covered + _FIGURE_BONUS * self._figure.given(passage.text) * min(1.0, 2 * covered)


def rate(
    question: str, fragments: Sequence[Fragment], domain: Domain, weights: StemWeights, earlier: str = ""
) -> list[Rated]:
    """Return the provisions with something to quote: first those that the question names, then the others in order.

    A passage scores the share of the question that it covers together with its lead-ins and its heading, a bonus for
    a figure where the question asks for one, and a little less the later its fragment comes. ``earlier`` is the
    question that a follow-up is about: it counts less.
    """
    scorer = _Scorer(domain.matter(question) or question, earlier, domain, weights)
    rank_loss = _RANK_LOSS_IN_FOLLOW_UP if earlier else _RANK_LOSS
    provisions: dict[tuple[str, str, bool], list[Fragment]] = {}
    for fragment in fragments:
        provisions.setdefault((fragment.law_name, fragment.provision, fragment.official), []).append(fragment)
    loss = {id(fragment): 1 - rank_loss * min(place, _LAST) for place, fragment in enumerate(fragments)}
    named = _named(domain.citations(question), [parts[0] for parts in provisions.values()])
    rated = []
    for (law_name, _, _), parts in provisions.items():
        passages = passages_of(parts)
        bare = [scorer.score(one) for one in passages]
        scores = [score * loss[id(one.fragment)] for one, score in zip(passages, bare, strict=True)]
        past = not in_force(parts[0]) and not _law_is_named(law_name, question)
        rated.append(Rated(passages, scores, max(bare, default=0.0), named.get(id(parts[0])), past))
    order = list(named.values())
    return sorted((one for one in rated if one.passages), key=lambda one: order.index(one.asked) if one.asked else 99)


def _law_is_named(name: str, question: str) -> bool:
    law = find_law(name)
    return law is not None and law.id in {mention.law_id for mention in law_mentions(question)}


def _named(citations: Sequence[Citation], fragments: Sequence[Fragment]) -> dict[int, Citation]:
    """Return how the question names fragments, by their identity, in its order."""
    named: dict[int, Citation] = {}
    for citation in citations:
        for fragment in sorted(fragments, key=lambda one: not one.official):
            if provision_key(fragment.provision) != citation.provision_key:
                continue
            law = find_law(fragment.law_name)
            # Without a law it is the first that has such a provision; a question about the past means the law of then.
            if not citation.law_named or (law is not None and citation.law_id in (law.id, law.superseded_by)):
                named.setdefault(id(fragment), citation)
                break
    return named
