"""Plain text of the elements of the BOE's XML.

``plain`` returns the text of an element on one line, with images as ``IMAGE``. ``table`` writes one row per
line with cells separated by " | ", and repeats a cell in each row that it spans. ``tidy`` removes soft
hyphens and repeated blanks.
"""

from collections.abc import Iterator

from articulado.ingestion.boe.catalogue import Element
from articulado.ingestion.markdown.body import IMAGE

_LARGEST_SPAN = 1_000


def plain(element: Element) -> str:
    """Return the text of an element on one line, an image as ``IMAGE``; soft hyphens would split words for a search."""
    return tidy("".join(_pieces(element)))


def tidy(text: str | None) -> str:
    """Return a text without soft hyphens, and with single blanks."""
    return " ".join((text or "").replace("\u00ad", "").split())


def table(element: Element) -> str:
    """Return a table with a row a line and cells parted by " | ", as the Markdown reader does.

    A cell over several rows is repeated in each, so that every row can be read alone. Empty rows are left out.
    """
    lines = [plain(caption) for caption in element.iterfind("caption")]
    hanging: dict[int, tuple[int, str | None]] = {}
    for row in element.iter("tr"):
        if next(row.iterancestors("table")) is not element:
            continue
        cells, hanging = _row([cell for cell in row if cell.tag in ("th", "td")], hanging)
        lines.append(" | ".join(cells) if any(cells) else "")
    return "\n".join(filter(None, lines))


def _row(
    own: list[Element], hanging: dict[int, tuple[int, str | None]]
) -> tuple[list[str], dict[int, tuple[int, str | None]]]:
    """Return the cells of a row, and what hangs into the next one: rows left and text of a column.

    The text is ``None`` in the further columns of a cell over several.
    """
    cells: list[str] = []
    below: dict[int, tuple[int, str | None]] = {}
    column = 0
    while own or any(pending >= column for pending in hanging):
        if column in hanging:
            rows, text = hanging[column]
            width = 1
        elif own:
            cell = own.pop(0)
            rows, text, width = _span(cell, "rowspan"), plain(cell), _span(cell, "colspan")
        else:
            rows, text, width = 1, None, 1
        if text is not None:
            cells.append(text)
        if rows > 1:
            below |= {column + further: (rows - 1, None if further else text) for further in range(width)}
        column += width
    return cells, below


def _span(cell: Element, name: str) -> int:
    value = cell.get(name, "1")
    return min(max(int(value), 1), _LARGEST_SPAN) if value.isdecimal() else 1


def _pieces(element: Element) -> Iterator[str]:
    if element.tag == "img":
        yield f" {IMAGE} "
    elif element.tag in ("br", "p", "td", "th", "tr", "li", "div"):
        yield " "
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            yield from _pieces(child)
        yield child.tail or ""
    if element.tag in ("p", "td", "th", "tr", "li", "div"):
        yield " "
