"""Negations and generalisations in a claim that contradict its source, for any word.

``contradicted`` finds a word that a claim denies and its source does not, or the reverse.
``articulado.verification.claims.polarity`` covers predicates with a listed opposite. ``generalised`` finds
a claim stated without the condition of its source. Both return ``None`` unless the case is plain.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from articulado.language.folding import fold
from articulado.language.sentence_spans import sentences
from articulado.language.spanish import stem_word, stop_words
from articulado.verification.claims.polarity import MAX_WORDS, REACH, clause_at, has_predicate, is_light, segment
from articulado.verification.sources import Source

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


MIN_GENERALISED_SHARED = 3
"""Content words that a claim and the sentence of its source share at least."""
MIN_GENERALISED_SHARE = 0.4
"""Share of the content words of the claim that stand in the sentence at least."""

_GENERAL = re.compile(
    r"\b(?:en (?:todos los|cualquier) (?:casos?|momentos?|supuestos?)(?: posterior)?|en todo momento"
    r"|siempre(?! (?:que|dentro|con|por|como|y cuando)\b)|con independencia de|independientemente de|cualquiera que sea"
    r"|sea cual sea|al margen de|tantas veces como|cuantas veces|sin (?:limites?|limitacion|necesidad de|importar)"
    r"|sin (?:condicion(?:es)?|excepcion(?:es)?|mas requisitos?|tener que)|aunque (?:no|su|tu|el|la|los|las)\b"
    r"|incluso (?:si|cuando)|tanto si|este[sn]? o no|tenga[sn]? o no|haya[sn]? o no|sea[sn]? o no|lo pidas? o no"
    r"|no hace falta que)"
)
"""Folded phrases that make a claim general."""
_ALSO_GENERAL = re.compile(
    r"\b(?:en todo caso|en cualquier|siempre(?! que)|con independencia|independientemente|cualquiera que|aun cuando"
    r"|aunque|sin necesidad|no sera (?:necesari|precis|exigibl)|incluso|tod[oa]s l[oa]s|en ningun caso|ni siquiera"
    r"|o no\b|sin que sea necesari|sin perjuicio|tanto .{1,60} como)"
)
"""What a source says that is as general."""
_RESTRICTED = re.compile(
    r"\b(?:siempre que|siempre y cuando|cuando|si|salvo|excepto|unicamente|solo|solamente|exclusivamente|a menos que"
    r"|dentro de|en el plazo|hayan? transcurrido|transcurridos?|una vez|por una sola vez|en el supuesto"
    r"|en los supuestos|en caso de)\b"
)
"""What restricts a rule."""
_KEEPS = re.compile(r"\b(?:siempre que|salvo|excepto|a menos que|solo|unicamente|solamente|siempre y cuando)\b")
"""What keeps a restriction in the claim itself."""
_GENERALISED_TOKEN = re.compile(r"[a-zñ]{3,}|\d[\d.,]*")


@dataclass(frozen=True)
class Generalised:
    """A clause ``sentence[start:end]`` that is more general than the ``wording`` of its source."""

    start: int
    end: int
    wording: str
    source: Source


def generalised(sentence: str, sources: Sequence[Source]) -> Generalised | None:
    """Return the clause of a sentence that is general where the sentence of the source on it is not."""
    folded = fold(sentence)
    phrase = _GENERAL.search(folded)
    if phrase is None or _KEEPS.search(folded):
        return None
    claim = _stems(folded[: phrase.start()] + " " + folded[phrase.end() :])
    best: tuple[float, str, Source] | None = None
    for source in sources:
        for wording, stems in _sentences(source.text):
            shared = claim & stems
            share = len(shared) / max(len(claim), 1)
            if (
                len(shared) >= MIN_GENERALISED_SHARED
                and share >= MIN_GENERALISED_SHARE
                and (best is None or share > best[0])
            ):
                best = share, wording, source
    if best is None or _ALSO_GENERAL.search(fold(best[1])) or not _RESTRICTED.search(fold(best[1])):
        return None
    start, end = clause_at(sentence, phrase.start(), phrase.end())
    return Generalised(start, end, best[1], best[2])


def _stems(folded: str) -> frozenset[str]:
    stop = stop_words()
    return frozenset(stem_word(word) for word in _GENERALISED_TOKEN.findall(folded) if word not in stop)


@lru_cache(maxsize=512)
def _sentences(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((text[start:end], _stems(fold(text[start:end]))) for start, end in sentences(text))
