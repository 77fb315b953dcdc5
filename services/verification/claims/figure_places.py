"""Where the figures of a text stand: the words around each of them, from near to far."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache

from articulado.language import sentence_spans as cuts
from articulado.language.folding import fold
from articulado.language.quantities import Quantity, bare_numbers, quantities
from articulado.language.spanish import stems

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
