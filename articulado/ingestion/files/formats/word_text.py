"""Visible text of the paragraphs of a Word document."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from articulado.config.extras import importing
from articulado.config.files import ZIP
from articulado.ingestion.files.formats.inline import (
    TICKED,
    UNTICKED,
    WHITE,
    Colour,
    LeftOut,
    colour_of,
    is_tiny,
    linear,
    lowered,
    raised,
    same_colour,
)
from articulado.ingestion.files.formats.source import OLD_OFFICE, other_format
from articulado.language.formats import gap_mark, gaps_in
from articulado.language.numerals import roman
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput

if TYPE_CHECKING:
    from docx.document import Document

NS = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
}
W, M = f"{{{NS['w']}}}", f"{{{NS['m']}}}"
EQUATIONS = (M + "oMath", M + "oMathPara")

_CHARACTERS = {W + "tab": "\t", W + "ptab": "\t", W + "br": "\n", W + "cr": "\n", W + "noBreakHyphen": "-"}
# Properties, text boxes (separate blocks), copies of drawings.
_LEFT_OUT = {W + name for name in ("pPr", "rPr", "sdtPr", "sdtEndPr", "txbxContent")} | {f"{{{NS['mc']}}}Fallback"}
_DELETED = (W + "del", W + "moveFrom")
_PICTURES = (W + "drawing", W + "pict", W + "object")
_OFF = ("0", "false", "off", "none")

_SYMBOLS = {
    "wingdings": {0xFE: TICKED, 0xFD: TICKED, 0xA8: UNTICKED, 0x6F: UNTICKED, 0x71: UNTICKED, 0x72: UNTICKED}
    | {0xFC: "✓", 0xFB: "✗", 0xE0: "→"},
    "wingdings 2": {0x52: TICKED, 0x53: TICKED, 0x54: TICKED, 0xA3: UNTICKED, 0x2A: UNTICKED, 0x50: "✓", 0x4F: "✗"},
    "webdings": {0x63: UNTICKED, 0x61: "✓", 0x72: "✗"},
}
"""Characters of symbol fonts by their codes: forms of old Word versions show boxes this way."""

_HIGHLIGHTS = {"black": "000000", "white": "FFFFFF", "yellow": "FFFF00", "red": "FF0000", "blue": "0000FF"}
_HIGHLIGHTS |= {"green": "00FF00", "cyan": "00FFFF", "magenta": "FF00FF", "lightGray": "C0C0C0", "darkGray": "808080"}

_LOWEST_LINE = 40  # twentieths of a point up to which an exact line or row height shows no text
_SMALLEST_PICTURE = 140_000  # minimum side in EMU (360,000 per centimetre) of a picture with text

_HIDDEN_PARAGRAPHS = (
    f".//w:tr[w:trPr/w:hidden or w:trPr/w:trHeight[@w:hRule='exact' and @w:val <= {_LOWEST_LINE}]]//w:p",
    f".//w:p[w:pPr/w:spacing[@w:lineRule='exact' and @w:line <= {_LOWEST_LINE}]]",
    ".//w:drawing[.//wp:docPr[@hidden='1' or @hidden='true']]//w:p",
    ".//w:pict[.//@style[contains(translate(., ' ', ''), 'visibility:hidden') or contains(., 'display:none')]]//w:p",
)
_HINT = "w:sdt/w:sdtPr/w:showingPlcHdr[not(@w:val='0' or @w:val='false' or @w:val='off' or ancestor::mc:Fallback)]"
_DELETED_PARAGRAPHS = ".//w:tr[w:trPr/w:del]//w:p | .//w:tc[w:tcPr/w:cellDel]//w:p"


def find(element: Any, path: str) -> list[Any]:
    matches: list[Any] = _compiled(path)(element)
    return matches


@cache
def _compiled(path: str) -> Any:
    from lxml import etree

    compile_path: Any = etree.XPath
    return compile_path(path, namespaces=NS)


def value_at(element: Any, path: str) -> str:
    values = find(element, path)
    return str(values[0]) if values else ""


def open_docx(path: Path, data: bytes) -> "Document":
    """Open a Word document; raise ``InvalidInput`` if it is locked, damaged, or no Word document."""
    with importing("documents"):
        import docx

    if data.startswith(OLD_OFFICE):
        raise InvalidInput(translate("file.docx_protected", path=path))
    if not data.startswith(ZIP):
        raise other_format(path, data)
    try:
        return docx.Document(BytesIO(data))
    except Exception as error:  # a damaged file may fail anywhere
        raise InvalidInput(translate("file.docx_damaged", path=path)) from error


def related(document: "Document", kind: str) -> list[Any]:
    relations = document.part.rels.values()
    return [
        relation.target_part
        for relation in relations
        if not relation.is_external and relation.reltype.endswith(f"/{kind}")
    ]


def notes_of(document: "Document") -> Iterator[tuple[str, Any]]:
    """Yield the footnotes, then the endnotes, each with its kind ("footnote")."""
    from lxml import etree

    for kind in ("footnote", "endnote"):
        for part in related(document, f"{kind}s"):
            yield from ((kind, note) for note in etree.fromstring(part.blob))


def paragraphs_of(document: "Document") -> list[Any]:
    """Return the paragraphs of the body in order, with those of tables and text boxes, as XML elements."""
    return find(document.element.body, ".//w:p[not(ancestor::mc:Fallback)]")


class WordText:
    """Visible text of the paragraphs of a document, and the count of the hidden text.

    ``has_marks``: write marks of notes ("(1)"). A brief is compared with the law without them.
    """

    def __init__(self, document: "Document", *, has_marks: bool = True) -> None:
        from lxml import etree

        comments = [find(etree.fromstring(part.blob), "./w:comment") for part in related(document, "comments")]
        unfilled = find(document.element.body, f".//{_HINT}")
        self.left_out = LeftOut(comments=sum(map(len, comments)), unfilled=len(unfilled))
        self._has_marks = has_marks
        self._numbers: dict[tuple[str, str], str] = {}
        styles = list(document.styles.element)
        self._styles = {style.get(W + "styleId"): style for style in styles}
        default = [style for style in styles if style.get(W + "type") == "paragraph" and style.get(W + "default")]
        self._default = str(default[0].get(W + "styleId")) if default else ""
        self._shared = find(document.styles.element, "./w:docDefaults/w:rPrDefault/w:rPr")
        self._chains: dict[str, list[Any]] = {}
        page = value_at(document.element, "./w:background/@w:color")
        self._page = colour_of(page) or WHITE
        body = document.element.body
        self._hidden = {paragraph for path in _HIDDEN_PARAGRAPHS for paragraph in find(body, path)}
        self._deleted = set(find(body, _DELETED_PARAGRAPHS))
        self._notes = self._raised_first(body) if has_marks else frozenset()

    def number_of(self, kind: str, id_: str) -> str:
        return self._numbers.get((kind, id_), "")

    def lines(self, paragraph: Any) -> list[str]:
        return "".join(text for _, text in self.runs(paragraph)).split("\n")

    def runs(self, paragraph: Any) -> list[tuple[Any, str]]:
        """Return the runs and equations of a paragraph with their visible text, in order."""
        pieces: list[tuple[Any, str]] = []
        before, fields = "", list[bool]()
        for element in self._elements(paragraph):
            text = self._text(element, paragraph, before, fields)
            pieces.append((element, text))
            before += text
        return pieces

    def _elements(self, element: Any) -> Iterator[Any]:
        for child in element:
            if child.tag == W + "r" or child.tag in EQUATIONS or (child.tag == W + "sdt" and _box(child)):
                yield child
            elif child.tag in _DELETED:
                self.left_out.delete("".join(each.text or "" for each in child.iter(W + "delText", W + "t")))
            elif child.tag not in _LEFT_OUT:
                yield from self._elements(child)

    def _text(self, element: Any, paragraph: Any, before: str, fields: list[bool]) -> str:
        run = element if element.tag == W + "r" else next(element.iter(W + "r"), None)
        if element.tag == W + "r":
            text = "".join(self._texts(element, fields))
        else:
            text = _box(element) if element.tag == W + "sdt" else linear(element)
        if not text or find(element, f"ancestor::{_HINT}"):
            return ""
        properties = self._properties(run, paragraph)
        if paragraph in self._deleted:
            self.left_out.delete(text)
            return ""
        if paragraph in self._hidden or self._is_hidden(run, paragraph, properties):
            self.left_out.hide(text)
            return ""
        is_struck = _is_on(properties, "strike") or _is_on(properties, "dstrike")
        if is_struck and gaps_in(text) != [text]:
            return self.left_out.strike(text)
        if element.tag != W + "r" or find(element, "./w:footnoteReference | ./w:endnoteReference"):
            return text
        font = _attribute(properties, "rFonts", "ascii").lower()
        if font in _SYMBOLS:
            text = "".join(_SYMBOLS[font].get(ord(character) & 0xFF, "") for character in text)
        match _attribute(properties, "vertAlign", "val"):
            case "superscript":
                return raised(before, text, self._notes)
            case "subscript":
                return lowered(before, text)
        return text

    def _texts(self, element: Any, fields: list[bool]) -> Iterator[str]:
        """Yield the texts of a run; ``fields`` are the open fields, ``True`` if the own value was read."""
        for child in element:
            if child.tag == W + "fldChar":
                kind = child.get(W + "fldCharType")
                if kind == "begin":
                    value = _field_value(child)
                    fields.append(bool(value))
                    yield value
                elif kind == "end" and fields:
                    fields.pop()
            elif child.tag == W + "delText":
                self.left_out.delete(child.text or "")
            elif child.tag in _LEFT_OUT or any(fields):
                continue
            elif child.tag == W + "t":
                yield child.text or ""
            elif child.tag in _CHARACTERS:
                yield _CHARACTERS[child.tag]
            elif child.tag == W + "sym":
                yield _symbol(child)
            elif child.tag == W + "instrText":
                yield gap_mark("formula") if (child.text or "").split()[:1] in (["EQ"], ["eq"]) else ""
            elif child.tag in (W + "footnoteReference", W + "endnoteReference"):
                yield self._note_mark(child) if self._has_marks else ""
            elif child.tag in _PICTURES:
                yield _picture(child)
            elif child.tag in EQUATIONS:
                yield linear(child)
            else:
                yield from self._texts(child, fields)

    def _note_mark(self, reference: Any) -> str:
        if reference.get(W + "customMarkFollows") not in (None, *_OFF):
            return ""
        kind = "footnote" if reference.tag == W + "footnoteReference" else "endnote"
        number = sum(1 for other, _ in self._numbers if other == kind) + 1
        written = str(number) if kind == "footnote" else roman(number).lower()
        return f" ({self._numbers.setdefault((kind, str(reference.get(W + 'id'))), written)})"

    def _raised_first(self, body: Any) -> frozenset[str]:
        first = find(body, ".//w:r[w:rPr/w:vertAlign[@w:val='superscript']][not(preceding-sibling::w:r)]/w:t")
        return frozenset(text.strip("()[] ") for each in first if (text := each.text))

    def _properties(self, run: Any, paragraph: Any) -> list[Any]:
        own = [] if run is None else [each for each in run if each.tag == W + "rPr"]
        style = value_at(own[0], "./w:rStyle/@w:val") if own else ""
        chain = [*self._chain(style), *self._chain(value_at(paragraph, "./w:pPr/w:pStyle/@w:val") or self._default)]
        of_styles = [each for style in chain for each in style if each.tag == W + "rPr"]
        return [*own, *of_styles, *self._shared]

    def _chain(self, name: str) -> list[Any]:
        if name not in self._chains:
            chain: list[Any] = []
            base = name
            while (style := self._styles.get(base)) is not None and style not in chain:
                chain.append(style)
                base = value_at(style, "./w:basedOn/@w:val")
            self._chains[name] = chain
        return self._chains[name]

    def _is_hidden(self, run: Any, paragraph: Any, properties: Sequence[Any]) -> bool:
        if any(_is_on(properties, name) for name in ("vanish", "specVanish")):
            return True
        size = _attribute(properties, "sz", "val")
        if size.isdecimal() and is_tiny(int(size) / 2):
            return True
        if properties and find(properties[0], "./w14:textFill/w14:noFill"):
            return True
        colour = colour_of(_attribute(properties, "color", "val"))
        background = self._background(run, paragraph, properties) if colour else None
        return colour is not None and background is not None and same_colour(colour, background)

    def _background(self, run: Any, paragraph: Any, properties: Sequence[Any]) -> Colour | None:
        marker = _attribute(properties, "highlight", "val")
        if marker and marker not in _OFF:
            return colour_of(_HIGHLIGHTS.get(marker, ""))
        of_paragraph = [paragraph, *self._chain(value_at(paragraph, "./w:pPr/w:pStyle/@w:val") or self._default)]
        shades = [each for own in properties for each in own if each.tag == W + "shd"]
        shades += [shade for owner in of_paragraph for shade in find(owner, "./w:pPr/w:shd")]
        shades += find(paragraph, "ancestor::w:tc[1]/w:tcPr/w:shd")
        for shade in shades:
            fill = shade.get(W + ("color" if shade.get(W + "val") == "solid" else "fill"), "auto")
            if fill != "auto":
                return colour_of(fill) if shade.get(W + "val") in ("clear", "nil", "solid", None) else None
        table = value_at(paragraph, "ancestor::w:tbl[1]/w:tblPr/w:tblStyle/@w:val")
        if any(find(style, ".//w:shd") for style in self._chain(table)) or _is_on_a_shape(paragraph):
            return None
        return self._page


def _attribute(properties: Iterable[Any], name: str, attribute: str) -> str:
    tag = W + name
    values = (each.get(W + attribute) for own in properties for each in own if each.tag == tag)
    return str(next((value for value in values if value), ""))


def _is_on(properties: Iterable[Any], name: str) -> bool:
    marks = (each for own in properties for each in own if each.tag == W + name)
    nearest = next(marks, None)
    return nearest is not None and nearest.get(W + "val", "1") not in _OFF


def _is_on_a_shape(paragraph: Any) -> bool:
    filled = "ancestor::wps:wsp[1][wps:spPr/a:solidFill or wps:spPr/a:gradFill or wps:style/a:fillRef[@idx > 0]]"
    return bool(find(paragraph, filled) or find(paragraph, "ancestor::v:*[@fillcolor][1]"))


def _box(control: Any) -> str:
    if not (boxes := find(control, "./w:sdtPr/w14:checkbox")):
        return ""
    checked = value_at(boxes[0], "./w14:checked/@w14:val")
    return TICKED if checked and checked not in _OFF else UNTICKED


def _field_value(begin: Any) -> str:
    for box in find(begin, "./w:ffData/w:checkBox"):
        checked = [mark.get(W + "val", "1") for name in ("checked", "default") for mark in find(box, f"./w:{name}")]
        return TICKED if checked and checked[0] not in _OFF else UNTICKED
    for choice in find(begin, "./w:ffData/w:ddList"):
        number = value_at(choice, "./w:result/@w:val") or value_at(choice, "./w:default/@w:val") or "0"
        entries = find(choice, "./w:listEntry/@w:val")
        return str(entries[int(number)]) if number.isdecimal() and int(number) < len(entries) else ""
    return ""


def _symbol(symbol: Any) -> str:
    names = _SYMBOLS.get(symbol.get(W + "font", "").lower(), {})
    try:
        return names.get(int(symbol.get(W + "char", ""), 16) & 0xFF, "")
    except ValueError:
        return ""


def _picture(picture: Any) -> str:
    programme = value_at(picture, ".//o:OLEObject/@ProgID").lower()
    if programme:
        return gap_mark("formula" if "equation" in programme else "table" if "excel" in programme else "image")
    if find(picture, ".//wp:docPr[@hidden='1' or @hidden='true']"):
        return ""
    sides = [int(side) for side in find(picture, ".//wp:extent/@cx | .//wp:extent/@cy") if str(side).isdecimal()]
    if sides and max(sides) < _SMALLEST_PICTURE:
        return ""
    shapes_only = find(picture, ".//wps:wsp | .//v:*") and not find(picture, ".//pic:pic | .//v:imagedata")
    return "" if shapes_only else gap_mark("image")
