"""Take Markdown and HTML marks off a line, and tell which paragraphs stand in a quotation."""

import html
import re
from collections.abc import Sequence
from itertools import accumulate

_TAG = re.compile(r"</?(?:small|sub|sup|em|strong|i|b)>")
_BREAK = re.compile(r"<br\s*/?>|\\$")
_LINK = re.compile(r"\[([^\[\]]*)\]\(https?://[^)\[]*\)")
_EMPHASIS = re.compile(r"\*\*(.*?)\*\*")
_ITALICS = re.compile(r"(?<![\w*(])\*(?![\s*)])([^*]+)(?<![\s*(])\*(?![\w*])")
_QUOTATION_MARK = re.compile("[«»]")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|&(#?\w{1,31};)")
_PRIVATE_USE = 0xE000
"""What stands for a mark that is text: added to its code until all marks are off the line."""
_LITERAL = re.compile(f"[{chr(_PRIVATE_USE + 0x21)}-{chr(_PRIVATE_USE + 0x7E)}]")
_MARKS = "#*_[]<>|!`~&\\"
"""Characters that make a mark; any other may be itself at once."""


def literal(line: str) -> str:
    r"""Return a line without its escapes: what they keep from being a mark is no mark until ``clean`` makes it text.

    >>> clean(literal(r"1\. Ley \*sic\* &lt;b&gt; I&amp;D"))
    '1. Ley *sic* <b> I&D'
    """
    return " ".join(_ESCAPED.sub(_unescaped, _BREAK.sub(" ", line)).split())


def _unescaped(match: re.Match[str]) -> str:
    text = match[1] or html.unescape(match[0])
    return chr(_PRIVATE_USE + ord(text)) if len(text) == 1 and text in _MARKS else text


def row(line: str) -> str:
    """Return the cells of a table row separated by " | "; empty for the rule below a table's head.

    >>> row("| **Grupo** | Salario |"), row("|---|:--:|")
    ('Grupo | Salario', '')
    """
    # A mark that a cell itself has would part it in two.
    cells = [clean(cell).replace("|", "/") for cell in line.strip("|").split("|")]
    return "" if all(set(cell) <= set("-: ") for cell in cells) else " | ".join(cells)


def clean(text: str) -> str:
    """Return the text without Markdown and HTML marks.

    >>> clean("<small>Se **modifica** por la [Ley 3/2023](https://www.boe.es/x).</small>")
    'Se modifica por la Ley 3/2023.'
    """
    text = _EMPHASIS.sub(r"\1", _LINK.sub(r"\1", _TAG.sub("", text)))
    if text.startswith("*") and text.endswith("*") and len(text) > 2:
        text = text.strip("*")
    text = _ITALICS.sub(r"\1", text).strip()
    return _LITERAL.sub(lambda mark: chr(ord(mark[0]) - _PRIVATE_USE), text)


def inside_quotations(paragraphs: Sequence[str]) -> list[bool]:
    """Tell of each paragraph whether it begins inside a quotation; one that never closes is a slip, and quotes nothing.

    >>> inside_quotations(["Queda así:", "«Artículo 1.", "Texto.»", "Fin."])
    [False, False, True, False]
    """
    changes = [0] * (len(paragraphs) + 1)
    opened: list[int] = []
    for index, paragraph in enumerate(paragraphs):
        for mark in _QUOTATION_MARK.findall(paragraph):
            if mark == "«":
                opened.append(index)
            elif opened:
                changes[opened.pop() + 1] += 1
                changes[index + 1] -= 1
    return [depth > 0 for depth in accumulate(changes[:-1])]
