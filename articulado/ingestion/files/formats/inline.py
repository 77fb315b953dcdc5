"""Inline content of documents: hidden text, superscripts, check boxes and equations."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from articulado.language.formats import gap_mark
from articulado.language.translation import translate

Colour = tuple[int, int, int]  # red, green and blue from 0 to 255
WHITE: Colour = (255, 255, 255)

TICKED, UNTICKED = "[x]", "[ ]"

SMALLEST_SEEN = 2.0  # points up to which a text is invisible

_CLOSEST_SEEN = 16  # largest invisible difference of two colours in any channel


@dataclass
class LeftOut:
    """Numbers of characters that a reader leaves out, of comments and of unfilled fields."""

    hidden: int = 0  # invisible characters
    deleted: int = 0  # characters of tracked deletions
    struck: int = 0  # characters struck through
    comments: int = 0
    margins: int = 0  # characters in the headers and footers of pages
    unfilled: int = 0

    def hide(self, text: str) -> None:
        self.hidden += len(" ".join(text.split()))

    def delete(self, text: str) -> None:
        self.deleted += len(" ".join(text.split()))

    def strike(self, text: str) -> str:
        self.struck += len(" ".join(text.split()))
        return next((edge for edge in (text[-1:], text[:1]) if edge.isspace()), "")

    def warnings(self) -> tuple[str, ...]:
        counted = (
            (self.hidden, "file.left_out_hidden_one", "file.left_out_hidden"),
            (self.deleted, "file.left_out_deleted_one", "file.left_out_deleted"),
            (self.struck, "file.left_out_struck_one", "file.left_out_struck"),
            (self.comments, "file.left_out_comments_one", "file.left_out_comments"),
            (self.margins, "file.left_out_margins_one", "file.left_out_margins"),
            (self.unfilled, "file.left_out_unfilled_one", "file.left_out_unfilled"),
        )
        return tuple(
            translate(singular if number == 1 else plural, number=number)
            for number, singular, plural in counted
            if number
        )


def is_tiny(points: float) -> bool:
    return points <= SMALLEST_SEEN


def same_colour(text: Colour, background: Colour) -> bool:
    """Tell if the colours are too close to read the text.

    >>> same_colour((250, 250, 250), WHITE), same_colour((255, 255, 0), WHITE)
    (True, False)
    """
    return max(abs(first - second) for first, second in zip(text, background, strict=True)) <= _CLOSEST_SEEN


def colour_of(hexadecimal: str) -> Colour | None:
    """Parse six hexadecimal digits, with or without "#"; ``None`` for other text."""
    digits = hexadecimal.strip().removeprefix("#")
    if not re.fullmatch(r"[0-9A-Fa-f]{6}", digits):
        return None
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)


# Raised and lowered text

_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_MARK = re.compile(r"\d{1,3}(?:\s?[,y]\s?\d{1,3})*")
_BRACKETED = re.compile(r"\[?\(?(?:\d{1,3}|[a-z*])\)?\]?")
_UNIT = re.compile(r"(?<![^\W\d])(?:[kcdmhμµn]?m|dam|km|s|seg)$")
_NUMBER = re.compile(r"(?<!\d)[\d.,]*\d$")
_BASES = re.compile(r"\d|10")
_VARIABLE = re.compile(r"(?<!\w)[a-zñ]$|[+×*/=–-][^()]*\)$")
_POWER = re.compile(r"[+−–-]?\s?(?:\d+(?:[.,/]\d+)*|[a-z])")
_ORDINALS = {"o": "º", "a": "ª", "º": "º", "ª": "ª"}


def raised(before: str, mark: str, notes: Collection[str] = ()) -> str:
    """Return a superscript in a form that can follow the text ``before`` in one line.

    A note mark is put in parentheses. An exponent follows "^", that of a unit stays a superscript. A digit after a
    number is an exponent only if the number is 10 or has one digit, and is none of the ``notes``.

    >>> [raised(*each) for each in (("320", "1"), ("25 m", "2"), ("2", "3"), ("1.320", "2"), ("2", "3", {"3"}))]
    [' (1)', '²', '^3', ' (2)', ' (3)']
    """
    text = mark.strip()
    tail = mark[len(mark.rstrip()) :]
    return f"{_raised(before.rstrip(), text, notes)}{tail}" if text else mark


def _raised(base: str, text: str, notes: Collection[str]) -> str:
    if text in _ORDINALS and base[-1:].isdigit() | base.endswith((".", "n", "N")):
        return _ORDINALS[text]
    if not _MARK.fullmatch(text):
        if _BRACKETED.fullmatch(text) and not text.isalpha():
            return f" {text}" if base else f"{text} "
        is_exponent = _POWER.fullmatch(text) and (base[-1:].isdigit() or _VARIABLE.search(base))
        return f"^{_grouped(text)}" if is_exponent else text
    if not base:
        return f"({text}) "
    if text not in notes:
        number = _NUMBER.search(base)
        if _UNIT.search(base) and text in "23":
            return _DIGITS[int(text)]
        if number is not None and _BASES.fullmatch(number[0]) and text.isdigit() and text != "1":
            return f"^{text}"
        if number is None and _VARIABLE.search(base) and text.isdigit() and text != "1":
            return f"^{text}"
    return f" ({text})"


def lowered(before: str, mark: str) -> str:
    """Return a subscript, with "_" before it if both sides are digits."""
    return f"_{mark}" if before[-1:].isdigit() and mark[:1].isdigit() else mark


# Equations

_INVISIBLE = dict.fromkeys(map(ord, "\u2061\u2063\u2064\u200b\ufeff")) | {0x2062: "·"}
"""Invisible operators of MathML; an implied product is written."""

_SIMPLE = re.compile(r"[\w.,%€'′]+|\([^()]*\)")
_OPERATORS = frozenset("+-−–×·*÷/=<>≤≥≈≠±→⇒∈∧∨")
_SILENT = frozenset(("annotation", "annotation-xml", "mphantom", "mspace", "maligngroup", "malignmark"))


def linear(equation: Any) -> str:
    """Return an equation (lxml element of OMML or MathML) in one line: "(a + b)/c", "x^2", "√(x + 1)"."""
    return " ".join(_linear(equation).translate(_INVISIBLE).split()) or gap_mark("formula")


def _name(element: Any) -> str:
    return element.tag.rpartition("}")[2].rpartition(":")[2] if isinstance(element.tag, str) else ""


def _parts(element: Any) -> list[Any]:
    return [child for child in element if (name := _name(child)) and not name.endswith("Pr")]


def _part(element: Any, name: str) -> str:
    return " ".join(_linear(child) for child in element if _name(child) == name).strip()


def _property(element: Any, name: str, default: str) -> str:
    for holder in element:
        if _name(holder).endswith("Pr"):
            for each in holder:
                if _name(each) == name:
                    return next((value for key, value in each.attrib.items() if key.endswith("val")), "1")
    return default


def _grouped(text: str) -> str:
    text = text.strip()
    return text if _SIMPLE.fullmatch(text) else f"({text})"


def _scripted(base: str, below: str, above: str) -> str:
    lower = f"_{_grouped(below)}" if below.strip() else ""
    upper = f"^{_grouped(above)}" if above.strip() else ""
    base = base.strip()
    operand = base if not lower + upper or base in ("∑", "∏", "∫") else _grouped(base)
    return f"{operand}{lower}{upper}"


def _joined(texts: Iterator[str]) -> str:
    line = ""
    for text in texts:
        apart = line[-1:].isalnum() and text[:1].isalnum()
        line += f" {text}" if apart else text
    return line


def _linear(element: Any) -> str:
    name, parts = _name(element), _parts(element)
    if name in _SILENT or (name == "phant" and _property(element, "show", "1") in ("0", "off", "false")):
        return ""
    if name in _OF_WORD:
        return _of_word(element, name)
    operands = [_linear(part) for part in parts]
    if name in _OF_MATHML and len(operands) >= _OF_MATHML[name]:
        return _of_mathml(element, name, operands)
    if name == "r":
        return "".join(each.text or "" for each in element if _name(each) in ("t", "tab", "br"))
    if name in ("oMath", "num", "den", "e", "sub", "sup", "deg", "fName", "lim"):
        # A word may be split into several runs; all else is an operand.
        runs = "".join(
            text if _name(part) == "r" else f"\0{text}\0" for part, text in zip(parts, operands, strict=True)
        )
        return _joined(iter(runs.split("\0")))
    if name == "mo":
        sign = (element.text or "").strip()
        return f" {sign} " if sign in _OPERATORS else sign
    if name in ("mi", "mn", "mtext", "ms"):
        return element.text or ""
    return _joined(iter(operands)) if operands else element.text or ""


_OF_WORD = frozenset(
    ("f", "sSup", "sSub", "sSubSup", "sPre", "rad", "nary", "d", "m", "eqArr", "func", "limLow", "limUpp", "oMathPara")
)


def _of_word(element: Any, name: str) -> str:
    """Return a structure of OMML: ECMA-376, part 1, section 22.1."""
    match name:
        case "f":
            return f"{_grouped(_part(element, 'num'))}/{_grouped(_part(element, 'den'))}"
        case "sSup" | "sSub" | "sSubSup":
            return _scripted(_part(element, "e"), _part(element, "sub"), _part(element, "sup"))
        case "sPre":
            return f"{_scripted('', _part(element, 'sub'), _part(element, 'sup'))} {_part(element, 'e')}"
        case "rad":
            return _root(_part(element, "e"), _part(element, "deg"))
        case "nary":
            sign = _property(element, "chr", "∫")
            return f"{_scripted(sign, _part(element, 'sub'), _part(element, 'sup'))} {_grouped(_part(element, 'e'))}"
        case "d":
            opening, closing = _property(element, "begChr", "("), _property(element, "endChr", ")")
            apart = _property(element, "sepChr", "|")
            return f"{opening}{f' {apart} '.join(map(_linear, _parts(element)))}{closing}"
        case "m":
            return _matrix([[_linear(cell) for cell in _parts(row)] for row in _parts(element)])
        case "func":
            return f"{_part(element, 'fName')}{_in_parentheses(_part(element, 'e'))}"
        case "limLow":
            return _scripted(_part(element, "e"), _part(element, "lim"), "")
        case "limUpp":
            return _scripted(_part(element, "e"), "", _part(element, "lim"))
        case _:
            return "; ".join(map(_linear, _parts(element)))


_OF_MATHML = {
    "mfrac": 2,
    "msup": 2,
    "msub": 2,
    "msubsup": 3,
    "munder": 2,
    "mover": 2,
    "munderover": 3,
    "msqrt": 1,
    "mroot": 2,
    "mfenced": 0,
    "mtable": 1,
    "semantics": 1,
    "mtd": 0,
}
"""Structures of MathML, with their minimum number of operands."""


def _of_mathml(element: Any, name: str, operands: list[str]) -> str:
    """Return a structure of MathML Core, section 3."""
    match name:
        case "mfrac":
            return f"{_grouped(operands[0])}/{_grouped(operands[1])}"
        case "msup" | "mover":
            is_accent = name == "mover" and not operands[1].strip().isalnum()
            return operands[0] if is_accent else _scripted(operands[0], "", operands[1])
        case "msub" | "munder":
            return _scripted(operands[0], operands[1], "")
        case "msubsup" | "munderover":
            return _scripted(*operands[:3])
        case "msqrt" | "mroot":
            return _root(_joined(iter(operands)), "") if name == "msqrt" else _root(*operands[:2])
        case "mfenced":
            apart = f"{element.get('separators', ',')[:1]} "
            return f"{element.get('open', '(')}{apart.join(operands)}{element.get('close', ')')}"
        case "mtable":
            return _matrix([[_linear(cell) for cell in _parts(row)] for row in _parts(element)])
        case "semantics":
            return operands[0]
        case _:
            return _joined(iter(operands)) or element.text or ""


def _root(operand: str, degree: str) -> str:
    return f"{_in_parentheses(operand)}^(1/{degree.strip()})" if degree.strip() else f"√{_in_parentheses(operand)}"


def _in_parentheses(text: str) -> str:
    text = text.strip()
    return text if re.fullmatch(r"\([^()]*\)", text) else f"({text})"


def _matrix(rows: list[list[str]]) -> str:
    return "; ".join(", ".join(cell.strip() for cell in row if cell.strip()) for row in rows)
