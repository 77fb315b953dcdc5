"""What of an answer could fetch or open something: only links to the sources of its context leave.

Whoever reads an answer may render it: a page, a chat client, an editor. An instruction hidden in a document can have a
model write an image or a link whose address carries what it has read; an image is fetched without a click. So, in the
stream as in the text that is kept:

- An address that is not one of a source's, letter for letter, is replaced by a note: with a scheme or without
  (``//host``, ``www.``), of any scheme (``data:``, ``javascript:``).
- An image becomes the link that it would be: ``![`` -> ``[``.
- ``[text](target)`` and ``[label]: target`` are taken apart (``] (``, ``] :``) unless the target is a source.
- ``<`` before a name becomes ``‹``: there is no HTML.
- Control characters, and those that turn the direction of writing or have no width, go.
"""

import re
from collections.abc import Callable, Iterable

from state.chunks import Candidate

_INVISIBLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_IMAGE = re.compile(r"![ \t]*(?=[\[【［])")
_TAG = re.compile(r"<(?=[^\W\d_]|[/!?])")
_DEFINITION = re.compile(r"([\]】］]):(?=\s*\S{0,300}?[/\\:&<])")
_DEFINITION_OPEN = re.compile(r"[\]】］]:\s*$")
_SCHEMES = "data|javascript|vbscript|mailto|file|blob|about|ftp|https?|wss?|view-source|intent"
_ADDRESS = re.compile(
    r"(?:[a-z][a-z\d+.\-]{0,40}:[/\\]|(?<![\w:/\\])[/\\]{2}(?=[\w\[])|(?<![\w@.])www\d{0,3}\."
    rf"|(?<!\w)(?:{_SCHEMES}):(?=\S))"
    r"[^\s<>\"«»“”|\[\]]*",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[)\].,;:!?*_'’…—–]*(?=$|[\s\[<>\"«»“”|])")
_LINK = re.compile(r"([\]】］])\(")
_CLOSING = ").,;:!?*_"
_MAX_HELD = 1_000
"""Characters after a label that are waited for, to see where it leads."""
_WEB = re.compile(r"https?://[^\s<>\"«»“”|]+\Z", re.IGNORECASE)


def source_addresses(candidates: Iterable[Candidate]) -> frozenset[str]:
    """Return the addresses of the sources of a context that an answer may link to: those of the web."""
    return frozenset(one["chunk"]["url"] for one in candidates if _WEB.match(one["chunk"]["url"]))


def without_foreign_links(text: str, allowed: Iterable[str], note: str) -> str:
    """Return a text in which nothing leads anywhere but to the ``allowed`` addresses; ``note`` takes their place.

    >>> without_foreign_links("Vea [esto](https://mal.example/?q=1) y ![x](//m.es/i.png).", (), "enlace omitido")
    'Vea [esto] (enlace omitido) y [x] (enlace omitido).'
    >>> without_foreign_links("[Art. 38](https://www.boe.es/x#a38) [C1]", {"https://www.boe.es/x#a38"}, "…")
    '[Art. 38](https://www.boe.es/x#a38) [C1]'
    """
    sources = sorted(allowed, key=len, reverse=True)
    text = _INVISIBLE.sub("", text)
    text = _IMAGE.sub("", text)
    text = _TAG.sub("‹", text)
    text = _DEFINITION.sub(r"\1 :", text)
    text = _unlinked(text, sources)
    return _without_addresses(text, sources, note)


def _unlinked(text: str, sources: list[str]) -> str:
    """Take links apart whose target is no source."""

    def apart(match: re.Match[str]) -> str:
        target = text[match.end() :]
        kept = any(target.startswith(f"{source})") for source in sources)
        return match.group() if kept else f"{match[1]} ("

    return _LINK.sub(apart, text)


def _without_addresses(text: str, sources: list[str], note: str) -> str:
    pieces: list[str] = []
    position = 0
    while match := _ADDRESS.search(text, position):
        pieces.append(text[position : match.start()])
        source = next((one for one in sources if text.startswith(one, match.start())), None)
        if source is not None and _ENDS.match(text, match.start() + len(source)):
            pieces.append(source)
            position = match.start() + len(source)
        else:
            position = match.start() + len(match.group().rstrip(_CLOSING))
            pieces.append(note)
    return "".join([*pieces, text[position:]])


class LinkFilter:
    """Takes an answer piece by piece, and hands it on as ``without_foreign_links`` has it, word by word.

    What is emitted adds up to ``text``. An address has no white space, so that it is whole once some follows.

    >>> pieces = []
    >>> links = LinkFilter((), "enlace omitido", pieces.append)
    >>> for piece in ("Son 30 ![x](https://mal.ex", "ample/?", "q=1) días"):
    ...     links.feed(piece)
    >>> links.close()
    >>> pieces
    ['Son 30 ', '[x] (enlace omitido) ', 'días']
    """

    def __init__(self, allowed: Iterable[str], note: str, emit: Callable[[str], None] = lambda text: None) -> None:
        self._allowed = frozenset(allowed)
        self._note = note
        self._emit_text = emit
        self._pending: list[str] = []
        self._emitted: list[str] = []

    @property
    def text(self) -> str:
        """What has been emitted."""
        return "".join(self._emitted)

    def feed(self, text: str) -> None:
        """Take the next piece of the answer."""
        self._pending.append(text)
        if not any(character.isspace() for character in text):
            return
        whole = "".join(self._pending)
        cut = next(place for place in range(len(whole), 0, -1) if whole[place - 1].isspace())
        if (definition := _DEFINITION_OPEN.search(whole, 0, cut)) and cut - definition.start() < _MAX_HELD:
            cut = definition.start()
        self._pending = [whole[cut:]]
        self._emit(whole[:cut])

    def close(self) -> None:
        """Take the end of the answer."""
        rest, self._pending = "".join(self._pending), []
        self._emit(rest)

    def _emit(self, text: str) -> None:
        if kept := without_foreign_links(text, self._allowed, self._note):
            self._emitted.append(kept)
            self._emit_text(kept)
