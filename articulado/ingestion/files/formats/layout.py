"""Reading order of a printed page: words from letters, columns, and lines.

Positions are in points from the top left corner of the page.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import Any

from articulado.ingestion.files.formats.aligned import Region, Word, turned, turned_back
from articulado.language.table_text import is_amount

Letter = dict[str, Any]  # letter as a dict of pdfplumber
Row = list[Word]  # words at one height, from the left

_SPACE = 0.15  # minimum gap between words, as a share of the letter size
_TILT = 12  # maximum slope of a line in degrees, as in scans
_SMALLER = 0.85  # maximum size of a note mark, as a share of the text size
_RAISED = 0.2  # minimum rise of a note mark, as a share of the text height

_GUTTER, _NARROW_GUTTER, _MANY_ROWS = 1.0, 0.6, 8
"""Minimum gap between columns in line heights: of few lines, and of at least so many."""

_MIN_ROWS = 3  # minimum lines of a column
_DEPTH = 2  # recursion depth of the search for columns within columns
_MOST_GUTTERS, _MOST_TRIED = 40, 3  # gaps examined per page, and gaps tried, largest columns first: a table has many
_MIN_WORDS = 2.5  # minimum mean of words per line of a column: table cells have fewer
_FILLED = 0.6  # share of the column width filled by half of its lines
_PARTED = 1.7  # distance of two paragraphs, in usual line distances
_WIDEST = 3.0  # maximum distance of two lines of a text, in line heights
_GOING_ON = 0.2  # minimum share of lines that begin inside a sentence, if half of the lines are not full
_APART = 2.2  # distance of two lines, in heights, that ends a column
_MARGIN = 0.1  # share of a page, above and below, for running head and foot
_DINGBATS = dict.fromkeys("345678", "[x]") | dict.fromkeys("opqr", "[ ]") | {"l": "•", "m": "[ ]", "n": "■"}
_WINGDINGS = dict.fromkeys("\xfb\xfc\xfd\xfexRST", "[x]") | dict.fromkeys("o\xa8qr", "[ ]") | {"\xa7": "•", "l": "•"}
"""Boxes and ticks in symbol fonts, by the letters in their places."""

_BOXES = dict.fromkeys("☑☒✓✔✕✖✗✘🗹", "[x]") | dict.fromkeys("☐□◻❏❑❒▢", "[ ]")
_NOTE = re.compile(r"\(?(\d{1,3}|[a-z*])\)?")
_NUMBER_OF_NOTE = re.compile(r"\(?(\d{1,3})\)?")
_ORDINALS = {"o": "º", "a": "ª", "º": "º", "ª": "ª", "os": "os", "as": "as", "er": "er", "ero": "ero", "era": "era"}
_SUPERSCRIPT = re.compile(r"(?<=[\w.,;:)»”\"€%])([⁰¹²³⁴-⁹]+)|^([⁰¹²³⁴-⁹]+)")
_UNIT = re.compile(r"\b(?:[kcmd]?m|[kK]m)$")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def by_turn(letters: Sequence[Letter]) -> dict[int | None, list[Letter]]:
    """Group letters by quarter turns of their text, counter-clockwise; ``None`` for oblique text."""
    groups: dict[int | None, list[Letter]] = defaultdict(list)
    for letter in letters:
        a, b = letter.get("matrix", (1, 0))[:2]
        quarters, rest = divmod(math.degrees(math.atan2(b, a)) + _TILT, 90)
        groups[int(quarters) % 4 if rest <= 2 * _TILT else None].append(letter)
    return groups


def words_of(letters: Sequence[Letter], turn: int, width: float, height: float) -> list[Word]:
    """Return the words of letters of one direction, in file order and page coordinates."""
    from pdfplumber.utils.text import extract_words

    upright = [_upright(letter, turn, width, height) for letter in letters]
    found = extract_words(upright, use_text_flow=True, x_tolerance_ratio=_SPACE, y_tolerance=1.5, extra_attrs=["size"])
    words = _joined([Word(each["text"], each["x0"], each["top"], each["x1"], each["bottom"]) for each in found])
    return [replace(turned_back(word, turn, width, height), upright=turn == 0) for word in words]


def _upright(letter: Letter, turn: int, width: float, height: float) -> Letter:
    box = turned(Region(*(float(letter[side]) for side in ("x0", "top", "x1", "bottom"))), turn, width, height)
    sides = {"x0": box.left, "top": box.top, "x1": box.right, "bottom": box.bottom, "doctop": box.top}
    return letter | sides | {"text": _character(letter), "size": round(box.bottom - box.top), "upright": True}


def _character(letter: Letter) -> str:
    text, font = str(letter["text"]), str(letter.get("fontname", "")).lower()
    if "dingbat" in font or "wingding" in font:
        plain = chr(ord(text) - 0xF000) if len(text) == 1 and 0xF000 < ord(text) < 0xF100 else text
        return (_DINGBATS if "zapf" in font or "dingbats" in font else _WINGDINGS).get(plain, text)
    return _BOXES.get(text, text)


def _joined(words: Sequence[Word]) -> Iterator[Word]:
    open_word: Word | None = None
    for word in words:
        word = replace(word, text=_SUPERSCRIPT.sub(_plain_mark, word.text))
        if open_word is None or not _touches(open_word, word):
            if open_word:
                yield _as_mark(open_word, word)
                word = _as_mark(word, open_word)
            open_word = word
        elif _is_raised(word, open_word) and (_NOTE.fullmatch(word.text) or word.text in _ORDINALS):
            open_word = replace(open_word, text=open_word.text + _raised(open_word.text, word.text), right=word.right)
        elif (mark := _as_mark(open_word, word)) is not open_word:
            yield mark
            open_word = word
        else:
            larger = max(open_word, word, key=lambda each: len(each.text))
            blank = " " if open_word.text.endswith("]") and word.text[:1].isalnum() else ""
            text = f"{open_word.text}{blank}{word.text}"
            open_word = Word(text, open_word.left, larger.top, word.right, larger.bottom)
    if open_word:
        yield open_word


def _as_mark(word: Word, beside: Word) -> Word:
    number = _NUMBER_OF_NOTE.fullmatch(word.text)
    blank = max(word.left, beside.left) - min(word.right, beside.right)
    overlap = min(word.bottom, beside.bottom) - max(word.top, beside.top)
    if number is None or blank > beside.height or overlap <= 0 or word.height > _SMALLER * beside.height:
        return word
    if not _is_raised(word, beside):
        return word
    return replace(word, text=f"({number[1]})", top=beside.top, bottom=beside.bottom)


def _touches(before: Word, word: Word) -> bool:
    height = max(before.height, word.height)
    overlap = min(before.bottom, word.bottom) - max(before.top, word.top)
    blank = word.left - before.right
    return overlap > 0.2 * min(before.height, word.height) and -0.3 * height < blank <= _SPACE * height


def _is_raised(word: Word, text: Word) -> bool:
    lifted = text.bottom - word.bottom
    smaller = word.height <= _SMALLER * text.height
    return lifted >= _RAISED * text.height and (smaller or lifted < 0.6 * text.height)


def _raised(before: str, raised: str) -> str:
    if raised in _ORDINALS and re.search(r"\d\.?$", before):
        return _ORDINALS[raised]
    if raised in ("2", "3") and _UNIT.search(before):
        return {"2": "²", "3": "³"}[raised]
    return f" ({raised.strip('()')})"


def _plain_mark(found: re.Match[str]) -> str:
    digits = found[0].translate(_DIGITS)
    if found[2]:
        return f"({digits}) "
    before = found.string[: found.start()]
    return found[0] if digits in ("2", "3") and _UNIT.search(before) else f" ({digits})"


def rows_of(words: Sequence[Word]) -> list[Row]:
    """Return the rows of a page from above; a table is its own row."""
    rows: list[Row] = []
    for word in sorted(words, key=lambda word: (word.middle if word.table is None else word.top, word.left)):
        row = next((row for row in rows[:-4:-1] if _is_in_row(row[0], word)), None)
        if row is None:
            rows.append([word])
        else:
            row.append(word)
    return [sorted(row, key=lambda word: word.left) for row in rows]


def _is_in_row(first: Word, word: Word) -> bool:
    if first.table is not None or word.table is not None:
        return False
    overlap = min(first.bottom, word.bottom) - max(first.top, word.top)
    return overlap >= 0.55 * min(first.height, word.height)


def columns_of(words: Sequence[Word], page_height: float) -> list[tuple[list[Row], int]]:
    """Return the blocks in reading order, each with a number shared by adjacent columns; 0: no column."""
    return _blocks(rows_of(words), page_height, 0)


def _blocks(rows: Sequence[Row], page_height: float, group: int) -> list[tuple[list[Row], int]]:
    if not rows:
        return []
    found = _best_gutter(rows, page_height)
    if found is None:
        return [(list(rows), group)]
    first, last, middle = found
    left, right = _split(rows[first : last + 1], middle)
    own = group or 1 + int(_top(rows[first]))
    return [
        *_blocks(rows[:first], page_height, group),
        *_blocks(left, page_height, own),
        *_blocks(right, page_height, own),
        *_blocks(rows[last + 1 :], page_height, group),
    ]


def _best_gutter(rows: Sequence[Row], page_height: float, depth: int = 0) -> tuple[int, int, float] | None:
    """Return the first and last row of the largest pair of columns, and the middle of the gap between them."""
    heights = [word.height for row in rows for word in row if word.table is None]
    height = max(1.0, median(heights)) if heights else 1.0
    candidates: list[tuple[float, int, int, tuple[float, float]]] = []
    grown: list[tuple[int, int, tuple[float, float]]] = []
    for index, start in _seeds(rows, height):
        if len(grown) >= _MOST_GUTTERS:
            break
        if any(first <= index <= last and start[0] < sum(blank) / 2 < start[1] for first, last, blank in grown):
            continue
        grown.append(_grown(rows, index, start, _NARROW_GUTTER * height))
        for first, last in _trimmed(rows, *grown[-1], height, page_height):
            blank = grown[-1][2]
            candidates.append((_size_of_columns(rows[first : last + 1], blank, height), first, last, blank))
    for size, first, last, blank in sorted(candidates, reverse=True)[:_MOST_TRIED]:
        sides = _split(rows[first : last + 1], sum(blank) / 2)
        if not size or _are_pairs(*sides):
            continue
        if all(_is_text(side) or (depth < _DEPTH and _best_gutter(side, page_height, depth + 1)) for side in sides):
            return first, last, sum(blank) / 2
    return None


def _split(rows: Sequence[Row], middle: float) -> tuple[list[Row], list[Row]]:
    inside = [word for row in rows for word in row]
    left = [word for word in inside if (word.left + word.right) / 2 < middle]
    right = [word for word in inside if (word.left + word.right) / 2 >= middle]
    return rows_of(left), rows_of(right)


def _seeds(rows: Sequence[Row], height: float) -> Iterator[tuple[int, tuple[float, float]]]:
    for index, row in enumerate(rows):
        for before, word in pairwise(row):
            if word.left - before.right >= _NARROW_GUTTER * height:
                yield index, (before.right, word.left)
        for other in rows[index + 1 : index + 3]:
            if other[0].left - row[-1].right >= _NARROW_GUTTER * height:
                yield index, (row[-1].right, other[0].left)
            elif row[0].left - other[-1].right >= _NARROW_GUTTER * height:
                yield index, (other[-1].right, row[0].left)


def _grown(
    rows: Sequence[Row], start: int, blank: tuple[float, float], minimum: float
) -> tuple[int, int, tuple[float, float]]:
    """Return the range of rows around ``start`` that keep the gap free, and the gap common to all."""
    ends = [start, start]
    narrowed: tuple[float, float] | None = _left_free(rows[start], blank, minimum)
    free = narrowed or blank
    for side, step in ((1, 1), (0, -1)):
        index = start + step
        while 0 <= index < len(rows) and (narrowed := _left_free(rows[index], free, minimum)):
            free, ends[side] = narrowed, index
            index += step
    return ends[0], ends[1], free


def _left_free(row: Row, blank: tuple[float, float], minimum: float) -> tuple[float, float] | None:
    left, right = blank
    for word in row:
        if word.right > left and word.left < right:
            if (word.left + word.right) / 2 < (left + right) / 2:
                left = max(left, word.right)
            else:
                right = min(right, word.left)
    return (left, right) if right - left >= minimum else None


def _trimmed(
    rows: Sequence[Row], first: int, last: int, blank: tuple[float, float], height: float, page_height: float
) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows without running heads, feet and single lines; a lone title separates two ranges."""
    middle = sum(blank) / 2
    pitch = max(height, pitch_of([rows[first : last + 1]]))
    while first < last and _stands_apart(rows[first], rows[first + 1], middle, pitch, page_height):
        first += 1
    while last > first and _stands_apart(rows[last], rows[last - 1], middle, pitch, page_height):
        last -= 1
    begin = first
    for index in range(first + 1, last):
        alone = _sides(rows[index], middle) != 3 and _sides(rows[index + 1], middle) == 3
        above = _top(rows[index]) - max((_bottom(row) for row in rows[begin:index]), default=_top(rows[index]))
        if alone and above >= 0.9 * height and _sides(rows[index - 1], middle) != 0 and _is_short(rows[index]):
            yield begin, index - 1
            begin = index + 1
    yield begin, last


def _is_short(row: Row) -> bool:
    return row[0].table is None and len(" ".join(word.text for word in row)) <= 80


def _stands_apart(row: Row, following: Row, middle: float, pitch: float, page_height: float) -> bool:
    """Tell if a row at the end of columns is outside them: distant, and at the page edge or on one side."""
    height = min(_bottom(each) - _top(each) for each in (row, following))
    distance = max(_top(following) - _bottom(row), _top(row) - _bottom(following)) + height
    at_edge = not _MARGIN * page_height < _top(row) < (1 - _MARGIN) * page_height
    return distance >= _PARTED * pitch and (at_edge or _sides(row, middle) != 3)


def _sides(row: Row, middle: float) -> int:
    left = any((word.left + word.right) / 2 < middle for word in row)
    right = any((word.left + word.right) / 2 >= middle for word in row)
    return left + 2 * right


def _top(row: Row) -> float:
    return min(word.top for word in row)


def _bottom(row: Row) -> float:
    return max(word.bottom for word in row)


def _size_of_columns(rows: Sequence[Row], blank: tuple[float, float], height: float) -> float:
    left, right = _split(rows, sum(blank) / 2)
    if not left or not right:
        return 0
    top, bottom = max(_top(left[0]), _top(right[0])), min(_bottom(left[-1]), _bottom(right[-1]))
    beside = [[row for row in side if _bottom(row) > top and _top(row) < bottom] for side in (left, right)]
    fewest = min(sum(_MIN_ROWS if row[0].table is not None else 1 for row in rows) for rows in beside)
    wide = blank[1] - blank[0] >= (_GUTTER if fewest < _MANY_ROWS else _NARROW_GUTTER) * height
    return bottom - top if fewest >= _MIN_ROWS and wide else 0


def _goes_on(rows: Sequence[Row]) -> bool:
    return sum(row[0].text[:1].islower() for row in rows) >= _GOING_ON * len(rows)


def _are_pairs(left: Sequence[Row], right: Sequence[Row]) -> bool:
    labels = sum(row[-1].text.endswith(":") for row in left)
    is_list = len(left) == len(right) and not any(map(_goes_on, (left, right)))
    named = any(word.text.endswith(":") or word.table is not None for row in (*left, *right) for word in row)
    return 2 * labels >= len(left) or (is_list and not named)


def _is_text(rows: Sequence[Row]) -> bool:
    lines = [row for row in rows if row[0].table is None]
    if len(lines) < len(rows):
        return True
    widths = [row[-1].right - row[0].left for row in lines]
    words = sum(map(len, lines)) / len(lines)
    amounts = sum(all(is_amount(word.text) for word in row) for row in lines)
    is_full = median(widths) >= _FILLED * max(widths) or _goes_on(lines)
    return words >= _MIN_WORDS and is_full and amounts < 0.4 * len(lines)


def blanks_above(rows: Sequence[Row], pitch: float) -> list[bool]:
    """Tell for each row if the space above it exceeds the line distance ``pitch`` (points) of a paragraph."""
    steps = [False]
    for above, row in pairwise(rows):
        step = _bottom(row) - _bottom(above)
        steps.append(step > _PARTED * pitch and step > _APART * (row[-1].height if row[-1].table is None else pitch))
    return steps[: len(rows)]


def pitch_of(blocks: Sequence[Sequence[Row]]) -> float:
    """Return the usual distance of two lines of a page, in points."""
    steps = [_bottom(row) - _bottom(above) for rows in blocks for above, row in pairwise(rows)]
    heights = [row[0].height for rows in blocks for row in rows if row[0].table is None]
    forward = [step for step in steps if step > 0]
    return min(median(forward), _WIDEST * median(heights)) if forward and heights else 0.0
