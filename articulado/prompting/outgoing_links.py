"""Remove from an answer every link and image that leads to an address outside its sources.

An instruction hidden in a document can make a model write an image or a link whose address carries data; an image is
fetched without a click. The stream and the stored text are therefore filtered alike:

- Character references are resolved first, as a renderer would: ``&#58;`` -> ``:``.
- An address that is not exactly one of a source is replaced by a note: with a scheme or without (``//host``, ``www.``,
  ``host.es/path``), of any scheme (``data:``, ``javascript:``), and e-mail (``x@host.es``).
- Characters that could extend the address of a source are separated from it.
- An image becomes a link: ``![`` -> ``[``. ``[text](target)`` is taken apart (``] (``) unless the target is a source.
- ``[label]: target`` is always taken apart (``] :``). ``<`` before a name becomes ``‹``, so that no HTML remains.
- Control characters, invisible characters and changes of writing direction are removed.

``inert`` filters the text of a document: addresses stay readable, nothing is fetched, and no link hides its target.
"""

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar, cast

from articulado.language.folding import as_rendered, without_invisible
from articulado.values.chunks import Candidate

T = TypeVar("T")

_IMAGE = re.compile(r"!(?=[\[【［](C\d)?)")
_TAG = re.compile(r"<(?=[^\W\d_]|[/!?])")
_DEFINITION = re.compile(r"(\[C\d+)?([\]】］]):")
_LINE = re.compile(r"[^\r\n\x85\u2028\u2029]*[\r\n\x85\u2028\u2029]|[^\r\n\x85\u2028\u2029]+$")
_LETTER = re.compile(r"[^\W\d_]")
_SCHEMES = "data|javascript|vbscript|mailto|xmpp|magnet|file|blob|about|ftp|https?|wss?|view-source|intent"
_REST = '[^\\s<>‹›"«»“”|\\[\\]]*'
_ADDRESS = re.compile(
    r"(?:[a-z][a-z\d+.\-]{0,40}\\?:[/\\]|(?<![^\W_])(?<![:/\\])[/\\]{2,}(?=[\w\[])|(?<![^\W_])www\d{0,3}\\?[.。．]"
    rf"|(?<![^\W_])(?:{_SCHEMES})\\?:(?=\S)|(?<![\w.+\-])[\w.+\-]+\\?@(?=[\w\-]+\\?\.\w)"
    rf"|(?<![\w.\-])(?:[\w\-]{{2,}}\.)+[a-z]{{2,24}}(?=[/?][\w?#%])){_REST}",
    re.IGNORECASE,
)
_SIGN = re.compile(r"[:/\\@?]|www", re.IGNORECASE)  # Signs that every address has one of; few words of an answer do
_END = re.compile(r"[).,;:!?*]*(?=$|[ \t\r\n])")
_ATTACHED = re.compile(r"[)\].,;:!?*_'’…—–]*(?=$|[\s\[<>‹›\"«»“”|])")
"""Characters after an address that renderers may or may not take for a part of it."""
_LINK = re.compile(r"([\]】］])\(")
_CLOSING = ").,;:!?*_"
_BLANKS = " \n"
_WEB = re.compile(r"https?://[^\s<>\"«»“”|]+\Z", re.IGNORECASE)


def source_addresses(candidates: Iterable[Candidate]) -> frozenset[str]:
    """Return the web addresses of the sources of a context, which an answer may link to."""
    return frozenset(candidate["chunk"]["url"] for candidate in candidates if _WEB.match(candidate["chunk"]["url"]))


def without_foreign_links(text: str, allowed: Iterable[str], note: str) -> str:
    """Return a text with links to ``allowed`` addresses only; ``note`` replaces the others.

    >>> without_foreign_links("Vea [esto](https://mal.example/?q=1) y ![x](//m.es/i.png).", (), "enlace omitido")
    'Vea [esto] (enlace omitido) y [x] (enlace omitido).'
    >>> without_foreign_links("[Art. 38](https://www.boe.es/x#a38) [C1]", {"https://www.boe.es/x#a38"}, "…")
    '[Art. 38](https://www.boe.es/x#a38) [C1]'
    """
    return _led(text, sorted(allowed, key=len, reverse=True), note, begun=False)


def texts_without_foreign_links(value: T, allowed: Iterable[str], note: str) -> T:
    """Return a JSON value with ``without_foreign_links`` applied to all its texts."""
    changed: Any = value
    if isinstance(value, str):
        changed = without_foreign_links(value, allowed, note)
    elif isinstance(value, list):
        changed = [texts_without_foreign_links(item, allowed, note) for item in value]
    elif isinstance(value, dict):
        changed = {key: texts_without_foreign_links(item, allowed, note) for key, item in value.items()}
    return cast(T, changed)


def inert(text: str) -> str:
    """Return the text of a document in which nothing is fetched and no link hides its address.

    >>> inert("Véase ![x](https://m.es/i.png) en https://www.boe.es")
    'Véase [x] (https://m.es/i.png) en https://www.boe.es'
    """
    return _parted(_LINK.sub(r"\1 (", _plain(text)), begun=False)


def _led(text: str, sources: list[str], note: str, *, begun: bool) -> str:
    """Filter a text; ``begun``: its first line continues one that has a letter."""
    return _parted(_unlinked(_without_addresses(_plain(text), sources, note), sources), begun=begun)


def _plain(text: str) -> str:
    return _IMAGE.sub(lambda match: "! " if match[1] else "", as_rendered(text))


def _unlinked(text: str, sources: list[str]) -> str:
    def apart(match: re.Match[str]) -> str:
        target = text[match.end() :]
        kept = any(target.startswith(f"{source})") for source in sources)
        return match.group() if kept else f"{match[1]} ("

    return _LINK.sub(apart, text)


def _parted(text: str, *, begun: bool) -> str:
    """Take tags and link definitions apart; a marker within a line (``lo dice [C1]: …``) stays."""
    lines: list[str] = []
    for line in _LINE.findall(_TAG.sub("‹", text)):
        letter = _LETTER.search(line)
        first_letter = 0 if begun and not lines else letter.start() if letter else len(line)
        lines.append(_DEFINITION.sub(partial(_label_apart, first_letter), line))
    return "".join(lines)


def _label_apart(first_letter: int, end: re.Match[str]) -> str:
    is_marker = end[1] and first_letter <= end.start()
    return end.group() if is_marker else f"{end[1] or ''}{end[2]} :"


def _without_addresses(text: str, sources: list[str], note: str) -> str:
    pieces: list[str] = []
    position = 0
    while match := _address(text, position):
        pieces.append(text[position : match.start()])
        source = next((address for address in sources if text.startswith(address, match.start())), "")
        position = match.start() + len(source)
        linked = text.endswith("](", 0, match.start()) and text.startswith(")", position)
        if source and _END.match(text, position):
            pieces.append(source)
        elif source and linked:
            position += 1
            pieces.append(f"{source}) ")
        elif source and _ATTACHED.match(text, position):
            pieces.append(f"{source} ")
        else:
            position = match.start() + len(match.group().rstrip(_CLOSING))
            # The note may stand in brackets, which "!" before them makes an image of.
            pieces[-1] = pieces[-1].rstrip("!")
            pieces.append(note)
    return "".join([*pieces, text[position:]])


def _address(text: str, position: int) -> re.Match[str] | None:
    """Find the next address; only words with one of its signs are searched (speed)."""
    while sign := _SIGN.search(text, position):
        start = max(position, 1 + max(text.rfind(blank, position, sign.start()) for blank in _BLANKS))
        end = min((blank_at for blank in _BLANKS if (blank_at := text.find(blank, sign.end())) >= 0), default=len(text))
        if match := _ADDRESS.search(text, start, end):
            return match
        position = end
    return None


class LinkFilter:
    """Applies ``without_foreign_links`` to a streamed answer, word by word; the emitted pieces add up to ``text``."""

    def __init__(self, allowed: Iterable[str], note: str, emit: Callable[[str], None] = lambda text: None) -> None:
        self._sources = sorted(allowed, key=len, reverse=True)
        self._note = note
        self._emit_text = emit
        self._pending: list[str] = []
        self._emitted: list[str] = []
        self._begun = False  # the line that is written has a letter

    @property
    def text(self) -> str:
        return "".join(self._emitted)

    def feed(self, text: str) -> None:
        """Add the next piece of the answer."""
        # What cannot be seen parts no words.
        text = without_invisible(text)
        self._pending.append(text)
        if not any(character.isspace() for character in text):
            return
        whole = "".join(self._pending)
        cut = next(place for place in range(len(whole), 0, -1) if whole[place - 1].isspace())
        self._pending = [whole[cut:]]
        self._emit(whole[:cut])

    def close(self) -> None:
        rest, self._pending = "".join(self._pending), []
        self._emit(rest)

    def _emit(self, text: str) -> None:
        if not (kept := _led(text, self._sources, self._note, begun=self._begun)):
            return
        *before, line = _LINE.findall(f"{kept}\0")
        self._begun = bool(_LETTER.search(line)) or (self._begun and not before)
        self._emitted.append(kept)
        self._emit_text(kept)
