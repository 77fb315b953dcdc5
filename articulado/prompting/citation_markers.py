"""Read, write and renumber citation markers: ``[C1]`` in an answer cites the first fragment.

Models also write ``[C1, C2]``, ``[C1-C3]``, ``[C1 y 2]``, ``[Fragmento C1]``, ``[C1, art. 38]`` or ``【C1】``: a
bracket that begins with such a number is a marker. ``(C1)`` is none: subgroups of civil servants have such names.
Numbers are 1-based; ``valid`` are the numbers of the fragments in the context.

For a chat model, the parts of a provision are one fragment with one marker: each further part has ``shares_mark``. The
offline principal gives every part its own marker.
"""

import re
from collections.abc import Callable, Collection, Sequence
from datetime import date
from itertools import groupby, pairwise

from articulado.legal.wordings import first_day_known, wording_note
from articulado.prompting.notes import whole_note
from articulado.prompting.outgoing_links import inert
from articulado.values.answers import Citation
from articulado.values.chunks import (
    Candidate,
    Chunk,
    is_official,
    ordering_score,
    own_document,
    page_of,
    provision_of,
)

_MAX_INNER = 200
_OPEN, _CLOSE, _INNER = r"[\[【［]", r"[\]】］]", rf"[^\[\]【】［］]{{0,{_MAX_INNER}}}?"
_GAP = r"[\s*_`]*"
_FRAGMENT = r"(?:fragmentos?|fragments?|frag\.?)"
_TO = r"(?:[-‐‑–—−~…]|\.{2,3}|al?|hasta|to)"
_AND = r"(?:[,;/&+·](?:\s*(?:y|e|and)\b)?|y|e|o|u|and|or)"

_BLANK = r"\s{0,9}"
_LEAD_IN = r"(?:(?:ver|v[eé]an?se|cfr?|fragmentos?|fragments?|frag)\b\.?|[\s*_`^]){0,9}"
_LONGEST_LEAD_IN = 150

_OPENING = re.compile(_OPEN)
_MARKER_START = re.compile(rf"{_OPEN}{_LEAD_IN}(?:{_FRAGMENT}{_BLANK}(?:C{_BLANK})?|C{_BLANK})(?=\d)", re.IGNORECASE)
_MARKER = re.compile(rf"{_MARKER_START.pattern}{_INNER}{_CLOSE}", re.IGNORECASE)
_UNFINISHED = re.compile(rf"{_OPEN}(?:[^\W\d]|[\s.*`^]){{0,{_LONGEST_LEAD_IN}}}$")
_LAST_BRACKET = re.compile(rf"{_OPEN}[^\[\]【】［］]*$")
_LIST = re.compile(
    rf"(?<![^\W\d_])(?:{_FRAGMENT}\s*C?|C)\s*\d+(?:{_GAP}(?:{_TO}|{_AND}){_GAP}C?\s*\d+(?!\.?\w))*", re.IGNORECASE
)
_SPAN = re.compile(rf"(\d{{1,300}})(?:{_GAP}{_TO}{_GAP}C?\s*(\d{{1,300}}))?", re.IGNORECASE)
_LEFT_EMPTY = re.compile(
    rf"(\*{{1,3}}|_{{1,3}}|~~|`{{1,3}})\0+\1|\([ \t]*\0+[ \t]*\)|{_OPEN}[ \t]*\0+[ \t]*{_CLOSE}"
    rf"|(?:(?<=\0)|(?<=\d\]))[ \t]*{_AND}?[ \t]*\0",
    re.IGNORECASE,
)
_VANISHED = re.compile(r"^\0[ \t]*|(?<![ \t])[ \t]*\0", re.MULTILINE)


def write_marker(number: int) -> str:
    return f"[C{number}]"


def markers_in(text: str, valid: Collection[int] = ()) -> list[int]:
    """Return the numbers of all markers in order of first appearance, each once.

    >>> markers_in("Son 30 días [C2]; véanse [C1, C3] y el subgrupo (C1).")
    [2, 1, 3]
    >>> markers_in("[C1-C4]", valid={1, 2, 3})
    [1, 2, 3, 4]
    """
    return list(dict.fromkeys(n for match in _MARKER.finditer(text) for n in _numbers_of(match, valid)))


def marker_spans(text: str) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return start, end and numbers of each marker."""
    return [(match.start(), match.end(), tuple(_numbers_of(match, ()))) for match in _MARKER.finditer(text)]


def numbers_in(text: str, valid: Collection[int] = ()) -> list[int]:
    """Return all numbers, each once; of a range its ends and the valid numbers between (a guard against "1-9999")."""
    numbers: list[int] = []
    for first, last in _SPAN.findall(text):
        low, high = sorted((int(first), int(last or first)))
        numbers += [low, *sorted(n for n in valid if low < n < high), high]
    return list(dict.fromkeys(numbers))


def keep_markers(text: str, valid: Collection[int]) -> tuple[str, list[int]]:
    """Return the text with each marker as ``[C1]``, and its invalid numbers, which are dropped, by first appearance.

    Emphasis, brackets and conjunctions that this leaves empty are dropped too.

    >>> keep_markers("Son 30 días [C1, C9] y no más ([C8]).", {1, 2})
    ('Son 30 días [C1] y no más.', [9, 8])
    """
    if not _OPENING.search(text):
        return text.replace("\0", ""), []
    dropped: list[int] = []

    def rewrite(match: re.Match[str]) -> str:
        numbers = _numbers_of(match, valid)
        dropped.extend(n for n in numbers if n not in valid)
        return "".join(write_marker(n) for n in numbers if n in valid) or "\0"

    previous, text = "", text.replace("\0", "")
    # What a marker leaves behind may join to another one.
    while text != previous:
        # \0 stands for a marker that vanished, so that only what is around it is touched.
        previous, text = text, _MARKER.sub(rewrite, text)
        while (emptied := _LEFT_EMPTY.sub("\0", text)) != text:
            text = emptied
        text = _VANISHED.sub("", text)
    return text, list(dict.fromkeys(dropped))


class MarkerRenumberer:
    """Renumbers the citations of a streamed answer in reading order: the first one is ``[C1]``.

    Text goes to ``emit`` once it is certain and adds up to ``text``. ``cited`` has the old numbers in reading order.
    Invalid numbers stay.
    """

    def __init__(self, valid: Collection[int], emit: Callable[[str], None] = lambda text: None) -> None:
        self._valid = valid
        self._emit_text = emit
        self._pending = ""
        self._emitted: list[str] = []
        self.cited: list[int] = []

    @property
    def text(self) -> str:
        return "".join(self._emitted)

    def feed(self, text: str) -> None:
        """Add the next piece of the answer."""
        self._pending += text
        bracket = _LAST_BRACKET.search(self._pending)
        held = self._pending[bracket.start() :] if bracket and _may_be_marker(bracket[0]) else ""
        self._emit(self._pending[: len(self._pending) - len(held)])
        self._pending = held

    def close(self) -> None:
        self._emit(self._pending)
        self._pending = ""

    def _emit(self, text: str) -> None:
        renumbered = _MARKER.sub(self._renumber, text)
        if renumbered:
            self._emitted.append(renumbered)
            self._emit_text(renumbered)

    def _renumber(self, match: re.Match[str]) -> str:
        numbers = _numbers_of(match, self._valid)
        if not any(number in self._valid for number in numbers):
            return match.group()
        self.cited += [number for number in numbers if number in self._valid and number not in self.cited]
        return "".join(write_marker(self.cited.index(n) + 1 if n in self._valid else n) for n in numbers)


def _may_be_marker(unclosed: str) -> bool:
    start = _MARKER_START.match(unclosed)
    return len(unclosed) - start.end() <= _MAX_INNER if start else bool(_UNFINISHED.match(unclosed))


def defuse_markers(text: str) -> str:
    """Return a text without markers, also if a bracket is closed later: ``[C1]`` -> ``(C1)``."""
    if not _OPENING.search(text):
        return text
    text = _MARKER.sub(lambda match: f"({match.group()[1:-1]})", text)
    return _MARKER_START.sub(lambda match: f"({match.group()[1:]}", text)


def _numbers_of(match: re.Match[str], valid: Collection[int]) -> list[int]:
    return list(dict.fromkeys(n for numbers in _LIST.findall(match.group()) for n in numbers_in(numbers, valid)))


def citation(
    number: int,
    candidate: Candidate,
    day: date | None = None,
    tracked: frozenset[str] = frozenset(),
    law_note: str = "",
) -> Citation:
    """Return the citation of a fragment; ``day``: the one asked about; ``tracked``: laws with reported amendments."""
    chunk = candidate["chunk"]
    cited: Citation = {
        "mark": f"C{number}",
        "chunk_id": chunk["id"],
        "law_id": chunk["law_id"],
        "law": inert(chunk["law_name"]),
        "provision": inert(chunk["provision"]),
        "provision_key": chunk["provision_key"],
        "title": inert(chunk["title"]),
        "url": chunk["url"],
        "note": inert(" ".join(filter(None, (whole_note(chunk), law_note)))),
        "summary": inert(chunk["summary"]),
        "official": is_official(chunk),
        "document": own_document(chunk),
        "valid_from": first_day_known(chunk, tracked),
        "valid_to": chunk["valid_to"],
        "wording": wording_note(chunk, day, tracked) if day else "",
        "page": page_of(chunk),
        "agreement": chunk.get("agreement"),
    }
    if "text_state" in chunk:
        cited["text_state"] = chunk["text_state"]
    return cited


def unread_source(candidate: Candidate, day: date | None = None, tracked: frozenset[str] = frozenset()) -> Citation:
    """Return the citation of a provision that the answer names but the model did not read: its text, and no marker."""
    return {**citation(0, candidate, day, tracked), "mark": "", "text": inert(candidate["chunk"]["text"])}


GAP = "[…]"  # Replaces omitted parts between two shown ones


def wording_of(candidate: Candidate) -> tuple[str | None, ...]:
    """Return the fields that are equal in all parts of one wording of a provision, to group the parts."""
    chunk = candidate["chunk"]
    written_once = chunk["breadcrumb"], chunk["summary"], chunk["status_note"], chunk["url"], chunk["source"]
    return *provision_of(chunk), chunk["valid_from"], *written_once


def share_marks(context: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates with ``shares_mark`` set on each part that follows another one of the same wording."""
    shared: list[Candidate] = []
    for _, parts in groupby(context, key=wording_of):
        for number, part in enumerate(parts):
            shared.append({**part, "shares_mark": True} if number else part)
    return shared


def by_mark(context: Sequence[Candidate]) -> list[list[Candidate]]:
    """Return the candidates of each marker, beginning with ``[C1]``."""
    groups: list[list[Candidate]] = []
    for candidate in context:
        if candidate.get("shares_mark") and groups:
            groups[-1].append(candidate)
        else:
            groups.append([candidate])
    return groups


def one_per_mark(context: Sequence[Candidate]) -> list[Candidate]:
    """Return one candidate per marker: its best part, with the text and references of all."""
    return [_joined(parts) for parts in by_mark(context)]


def _joined(parts: Sequence[Candidate]) -> Candidate:
    if len(parts) == 1:
        return parts[0]
    best = max(parts, key=ordering_score)
    chunks = [part["chunk"] for part in parts]
    refs = list(dict.fromkeys(ref for chunk in chunks for ref in chunk["refs"]))
    joined: Candidate = {**best, "chunk": {**best["chunk"], "text": text_of_parts(chunks), "refs": refs}}
    joined.pop("shares_mark", None)
    return joined


def text_of_parts(chunks: Sequence[Chunk]) -> str:
    """Return the text of parts of a provision, with ``GAP`` for omitted ones."""
    texts = [chunks[0]["text"].strip()]
    for before, chunk in pairwise(chunks):
        if chunk["part"] > before["part"] + 1:
            texts.append(GAP)
        texts.append(chunk["text"].strip())
    return "\n".join(texts)
