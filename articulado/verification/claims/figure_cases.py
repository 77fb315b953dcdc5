"""Figures that the sources give for another case than the answer does.

Each place of a source with the figure of the claim is compared with each place that has another figure of
the same unit. A shared word counts by its rarity among the sources and by its distance (layer) from both
figures. The weights, (``FEATURES``,), are trained on pairs of places (``tools.train_figure_cases``). A
finding needs a margin of 2.4 log odds.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from importlib import resources
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from articulado.language import sentence_spans as cuts
from articulado.language.folding import fold
from articulado.language.quantities import DATE, Quantity, bare_numbers, quantities
from articulado.language.spanish import stems
from articulado.verification.reading import ReadAnswer, Sentence
from articulado.verification.sources import Source

LAYERS = 4
"""Layers of words around a figure: its clause, its sentence, what leads to it or follows, its heading or question."""
BARE = ""
"""The unit of a number beside which none stands."""

_MARK = re.compile(r"\[C\d+\]|\*\*|__")
_ONE_WORD = re.compile(r"\b(muy|no(?= contributiv))\s+(?=\w)", re.IGNORECASE)
"""What makes another case of the word behind it: "graves" and "muy graves"."""
_PARTS = re.compile(r"[;\n]|,(?!\d)|\sy\s|\s(?:pero|mientras que|aunque|salvo|excepto)\s")
"""What ends the words behind a figure that are still its own, where another figure of the unit follows."""
_STOPS = re.compile(r"[;\n]")
_ITEM = re.compile(r"(?:\*\*)?[a-zñ]{1,3}['´]?\.?\)|[-•]|\d+\.[ªº]|\d+\.ª")
_LEADS = re.compile(r"\d+\.\s")
_BEFORE = 45
"""Characters before a figure in which stands what it bounds."""
_BOUNDS = (
    (
        "most",
        r"no (?:podra )?(?:superior|exce\w+|superar\w*|mayor|mas de|ir mas alla|durar mas)|maxim\w+|tope|limite|hasta"
        r"|como mucho",
    ),
    ("least", r"no (?:podra )?(?:ser )?(?:inferior|menor|menos)|minim\w+|al menos|como poco|por lo menos"),
    ("over", r"superior\w*|mas de|exced\w+|exces\w+|mayores? de|rebas\w+|super\w+|pas[ae]n? de"),
    ("under", r"inferior\w*|menos de|menor(?:es)? (?:de|a)"),
)
_BOUND_PATTERNS = tuple((name, re.compile(rf"\b(?:{pattern})")) for name, pattern in _BOUNDS)


@dataclass(frozen=True)
class Place:
    """A figure of a sentence, as it is ``written`` there, and what stands around it.

    ``layers`` are stems and other figures, each layer beginning nearer than the next. ``bound`` is what the figure is
    said to be: ``most``, ``least``, ``over``, ``under``, or nothing of these.
    """

    value: Decimal
    unit: str
    sentence: str
    written: str
    layers: tuple[frozenset[str], ...]
    bound: str

    @cached_property
    def layer_of(self) -> dict[str, int]:
        """The nearest layer of each word around."""
        nearest: dict[str, int] = {}
        for number, layer in enumerate(self.layers):
            for word in layer:
                nearest.setdefault(word, number)
        return nearest


def is_figure(word: str) -> bool:
    """Tell whether a word of a layer is a figure."""
    return word.startswith("=")


def place_in_sentence(sentence: str, figure: Quantity, beside: Sequence[frozenset[str]], lead: str = "") -> Place:
    """Return a figure of a sentence as a place; ``beside`` are the far layers, ``lead`` what announces the sentence."""
    figures = _figures(sentence)
    start, end = _own_words(sentence, figure, figures, 0, len(sentence))
    token = _token(figure.value, figure.unit)
    around = (_words(sentence, figures, start, end) - {token}, (words_of(sentence) | words_of(lead)) - {token}, *beside)
    bound = _bound(sentence, figure.start, figure.end)
    return Place(figure.value, figure.unit, sentence, sentence[figure.start : figure.end], around, bound)


@lru_cache(maxsize=2048)
def places_in(text: str, heading: str, unit: str) -> tuple[Place, ...]:
    """Return the figures of a unit in a text of a law, and bare numbers; each goes with the sentence it stands in."""
    figures = _figures(text)
    lines = list(_lines(text))
    heading_words = words_of(heading)
    places = []
    for start, end in cuts.sentences(text):
        inside = [figure for figure in figures if start <= figure.start < end]
        placed = [figure for figure in inside if figure.unit in (unit, BARE)]
        if not placed:
            continue
        sentence = _words(text, inside, start, end)
        number = next(n for n, (_, last) in enumerate(lines) if start <= last)
        paragraph = words_of(text[slice(*lines[number])]) | words_of(_lead(text, lines, number))
        for figure in placed:
            first, last = _own_words(text, figure, inside, start, end)
            token = {_token(figure.value, figure.unit)}
            own = _words(text, inside, first, last)
            layers = (own - token, sentence - token, paragraph - token, heading_words)
            bound = _bound(text, figure.start, figure.end)
            written = text[figure.start : figure.end]
            places.append(Place(figure.value, figure.unit, text[start:end], written, layers, bound))
    return tuple(places)


@lru_cache(maxsize=4096)
def _figures(text: str) -> tuple[Quantity, ...]:
    """Return quantities and bare numbers in order; "un" is mostly an article."""
    bare = (Quantity(n.value, BARE, "", n.start, n.end) for n in bare_numbers(text) if n.value > 1)
    return tuple(sorted([*quantities(text), *bare], key=lambda figure: figure.start))


@lru_cache(maxsize=8192)
def words_of(text: str) -> frozenset[str]:
    """Return the stems of a text, and its figures in their canonical form."""
    return _words(text, quantities(text), 0, len(text))


def _words(text: str, figures: Iterable[Quantity], start: int, end: int) -> frozenset[str]:
    inside = [figure for figure in figures if start <= figure.start and figure.end <= end and figure.unit != BARE]
    pieces, position = [], start
    for figure in inside:
        pieces.append(text[position : figure.start])
        position = max(position, figure.end)
    pieces.append(text[position:end])
    found = (stem for stem in stems(_ONE_WORD.sub(r"\1", _MARK.sub(" ", " ".join(pieces)))) if len(stem) > 1)
    return frozenset(found) | {_token(figure.value, figure.unit) for figure in inside}


def _token(value: Decimal, unit: str) -> str:
    return f"={value.normalize():f} {unit}"


def _own_words(text: str, figure: Quantity, figures: Sequence[Quantity], start: int, end: int) -> tuple[int, int]:
    """Return where the words of a sentence begin and end that are this figure's, and no other's of its unit.

    They begin where those of the one before end: "las graves, a los dos años, y las leves, a los seis meses".
    """
    mates = [
        each
        for each in figures
        if each.unit in (figure.unit, BARE) and start <= each.start < end and each.start != figure.start
    ]
    before = [mate for mate in mates if mate.end <= figure.start]
    first = start
    if before:
        last = max(before, key=lambda mate: mate.end)
        first = _trail(text, last, [*(mate for mate in mates if mate is not last), figure], end)
    for stop in _STOPS.finditer(text, first, figure.start):
        first = stop.end()
    return first, _trail(text, figure, mates, end)


def _trail(text: str, figure: Quantity, mates: Iterable[Quantity], end: int) -> int:
    """Return where the words behind a figure end that are its own."""
    following = min((mate.start for mate in mates if mate.start >= figure.end), default=None)
    if following is None:
        stop = _STOPS.search(text, figure.end, end)
        return stop.start() if stop else end
    part = _PARTS.search(text, figure.end, following)
    return part.start() if part else figure.end


def _lines(text: str) -> Iterable[tuple[int, int]]:
    position = 0
    for line in text.split("\n"):
        yield position, position + len(line)
        position += len(line) + 1


def _lead(text: str, lines: Sequence[tuple[int, int]], number: int) -> str:
    """Return the line that leads to an item of a list, if it is one."""
    if not _ITEM.match(text[slice(*lines[number])].lstrip()):
        return ""
    for first, last in reversed(lines[:number]):
        line = text[first:last].strip()
        if line.endswith(":") or _LEADS.match(line):
            return line
    return ""


def _bound(text: str, start: int, end: int) -> str:
    behind = fold(text[end : end + 20]).lstrip(" ,")
    if re.match(r"(?:como )?m(?:ax|in)im", behind):
        return "most" if "max" in behind else "least"
    before = fold(text[max(0, start - _BEFORE) : start])
    before = before[max(before.rfind(stop) for stop in ",;:.()") + 1 :]
    nearest, name = -1, ""
    for kind, pattern in _BOUND_PATTERNS:
        for match in pattern.finditer(before):
            # "No superior a" is a limit, of which "superior" is a part.
            is_part = kind in ("over", "under") and name in ("most", "least") and match.start() < nearest
            if match.end() > nearest and not is_part:
                nearest, name = match.end(), kind
    return name


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
