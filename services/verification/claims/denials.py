"""Tell words that a claim denies and its source does not, or the other way round, whatever word it is.

``polarity`` knows predicates and their opposites; here the word that stands behind a negation is looked for in both.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from articulado.language.folding import fold
from articulado.language.sentence_spans import sentences
from articulado.language.spanish import stop_words
from services.verification.claims.polarity import MAX_WORDS, REACH, has_predicate, is_light, segment
from services.verification.sources import Source

MIN_SHARED = 3
"""Content words that a claim and its source share around the word at least."""
MIN_SHARE = 0.5
"""Share of the words around it in the claim that stand around it in the source at least."""
MARGIN = 0.25
"""By how much the best place of the other polarity fits better than the best of the same."""

_WINDOW, _WINDOW_OF_SOURCE = 9, 16
_TOKEN = re.compile(r"[a-zñ]+|\d[\d.,]*")
_MARKER = re.compile(r"\[c[^\]]{0,20}\]")
_CONDITION = re.compile(
    r"\b(?:si|cuando|aunque|salvo|excepto|siempre que|a menos que|mientras|quienes?|como|hasta que|sin que|donde"
    r"|(?:el|la|los|las) que|sino|solo|unicamente|exclusivamente|mas que|ningun[oa]?|sin perjuicio|no obstante)\b"
)
"""Before these words a denial is one of a case, of a part, or of an exception, and not of the rule."""
_DENIES = frozenset(("no", "ni", "nunca", "tampoco", "jamas"))
_DENIAL = re.compile(rf"(?<![a-zñ])(?:{'|'.join(sorted(_DENIES))})(?![a-zñ])")
_FORBIDS = re.compile(r"\b(?:prohib|imped|impid|exclu|evit|descart|neg|nieg|fuera de|ajen|confund)")
"""What denies without a word of negation: what stands in such a clause is neither affirmed nor denied for certain."""
_SHORTEST = 4
_STEM = 6
"""Letters by which words are compared: "subsiste" and "subsistirá" have no other stem in common."""


@dataclass(frozen=True)
class Denial:
    """A word of a sentence, whether it is denied, and the stems around it; offsets into the sentence."""

    stem: str
    is_denied: bool
    around: frozenset[str]
    start: int
    end: int
    sentence: str


@dataclass(frozen=True)
class Contradicted:
    """A word that a claim denies and its source does not, or the other way round."""

    claim: Denial
    real: Denial
    source: Source


def contradicted(sentence: str, sources: Sequence[Source]) -> Contradicted | None:
    """Return the word of a sentence that its sources plainly deny where it does not, or the other way round."""
    claim_text = _Read(sentence)
    texts = [(source, read) for source in sources for read in _of_text(source.text)]
    denied = {stem for _, read in texts for stem in read.denied_stems}
    best: tuple[float, Contradicted] | None = None
    for stem in claim_text.denied_stems | (denied & claim_text.places.keys()):
        for claim in claim_text.at(stem, _WINDOW):
            same = other = 0.0
            found: tuple[Denial, Source] | None = None
            for source, read in texts:
                for real in read.at(stem, _WINDOW_OF_SOURCE):
                    shared = claim.around & real.around
                    share = len(shared) / max(len(claim.around), 1) if len(shared) >= MIN_SHARED else 0.0
                    if real.is_denied == claim.is_denied:
                        same = max(same, share)
                    elif share > other:
                        other, found = share, (real, source)
            if found and other >= MIN_SHARE and other - same >= MARGIN and (best is None or other > best[0]):
                best = other, Contradicted(claim, *found)
    return best[1] if best else None


class _Read:
    """A sentence taken apart, as far as it is asked for: of most there is nothing to compare."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
        self._folded = _MARKER.sub(lambda match: " " * len(match[0]), fold(sentence))

    @cached_property
    def _tokens(self) -> Sequence[re.Match[str]]:
        return list(_TOKEN.finditer(self._folded))

    @cached_property
    def _words(self) -> Sequence[str]:
        return [token[0] for token in self._tokens]

    @cached_property
    def _stems(self) -> Sequence[str]:
        return list(map(_content_stem, self._words))

    @cached_property
    def places(self) -> Mapping[str, Sequence[int]]:
        """The positions of each stem that may be denied."""
        found = defaultdict(list)
        for position, stem in enumerate(self._stems):
            if len(stem) >= _SHORTEST and not stem[0].isdigit() and not has_predicate(self._words, position):
                found[stem].append(position)
        return found

    @cached_property
    def denied_stems(self) -> frozenset[str]:
        """The stems of the words that are denied, in no condition."""
        if not _DENIAL.search(self._folded):
            return frozenset()
        return frozenset(
            stem for stem, positions in self.places.items() for n in positions if self._denied(n) and self._is_plain(n)
        )

    def at(self, stem: str, window: int) -> Iterator[Denial]:
        """Yield the places of a stem that stand in no condition."""
        if stem not in self._folded:
            return
        for position in self.places.get(stem, ()):
            if not self._is_plain(position):
                continue
            token = self._tokens[position]
            first, last = segment(self._folded, token.start())
            reach = range(max(0, position - window), min(len(self._words), position + window + 1))
            near = (self._stems[n] for n in reach if n != position and first <= self._tokens[n].start() < last)
            around = frozenset(filter(None, near)) - {stem}
            yield Denial(stem, self._denied(position), around, token.start(), token.end(), self.sentence)

    def _denied(self, position: int) -> bool:
        """Tell whether a word of negation governs a word: only light words stand between, and no comma."""
        for place in range(position - 1, max(-1, position - 1 - REACH), -1):
            word = self._words[place]
            if "," in self._folded[self._tokens[place].end() : self._tokens[place + 1].start()]:
                return False
            if word in _DENIES:
                # "Seis meses, y no los tres de antes" sets two things against each other.
                return not (word == "no" and place and self._words[place - 1] in ("y", "o"))
            if not is_light(word) and not word.endswith("mente"):
                return False
        return False

    def _is_plain(self, position: int) -> bool:
        """Tell whether it is plain of what a word is said, and whether it is denied."""
        start = self._tokens[position].start()
        begin = max(self._folded.rfind(stop, 0, start) for stop in (",", ";", ":", "(", ".")) + 1
        if _CONDITION.search(self._folded, begin, start) or _FORBIDS.search(self._folded, 0, start):
            return False
        clause = (token[0] for token in self._tokens if begin <= token.start() < start)
        return self._denied(position) or not any(word in _DENIES or word == "sin" for word in clause)


@lru_cache(MAX_WORDS)
def _content_stem(word: str) -> str:
    """Return the first letters of a folded word, empty where it has no content."""
    return "" if word in stop_words() or is_light(word) else word[:_STEM]


@lru_cache(maxsize=512)
def _of_text(text: str) -> tuple[_Read, ...]:
    return tuple(_Read(text[start:end]) for start, end in sentences(text))
