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
from services.domain.concepts import coverage
from services.domain.lexicon import StemWeights
from services.offline.passages import Passage, passages_of
from services.prompting.fragments import Fragment

_HEADING, _BREADCRUMB = 0.8, 0.3
"""What a word of the title or the chapter counts for in each sentence below it."""
_FIGURE_BONUS, _OTHER_FIGURE = 0.35, 0.4
"""What a figure in the unit asked for adds to a score, and the share of it for a figure in any other."""
_RANK_LOSS, _RANK_LOSS_IN_FOLLOW_UP, _LAST_RANK = 0.03, 0.01, 20
"""What each rank costs, down to the last that counts; the order of fragments knows nothing of an earlier question."""
_EARLIER = 0.7
"""What the concepts of the question before count for in a follow-up."""
_NOT_IN_FORCE = re.compile(r"(?:\w+ ){0,3}(?:derogad[oa]|agotad[oa]|superad[oa])\b|se deroga(?:,| (?:por|con)\b)")


class FigureMatcher:
    """Tells whether a sentence has the figure that a question wants: "how much", "how long", "by when"."""

    def __init__(self, question: str, language: Language) -> None:
        patterns = self._patterns = language.query_patterns
        self._is_wanted = bool(patterns.figure_asked.search(fold(question)))
        units = [patterns.units[stem] for stem in language.stems(question) if stem in patterns.units]
        self._in_unit = re.compile(rf"{patterns.number}\s+(?:{'|'.join(units)})\b") if units else None

    def match(self, sentence: str) -> float:
        """Return how well a sentence serves: 1 a figure in the unit asked for, 0.4 any figure, 0 none or not asked.

        >>> from language.languages import language
        >>> vacation = FigureMatcher("¿Cuántos días de vacaciones tengo?", language("es"))
        >>> [vacation.match(sentence) for sentence in ("Serán treinta días.", "Serán 2 meses.", "Se pactarán.")]
        [1.0, 0.4, 0.0]
        """
        if not self._is_wanted:
            return 0.0
        without_references = self._patterns.reference.sub(" ", fold(sentence))
        if self._in_unit and self._in_unit.search(without_references):
            return 1.0
        return _OTHER_FIGURE if self._patterns.figure.search(without_references) else 0.0


@dataclass(frozen=True)
class RatedProvision:
    """The passages of one provision and their scores.

    ``coverage`` is the best score before the rank of the fragment counts; ``citation`` is how the question names the
    provision, if it does; ``outdated`` what is not in force, unless its law is named.
    """

    passages: list[Passage]
    scores: list[float]
    coverage: float
    citation: Citation | None
    outdated: bool

    @property
    def score(self) -> float:
        """Return the score of the best passage."""
        return max(self.scores, default=0.0)


def in_force(fragment: Fragment) -> bool:
    """Tell whether no note says that a fragment has been repealed or superseded as a whole."""
    # Of a fragment this principal knows what every other one does: what the prompt says.
    return not _NOT_IN_FORCE.match(fold(fragment.note))


def rate_provisions(
    question: str, fragments: Sequence[Fragment], domain: Domain, weights: StemWeights, earlier: str = ""
) -> list[RatedProvision]:
    """Return the provisions with something to quote: first those that the question names, then the others in order.

    A passage scores the share of the question that it covers together with its lead-ins and its heading, a bonus for
    a figure where the question asks for one, and a little less the later its fragment comes. ``earlier`` is the
    question that a follow-up is about: it counts less.
    """
    scorer = _Scorer(domain.question_topic(question) or question, earlier, domain, weights)
    rank_loss = _RANK_LOSS_IN_FOLLOW_UP if earlier else _RANK_LOSS
    provisions: dict[tuple[str, str, bool], list[Fragment]] = {}
    for fragment in fragments:
        provisions.setdefault((fragment.law_name, fragment.provision, fragment.official), []).append(fragment)
    factors = {id(fragment): 1 - rank_loss * min(rank, _LAST_RANK) for rank, fragment in enumerate(fragments)}
    citations = _citations_of([parts[0] for parts in provisions.values()], domain.citations(question))
    rated = []
    for (law_name, _, _), parts in provisions.items():
        passages = passages_of(parts)
        unranked = [scorer.score(passage) for passage in passages]
        scores = [score * factors[id(passage.fragment)] for passage, score in zip(passages, unranked, strict=True)]
        outdated = not in_force(parts[0]) and not _law_is_named(law_name, question)
        citation = citations.get(id(parts[0]))
        rated.append(RatedProvision(passages, scores, max(unranked, default=0.0), citation, outdated))
    order = list(citations.values())
    return sorted(
        (provision for provision in rated if provision.passages),
        key=lambda provision: order.index(provision.citation) if provision.citation else 99,
    )


class _Scorer:
    """Scores passages against a question."""

    def __init__(self, question: str, earlier: str, domain: Domain, weights: StemWeights) -> None:
        self._weights = weights
        self._stems = cache(domain.stems)
        self._figure = FigureMatcher(question, domain.language)
        own = domain.concepts(question, weights)
        own_stems = {concept.stems for concept in own}
        others = (concept for concept in domain.concepts(earlier, weights) if concept.stems not in own_stems)
        self._concepts = [*own, *(replace(concept, weight=_EARLIER * concept.weight) for concept in others)]

    def score(self, passage: Passage) -> float:
        """Return the share of the question that a passage covers, with a bonus for a figure that is asked for."""
        strengths = dict.fromkeys(self._stems(passage.fragment.breadcrumb), _BREADCRUMB)
        strengths.update(dict.fromkeys(self._stems(passage.fragment.title), _HEADING))
        for part in (*passage.lead_ins, passage):
            strengths.update(dict.fromkeys(self._stems(part.text), 1.0))
        covered = coverage(self._concepts, strengths, self._weights)
        # The bonus needs a sentence that is about the topic.
        return covered + _FIGURE_BONUS * self._figure.match(passage.text) * min(1.0, 2 * covered)


def _law_is_named(name: str, question: str) -> bool:
    law = find_law(name)
    return law is not None and law.id in {mention.law_id for mention in law_mentions(question)}


def _citations_of(fragments: Sequence[Fragment], citations: Sequence[Citation]) -> dict[int, Citation]:
    """Return the citations that name a fragment, in their order, by the identity of the fragment."""
    by_fragment: dict[int, Citation] = {}
    official_first = sorted(fragments, key=lambda fragment: not fragment.official)
    for citation in citations:
        for fragment in official_first:
            if provision_key(fragment.provision) != citation.provision_key:
                continue
            law = find_law(fragment.law_name)
            # Without a law it is the first that has such a provision; a question about the past means the law of then.
            if not citation.law_named or (law is not None and citation.law_id in (law.id, law.superseded_by)):
                by_fragment.setdefault(id(fragment), citation)
                break
    return by_fragment
