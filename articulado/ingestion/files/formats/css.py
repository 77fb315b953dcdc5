"""Remove the elements and text of an HTML page that a browser does not show, by its style sheets."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from articulado.ingestion.files.formats.inline import WHITE, Colour, LeftOut, is_tiny, same_colour

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag
    from soupsieve import SoupSieve

_MAX_RULES = 3_000  # rules applied per page
_UNSHOWN = ("template", "script", "style")
_STRUCK = ("s", "strike", "del")
_WITHOUT_TEXT = ("img", "input", "svg", "math", "canvas", "object", "embed")
"""Elements whose text is not in their strings."""

_NAME = re.compile(r"[#.]?-?[_a-zA-Z][\w-]*")  # first name of a compound selector: tag, id or class
_OFF_PAGE = -500.0  # points left of the page or above it from which nothing is seen

_POINTS = {"pt": 1.0, "px": 0.75, "in": 72.0, "cm": 28.35, "mm": 2.835, "pc": 12.0}
"""Points of the absolute units of CSS."""

_CLEAR = 0.05  # maximum opacity of invisible content
_LENGTH = re.compile(r"([-+]?[\d.]+)(pt|px|in|cm|mm|pc|em|rem|%|vw|vh)?")
_CLIPPED = re.compile(r"rect\((?:[01]?(?:px|pt)?[, ]*){4}\)|inset\((?:50|100)%[^)]*\)|circle\(0[^)]*\)")
_PROPERTIES = re.compile(
    r"display|visibility|opacity|color|-webkit-text-fill-color|background(?:-color|-image)?|font(?:-size)?|text-indent"
    r"|position|left|top|right|clip(?:-path)?|(?:max-)?(?:width|height)|overflow(?:-[xy])?|transform|content-visibility"
    r"|margin-left|text-decoration(?:-line)?"
)

Declarations = dict[str, str]  # values by property


@dataclass(frozen=True)
class _State:
    """Inherited values; ``size`` is in points, a ``background`` of ``None`` is unknown."""

    visible: bool = True
    struck: bool = False
    size: float = 12.0
    indent: float = 0.0
    colour: Colour | None = (0, 0, 0)
    clear: bool = False
    background: Colour | None = WHITE
    names: frozenset[str] = frozenset()

    @property
    def shows(self) -> bool:
        if not self.visible or self.clear or is_tiny(self.size) or self.indent <= _OFF_PAGE:
            return False
        return self.colour is None or self.background is None or not same_colour(self.colour, self.background)


def drop_unseen(page: "BeautifulSoup", left_out: LeftOut) -> None:
    """Remove hidden and struck-through text from a page, and count its characters."""
    sheets = _Sheets(page)
    for style in page.find_all("style"):
        style.decompose()
    is_styled_elsewhere = page.select_one("link[rel~=stylesheet]") is not None
    for tag in page.find_all(True, recursive=False):
        _prune(tag, _State(), sheets, left_out, is_styled_elsewhere)


def is_unseen(opening: str) -> bool:
    """Tell if an element's own attributes hide its text or strike it through ('<span style="color: white">')."""
    from bs4 import BeautifulSoup

    body = BeautifulSoup(opening, "lxml")
    tag = next((each for each in body.find_all(True) if each.name not in ("html", "body", "head")), None)
    if tag is None:
        return False
    own = _own(tag, {})
    state = _inherit(tag, _State(), own)
    return _has_no_box(tag, own) or not state.shows or state.struck


def _prune(tag: "Tag", inherited: _State, sheets: "_Sheets", left_out: LeftOut, is_styled_elsewhere: bool) -> None:
    from bs4 import Tag
    from bs4.element import PreformattedString

    names = inherited.names | _names_of(tag)
    own = _own(tag, sheets.of(tag, names))
    if _has_no_box(tag, own):
        left_out.hide(tag.get_text())
        tag.extract()
        return
    state = replace(_inherit(tag, inherited, own), names=names)
    if is_styled_elsewhere and state.background == WHITE and (tag.get("class") or tag.get("id")):
        # An external style sheet may paint it.
        state = replace(state, background=None)
    if state.struck and tag.name in _WITHOUT_TEXT:
        left_out.strike(str(tag.get("value") or tag.get_text()))
        tag.extract()
        return
    for child in list(tag.children):
        if isinstance(child, Tag):
            _prune(child, state, sheets, left_out, is_styled_elsewhere)
        elif isinstance(child, PreformattedString) or not state.shows:
            left_out.hide(str(child))
            child.extract()
        elif state.struck:
            child.replace_with(left_out.strike(str(child)))


class _Sheets:
    def __init__(self, page: "BeautifulSoup") -> None:
        import tinycss2

        sheets = "\n".join(style.get_text() for style in page.find_all("style"))
        rules = _rules(tinycss2.parse_stylesheet(sheets, skip_comments=True, skip_whitespace=True))
        self._by_name: dict[str, list[_Rule]] = defaultdict(list)
        for order, rule in enumerate(rules):
            if order >= _MAX_RULES:
                break
            declarations = list(_declarations(rule.content))
            for selector in tinycss2.serialize(rule.prelude).split(",") if declarations else ():
                last = _NAME.match(re.split(r"[\s>+~]+", selector.strip())[-1])
                self._by_name[last[0] if last else ""].append(_Rule(selector.strip(), order, declarations))

    def of(self, tag: "Tag", names: frozenset[str]) -> Declarations:
        """Return the prevailing declarations for an element; ``names``: its classes and ids and those around it."""
        found = [
            ((urgent, rule.weight, rule.order), name, value)
            for key in (tag.name, "", *_names_of(tag))
            for rule in self._by_name.get(key, ())
            if rule.applies(tag, key, names)
            for name, value, urgent in rule.declarations
        ]
        return {name: value for _, name, value in sorted(found, key=lambda each: each[0])}


class _Rule:
    def __init__(self, selector: str, order: int, declarations: list[tuple[str, str, bool]]) -> None:
        self.order = order
        self.declarations = declarations
        self.weight = _specificity(selector)
        self._selector = selector
        # Siblings, and elements in functions, need not be ancestors.
        plain = "" if re.search(r"[+~]", selector) else re.sub(r"\([^()]*\)", "", selector)
        self._needed = frozenset(re.findall(r"[#.]-?[_a-zA-Z][\w-]*", plain))

    def applies(self, tag: "Tag", name: str, names: frozenset[str]) -> bool:
        """Tell if the selector, which ends in ``name``, selects an element inside elements with ``names``."""
        if self._selector == name:
            return True
        return self._needed <= names and self._matcher is not None and self._matcher.match(tag)

    @cached_property
    def _matcher(self) -> "SoupSieve | None":
        from soupsieve import SelectorSyntaxError, compile

        try:
            return compile(self._selector)
        except (SelectorSyntaxError, NotImplementedError, ValueError):
            return None


def _rules(rules: list[Any]) -> Iterator[Any]:
    import tinycss2

    for rule in rules:
        if rule.type == "qualified-rule":
            yield rule
        elif rule.type == "at-rule" and rule.content is not None and rule.lower_at_keyword in ("media", "supports"):
            condition = tinycss2.serialize(rule.prelude).strip().lower()
            if not condition.startswith("print"):
                yield from _rules(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True))


def _declarations(content: Any) -> Iterator[tuple[str, str, bool]]:
    import tinycss2

    for each in tinycss2.parse_declaration_list(content, skip_comments=True, skip_whitespace=True):
        if each.type == "declaration" and _PROPERTIES.fullmatch(each.lower_name):
            yield each.lower_name, tinycss2.serialize(each.value).strip().lower(), each.important


def _names_of(tag: "Tag") -> frozenset[str]:
    classes: Any = tag.get("class") or []
    listed = classes if isinstance(classes, list) else classes.split()
    return frozenset([f"#{tag['id']}" if tag.get("id") else "", *(f".{name}" for name in listed)]) - {""}


def _specificity(selector: str) -> int:
    """Return the weight of a selector by CSS Selectors 4, section 17, with two digits for each kind."""
    ids, classes = selector.count("#"), len(re.findall(r"\.|\[|:(?!:)", selector))
    return 10_000 * ids + 100 * classes + len(re.findall(r"(?:^|[\s>+~])[a-zA-Z]", selector))


def _own(tag: "Tag", declared: Declarations) -> Declarations:
    own: Declarations = {}
    for attribute, name in (("bgcolor", "background-color"), ("color", "color"), ("text", "color")):
        if (value := tag.get(attribute)) and (attribute != "text" or tag.name == "body"):
            own[name] = str(value).strip().lower()
    if tag.has_attr("hidden") or (tag.name == "dialog" and not tag.has_attr("open")):
        own["display"] = "none"
    own |= declared
    return own | {name: value for name, value, _ in _declarations(str(tag.get("style", "")))}


def _has_no_box(tag: "Tag", own: Declarations) -> bool:
    if tag.name in _UNSHOWN or own.get("display") == "none" or own.get("content-visibility") == "hidden":
        return True
    if _is_clear(own.get("opacity", "1")) or re.search(
        r"scale[xy3d]*\(0[,)]", own.get("transform", "").replace(" ", "")
    ):
        return True
    if own.get("position") in ("absolute", "fixed"):
        if any(_points(own.get(side, ""), 12.0, 0.0) <= _OFF_PAGE for side in ("left", "top", "right")):
            return True
        if _CLIPPED.search(own.get("clip", "")):
            return True
    if _CLIPPED.search(own.get("clip-path", "")) or _points(own.get("margin-left", ""), 12.0, 0.0) <= _OFF_PAGE:
        return True
    cuts = any(own.get(name, "") in ("hidden", "clip") for name in ("overflow", "overflow-x", "overflow-y"))
    sides = ("width", "height", "max-width", "max-height")
    return cuts and any(_points(own[side], 12.0, 99.0) <= 1 for side in sides if side in own)


def _is_clear(opacity: str) -> bool:
    number = _LENGTH.fullmatch(opacity)
    share = float(number[1]) / (100 if number[2] == "%" else 1) if number and number[1].strip("+-.") else 1.0
    return share <= _CLEAR


def _points(value: str, size: float, default: float) -> float:
    match = _LENGTH.match(value)
    if match is None or not re.fullmatch(r"[-+]?(?:\d+\.?\d*|\.\d+)", match[1]):
        return default
    unit = match[2] or "px"
    scale = {"em": size, "rem": 12.0, "%": size / 100, "vw": 10.0, "vh": 10.0}
    return float(match[1]) * _POINTS.get(unit, scale.get(unit, 1.0))


def _inherit(tag: "Tag", state: _State, own: Declarations) -> _State:
    size = own.get("font-size") or next(iter(re.findall(r"[\d.]+(?:pt|px|em|rem|%)", own.get("font", ""))), "")
    colour, clear = _colour(own.get("-webkit-text-fill-color", own.get("color", "")), state.colour, state.clear)
    background, is_unpainted = _background(own, state.background)
    line = own.get("text-decoration-line", own.get("text-decoration", "line-through" if tag.name in _STRUCK else ""))
    return _State(
        struck=state.struck or "line-through" in line,
        visible=own.get("visibility", "visible" if state.visible else "hidden") not in ("hidden", "collapse"),
        size=_points(size, state.size, state.size),
        indent=_points(own["text-indent"], state.size, 0.0) if "text-indent" in own else state.indent,
        colour=colour,
        clear=clear,
        background=state.background if is_unpainted else background,
    )


def _colour(value: str, inherited: Colour | None, clear: bool) -> tuple[Colour | None, bool]:
    from tinycss2.color3 import parse_color

    if value in ("", "inherit", "currentcolor"):
        return inherited, clear
    parsed = parse_color(value)
    if parsed is None or isinstance(parsed, str):
        return None, False
    return _rgb(parsed), parsed.alpha <= _CLEAR


def _background(own: Declarations, inherited: Colour | None) -> tuple[Colour | None, bool]:
    import tinycss2
    from tinycss2.color3 import parse_color

    written = " ".join(own.get(name, "") for name in ("background", "background-color", "background-image")).strip()
    if not written:
        return inherited, True
    if "url(" in written or "gradient(" in written or "var(" in written:
        return None, False
    for token in reversed(tinycss2.parse_component_value_list(written)):
        parsed = parse_color(token) if token.type in ("ident", "hash", "function") else None
        if parsed is not None and not isinstance(parsed, str):
            return _rgb(parsed), parsed.alpha <= _CLEAR
    return inherited, True


def _rgb(colour: Any) -> Colour:
    red, green, blue = (round(255 * max(0.0, min(1.0, part))) for part in (colour.red, colour.green, colour.blue))
    return red, green, blue
