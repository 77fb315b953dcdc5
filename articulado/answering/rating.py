"""Score the provisions of a context, and their sentences, against a question.

``Scorer`` combines covered words (heading included), the kind of answer asked for, and learnt similarity.
``rate_provisions`` orders the provisions: named provisions first, then by descending fit, ties in fragment
order. ``in_force`` and ``note_for_readers`` read the validity note of a fragment.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import Protocol, runtime_checkable

from articulado.answering.figures import Asked, without_facts
from articulado.answering.passages import Passage, below_headings, has_passages, passages_of
from articulado.answering.shortening import PlainWords, Point, plain_words, read_point, shorten
from articulado.language.folding import fold
from articulado.language.numerals import read_number
from articulado.language.spanish import sentences
from articulado.language.table_text import cells_of
from articulado.legal.citations.parser import Citation
from articulado.legal.domain.base import Concept, Coverage, Domain, StemWeights
from articulado.legal.labels import provision_key
from articulado.legal.laws.indexed import IndexedLaws
from articulado.legal.laws.mentions import find_law, law_mentions
from articulado.prompting.fragments import Fragment
from articulado.retrieval.coverage import named_words, words_of_names

MAX_NOTE_WORDS = 40

_NOT_IN_FORCE = re.compile(
    r"(?:\w+ ){0,3}(?:derogad[oa]|agotad[oa]|superad[oa]|anulad[oa])\b|se deroga(?:,| (?:por|con)\b)"
)
_AMENDMENT = re.compile(
    r"se (?:modific|anad|sustituy|renumer|reenumer|suprim|redact)|(?:texto )?redactad|correccion|el dia en que empezo"
    r"|parte de su texto ya no rige|la fecha de la reforma|vease|\[?ref\."
)
_OURS = re.compile(r" \(nota en lenguaje claro, no oficial\)")
_NO_LONGER_LAW = re.compile(
    r"\W*(?:precepto )?(?:(?:derogad|suprimid|anulad)[oa]s?|de vigencia agotada)\W*", re.IGNORECASE
)


def in_force(fragment: Fragment) -> bool:
    """Tell whether no note says that a fragment has been repealed or superseded as a whole."""
    # Of a fragment the offline principal knows what every other one does: what the prompt says.
    return not _NOT_IN_FORCE.match(fold(fragment.note))


def says_only_that_it_is_gone(text: str) -> bool:
    """Tell whether a text says no more than that it is law no longer ("(Derogado)")."""
    return bool(_NO_LONGER_LAW.fullmatch(text))


def note_for_readers(fragment: Fragment) -> str:
    """Return what a note says on the force of a text and how to read it, without a final stop; maybe nothing.

    Who amended a text, and how its days are known, stands with the sources.
    """
    kept = (sentence for sentence in sentences(fragment.note) if not _AMENDMENT.match(fold(sentence)))
    return shorten(_OURS.sub("", " ".join(kept)), MAX_NOTE_WORDS).rstrip(".")


_HEADING, _BREADCRUMB = 0.8, 0.3
"""Weights of the words of title and chapter in each sentence below them."""
_ASKED, _SIMILARITY = 0.35, 0.6
"""What it adds to a score that a sentence gives what is asked for, and its learnt similarity to the question."""
_CLOSENESS = 1.5
"""Weight of the closeness by a sentence encoder in the score of a text of one's own, instead of the similarity."""
_POINT = _CARRYING = 0.5
"""What a passage gets of the score of the point that says the same in our words, and a point of its passage."""
_EARLY = 0.2
"""What the first passage or point of a provision gets for its place, the second half of it, and so on."""
_NAMED_ROW = 1.0
"""What it adds to the score of a row that the question names it: half of it with one word, more with each further."""
_OF_BEFORE = 0.25
"""What a word that names a row counts for where it is only in the question before."""
_NUMBER = 1.5
"""What a number counts for where a point and a passage are compared; words count up to 1."""
_TOPIC = 0.9
"""Share of a question that a title covers which names all of its topic."""
_EARLIER = 0.7
"""What the concepts of the question before count for in a follow-up."""


@runtime_checkable
class TextSimilarity(Protocol):
    """Measures how near a question and some texts are in meaning."""

    def __call__(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one cosine in [−1, 1] for each text, in their order."""
        ...


@dataclass(frozen=True)
class Rated:
    """A text of a provision, and how well it answers: ``score``, and without the words of the heading ``own``."""

    score: float
    own: float


class Scorer:
    """Scores the sentences of a provision against a question.

    ``earlier`` is what a follow-up leans on; ``follows`` tells that it is one. ``closeness`` is for texts of files.
    """

    def __init__(
        self,
        question: str,
        earlier: str,
        domain: Domain,
        weights: StemWeights,
        similarity: TextSimilarity | None = None,
        closeness: TextSimilarity | None = None,
    ) -> None:
        self.domain = domain
        self.weights = weights
        self.follows = bool(earlier)
        self.asked = Asked(question, domain.language)
        question = without_facts(question, domain.language.query_patterns)
        self.concepts = _concepts(question, earlier, domain, weights)
        self.stems = frozenset(
            stem
            for concept in self.concepts
            for stem in (*concept.stems, *(stem for term, _ in concept.legal_terms for stem in term))
        )
        self._coverage = Coverage(self.concepts, weights)
        self._stems_of: dict[str, frozenset[str]] = {}
        self._worth_of: dict[str, tuple[Mapping[str, float], float]] = {}
        self._question = f"{question} {earlier}".strip()
        self._names = words_of_names(question, domain)
        self._all_names = words_of_names(self._question, domain)
        self._similarity = similarity
        self._closeness = closeness

    def stems_of(self, text: str) -> frozenset[str]:
        """Return the stems and numbers of a text, which is compared with many others."""
        stems = self._stems_of.get(text)
        if stems is None:
            stems = self._stems_of[text] = stems_and_numbers(text, self.domain)
        return stems

    def worth(self, text: str) -> tuple[Mapping[str, float], float]:
        """Return what each stem and number of a text is worth where it is compared with others, and all together."""
        worth = self._worth_of.get(text)
        if worth is None:
            of_stems = {stem: _NUMBER if stem.isdigit() else self.weights.idf(stem) for stem in self.stems_of(text)}
            worth = self._worth_of[text] = of_stems, fsum(of_stems.values())
        return worth

    def is_topic(self, heading: Fragment) -> bool:
        """Tell whether a question asks for nothing but what the title of a provision names."""
        title = dict.fromkeys(self.domain.stems(heading.title), 1.0)
        return not self.asked.is_particular and self._coverage(title) >= _TOPIC

    def rate(self, texts: Sequence[str], heading: Fragment) -> list[Rated]:
        """Rate texts below a heading.

        A score is the share of the question that a text covers together with its heading, what it adds that the text
        gives what is asked for, which counts as far as it is about the topic, and the learnt similarity.
        """
        stems = self.domain.stems
        around = dict.fromkeys(stems(heading.breadcrumb), _BREADCRUMB)
        around.update(dict.fromkeys(stems(heading.title), _HEADING))
        rated = []
        for text, near in zip(texts, self._similar(texts, heading) if texts else [], strict=True):
            inside = dict.fromkeys(stems(text), 1.0)
            covered = self._coverage({**around, **inside})
            asked = _ASKED * self.asked.match(text) * min(1.0, 2 * covered)
            own = self._coverage(inside)
            rated.append(Rated(covered + asked + near, own))
        return rated

    def _similar(self, texts: Sequence[str], heading: Fragment) -> list[float]:
        """Return what the meaning of each text adds to its score; a heading is less than any text."""
        if self._closeness and heading.url.startswith("file:"):
            below = below_headings(texts)
            near = zip(self._closeness(self._question, below), below, strict=True)
            return [_CLOSENESS * (value if text else -1.0) for value, text in near]
        similarities = self._similarity(self._question, texts) if self._similarity else [0.0] * len(texts)
        return [_SIMILARITY * max(0.0, similarity) for similarity in similarities]

    def named(self, passages: Sequence[Passage]) -> list[float]:
        """Return what each passage is worth because the question names it as a row of a table.

        A row that has only some of the words that name another is not meant: "dependiente" where an "ayudante de
        dependiente" is asked about. Words of the question before tell rows apart that its own words do not.
        """
        rows = [(passage.text, _columns_of(passage)) if passage.is_row else ("", ()) for passage in passages]
        own = [named_words(row, head, self._names, self.domain) for row, head in rows]
        whole = [named_words(row, head, self._all_names, self.domain) for row, head in rows]
        telling = own if any(own) else whole
        scores = []
        for words, all_words, names in zip(own, whole, telling, strict=True):
            worth = len(words) + _OF_BEFORE * len(all_words - words)
            is_meant = names and not any(names < others for others in telling)
            scores.append(_NAMED_ROW * worth / (worth + 1) if is_meant else 0.0)
        return scores


def _columns_of(row: Passage) -> Sequence[str]:
    """Return the names of the columns of a row, as far as its table has them."""
    return cells_of(row.lead_ins[-1].text) if row.lead_ins else ()


class RatedProvision:
    """The fragments of one provision, in their order, and what its passages and its points are worth.

    ``citation`` is how the question names the provision, if it does; ``outdated`` what is not in force, unless its law
    is named.
    """

    def __init__(
        self, fragments: Sequence[Fragment], scorer: Scorer, citation: Citation | None, outdated: bool
    ) -> None:
        self.fragments = fragments
        self.citation = citation
        self.outdated = outdated
        self._scorer = scorer

    @cached_property
    def passages(self) -> list[Passage]:
        """What it says, passage by passage."""
        return passages_of(self.fragments, self._scorer.domain.language)

    @property
    def first(self) -> Fragment:
        """The fragment that stands for the provision."""
        return self.fragments[0]

    @property
    def fit(self) -> float:
        """How well the provision fits: the relevance that the prompt says, or failing that its best sentence."""
        known = [fragment.relevance for fragment in self.fragments if fragment.relevance is not None]
        return max(known) if known else self.coverage

    @property
    def coverage(self) -> float:
        """The score of the best passage."""
        return max((rated.score for rated in self.passage_ratings), default=0.0)

    @cached_property
    def plain(self) -> PlainWords | None:
        """Our words on it."""
        if self.first.official:
            return plain_words(self.fragments)
        points = tuple(replace(read_point(passage.text), apartado=passage.apartado) for passage in self.passages)
        return PlainWords(tuple(sentences(self.first.summary)), points)

    @property
    def points(self) -> Sequence[Point]:
        """The points of our words."""
        return self.plain.points if self.plain else ()

    @cached_property
    def point_ratings(self) -> list[Rated]:
        """How well each point answers."""
        return self._scorer.rate([point.text for point in self.points], self.first)

    @cached_property
    def point_scores(self) -> list[float]:
        """What each point is worth: its own score, and what it gets of the passage that carries it."""
        scores = []
        for place, (point, rated) in enumerate(zip(self.points, self.point_ratings, strict=True), start=1):
            index = self.carrying(point)
            carrying = self.passage_ratings[index].score if index is not None else 0.0
            scores.append(rated.score + _CARRYING * carrying + _EARLY / place)
        return scores

    @cached_property
    def ranked_points(self) -> list[int]:
        """The indices of the points, the best first."""
        return sorted(range(len(self.points)), key=lambda index: -self.point_scores[index])

    @property
    def is_all_asked_for(self) -> bool:
        """Whether the question asks for the provision as a whole: for its topic, and nothing in particular."""
        return self._scorer.is_topic(self.first)

    def answers(self, point: int) -> bool:
        """Tell whether a point has something of the question in its own words."""
        return self.point_ratings[point].own > 0

    def carrying(self, point: Point) -> int | None:
        """Return which passage says what a point says, ``None`` where none shares a word with it."""
        likeness = [self.likeness(point, passage) if is_of(passage, point) else 0.0 for passage in self.passages]
        best = max(range(len(likeness)), key=lambda index: likeness[index], default=None)
        return best if best is not None and likeness[best] > 0 else None

    @cached_property
    def passage_ratings(self) -> list[Rated]:
        """How well each passage answers, by itself with what it is quoted with."""
        return self._scorer.rate([_with_context(passage) for passage in self.passages], self.first)

    @cached_property
    def passage_scores(self) -> list[float]:
        """What each passage is worth: its own score, and what it gets of the point that says the same."""
        scores = []
        rows = self._scorer.named(self.passages)
        ratings = zip(self.passages, self.passage_ratings, rows, strict=True)
        for place, (passage, rated, row) in enumerate(ratings, start=1):
            shares = (
                rating.score * self.likeness(point, passage)
                for point, rating in zip(self.points, self.point_ratings, strict=True)
                if is_of(passage, point)
            )
            scores.append(rated.score + _POINT * max(shares, default=0.0) + row + _EARLY / place)
        return scores

    def likeness(self, point: Point, passage: Passage) -> float:
        """Return the share of a point's words that a passage has: figures count most, then the rarer words."""
        worth, total = self._scorer.worth(point.text)
        others = self._scorer.stems_of(passage.text)
        # Added without rounding: a set has no order, and an answer must not depend on one.
        return fsum(worth[stem] for stem in worth.keys() & others) / (total + 1)


def is_of(passage: Passage, point: Point) -> bool:
    """Tell whether a passage stands in the apartado, and in a letter, that a point is about."""
    if point.apartado and passage.apartado and passage.apartado != point.apartado:
        return False
    return not point.letters or not passage.letter or passage.letter in point.letters


def stems_and_numbers(text: str, domain: Domain) -> frozenset[str]:
    """Return the stems of a text, numbers in words as digits, too: "treinta" is in our words 30."""
    stems = set(domain.stems(text))
    folded = fold(text)
    number = read_number(folded)
    while number:
        stems.add(f"{number[2]:f}")
        number = read_number(folded, number[1])
    return frozenset(stems)


def rate_provisions(question: str, fragments: Sequence[Fragment], scorer: Scorer) -> list[RatedProvision]:
    """Return the provisions with something to say: those that the question names, then the others, the best first.

    Of provisions that fit as well the order of the fragments stays.
    """
    groups: dict[tuple[str, str, bool], list[Fragment]] = {}
    for fragment in fragments:
        groups.setdefault((fragment.law_name, fragment.provision, fragment.official), []).append(fragment)
    citations = _citations_of([parts[0] for parts in groups.values()], scorer.domain.citations(question), question)
    rated = []
    for (law_name, _, _), parts in groups.items():
        if not has_passages(parts):
            continue
        outdated = not in_force(parts[0]) and not _law_is_named(law_name, question)
        rated.append(RatedProvision(parts, scorer, citations.get(id(parts[0])), outdated))
    named = list(citations.values())
    return sorted(
        rated,
        key=lambda provision: (
            named.index(provision.citation) if provision.citation else len(named),
            provision.outdated,
            -provision.fit,
        ),
    )


def _with_context(passage: Passage) -> str:
    return " ".join(part.text for part in passage.parts)


def _concepts(question: str, earlier: str, domain: Domain, weights: StemWeights) -> list[Concept]:
    own = domain.concepts(question, weights)
    own_stems = {concept.stems for concept in own}
    others = (concept for concept in domain.concepts(earlier, weights) if concept.stems not in own_stems)
    return [*own, *(replace(concept, weight=_EARLIER * concept.weight) for concept in others)]


def _law_is_named(name: str, question: str) -> bool:
    law = find_law(name)
    return law is not None and law.id in {mention.law_id for mention in law_mentions(question)}


def _citations_of(fragments: Sequence[Fragment], citations: Sequence[Citation], question: str) -> dict[int, Citation]:
    """Return the citations of a question that name a fragment, in their order, by the identity of the fragment."""
    laws = {fragment.law_name: find_law(fragment.law_name) for fragment in fragments}
    unknown = IndexedLaws(lambda: {name: name for name, law in laws.items() if law is None})
    by_fragment: dict[int, Citation] = {}
    official_first = sorted(fragments, key=lambda fragment: not fragment.official)
    for citation in citations:
        for fragment in official_first:
            if provision_key(fragment.provision) != citation.provision_key:
                continue
            law = laws[fragment.law_name]
            if citation.law_id is None:
                of_law = law is None and unknown.law_cited(question, citation.end) == fragment.law_name
            else:
                of_law = law is not None and citation.law_id in (law.id, law.superseded_by)
            # Without a law it is the first that has such a provision; a question about the past means the law of then.
            if not citation.law_named or of_law:
                by_fragment.setdefault(id(fragment), citation)
                break
    return by_fragment
