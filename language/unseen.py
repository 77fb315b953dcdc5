r"""What a text holds that no reader sees as it stands: invisible characters, and characters written as references.

Whoever hides something in a text splits a word by the first (``[C\u200b1]``) or writes it in the second
(``&#91;C1&#93;``): to what looks for the word it is none, to what is shown later it is one again.
"""

import html
import re

_INVISIBLE = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});", re.IGNORECASE)


def without_invisible(text: str) -> str:
    """Return a text without control characters and those that have no width or turn the direction of writing."""
    return _INVISIBLE.sub("", text)


def as_rendered(text: str) -> str:
    r"""Return a text with its character references read, however often they are wrapped, and nothing invisible.

    >>> as_rendered("&amp;#91;C\u200b1&#93; R&D")
    '[C1] R&D'
    """
    while (read := _REFERENCE.sub(lambda match: html.unescape(match.group()), text)) != text:
        text = read
    return without_invisible(text)
