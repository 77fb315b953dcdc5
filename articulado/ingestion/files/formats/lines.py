"""Lines, paragraphs and pages of an extracted text: cleaning, reconstruction, and list counters."""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from articulado.ingestion.files.formats.inline import TICKED, UNTICKED, raised
from articulado.ingestion.files.header import closing_rule
from articulado.ingestion.model import Page
from articulado.ingestion.structure import division, opening
from articulado.language.languages import closer_of, language, language_of

_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\u2010": "-", "\u2011": "-"}
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff")
    | dict.fromkeys("☑☒🗹🗷", TICKED)
    | {"☐": UNTICKED}
)
_SUPERSCRIPT = re.compile(r"(?<=\d)[⁰¹²³⁴-⁹]{1,3}")
_AS_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
# Control characters and lone surrogates.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
# More combining marks than any language uses: composing them takes quadratic time.
_MANY_MARKS = re.compile(r"([\u0300-\u036f]{8})[\u0300-\u036f]+")
_HYPHENS = ("-", "\u00ad")
_WITH_HYPHEN = re.compile(r"\b\w+-\w+")
# Beginning of a paragraph in any context: an apartado, a letter, a dash, a division.
_MARK = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2})*(?:\.?[ºª])?[.)]-?|[a-zñ](?: bis)?\)|[IVX]{1,5}[.)]-?|[–—•·▪-])\s"
    r"|(?:LIBRO|TÍTULO|CAPÍTULO|SECCIÓN|Título|Capítulo|Sección)\s+(?:[IVXLC]+|\w+[ºª.]|[A-ZÁÉÍÓÚ]{3,})"
)
# End of a sentence, or of a line of a table of contents.
_ENDED = re.compile(r"[.:;?!…][»”\")\]]*$|(?:\. ?){3,}\d+$|…+ ?\d+$")
# Line that breaks off before a cited provision.
_DANGLING = re.compile(
    r"(?:[,(«]|\b(?:del?|al?|el|las?|los|en|[yoeu]|con|por|para|según|este|esta|su|que|citado|presente|mismo"
    r"|artículos?|arts?\.|núms?\.|disposición))$"
)
_TAIL = 120  # characters searched at the end of a line, which may be very long
_LISTING = re.compile(r"(?:,| [yoeu])$")
_BROKEN = re.compile(r"\b(\w+)[-\u00ad]$")
# Words that keep their hyphen at a line break: "Real Decreto-ley", "fijas-discontinuas".
_COMPOUND = re.compile(r"(?:decretos?|fij[oa]s?|socio|físico|teórico|jurídico|técnico|ex)$", re.IGNORECASE)
_FULL = 0.85  # share of the text width not reached by the last line of a paragraph
_SHORT = 0.6  # share of the width below which a line stands alone even without a full stop
_MIN_WIDTH = 50  # minimum characters of a full line: the columns of a gazette
_MAX_WIDTH = 160  # maximum characters of a full line: longer ones are unbroken paragraphs
_BILINGUAL = 0.25  # minimum share of each language in a bilingual text
_LEAST_IN_BOTH = 150  # minimum characters in each of its languages
_FEWEST_WORDS = 8  # minimum words of a paragraph for language detection


def clean(line: str) -> str:
    """Normalise a line: composed characters, single blanks, no control or invisible characters, no ligatures.

    A soft hyphen stays only at the end. A superscript is separated from the number before it.

    >>> clean("☒ Son 320¹ horas"), clean("25 m²")
    ('[x] Son 320 (1) horas', '25 m²')
    """
    line = unicodedata.normalize("NFC", _MANY_MARKS.sub(r"\1", line))
    line = _CONTROLS.sub("", line.translate(_LIGATURES))
    line = _SUPERSCRIPT.sub(lambda mark: raised(line[: mark.start()], mark[0].translate(_AS_DIGITS)), line)
    line = " ".join(line.split())
    return line[:-1].replace("\u00ad", "") + line[-1:]


def width_of(lines: Iterable[str], minimum: int = _MIN_WIDTH) -> int:
    """Return the length of a full line in characters: the 90th percentile, at least ``minimum``."""
    lengths = sorted(len(line) for line in lines if line)
    return max(minimum, lengths[(len(lengths) - 1) * 9 // 10] if lengths else 0)


def compounds(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(word.lower() for line in lines for word in _WITH_HYPHEN.findall(line))


def rebuilt_paragraphs(lines: Sequence[str], width: int, hyphenated: frozenset[str] = frozenset()) -> list[str]:
    """Join cleaned lines to paragraphs; an empty line always separates them.

    A paragraph ends with a line that is not full and ends a sentence or is short; it begins with a heading or the
    mark of an apartado. If full lines exceed the width of a page, each line is a paragraph. A header block keeps its
    lines.
    """
    paragraphs: list[list[str]] = []
    header = closing_rule(lines) + 1
    open_paragraph = False
    for number, line in enumerate(lines):
        if not line:
            open_paragraph = False
        elif number < header or not open_paragraph or _begins(paragraphs[-1], line, width):
            paragraphs.append([line])
            open_paragraph = number >= header
        else:
            paragraphs[-1].append(line)
    return [_joined_lines(paragraph, hyphenated).replace("\u00ad", "") for paragraph in paragraphs]


def _joined_lines(lines: Sequence[str], hyphenated: frozenset[str]) -> str:
    """Join the lines of a paragraph in linear time: only the last word before a line is inspected."""
    pieces = [lines[0]]
    for line in lines[1:]:
        pieces[-1:] = joined(pieces[-1], line, hyphenated).rsplit(" ", 1)
    return " ".join(pieces)


def joined(before: str, after: str, hyphenated: frozenset[str] = frozenset()) -> str:
    """Join two lines of one paragraph, without a hyphen that only breaks a word.

    >>> joined("el contrato de tra-", "bajo"), joined("el Real Decreto-", "ley 32/2021")
    ('el contrato de trabajo', 'el Real Decreto-ley 32/2021')
    """
    broken = _BROKEN.search(before) if before.endswith(_HYPHENS) else None
    if broken is None:
        return f"{before} {after}"
    rest = re.match(r"\w+", after)
    compound = f"{broken[1]}-{rest[0] if rest else ''}".lower()
    hyphen_stays = not after[:1].islower() or _COMPOUND.search(broken[1]) or compound in hyphenated
    return (before if hyphen_stays and before.endswith("-") else before[:-1]) + after


def goes_on(before: str, after: str) -> bool:
    return not _ENDED.search(before, _tail_of(before)) and after[:1].islower() and not _MARK.match(after)


def _tail_of(line: str) -> int:
    return max(0, len(line) - _TAIL)


def _begins(paragraph: Sequence[str], line: str, width: int) -> bool:
    if width > _MAX_WIDTH:
        return True
    before = paragraph[-1]
    tail = _tail_of(before)
    marked = _MARK.match(line) is not None
    listed = marked and _LISTING.search(before, tail) is not None
    if _BROKEN.search(before, tail) or (_DANGLING.search(before, tail) and not listed):
        return False
    ended = _ENDED.search(before, tail) is not None
    short = len(before) < _SHORT * width
    if marked and (ended or short or listed):
        return True
    if line[:1].islower():
        return False
    heading = opening(before) if len(paragraph) == 1 else None
    if opening(line) is not None or division(line) is not None or (heading is not None and not heading.rest):
        return True
    return short or ((ended or heading is not None) and len(before) < _FULL * width)


_LETTERS = 26
_LARGEST_BY_LETTERS = 4 * _LETTERS
_LARGEST_START = 999_999


def first_number(written: str) -> int:
    """Parse the first number of a list; 1 for implausible values."""
    usable = written.isascii() and written.isdecimal() and len(written) <= len(str(_LARGEST_START))
    return int(written) if usable else 1


def letter(number: int) -> str:
    """Return the letters of a number from 1: a to z, then aa, bb; beyond four letters in figures."""
    if not 1 <= number <= _LARGEST_BY_LETTERS:
        return str(number)
    return chr(ord("a") + (number - 1) % _LETTERS) * ((number - 1) // _LETTERS + 1)


@dataclass(frozen=True)
class RunningText:
    """Paragraphs of all pages, separated by blank lines."""

    text: str
    starts: tuple[int, ...]  # offsets in ``text`` at which the pages begin, ascending
    numbers: tuple[int | None, ...]  # numbers of the pages

    def page_at(self, offset: int) -> int | None:
        page = bisect_right(self.starts, offset) - 1
        return self.numbers[page] if page >= 0 else None

    def paragraphs(self) -> Iterator[tuple[int, str]]:
        """Yield each paragraph with its offset."""
        offset = 0
        for paragraph in self.text.split("\n\n"):
            if paragraph:
                yield offset, paragraph
            offset += len(paragraph) + 2


def running_text(pages: Sequence[Page]) -> RunningText:
    """Join the pages of a document, and paragraphs and words cut by a page break."""
    paragraphs: list[str] = []
    starts: list[int] = []
    length = 0
    for page in pages:
        start = length
        for number, paragraph in enumerate(page.paragraphs):
            starts_page = number == 0 and page.number is not None and paragraphs and "\n" not in paragraphs[-1]
            if starts_page and goes_on(paragraphs[-1], paragraph):
                length -= len(paragraphs[-1])
                paragraphs[-1] = joined(paragraphs[-1], paragraph)
            else:
                length += 2 if paragraphs else 0
                paragraphs.append(paragraph)
            length += len(paragraphs[-1])
            start = start if number else length - len(paragraph)
        starts.append(start)
    return RunningText("\n\n".join(paragraphs), tuple(starts), tuple(page.number for page in pages))


def spanish_part(pages: Sequence[Sequence[str]]) -> tuple[list[list[str]], dict[int, set[str]]]:
    """Return the Spanish paragraphs of a bilingual text by page, and omitted languages by page index."""
    found = Counter(code for page in pages for paragraph in page if (code := spoken_in(paragraph)) not in ("", "es"))
    other = found.most_common(1)[0][0] if found else "es"
    spoken = [(page, each, _one_of(each, other)) for page, paragraphs in enumerate(pages) for each in paragraphs]
    letters = {code: sum(len(each) for _, each, its in spoken if its == code) for code in ("es", other)}
    if other == "es" or min(letters.values()) < max(_BILINGUAL * sum(letters.values()), _LEAST_IN_BOTH):
        return [list(page) for page in pages], {}
    kept: list[list[str]] = [[] for _ in pages]
    left_out: dict[int, set[str]] = {}
    following = ""
    for page, paragraph, code in reversed(spoken):
        # A heading has the language of the text below it.
        following = code or following
        if following == other and "\n" not in paragraph:
            left_out.setdefault(page, set()).add(other)
        else:
            kept[page].insert(0, paragraph)
    return kept, left_out


def _one_of(paragraph: str, other: str) -> str:
    is_short = "\n" in paragraph or len(paragraph.split()) < _FEWEST_WORDS
    return "" if is_short else closer_of(paragraph, other)


def spoken_in(text: str) -> str:
    """Return the language code of a paragraph; "" for a short one, a table and mere names."""
    if "\n" in text or len(text.split()) < _FEWEST_WORDS:
        return ""
    return language_of(text, language("es"))
