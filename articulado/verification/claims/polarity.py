"""Claims whose predicate has the opposite polarity in the source.

``opposed`` compares listed predicates (``predicates.toml``) that share enough content words with the
source. Limits and conditions do not count as denials. Clause and negation helpers are shared with
``articulado.verification.claims.denials``.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from articulado.language.folding import fold
from articulado.language.sentence_spans import sentences
from articulado.language.spanish import stem_word, stop_words
from articulado.values.findings import Check
from articulado.verification.sources import Source

MIN_SHARED = 3
"""Content words that a claim and its source share around a predicate at least."""
MIN_SHARE = 0.5
"""Share of the words around a predicate of the claim that stand around that of the source at least."""
MARGIN = 0.2
"""By how much the best place of the other polarity fits better than the best of the same."""
_WINDOW, _WINDOW_OF_SOURCE = 9, 16
"""Content words on either side of a predicate that are compared."""
_TOKEN = re.compile(r"[a-zñ]+|\d[\d.,]*")
_MARKER = re.compile(r"\[c[^\]]{0,20}\]")
_NEGATION = frozenset(("no", "ni", "nunca", "tampoco", "sin", "jamas"))
REACH = 5
MAX_WORDS = 16_384
"""Words of which it is kept what they may be: what laws and answers say over and over."""
_OPENING = 25
"""Characters at the beginning of a part of a sentence in which "en ningún caso" opens it."""
_LETTERS = 3
_PARTS = re.compile(r"[;:](?=\s)|,\s(?:pero|aunque|mientras que|sino|y en cambio|en cambio)\b")
_FAR_DENIAL = re.compile(r"\bno (?:pud|pod|deb|se pod|se pued)|\bsin que\b")
_CONDITION = re.compile(r"^\W*(?:si|cuando|aunque|salvo|excepto|siempre que|a menos que|mientras|quienes?)\b")
_BOUND = re.compile(
    r"\b(?:solo|unicamente|exclusivamente|hasta que|mientras|sino|salvo|excepto|mas que|a menos que"
    r"|exced\w+|super(?:ar|e|en|a|an|ior(?:es)?)|sobrepas\w+|inferior(?:es)?|durar|pasar|rebas\w+|menos de|mas de)\b"
)
"""What makes of a denial a limit or a condition, so that "no podrá" and "podrá" say no opposite things."""


@dataclass(frozen=True)
class Predicate:
    """A predicate of ``predicates.toml``; ``label`` affirms and denies it, ``check`` says what a wrong one is."""

    name: str
    label: tuple[str, str]
    check: Check = "negation"


_Form = tuple[tuple[str, ...], Predicate, bool]
"""The beginnings of the words of a predicate, the predicate, and whether they affirm it."""


@dataclass(frozen=True)
class Occurrence:
    """A predicate in a sentence: whether it is affirmed, and the stems of the words around it.

    ``start`` and ``end`` are offsets into the sentence.
    """

    predicate: Predicate
    affirmed: bool
    around: frozenset[str]
    start: int
    end: int
    sentence: str


@dataclass(frozen=True)
class Opposed:
    """What a claim says and its source says the other way round."""

    claim: Occurrence
    real: Occurrence
    source: Source


@cache
def _light() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the words that may stand between a negation and what it denies, and how others of them begin."""
    data = _data()
    return frozenset(data["light"]), tuple(data["auxiliaries"])


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("predicates.toml").read_text(encoding="utf-8"))


@cache
def _forms() -> Mapping[str, Sequence[_Form]]:
    """Return the beginnings of words, the longest first, with their predicate and whether they affirm it.

    They are found by their first letters (``_LETTERS``).
    """
    forms = []
    for entry in _data()["predicate"]:
        predicate = Predicate(entry["name"], tuple(entry["label"]), entry.get("check", "negation"))
        forms += [(tuple(form.split()), predicate, True) for form in entry["so"]]
        forms += [(tuple(form.split()), predicate, False) for form in entry["not"]]
    by_letters = defaultdict(list)
    for form in sorted(forms, key=lambda form: -len(form[0])):
        by_letters[form[0][0][:_LETTERS]].append(form)
    return dict(by_letters)


def opposed(sentence: str, sources: Sequence[Source]) -> Opposed | None:
    """Return the predicate of a sentence that its sources say the other way round, where that is plain."""
    best: tuple[float, Opposed] | None = None
    for claim in occurrences(sentence, _WINDOW):
        if is_conditional(fold(sentence), claim.start):
            continue
        same, other = 0.0, 0.0
        found: tuple[Occurrence, Source] | None = None
        for source in sources:
            for real in _of_text(source.text):
                if real.predicate != claim.predicate or _says_both(real):
                    continue
                shared = claim.around & real.around
                share = len(shared) / max(len(claim.around), 1) if len(shared) >= MIN_SHARED else 0.0
                if real.affirmed == claim.affirmed:
                    same = max(same, share)
                elif share > other:
                    other, found = share, (real, source)
        if found and other >= MIN_SHARE and other - same >= MARGIN and (best is None or other > best[0]):
            best = other, Opposed(claim, *found)
    return best[1] if best else None


@lru_cache(maxsize=4096)
def _says_both(real: Occurrence) -> bool:
    """Tell whether a sentence affirms and denies one predicate ("obligatoria o voluntaria")."""
    said = {each.affirmed for each in occurrences(real.sentence, 0) if each.predicate == real.predicate}
    return len(said) > 1


@lru_cache(maxsize=4096)
def _of_text(text: str) -> tuple[Occurrence, ...]:
    return tuple(each for start, end in sentences(text) for each in occurrences(text[start:end], _WINDOW_OF_SOURCE))


def occurrences(sentence: str, window: int) -> Iterator[Occurrence]:
    """Yield the predicates of a sentence, in order."""
    folded = _MARKER.sub(lambda match: " " * len(match[0]), fold(sentence))
    tokens = list(_TOKEN.finditer(folded))
    words = [token[0] for token in tokens]
    may_begin = [position for position, word in enumerate(words) if _forms_with(word)]
    stems = list(map(_content_stem, words)) if may_begin else []
    after = 0
    for position in may_begin:
        match = next(_predicates_at(words, position), None) if position >= after else None
        if match is None:
            continue
        parts, predicate, so = match
        after = position + len(parts)
        begin, end = clause_at(folded, tokens[position].start(), tokens[after - 1].end())
        if _BOUND.search(folded, begin, end):
            continue
        denied = is_denied(words, position)
        if not denied and _FAR_DENIAL.search(folded, begin, tokens[position].start()):
            continue  # "no pudiendo la mutua proceder a la suspensión": who can tell how far it reaches.
        first, last = segment(folded, tokens[position].start())
        reach = range(max(0, position - window), min(len(words), after + window))
        near = [stems[n] for n in reach if not position <= n < after and first <= tokens[n].start() < last]
        yield Occurrence(
            predicate,
            so != (denied or _in_no_case(folded, first, begin, tokens[position].start())),
            frozenset(filter(None, near)),
            tokens[position].start(),
            tokens[after - 1].end(),
            sentence,
        )


def _in_no_case(folded: str, segment_start: int, clause_start: int, place: int) -> bool:
    """Tell whether "en ningún caso" goes with a place: it opens the part of the sentence, or stands in the clause."""
    opens = folded.find("ningun caso", segment_start, segment_start + _OPENING)
    return opens >= 0 or "ningun caso" in folded[clause_start:place]


def has_predicate(words: Sequence[str], position: int) -> bool:
    """Tell whether a predicate begins with a word."""
    return next(_predicates_at(words, position), None) is not None


def segment(folded: str, place: int) -> tuple[int, int]:
    """Return where the part of a sentence begins and ends in which a place is: a "but" or a semicolon parts it."""
    parts = [0, *(match.end() for match in _PARTS.finditer(folded)), len(folded)]
    return max(part for part in parts if part <= place), min(part for part in parts if part > place)


def clause_at(sentence: str, start: int, end: int) -> tuple[int, int]:
    """Return where the clause around a place of a sentence begins and ends."""
    begin = max(sentence.rfind(stop, 0, start) for stop in (",", ";", ":", "(", ".")) + 1
    stops = [place for stop in (",", ";", ":", ")", ".", "[") if (place := sentence.find(stop, end)) >= 0]
    clause = sentence[begin : min(stops, default=len(sentence))]
    begin += len(clause) - len(clause.lstrip())
    return begin, begin + len(clause.strip())


def is_conditional(folded: str, place: int) -> bool:
    """Tell whether a place of a folded sentence stands in a clause that only says in which case something is so."""
    begin = max(folded.rfind(stop, 0, place) for stop in (",", ";", ":", "(", ".")) + 1
    return bool(_CONDITION.search(folded[begin:place]))


def _predicates_at(words: Sequence[str], position: int) -> Iterator[_Form]:
    """Yield the forms that stand at a word, the longest first."""
    for form in _forms_with(words[position]):
        others = form[0][1:]
        here = words[position + 1 : position + 1 + len(others)]
        if len(here) == len(others) and all(map(_is_form, here, others)):
            yield form


@lru_cache(MAX_WORDS)
def _forms_with(word: str) -> Sequence[_Form]:
    """Return the forms that may begin with a word."""
    return tuple(form for form in _forms().get(word[:_LETTERS], ()) if _is_form(word, form[0][0]))


def _is_form(word: str, form: str) -> bool:
    return word == form[:-1] if form.endswith(".") else word.startswith(form)


def is_denied(words: Sequence[str], position: int) -> bool:
    """Tell whether a negation stands before a word, with nothing but light words between."""
    for place in range(position - 1, max(-1, position - 1 - REACH), -1):
        if words[place] in _NEGATION:
            return True
        if not is_light(words[place]):
            return False
    return False


@lru_cache(MAX_WORDS)
def _content_stem(word: str) -> str:
    """Return the stem of a folded word, empty where it has no content."""
    return "" if word in stop_words() or is_light(word) else stem_word(word)


@lru_cache(MAX_WORDS)
def is_light(word: str) -> bool:
    """Tell whether a folded word may stand between a negation and what it denies."""
    words, beginnings = _light()
    return word in words or word.startswith(beginnings)
