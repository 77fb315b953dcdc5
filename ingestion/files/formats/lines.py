"""Clean the lines of a text, and rebuild the paragraphs that a page has broken into lines."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from ingestion.files.formats.header_block import closing_rule
from ingestion.files.structure_headings import opening

_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\u2010": "-", "\u2011": "-"}
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff")
)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
# A line that begins a paragraph whatever stands before it: an apartado, a letter, a dash, a place in the text.
_MARK = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2})*(?:\.?[ºª])?[.)]-?|[a-zñ](?: bis)?\)|[IVX]{1,5}[.)]-?|[–—•·▪-])\s"
    r"|(?:LIBRO|TÍTULO|CAPÍTULO|SECCIÓN|Título|Capítulo|Sección)\s+(?:[IVXLC]+|\w+[ºª.]|[A-ZÁÉÍÓÚ]{3,})"
)
# The end of a sentence, or of a line of a table of contents.
_ENDED = re.compile(r"[.:;?!…][»”\")\]]*$|(?:\. ?){3,}\d+$|…+ ?\d+$")
# A line that breaks off before a provision that it only mentions.
_DANGLING = re.compile(
    r"(?:[,(«]|\b(?:del?|al?|el|las?|los|en|[yoeu]|con|por|para|según|este|esta|su|que|citado|presente|mismo"
    r"|artículos?|arts?\.|núms?\.|disposición))$"
)
_LISTING = re.compile(r"(?:,| [yoeu])$")
_BROKEN = re.compile(r"(\w+)[-\u00ad]$")
# Words whose hyphen is their own, also at the end of a line: "Real Decreto-ley", "fijas-discontinuas".
_COMPOUND = re.compile(r"(?:decretos?|fij[oa]s?|socio|físico|teórico|jurídico|técnico|ex)$", re.IGNORECASE)
_FULL = 0.85
"""Share of the width of the text that the last line of a paragraph does not reach."""

_SHORT = 0.6
"""Share of the width below which a line is one by itself, without a full stop too."""

_MIN_WIDTH = 50
"""Characters of a full line at least: the columns of a gazette."""

_MAX_WIDTH = 160
"""Characters of a full line at most: longer ones are paragraphs that nothing has broken."""


def clean(line: str) -> str:
    """Return a line in composed characters, without controls, invisible characters and ligatures, its blanks single.

    A soft hyphen stays at the end only, where it parts a word.
    """
    line = _CONTROLS.sub("", unicodedata.normalize("NFC", line).translate(_LIGATURES))
    line = " ".join(line.split())
    return line[:-1].replace("\u00ad", "") + line[-1:]


def width_of(lines: Iterable[str]) -> int:
    """Return how long a full line of a text is, in characters: nine lines in ten are no longer."""
    lengths = sorted(len(line) for line in lines if line)
    return max(_MIN_WIDTH, lengths[(len(lengths) - 1) * 9 // 10] if lengths else 0)


def compounds(lines: Iterable[str]) -> frozenset[str]:
    """Return the words that a text writes with a hyphen inside a line, folded to lower case."""
    return frozenset(word.lower() for line in lines for word in re.findall(r"\w+-\w+", line))


def rebuilt_paragraphs(lines: Sequence[str], width: int, hyphenated: frozenset[str] = frozenset()) -> list[str]:
    """Join cleaned lines to paragraphs; an empty line always parts them.

    Else a paragraph ends with a line that is not full and ends a sentence or is short, and begins with a heading or
    the mark of an apartado; where full lines are longer than a page is wide, each is one. Words broken at the end of a
    line are made whole. A header block keeps its lines.
    """
    rebuilt: list[str] = []
    header = closing_rule(lines) + 1
    open_paragraph = False
    for number, line in enumerate(lines):
        if not line:
            open_paragraph = False
        elif number < header or not open_paragraph or _begins(rebuilt[-1], lines[number - 1], line, width):
            rebuilt.append(line)
            open_paragraph = number >= header
        else:
            rebuilt[-1] = joined(rebuilt[-1], line, hyphenated)
    return [paragraph.replace("\u00ad", "") for paragraph in rebuilt]


def joined(before: str, after: str, hyphenated: frozenset[str] = frozenset()) -> str:
    """Join two lines of one paragraph; a hyphen goes where it only broke a word.

    It stays where the text writes the word with one elsewhere (``hyphenated``), or where it is one of the language.

    >>> joined("el contrato de tra-", "bajo")
    'el contrato de trabajo'
    >>> joined("el Real Decreto-", "ley 32/2021")
    'el Real Decreto-ley 32/2021'
    """
    broken = _BROKEN.search(before)
    if broken is None:
        return f"{before} {after}"
    rest = re.match(r"\w+", after)
    compound = f"{broken[1]}-{rest[0] if rest else ''}".lower()
    hyphen_stays = not after[:1].islower() or _COMPOUND.search(broken[1]) or compound in hyphenated
    return (before if hyphen_stays and before.endswith("-") else before[:-1]) + after


def table_text(rows: Iterable[Sequence[str]]) -> str:
    """Return a table as one paragraph, a row a line, its cells parted by " | "; empty rows are left out."""
    lines = (" | ".join(cells).rstrip(" |") for cells in rows)
    return "\n".join(line for line in lines if line)


def goes_on(before: str, after: str) -> bool:
    """Tell whether a paragraph that a page break has cut goes on after it."""
    return not _ENDED.search(before) and after[:1].islower() and not _MARK.match(after)


def _begins(paragraph: str, before: str, line: str, width: int) -> bool:
    """Tell whether a line begins a paragraph after ``before``, the last line of ``paragraph``."""
    if width > _MAX_WIDTH:
        return True
    marked = _MARK.match(line) is not None
    listed = marked and _LISTING.search(before) is not None
    if _BROKEN.search(before) or (_DANGLING.search(before) and not listed):
        return False
    ended = _ENDED.search(before) is not None
    short = len(before) < _SHORT * width
    if marked and (ended or short or listed):
        return True
    if line[:1].islower():
        return False
    heading = opening(before) if paragraph == before else None
    if opening(line) is not None or (heading is not None and not heading.rest):
        return True
    return short or ((ended or heading is not None) and len(before) < _FULL * width)
