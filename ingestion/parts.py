"""Split the text of a long provision into parts that a search can tell apart."""

import re

MAX_PART = 2_000
"""Characters of a part at most."""

_ABBREVIATIONS = ("art", "arts", "núm", "núms", "pág", "Sr", "Sra", "Dr", "ss", "Ref")
_ABBREVIATED = "".join(rf"(?<!\b{word}\.)" for word in _ABBREVIATIONS)
# Each pattern matches the blank at which a text may be cut; from the best place to cut at to the worst.
_CUTS = (
    # Before an apartado: "2. …", "2 bis. …", "3.º …", or the next article that the text quotes.
    re.compile(r"\n\n(?=«?(?:\d{1,2}(?: (?:bis|ter|quater|quáter|quinquies|sexies))?(?:\.º|\.|\.ª) |Artículo \d))"),
    re.compile(r"\n\n"),
    re.compile(r"\n"),
    re.compile(rf"{_ABBREVIATED}(?<=[.!?»])(?<!\d\.) +(?=[«\"(¿¡]?[A-ZÁÉÍÓÚÑ0-9])"),
    re.compile(r"(?<=[;:]) +"),
    re.compile(r"(?<=,) +"),
    re.compile(r"\s+"),
)


def split_text(text: str, limit: int = MAX_PART) -> list[str]:
    """Split a text into parts of at most ``limit`` characters, in order; a text that fits is one part.

    Cuts are made before apartados, else between paragraphs, rows or sentences. Only a single sentence or row that
    does not fit is cut at a clause or a blank (and a word longer than the limit, wherever it must be).
    """
    text = text.strip()
    return [part for part in _pieces(text, limit, 0) if part] if text else []


def _pieces(text: str, limit: int, level: int) -> list[str]:
    if len(text) <= limit:
        return [text]
    if level == len(_CUTS):
        return [text[at : at + limit] for at in range(0, len(text), limit)]
    cuts = list(_CUTS[level].finditer(text))
    bounds = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(text)]
    packed: list[str] = []
    start = 0
    end = 0
    for begin, stop in zip(bounds, ends, strict=True):
        if stop - start <= limit:
            end = stop
            continue
        if end > start:
            packed.append(text[start:end])
        start, end = begin, stop
        if stop - begin > limit:
            *whole, last = _pieces(text[begin:stop], limit, level + 1)
            packed += whole
            # What is left of a piece that had to be cut may share a part with what follows it.
            start, end = stop - len(last), stop
    packed.append(text[start:end])
    return packed
