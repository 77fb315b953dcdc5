"""Score the provisions of a context, and their sentences, against a question."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum

from articulado.answering.figures import Asked, without_facts
from articulado.answering.passages import Passage, below_headings, passages_of
from articulado.language.folding import fold
from articulado.language.numerals import read_number, read_words
from articulado.language.sentences import sentences
from articulado.language.table_text import cells_of
from articulado.legal.citations.parser import Citation
from articulado.legal.domain.base import Concept, Coverage, Domain, StemWeights
from articulado.prompting.fragments import Fragment, neutralise
from articulado.retrieval.ranking.comparison import named_words, words_of_names
from articulado.store.records.chunks import records_of_law
from articulado.store.records.schema import ProvisionRecord

_LETTER = r"[A-Za-zñ](?: bis| ter)?\)"
_LETTERS = rf"{_LETTER}(?:, {_LETTER})*(?: [ye] {_LETTER})?"
_LABEL = re.compile(
    r"(?:(?P<apartado>\d{1,3}|[A-Z][a-zé]*)(?:(?:, \d+)* [ye] \d+)?\.(?:\d+\.?)?[ºª]?)?"
    rf"(?P<letters>{_LETTERS})?(?:\d+\.[ºª])? +(?=\S)"
)
_NOT_IN_FORCE = re.compile(
    r"(?:\w+ ){0,3}(?:derogad[oa]|agotad[oa]|superad[oa]|anulad[oa])\b|se deroga(?:,| (?:por|con)\b)"
)


def in_force(fragment: Fragment) -> bool:
    """Tell if no note says that the whole fragment was repealed or superseded."""
    # Of a fragment the offline principal knows what every other one does: what the prompt says.
    return not _NOT_IN_FORCE.match(fold(fragment.note))


_HEADING, _BREADCRUMB = 0.8, 0.3  # Weights of the words of title and chapter
_ASKED, _SIMILARITY = 0.35, 0.6  # Weights of the kind of answer asked for, and of the learnt similarity
_CLOSENESS = 1.5  # Weight of the sentence encoder's similarity for texts of files, instead of the learnt one
_POINT = _CARRYING = 0.5  # Share of the score that a passage gets from its point, and a point from its passage
_EARLY = 0.2  # Bonus of the first passage or point; half for the second, and so on
_NAMED_ROW = 1.0  # Maximum bonus of a table row that the question names; half with one word
_OF_BEFORE = 0.25  # Weight of row names that only the question before has
_NUMBER = 1.5  # Weight of a number in the comparison of points and passages; words have up to 1
_TOPIC = 0.9  # Share of a question covered by a title that names its whole topic
_EARLIER = 0.7  # Weight of the concepts of the question before in a follow-up


@dataclass(frozen=True)
class Point:
    """A plain-language sentence on an apartado and letters; empty: on the whole provision."""

    text: str
    apartado: str = ""
    letters: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlainWords:
    """Sentences of the summary and points of a packaged record."""

    summary: tuple[str, ...]
    points: tuple[Point, ...]


TextSimilarity = Callable[[str, Sequence[str]], Sequence[float]]
"""Similarity in meaning of a question and texts: one cosine in [−1, 1] for each text."""


@dataclass(frozen=True)
class Rated:
    """Score of a text; ``own`` is the share of the question that its words cover without the heading's, in [0, 1]."""

    score: float
    own: float


class Scorer:
    """Scores the sentences of a provision against a question.

    ``earlier`` is the question that a follow-up depends on. ``closeness`` replaces ``similarity`` for texts of files.
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
        """Return the stems and numbers of a text (cached)."""
        stems = self._stems_of.get(text)
        if stems is None:
            stems = self._stems_of[text] = stems_and_numbers(text, self.domain)
        return stems

    def worth(self, text: str) -> tuple[Mapping[str, float], float]:
        """Return the weight of each stem and number of a text, and their sum (cached)."""
        worth = self._worth_of.get(text)
        if worth is None:
            of_stems = {stem: _NUMBER if stem.isdigit() else self.weights.idf(stem) for stem in self.stems_of(text)}
            worth = self._worth_of[text] = of_stems, fsum(of_stems.values())
        return worth

    def is_topic(self, heading: Fragment) -> bool:
        """Tell if a question asks only for the topic in the title of a provision."""
        title = dict.fromkeys(self.domain.stems(heading.title), 1.0)
        return not self.asked.is_particular and self._coverage(title) >= _TOPIC

    def rate(self, texts: Sequence[str], heading: Fragment) -> list[Rated]:
        """Score texts by the share of the question that they cover (with heading), kind of answer, and similarity."""
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
        if self._closeness and heading.url.startswith("file:"):
            below = below_headings(texts)
            near = zip(self._closeness(self._question, below), below, strict=True)
            return [_CLOSENESS * (value if text else -1.0) for value, text in near]
        similarities = self._similarity(self._question, texts) if self._similarity else [0.0] * len(texts)
        return [_SIMILARITY * max(0.0, similarity) for similarity in similarities]

    def named(self, passages: Sequence[Passage]) -> list[float]:
        """Return the bonus of each passage that is a table row which the question names, else 0.

        A longer name wins: "dependiente" loses against "ayudante de dependiente".
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
    return cells_of(row.lead_ins[-1].text) if row.lead_ins else ()


class RatedProvision:
    """The fragments of one provision, in order, with scores of its passages and points.

    ``citation``: how the question names it. ``outdated``: no longer in force, and its law is not named.
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
        return passages_of(self.fragments, self._scorer.domain.language)

    @property
    def first(self) -> Fragment:
        return self.fragments[0]

    @property
    def fit(self) -> float:
        """Best relevance of its fragments in the prompt, or else the score of the best passage."""
        relevances = [fragment.relevance for fragment in self.fragments if fragment.relevance is not None]
        return max(relevances) if relevances else self.coverage

    @property
    def coverage(self) -> float:
        return max((rated.score for rated in self.passage_ratings), default=0.0)

    @cached_property
    def plain(self) -> PlainWords | None:
        """Plain-language words on the provision."""
        if self.first.official:
            return plain_words(self.fragments)
        points = tuple(replace(read_point(passage.text), apartado=passage.apartado) for passage in self.passages)
        return PlainWords(tuple(sentences(self.first.summary)), points)

    @property
    def points(self) -> Sequence[Point]:
        return self.plain.points if self.plain else ()

    @cached_property
    def point_ratings(self) -> list[Rated]:
        return self._scorer.rate([point.text for point in self.points], self.first)

    @cached_property
    def point_scores(self) -> list[float]:
        """Score of each point: its own, a share of its passage, and the bonus of its position."""
        scores = []
        for place, (point, rated) in enumerate(zip(self.points, self.point_ratings, strict=True), start=1):
            index = self.carrying(point)
            carrying = self.passage_ratings[index].score if index is not None else 0.0
            scores.append(rated.score + _CARRYING * carrying + _EARLY / place)
        return scores

    @cached_property
    def ranked_points(self) -> list[int]:
        return sorted(range(len(self.points)), key=lambda index: -self.point_scores[index])

    @property
    def is_all_asked_for(self) -> bool:
        return self._scorer.is_topic(self.first)

    def answers(self, point: int) -> bool:
        return self.point_ratings[point].own > 0

    def has_words_of_question(self, passage: Passage) -> bool:
        """Tell if a passage itself has a word of the question, or its legal term."""
        return not self._scorer.stems.isdisjoint(self._scorer.stems_of(passage.text))

    def carrying(self, point: Point) -> int | None:
        """Return the index of the passage most similar to a point, ``None`` if none shares a word."""
        likeness = [self.likeness(point, passage) if is_of(passage, point) else 0.0 for passage in self.passages]
        best = max(range(len(likeness)), key=lambda index: likeness[index], default=None)
        return best if best is not None and likeness[best] > 0 else None

    @cached_property
    def passage_ratings(self) -> list[Rated]:
        return self._scorer.rate([_with_context(passage) for passage in self.passages], self.first)

    @cached_property
    def passage_scores(self) -> list[float]:
        """Score of each passage: its own, a share of its point, and the bonuses of row and position."""
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
        """Return the weighted share of a point's words in a passage, in [0, 1)."""
        worth, total = self._scorer.worth(point.text)
        others = self._scorer.stems_of(passage.text)
        # Added without rounding: a set has no order, and an answer must not depend on one.
        return fsum(worth[stem] for stem in worth.keys() & others) / (total + 1)


def is_of(passage: Passage, point: Point) -> bool:
    """Tell if a passage is in the apartado and letters of a point."""
    if point.apartado and passage.apartado and passage.apartado != point.apartado:
        return False
    return not point.letters or not passage.letter or passage.letter in point.letters


def stems_and_numbers(text: str, domain: Domain) -> frozenset[str]:
    """Return the stems of a text, with numbers in words also as digits."""
    stems = set(domain.stems(text))
    folded = fold(text)
    number = read_number(folded)
    while number:
        stems.add(f"{number[2]:f}")
        number = read_number(folded, number[1])
    return frozenset(stems)


def _with_context(passage: Passage) -> str:
    return " ".join(part.text for part in passage.parts)


def _concepts(question: str, earlier: str, domain: Domain, weights: StemWeights) -> list[Concept]:
    own = domain.concepts(question, weights)
    own_stems = {concept.stems for concept in own}
    others = (concept for concept in domain.concepts(earlier, weights) if concept.stems not in own_stems)
    return [*own, *(replace(concept, weight=_EARLIER * concept.weight) for concept in others)]


def plain_words(fragments: Sequence[Fragment]) -> PlainWords | None:
    """Return summary and points of the packaged record on an official provision, ``None`` if its wording differs."""
    first = fragments[0]
    if not first.summary:
        return None
    record = records_of_law(first.law_id).get((first.law_id, first.provision_key))
    # The summary is hidden where the record was written against another wording.
    if not isinstance(record, ProvisionRecord) or neutralise(" ".join(record.summary.split())) != first.summary:
        return None
    return PlainWords(tuple(sentences(record.summary)), tuple(map(read_point, record.points)))


def read_point(line: str) -> Point:
    """Parse a point of a record.

    >>> read_point("3.b bis) Por muerte de un familiar hay 2 días.")
    Point(text='Por muerte de un familiar hay 2 días.', apartado='3', letters=('b bis',))
    >>> read_point("Dos. Durante la huelga no se cobra.")
    Point(text='Durante la huelga no se cobra.', apartado='2', letters=())
    """
    label = _LABEL.match(line)
    if label is None or not label[0].strip():
        return Point(line)
    apartado = label["apartado"] or ""
    if apartado.isalpha() and len(apartado) > 1:
        words = read_words(fold(apartado))
        if words is None:
            return Point(line)
        apartado = str(words[0])
    letters = tuple(re.findall(r"([A-Za-zñ](?: bis| ter)?)\)", label["letters"] or ""))
    return Point(line[label.end() :], apartado, letters)
