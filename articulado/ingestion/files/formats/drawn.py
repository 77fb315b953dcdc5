"""Pages of a PDF as PDFium draws them: visible letters, and pages that are images.

A letter is visible if the page without its text looks different at its position. This detects text in the colour of
its background, behind other content, outside the page or a clip, transparent, of render mode 3, or in a hidden
layer. Positions are in points from the top left corner of the page.
"""

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from articulado.config.extras import importing
from articulado.ingestion.files.formats.aligned import Region, Word

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

Pixels = np.ndarray[tuple[int, ...], np.dtype[Any]]
Letter = dict[str, Any]  # letter as a dict of pdfplumber
SMALLEST = 2.0  # size of letters, in points, up to which they are illegible
FILLED = 0.6  # minimum share of a page covered by an image that fills it

_SCALE = 1.25  # pixels per point of a page of normal size
_MAX_SIDE = 2_400  # maximum pixels of the longer side of a page

_LUMA = np.array([0.114, 0.587, 0.299], dtype=np.float32)
"""Weights of blue, green and red in perceived brightness (ITU-R BT.601)."""

_FAINTEST = 14.0  # minimum visible difference of brightness, of 255
_FAINTEST_COLOUR = 100  # the same for one colour channel at equal brightness
_INK = 40.0  # minimum difference of print from the paper
_INSET = 0.15  # share of a letter's height, above and below, where its neighbours may overlap
_OVERLAP = 0.4  # share of a letter covered by another from which both are printed in one place
_BINS = 60  # horizontal strips of a page in which print is counted
_EDGE = 0.12  # share of a page, above and below, for stamps and fax lines
_SIDE = 0.08  # the same at the left and the right
_STAMP = 0.2  # maximum share of the strips with text of a stamp
_PICTURE = 0.25  # minimum share of strips with print but without text on an image page
_PAPER, _DARK = 200, 128  # brightness above which a pixel is paper, and below which it is print
_MOSTLY, _LEAST_INK = 0.65, 0.005  # share of paper, and of print, in an image of text or drawn lines
_MAX_RENDERINGS = 60  # renderings of single overprinted texts per page


class Seen(NamedTuple):
    """Letters of a page by visibility."""

    shown: list[Letter]
    layer: list[Letter]  # invisible, over an image of the whole page: text recognised by another program
    hidden: list[Letter]


class _Printed(NamedTuple):
    x: float
    y: float
    character: str
    text: int
    mode: int


@contextmanager
def drawings(data: bytes) -> "Iterator[PdfDocument]":
    """Open the document for rendering; close it after the block."""
    with importing("documents"):
        import pypdfium2

    document = pypdfium2.PdfDocument(data, password="")
    try:
        yield document
    finally:
        document.close()


class Pictures:
    """Images of a document that are repeated on several pages."""

    def __init__(self, document: "PdfDocument") -> None:
        self._document = document

    @cached_property
    def repeated(self) -> set[tuple[int, int]]:
        """Sizes, in pixels, of images on more than one page: logos and ornaments."""
        from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

        pages: dict[tuple[tuple[int, int], bytes], set[int]] = {}
        for number in range(len(self._document)):
            for image in self._document[number].get_objects(filter=[FPDF_PAGEOBJ_IMAGE], max_depth=4):
                key = image.get_px_size(), blake2b(image.get_data(), digest_size=16).digest()
                pages.setdefault(key, set()).add(number)
        once = {size for (size, _), places in pages.items() if len(places) == 1}
        return {size for size, _ in pages} - once


@dataclass(frozen=True)
class Drawing:
    """A page as drawn; ``left`` and ``top`` are the corner of its visible part."""

    page: "PdfPage"
    left: float
    top: float
    image_share: float

    def sort(self, letters: Sequence[Letter]) -> Seen:
        """Separate visible letters from the others; blanks follow the letter before them."""
        visible = self._visible(letters)
        unseen = [letter for letter, is_visible in zip(letters, visible, strict=True) if not is_visible]
        behind = self._of_layer(unseen) if self.image_share >= FILLED and unseen else set()
        shown = [letter for letter, is_visible in zip(letters, visible, strict=True) if is_visible]
        layer = [letter for letter in unseen if id(letter) in behind]
        return Seen(shown, layer, [letter for letter in unseen if id(letter) not in behind])

    def is_picture(self, words: Sequence[Word]) -> bool:
        """Tell if the page is an image whose only text are ``words``: none, a stamp, or a fax line."""
        height, width = self._without_text.shape[:2]
        rows = np.zeros(height, dtype=bool)
        for word in words:
            rows[max(0, self._y(word.top)) : max(0, self._y(word.bottom)) + 1] = True
        if _strips(rows).mean() > _STAMP:
            return False
        if self.image_share >= FILLED and all(self._is_at_edge(word, width, height) for word in words):
            return True
        is_drawn = not words or self.image_share >= FILLED or self._is_drawn_of_curves
        return is_drawn and bool(_strips(self._print & ~rows).mean() >= _PICTURE)

    def is_printed(self, region: Region) -> bool:
        """Tell if an image looks like print: dark on paper, and not a photograph."""
        left, right = self._x(region.left), self._x(region.right)
        part = self._without_text[self._y(region.top) : self._y(region.bottom), left:right]
        bright = part.astype(np.float32) @ _LUMA
        if not bright.size:
            return False
        paper, ink = float((bright > _PAPER).mean()), float((bright < _DARK).mean())
        return paper >= _MOSTLY and _LEAST_INK <= ink <= 1 - _MOSTLY

    def is_plain(self, region: Region) -> bool:
        """Tell if an image has a single colour, or is not on the page."""
        left, top = max(0, self._x(region.left) + 1), max(0, self._y(region.top) + 1)
        part = self._without_text[top : max(0, self._y(region.bottom)), left : max(0, self._x(region.right))]
        bright = part.astype(np.float32) @ _LUMA
        return not bright.size or float(np.ptp(bright)) < _INK

    def image(self, scale: float) -> Any:
        return self.page.render(scale=scale, draw_annots=False, may_draw_forms=False).to_pil()

    def _is_at_edge(self, word: Word, width: int, height: int) -> bool:
        across, down = self._x((word.left + word.right) / 2) / width, self._y(word.middle) / height
        return not (_EDGE < down < 1 - _EDGE and _SIDE < across < 1 - _SIDE)

    @cached_property
    def _is_drawn_of_curves(self) -> bool:
        from pypdfium2.raw import FPDF_PAGEOBJ_PATH

        return sum(1 for _ in self.page.get_objects(filter=[FPDF_PAGEOBJ_PATH], max_depth=4)) >= 200

    def _visible(self, letters: Sequence[Letter]) -> list[bool]:
        ink = _differs(self._complete, self._without_text)
        found: list[bool] = []
        for letter in letters:
            if not letter["text"].strip() or not any(map(str.isalnum, letter["text"])):
                # Dots and dashes are fainter than letters.
                found.append(self._is_inked(ink, letter) or (found[-1] if found else True))
            else:
                found.append(_size(letter) > SMALLEST and self._is_inked(ink, letter))
        contested = [index for index in _printed_over(letters) if found[index]]
        if contested:
            self._look_alone(letters, contested, found)
        return found

    def _look_alone(self, letters: Sequence[Letter], contested: Sequence[int], found: list[bool]) -> None:
        """Check overprinted letters text by text: one may be behind, or transparent."""
        from pypdfium2 import raw

        own: dict[int, Pixels] = {}
        for index in contested:
            letter = letters[index]
            text = next((printed.text for printed in self._printed if self._is_of(letter, printed)), None)
            if text is None:
                continue
            if text not in own:
                if len(own) >= _MAX_RENDERINGS:
                    return
                handle = ctypes.cast(text, raw.FPDF_PAGEOBJECT)
                with self._without(raw.FPDF_PAGEOBJ_TEXT):
                    raw.FPDFPageObj_SetIsActive(handle, 1)
                    own[text] = _differs(self._pixels(), self._without_text)
            found[index] = self._is_inked(own[text], letter)

    def _of_layer(self, unseen: Sequence[Letter]) -> set[int]:
        from pypdfium2 import raw

        with self._without(raw.FPDF_PAGEOBJ_IMAGE):
            uncovered = self._pixels()
            with self._without(raw.FPDF_PAGEOBJ_TEXT):
                ink = _differs(uncovered, self._pixels())
        invisible = [letter for letter in self._printed if letter.mode == raw.FPDF_TEXTRENDERMODE_INVISIBLE]
        places = {(round(letter.x / 4), round(letter.y / 4)) for letter in invisible}
        return {
            id(letter)
            for letter in unseen
            if _size(letter) > SMALLEST and (self._is_inked(ink, letter) or self._is_near(letter, places))
        }

    def _is_near(self, letter: Letter, places: set[tuple[int, int]]) -> bool:
        left, right = round(self._x(letter["x0"]) / 4) - 1, round(self._x(letter["x1"]) / 4) + 1
        above, below = round(self._y(letter["top"]) / 4) - 1, round(self._y(letter["bottom"]) / 4) + 1
        return any((x, y) in places for x in range(left, right + 1) for y in range(above, below + 1))

    def _is_of(self, letter: Letter, printed: _Printed) -> bool:
        left, right, top, bottom = (letter[side] for side in ("x0", "x1", "top", "bottom"))
        inside = self._x(left) - 1 <= printed.x <= self._x(right) + 1
        return inside and self._y(top) - 1 <= printed.y <= self._y(bottom) + 1 and printed.character == letter["text"]

    def _is_inked(self, ink: Pixels, letter: Letter) -> bool:
        inset = _INSET * (letter["bottom"] - letter["top"])
        top, bottom = self._y(letter["top"] + inset), self._y(letter["bottom"] - inset) + 1
        left, right = self._x(letter["x0"]), self._x(letter["x1"]) + 1
        return bool(ink[max(0, top) : max(0, bottom), max(0, left) : max(0, right)].any())

    def _x(self, x: float) -> int:
        return int((x - self.left) * self._scale)

    def _y(self, y: float) -> int:
        return int((y - self.top) * self._scale)

    @cached_property
    def _scale(self) -> float:
        return float(min(_SCALE, _MAX_SIDE / max(*self.page.get_size(), 1)))

    @cached_property
    def _complete(self) -> Pixels:
        return self._pixels()

    @cached_property
    def _without_text(self) -> Pixels:
        from pypdfium2.raw import FPDF_PAGEOBJ_TEXT

        self._complete  # noqa: B018  # before its text is off
        with self._without(FPDF_PAGEOBJ_TEXT):
            return self._pixels()

    @cached_property
    def _print(self) -> Pixels:
        bright = (self._without_text.astype(np.float32) @ _LUMA).astype(np.uint8)
        paper = int(np.bincount(bright.ravel()).argmax())
        return np.asarray((np.abs(bright.astype(np.int16) - paper) > _INK).any(axis=1))

    @cached_property
    def _printed(self) -> list[_Printed]:
        from pypdfium2 import raw

        found: list[_Printed] = []
        height, width = self._complete.shape[:2]
        text_page = self.page.get_textpage()
        for index in range(text_page.count_chars()):
            text = raw.FPDFText_GetTextObject(text_page, index)
            if not text:
                continue
            left, bottom, right, top = text_page.get_charbox(index)
            x, y = ctypes.c_int(), ctypes.c_int()
            middle = (left + right) / 2, (bottom + top) / 2
            raw.FPDF_PageToDevice(self.page, 0, 0, width, height, 0, *middle, x, y)
            address = ctypes.cast(text, ctypes.c_void_p).value or 0
            character = chr(raw.FPDFText_GetUnicode(text_page, index))
            found.append(_Printed(x.value, y.value, character, address, raw.FPDFTextObj_GetTextRenderMode(text)))
        text_page.close()
        return found

    @contextmanager
    def _without(self, kind: int) -> Iterator[None]:
        from pypdfium2 import raw

        found = list(self.page.get_objects(filter=[kind], max_depth=8))
        for page_object in found:
            raw.FPDFPageObj_SetIsActive(page_object, 0)
        try:
            yield
        finally:
            for page_object in found:
                raw.FPDFPageObj_SetIsActive(page_object, 1)

    def _pixels(self) -> Pixels:
        bitmap = self.page.render(scale=self._scale, draw_annots=False, may_draw_forms=False)
        pixels: Pixels = bitmap.to_numpy()[:, :, :3].copy()
        return pixels


def _size(letter: Letter) -> float:
    """Return the larger side of a letter: pdfplumber's size is wrong for rotated text."""
    return float(max(letter["x1"] - letter["x0"], letter["bottom"] - letter["top"]))


def _differs(first: Pixels, second: Pixels) -> Pixels:
    distance = np.maximum(first, second) - np.minimum(first, second)
    difference = np.maximum(np.maximum(distance[:, :, 0], distance[:, :, 1]), distance[:, :, 2])
    visible = difference >= _FAINTEST_COLOUR
    faint = (difference >= _FAINTEST) & ~visible
    visible[faint] = np.abs((first[faint].astype(np.float32) - second[faint]) @ _LUMA) >= _FAINTEST
    return np.asarray(visible)


def _strips(rows: Pixels) -> Pixels:
    return np.array([part.any() for part in np.array_split(rows, _BINS)])


def _printed_over(letters: Sequence[Letter]) -> Iterable[int]:
    cells: dict[tuple[int, int], list[int]] = {}
    over: set[int] = set()
    for index, letter in enumerate(letters):
        if letter["text"].strip():
            key = int(letter["x0"] // 8), int((letter["top"] + letter["bottom"]) // 16)
            for x in (key[0] - 1, key[0], key[0] + 1):
                for y in (key[1] - 1, key[1], key[1] + 1):
                    for other in cells.get((x, y), ()):
                        if _covers(letters[other], letter):
                            over |= {other, index}
            cells.setdefault(key, []).append(index)
    return sorted(over)


def _covers(first: Letter, second: Letter) -> bool:
    across = min(first["x1"], second["x1"]) - max(first["x0"], second["x0"])
    down = min(first["bottom"], second["bottom"]) - max(first["top"], second["top"])
    smaller = min((letter["x1"] - letter["x0"]) * (letter["bottom"] - letter["top"]) for letter in (first, second))
    return bool(across > 0 and down > 0 and across * down > _OVERLAP * smaller)


def text_of(letters: Sequence[Letter]) -> str:
    """Join letters to a text, with a blank at line breaks."""
    pieces = [letters[0]["text"]] if letters else []
    for before, letter in pairwise(letters):
        pieces.append(letter["text"] if abs(letter["top"] - before["top"]) < letter["size"] else f" {letter['text']}")
    return " ".join("".join(pieces).split())
