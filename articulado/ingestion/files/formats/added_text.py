"""Words of a PDF page that its text layer lacks: form fields, text boxes, notes, and text recognised on images.

Positions are in points from the top left corner of the page as shown.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from statistics import median
from typing import Any

from articulado.config.extras import installed, without
from articulado.ingestion.files.formats.aligned import Region, Word
from articulado.ingestion.files.formats.drawn import Drawing
from articulado.ingestion.files.formats.lines import clean
from articulado.language.formats import gap_mark
from articulado.language.table_text import is_amount
from articulado.language.translation import translate

_HIDDEN = 2 | 32  # flags of annotations that a viewer does not show (ISO 32000, table 165: Hidden, NoView)
_PASSWORD, _BUTTON = 1 << 13, 1 << 16

_LINE = 11.0  # height of a line of a multi-line field, in points
_LETTER = 0.5  # estimated width of a letter, as a share of its height: appearances are not read
_NEAR = 30.0  # maximum distance of a tick from its printed box, in points
_LEADERS = re.compile(r"(.*?)[._…‥·-]{3,}")
_FRAME = re.compile(r"[\[\](){}|_□○◯☐❏❑]+|\[[ x]\]")
TICKED, UNTICKED = "[x]", "[ ]"


@dataclass
class Annotations:
    """Fields and text boxes as words with their regions, comments as text, and the number of hidden ones."""

    shown: list[tuple[Region, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    hidden: int = 0


def annotations_of(page: Any, box: Sequence[float], rotation: int) -> Annotations:
    """Return the annotations of a page of pypdf; ``box`` is pdfplumber's media box, ``rotation`` in degrees."""
    found = Annotations()
    media = [float(side) for side in page.mediabox]
    for reference in _resolved(page.get("/Annots")) or ():
        annotation = _resolved(reference)
        if not isinstance(annotation, dict) or "/Rect" not in annotation:
            continue
        kind, text = annotation.get("/Subtype"), ""
        if kind == "/Widget":
            text = _value(annotation)
        elif kind in ("/Popup", "/Link"):
            continue
        else:
            text = _text(annotation.get("/Contents"))
        if not text.strip():
            continue
        if int(_resolved(annotation.get("/F")) or 0) & _HIDDEN:
            found.hidden += text != UNTICKED
        elif kind in ("/Widget", "/FreeText"):
            found.shown.append((_region(_resolved(annotation["/Rect"]), media, box, rotation), text))
        else:
            author = clean(_text(annotation.get("/T")))
            found.notes.append(f"[Nota{' de ' * bool(author)}{author} sobre el PDF: {clean(text)}]")
    return found


def with_fields(words: Sequence[Word], shown: Sequence[tuple[Region, str]]) -> list[Word]:
    """Add the values of fields to the words of a page; remove dotted lines and boxes below them."""
    placed: list[Word] = []
    kept = list(words)
    for region, text in shown:
        if text in (TICKED, UNTICKED):
            region = _box_at(kept, region)
        label = _row_of(kept, region)
        kept = [left for word in kept if (left := _beside(word, region, text))]
        placed += _placed(region, text, label)
    return [*kept, *placed]


def _box_at(words: Sequence[Word], region: Region) -> Region:
    frames = [
        word
        for word in words
        if _FRAME.fullmatch(word.text)
        and region.top - 4 <= word.middle <= region.bottom + 4
        and max(word.left - region.right, region.left - word.right) <= _NEAR
    ]
    if not frames:
        return region
    nearest = min(frames, key=lambda word: abs(word.left + word.right - region.left - region.right))
    pair = [word for word in frames if abs(word.left - nearest.left) <= 2 * nearest.height]
    left, right = min(word.left for word in pair), max(word.right for word in pair)
    return Region(left, nearest.top, right, nearest.bottom)


def _beside(word: Word, region: Region, text: str) -> Word | None:
    across = min(word.right, region.right + 4) - max(word.left, region.left - 4)
    if across <= 0 or not region.top - 4 <= word.middle <= region.bottom + 4:
        return word
    if text in (TICKED, UNTICKED):
        return None if _FRAME.fullmatch(word.text) else word
    leaders = _LEADERS.fullmatch(word.text)
    if leaders is None:
        return word
    return replace(word, text=leaders[1], right=min(word.right, region.left)) if leaders[1] else None


def _row_of(words: Sequence[Word], region: Region) -> Word | None:
    height = region.bottom - region.top
    beside = [
        word
        for word in words
        if region.top + 0.1 * height <= word.middle <= region.bottom - 0.1 * height
        and (word.right <= region.left + 4 or word.left >= region.right - 4 or _LEADERS.fullmatch(word.text))
    ]
    return min(beside, key=lambda word: min(abs(word.right - region.left), abs(word.left - region.right)), default=None)


def _placed(region: Region, text: str, label: Word | None) -> Iterator[Word]:
    lines = [line for line in map(clean, re.split(r"[\r\n]+", text)) if line] or [text]
    height = min(_LINE, region.bottom - region.top) or _LINE
    middle = label.middle if label else (region.top + region.bottom) / 2
    top = middle - height / 2 if len(lines) == 1 else region.top
    for number, line in enumerate(lines):
        right = min(max(region.right, region.left + 1), region.left + 1 + _LETTER * height * len(line))
        yield Word(line, region.left + 1, top + number * height, right, top + (number + 1) * height, is_field=True)


def _value(widget: Any) -> str:
    kind = _inherited(widget, "/FT")
    flags = int(_inherited(widget, "/Ff") or 0)
    value = _inherited(widget, "/V")
    if kind == "/Btn":
        if flags & _BUTTON:
            return ""
        return TICKED if _is_ticked(widget, value) else UNTICKED
    if kind == "/Sig":
        name = _text(_resolved(value).get("/Name")) if isinstance(_resolved(value), dict) else ""
        return f"[Firma electrónica de {clean(name)}]" if name else ""
    if value is None or flags & _PASSWORD:
        return ""
    chosen = [_text(each) for each in value] if isinstance(value, list) else [_text(value)]
    shown = dict(_options(_inherited(widget, "/Opt")))
    return ", ".join(shown.get(each, each) for each in chosen) if kind == "/Ch" else "\n".join(chosen)


def _is_ticked(widget: Any, value: Any) -> bool:
    state = _resolved(widget.get("/AS"))
    if state is not None:
        return bool(state != "/Off")
    normal = _resolved((_resolved(widget.get("/AP")) or {}).get("/N"))
    states = set(normal) - {"/Off"} if isinstance(normal, dict) else set()
    return value in states if states else value not in (None, "/Off", "")


def _options(options: Any) -> Iterator[tuple[str, str]]:
    for option in _resolved(options) or ():
        option = _resolved(option)
        if isinstance(option, list) and len(option) == 2:
            yield _text(option[0]), _text(option[1])


def _inherited(widget: Any, key: str) -> Any:
    for _ in range(32):
        if key in widget:
            return _resolved(widget[key])
        widget = _resolved(widget.get("/Parent"))
        if not isinstance(widget, dict):
            return None
    return None


def _resolved(value: Any) -> Any:
    return value.get_object() if hasattr(value, "get_object") else value


def _text(value: Any) -> str:
    value = _resolved(value)
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    data = getattr(value, "get_data", None)
    return data().decode("utf-8", "replace") if data else str(value)


def _region(rectangle: Any, media: Sequence[float], box: Sequence[float], rotation: int) -> Region:
    corners = [float(_resolved(side)) for side in rectangle]
    points = [_shown(x, y, media, rotation) for x, y in ((corners[0], corners[1]), (corners[2], corners[3]))]
    height = box[3] - box[1]
    across, up = sorted(x for x, _ in points), sorted(y for _, y in points)
    return Region(box[0] + across[0], box[1] + height - up[1], box[0] + across[1], box[1] + height - up[0])


def _shown(x: float, y: float, media: Sequence[float], rotation: int) -> tuple[float, float]:
    left, bottom, right, top = media
    return {
        0: (x - left, y - bottom),
        90: (y - bottom, right - x),
        180: (right - x, top - y),
        270: (top - y, x - left),
    }[rotation % 360]


RECOGNISED = gap_mark("recognised")  # first line of a recognised page

_RESOLUTION = 300 / 72  # pixels per point for recognition
_LEAST_SURE = 30.0  # per cent of certainty below which Tesseract saw a stain, not a word
_SURE = 80.0  # certainty of a page, in per cent, below which other rotations are tried
_LANGUAGE = "spa"
_SECONDS = 120  # time-out per page
_FEWEST = 3  # minimum words of a text
_LIKELY_WORD = re.compile(r"[^\W\d_]{4}")  # matches words that are seldom misread from a drawing
_WORD = 5  # level of a word in the output of Tesseract
_LONG_WORD = 4  # minimum letters of a word that is wider than high in a horizontal line
_LONG_LINE = 4  # minimum words of a line used to measure the slope


@cache
def lacking() -> str:
    """Return the name of the package to install for recognition, in a sentence; "" if it is available."""
    if not installed("ocr"):
        return without("ocr", "pytesseract")
    import pytesseract

    try:
        languages = pytesseract.get_languages()
    except (pytesseract.TesseractNotFoundError, OSError):
        return translate("file.ocr_no_tesseract")
    return "" if _LANGUAGE in languages else translate("file.ocr_no_spanish")


def recognised_words(drawing: Drawing, region: Region | None = None) -> list[Word]:
    """Return the words that Tesseract reads on a page or a region, as on the upright page; none if too few."""
    if lacking():
        return []
    image = drawing.image(_RESOLUTION)
    left, top = drawing.left, drawing.top
    if region is not None:
        corners = (region.left - left, region.top - top, region.right - left, region.bottom - top)
        image = image.crop(tuple(round(max(0.0, side) * _RESOLUTION) for side in corners))
        left, top = max(left, region.left), max(top, region.top)
    darkest, brightest = image.convert("L").getextrema()
    if brightest - darkest <= 1:
        return []  # a blank page; Tesseract takes seconds to find nothing
    sure, words = _read(image, left, top)
    if region is None and sure < _SURE:
        readings = [_read(image.rotate(90 * quarter, expand=True), left, top) for quarter in (1, 2, 3)]
        sure, words = max([(sure, words), *readings], key=lambda reading: reading[0])
    return words if len(words) >= _FEWEST else []


def is_text(words: Sequence[Word]) -> bool:
    return sum(is_amount(word.text) or _LIKELY_WORD.search(word.text) is not None for word in words) >= _FEWEST


def _read(image: Any, left: float, top: float) -> tuple[float, list[Word]]:
    import pytesseract

    # One thread: documents are read in parallel.
    os.environ.setdefault("OMP_THREAD_LIMIT", "1")
    try:
        data = pytesseract.image_to_data(
            image, lang=_LANGUAGE, config="--psm 3", timeout=_SECONDS, output_type=pytesseract.Output.DICT
        )
    except (RuntimeError, pytesseract.TesseractError):  # time-out, or a failure on this image
        return 0.0, []
    found: dict[tuple[int, ...], list[tuple[str, list[float]]]] = defaultdict(list)
    certainties: list[float] = []
    for index, text in enumerate(data["text"]):
        certainty = float(data["conf"][index])
        if data["level"][index] == _WORD and text.strip() and certainty >= _LEAST_SURE:
            certainties.append(certainty)
            box = [data[key][index] / _RESOLUTION for key in ("left", "top", "width", "height")]
            number = tuple(data[key][index] for key in ("block_num", "par_num", "line_num"))
            found[number].append((text.strip(), box))
    boxes = [box for line in found.values() for text, box in line if len(text) >= _LONG_WORD]
    flat = sum(box[2] > box[3] for box in boxes) / max(1, len(boxes))
    lean = _lean_of([[box for _, box in line] for line in found.values()])
    words: list[Word] = []
    for line in found.values():
        # All words get the height of their line: one without tall letters would fall on another line.
        middle = median(box[1] + box[3] / 2 - lean * box[0] for _, box in line)
        height = median(box[3] for _, box in line)
        for text, box in line:
            above = top + middle - height / 2
            words.append(Word(text, left + box[0], above, left + box[0] + box[2], above + height))
    return flat * sum(certainties) / max(1, len(certainties)), words


def _lean_of(lines: Sequence[Sequence[Sequence[float]]]) -> float:
    slopes = [
        (line[-1][1] + line[-1][3] - line[0][1] - line[0][3]) / (line[-1][0] - line[0][0])
        for line in lines
        if len(line) >= _LONG_LINE and line[-1][0] > line[0][0]
    ]
    return median(slopes) if slopes else 0.0
