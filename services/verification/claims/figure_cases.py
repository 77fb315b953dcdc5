"""Tell figures that the sources give for another case than the one that an answer says them of.

Each place of a source that has the figure is compared with each that has another one of its unit: which of them do the
words around the figure of the answer rather go with? A word counts as much as it is rare among the sources, times a
weight for how near it stands in the answer and in the source. The weights are trained on pairs of places
(``tools.train_figure_cases``).
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from articulado.language import sentence_spans as cuts
from articulado.language.folding import fold
from articulado.language.quantities import DATE, Quantity
from services.verification.claims.figure_places import (
    BARE,
    LAYERS,
    Place,
    is_figure,
    place_in_sentence,
    places_in,
    words_of,
)
from services.verification.reading import ReadAnswer, Sentence
from services.verification.sources import Source

LIMIT = 2.4
"""By how much (log odds) another place has to go better with a claim than every one that has its figure."""
FEATURES = LAYERS * LAYERS + LAYERS + 4
"""Shared words by layer of the claim and of the place; shared figures by layer of the claim; words near the place that
the claim has not; whether the claim rests on its source; whether both bound the figure alike, or unlike."""
FILE = "figure_cases.json"

Weights = NDArray[np.float64]
Rarity = Callable[[str], float]

_CLAIMS_NO_RULE = re.compile(
    r"^\W*(?:no|tampoco|ni)\b(?! (?:podr|pued|sera|exced|super|es inferior|menos))|\?\s*$"
    r"|\b(?:un[oa]s|quedari?an?|faltari?an?|restari?an?|te quedan?)\b"
)
"""Folded sentences whose figures are of no rule: denied ones, questions, what is left of the user's own time."""


@dataclass(frozen=True)
class OtherCase:
    """A figure of an answer, the place in the sources that its words go with, and that place's source."""

    figure: Quantity
    right: Place
    source: Source


@cache
def weights() -> Weights:
    """Return the trained weights, (``FEATURES``,)."""
    text = resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    return np.array(json.loads(text)["weights"], dtype=np.float64)


def of_another_case(answer: ReadAnswer, sentence: Sentence, figures: Sequence[Quantity]) -> OtherCase | None:
    """Return the figure of a sentence that is said of another case most plainly, of those given, if any is."""
    if _CLAIMS_NO_RULE.search(fold(sentence.text)):
        return None
    cited = answer.of_sentence(sentence)
    best: tuple[float, OtherCase] | None = None
    for figure in figures:
        claim = claim_at(answer, sentence, figure)
        same, others = places_of(claim, answer.sources, cited)
        if not same or not others:
            continue
        rarity = rarity_in(answer.sources)
        scores = [
            np.array([features(claim, place, rarity, is_cited=source in cited) for source, place in some]) @ weights()
            for some in (same, others)
        ]
        likeliest = int(scores[1].argmax())
        margin = float(scores[1][likeliest] - scores[0].max())
        if margin >= LIMIT and (best is None or margin > best[0]):
            source, place = others[likeliest]
            best = margin, OtherCase(figure, place, source)
    return best[1] if best else None


def claim_at(answer: ReadAnswer, sentence: Sentence, figure: Quantity) -> Place:
    """Return a figure of an answer and the words around it: those of its sentence, of the one before, the question."""
    number = answer.sentences.index(sentence)
    before = list(answer.sentences[max(0, number - 2) : number])
    lead = ""
    if before and before[-1].paragraph == sentence.paragraph and before[-1].text.rstrip(" *_").endswith(":"):
        lead = before.pop().text
    previous = words_of(before[-1].text) if before else frozenset[str]()
    return place_in_sentence(sentence.text, figure, (previous, words_of(answer.question)), lead)


def places_of(
    claim: Place, sources: Sequence[Source], cited: Sequence[Source]
) -> tuple[list[tuple[Source, Place]], list[tuple[Source, Place]]]:
    """Return the places that have the figure of a claim, and those of its unit that have another one.

    Of the former those of the cited sources, if there are any.
    """
    same: list[tuple[Source, Place]] = []
    others: list[tuple[Source, Place]] = []
    for source in sources:
        heading = source.besides or f"{source.law_name} {source.provision}"
        for place in places_in(source.text, heading, claim.unit):
            if has_figure_of(place, claim):
                same.append((source, place))
            elif place.unit == claim.unit:
                others.append((source, place))
    return [pair for pair in same if pair[0] in cited] or same, others


def has_figure_of(place: Place, claim: Place) -> bool:
    """Tell whether a place has the figure of a claim; a bare number may be of any unit, and years may be months."""
    if place.unit == BARE:
        return place.value in ((claim.value, claim.value / 12) if claim.unit == "month" else (claim.value,))
    if place.unit != claim.unit:
        return False
    if claim.unit == DATE and min(place.value, claim.value) < 10_000:
        return (place.value - claim.value) % 10_000 == 0
    return place.value == claim.value


def features(claim: Place, place: Place, rarity: Rarity, *, is_cited: bool) -> NDArray[np.float64]:
    """Return how a place goes with a claim, (``FEATURES``,)."""
    values = np.zeros(FEATURES)
    for word, near in claim.layer_of.items():
        there = place.layer_of.get(word)
        if there is None:
            continue
        if is_figure(word):
            values[LAYERS * LAYERS + near] += 1.0 if there < 2 else 0.3
        else:
            values[LAYERS * near + there] += rarity(word)
    absent = (word for word in place.layers[0] if word not in claim.layer_of and not is_figure(word))
    alike = place.bound == claim.bound
    values[-4:] = (
        sum(map(rarity, absent)),
        float(is_cited),
        float(bool(claim.bound) and alike),
        float(bool(claim.bound and place.bound) and not alike),
    )
    return values


def rarity_in(sources: Sequence[Source]) -> Rarity:
    """Return the weight of a word: the logarithm of the share of the sentences of the sources that have it."""
    return _rarity(tuple(source.text for source in sources))


@lru_cache(maxsize=8)
def _rarity(texts: tuple[str, ...]) -> Rarity:
    """Return the weights of the words of some texts: each sentence of an answer is compared with all of them."""
    counts = [_sentence_counts(text) for text in texts]
    total = sum(sentences for _, sentences in counts)

    @cache
    def rarity(word: str) -> float:
        return math.log((total + 1) / (sum(of_text.get(word, 0) for of_text, _ in counts) + 0.5))

    return rarity


@lru_cache(maxsize=2048)
def _sentence_counts(text: str) -> tuple[Mapping[str, int], int]:
    """Return in how many sentences of a text each word is, and how many there are."""
    spans = list(cuts.sentences(text))
    counts = Counter(word for start, end in spans for word in words_of(text[start:end]))
    return MappingProxyType(counts), len(spans)
