"""Read the text of a paragraph in the XML of Word."""

from collections.abc import Iterator
from functools import cache
from typing import Any

NS = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
}
W = f"{{{NS['w']}}}"
_CHARACTERS = {W + "tab": "\t", W + "br": "\n", W + "cr": "\n", W + "noBreakHyphen": "-"}
# Properties, what was moved away (what was deleted is no w:t), text boxes (blocks of their own), copies of drawings.
_LEFT_OUT = {W + name for name in ("pPr", "rPr", "moveFrom", "txbxContent")} | {f"{{{NS['mc']}}}Fallback"}


def lines_of(paragraph: Any) -> list[str]:
    """Return the text of a paragraph line by line, tracked insertions and linked text included."""
    return "".join(_texts(paragraph)).split("\n")


def _texts(element: Any) -> Iterator[str]:
    for child in element:
        if child.tag in _LEFT_OUT:
            continue
        if child.tag == W + "t":
            yield child.text or ""
        elif child.tag in _CHARACTERS:
            yield _CHARACTERS[child.tag]
        else:
            yield from _texts(child)


def find(element: Any, path: str) -> list[Any]:
    """Return what an XPath finds from an element, with the prefixes of ``NS``."""
    matches: list[Any] = _compiled(path)(element)
    return matches


@cache
def _compiled(path: str) -> Any:
    from lxml import etree

    compile_path: Any = etree.XPath
    return compile_path(path, namespaces=NS)
