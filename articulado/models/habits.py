"""Habits of models and their servers: the table in ``habits.toml``, and the filter of thoughts that reads it.

``ReasoningFilter`` passes on the final channel of a reply. ``refused_parameters`` reads the error of a server that
does not take a parameter. ``kinds_of`` tells an embedder queries from passages. ``words_if_cut`` tells if a server has
read less than it was sent.
"""

import re
import tomllib
from collections.abc import Collection
from functools import cache
from hashlib import blake2b
from importlib import resources
from typing import Literal

import regex
from pydantic import BaseModel, ConfigDict


class _Row(BaseModel):
    """One habit: its name and the models or servers that were seen with it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    met: str


class Marks(_Row):
    """Patterns of the marks that open and close a part of a reply; nothing closes a mark that ends the reply."""

    opens: str
    closes: str = ""


class Silent(_Row):
    """Patterns of models, or of beginnings of replies, whose thoughts no mark opens."""

    models: str = ""
    begins: str = ""


class Parameter(_Row):
    """Optional parameter of a request; ``instead`` takes its value, and ``says`` is a wording that refuses it."""

    instead: str = ""
    says: str = ""


class TextKinds(_Row):
    """Family of embedders, and how it is told queries from passages: by a text before each, or by ``input_type``."""

    models: str = ""
    query: str = ""
    passage: str = ""
    query_type: str = ""
    passage_type: str = ""

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits of all that decides the vectors; empty if queries are passages for the model."""
        told = (self.query, self.passage, self.query_type, self.passage_type)
        return blake2b(repr(told).encode(), digest_size=4).hexdigest() if any(told) else ""


class Wrappers(BaseModel):
    """Code blocks, keys of JSON objects and announcements in which an answer stands."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    fences: str
    answers: tuple[str, ...]
    used: tuple[str, ...]
    dropped: tuple[str, ...]
    needs: tuple[str, ...]
    preambles: str


class Habits(BaseModel):
    """The table of habits."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    thought_words: str
    thoughts: tuple[Marks, ...]
    silent: tuple[Silent, ...]
    frames: tuple[Marks, ...]
    ends: tuple[Marks, ...]
    parameters: tuple[Parameter, ...]
    embedders: tuple[TextKinds, ...] = ()
    wrappers: Wrappers


@cache
def habits() -> Habits:
    """Return the table, checked."""
    text = resources.files("articulado.models").joinpath("habits.toml").read_text(encoding="utf-8")
    return Habits.model_validate(tomllib.loads(text))


class _Patterns:
    """Compiled patterns of a table; groups of ``marks`` are named by kind and number of the row."""

    def __init__(self, table: Habits) -> None:
        def compiled(pattern: str) -> "regex.Pattern[str]":
            return regex.compile(pattern.replace("{word}", table.thought_words), regex.IGNORECASE)

        thoughts, frames, ends = table.thoughts, table.frames, table.ends
        groups = [f"(?P<open{number}>{row.opens})" for number, row in enumerate(thoughts)]
        groups += [f"(?P<close{number}>{row.closes})" for number, row in enumerate(thoughts)]
        groups += [f"(?P<frame{number}>{row.opens})" for number, row in enumerate(frames)]
        groups += [f"(?P<unframe{number}>{row.closes})" for number, row in enumerate(frames)]
        groups += [f"(?P<end{number}>{row.opens})" for number, row in enumerate(ends)]
        self.marks = compiled("|".join(groups))
        self.closings = [compiled(row.closes) for row in thoughts]
        self.monologues = compiled("|".join(row.begins for row in table.silent if row.begins) or r"(?!)")
        self.silent_models = compiled("|".join(row.models for row in table.silent if row.models) or r"(?!)")


@cache
def _patterns(table: Habits) -> _Patterns:
    return _Patterns(table)


def opens_silently(model: str, table: Habits | None = None) -> bool:
    """Tell if a model of this name writes thoughts that no mark opens."""
    return bool(_patterns(table or habits()).silent_models.search(model))


def kinds_of(model: str, query: str | None = None, passage: str | None = None) -> TextKinds:
    """Return how an embedder is told queries from passages, by the name of its model.

    ``query`` and ``passage`` are prefixes that the user has set: they replace the family's habits, an empty one, too.

    >>> kinds_of("intfloat/multilingual-e5-small").passage, kinds_of("bge-m3").passage, kinds_of("bge-m3", "q: ").query
    ('passage: ', '', 'q: ')
    """
    plain = TextKinds(name="", met="")
    family = next((row for row in habits().embedders if re.search(row.models, model, re.IGNORECASE)), plain)
    if query is None and passage is None:
        return family
    prefixes = (family.query if query is None else query, family.passage if passage is None else passage)
    return plain.model_copy(update={"query": prefixes[0], "passage": prefixes[1]})


_LONGEST_WAIT = 200
"""Characters behind a mark that are held until they show what the mark is."""
_QUOTES = {"`": "`", '"': '"', "'": "'", "«": "»", "“": "”", "‘": "’", "‹": "›"}
_SENTENCE_ENDS = frozenset(".!?…]")
_GOES_ON = re.compile(r"[^\S\n]*[^\W\d_A-ZÁÉÍÓÚÜÑÇ]|[,.;:)?!]")
_CODE_BLOCK = "```"


class ReasoningFilter:
    """Passes on the final channel of a reply, whatever the pieces in which it comes: no thoughts, no tokens of a chat
    template, no marks around the answer.

    A mark counts at the beginning of a line or behind a sentence, outside code and quotation marks. Text that turns out
    to have been thoughts is ``void``: the caller withdraws all that it was given before. ``silent`` holds a reply back
    until its thoughts have been closed, or it has ended.

    >>> reasoning = ReasoningFilter()
    >>> [reasoning.feed(piece) for piece in ("<thi", "nk>¿Treinta?</think>", "Son 30", " días.")]
    ['', '', 'Son 30', ' días.']
    """

    def __init__(self, table: Habits | None = None, *, silent: bool = False) -> None:
        self._patterns = _patterns(table or habits())
        self.void = False
        self.closed_silently = False
        self._silent: bool | None = silent or None  # None: the beginning has not been read
        self._pending = ""  # may be the beginning of a mark
        self._hidden: int | None = None  # row of the thoughts that are open
        self._framed = self._ended = self._shown = self._in_block = False
        self._held: list[str] = []
        self._line = ""  # current line of the visible text
        self._last = ""  # the two characters before the next mark

    def feed(self, text: str) -> str:
        """Take the next piece of the reply and return the text that is no reasoning for certain."""
        self._pending += text
        return self._read(last=False)

    def rest(self) -> str:
        """Return at the end of the reply the text that was held back; reasoning without an end is no reply."""
        text = self._read(last=True)
        held, self._held = "".join(self._held), []
        return held + text

    def _read(self, *, last: bool) -> str:
        shown: list[str] = []
        while self._pending and not self._ended:
            if not self._has_begun(last=last):
                break
            pattern = self._patterns.marks if self._hidden is None else self._patterns.closings[self._hidden]
            mark = pattern.search(self._pending, partial=not last)
            start = mark.start() if mark else len(self._pending)
            before, rest = self._pending[:start], self._pending[start:]
            self._last = (self._last + before)[-2:]
            self._pass_on(before, shown)
            if mark is None or mark.partial:
                self._pending = rest
                break
            behind = rest[len(mark[0]) :]
            if not last and (not behind or self._waits(mark, behind)):
                self._pending = rest
                break
            self._pending = behind
            self._take(mark, behind, shown)
            self._last = mark[0][-2:]
        if self._ended:
            self._pending = ""
        return "".join(shown)

    def _waits(self, mark: "regex.Match[str]", behind: str) -> bool:
        """Tell if a mark that may end the reply is to wait for the text behind it, which decides what it is."""
        if behind in ("`", "``"):
            return True  # a quotation mark, or a code block
        kind = mark.lastgroup or ""
        if self._hidden is not None or kind.startswith(("open", "frame")) or len(behind) >= _LONGEST_WAIT:
            return False
        # A token that ends a part may begin the header of the next one.
        return kind.startswith(("end", "unframe")) or not behind.strip()

    def _has_begun(self, *, last: bool) -> bool:
        """Tell if the beginning of the reply has been read: white space goes, and a monologue is held back."""
        if self._shown or self._held or self._hidden is not None:
            return True
        self._pending = self._pending.lstrip()
        if self._silent is None and self._pending:
            monologue = self._patterns.monologues.match(self._pending, partial=not last)
            if monologue and monologue.partial:
                return False
            self._silent = bool(monologue)
        return bool(self._pending)

    def _take(self, mark: "regex.Match[str]", behind: str, shown: list[str]) -> None:
        """Take a mark: change the state, or pass the mark on because the text only mentions it."""
        kind, row = re.split(r"(?=\d)", mark.lastgroup, maxsplit=1) if mark.lastgroup else ("close", "0")
        if self._hidden is not None:
            if not _is_quoted(self._last, behind):
                self._hidden = None
            return
        if not self._counts(behind, closes=kind in ("close", "unframe")):
            self._pass_on(mark[0], shown)
        elif kind == "open":
            self._hidden = int(row)
        elif kind == "close":
            # At the end of a reply it closes nothing: the text before it is the answer.
            if behind.strip():
                self._close_silently(shown)
        elif kind == "frame":
            if self._silent:
                self._close_silently(shown)
            self._framed = True
        elif kind == "unframe" and self._framed:
            self._framed = False
        elif kind == "end" or mark[0].startswith("<|"):
            self._ended = True
        else:
            self._pass_on(mark[0], shown)

    def _close_silently(self, shown: list[str]) -> None:
        """Void the text before a mark that closes thoughts which no mark has opened."""
        self.void = self.void or self._shown
        self.closed_silently = True
        self._shown = self._silent = self._in_block = False
        self._line = ""
        self._held.clear()
        shown.clear()

    def _counts(self, behind: str, *, closes: bool) -> bool:
        """Tell if a mark in the visible text is one, and no mention of it."""
        line = self._line.rstrip()
        if self._in_block or self._line.count("`") % 2 or _is_quoted(self._last, behind):
            return False
        if not line or line[-1] in _SENTENCE_ENDS:
            return True
        return closes and not _GOES_ON.match(behind)

    def _pass_on(self, text: str, shown: list[str]) -> None:
        """Take visible text: it is shown, or held as long as it may be thoughts."""
        if self._hidden is not None or not text:
            return
        *complete, line = (self._line + text).split("\n")
        for one in complete:
            self._in_block ^= one.lstrip().startswith(_CODE_BLOCK)
        self._line = line
        if self._silent:
            self._held.append(text)
        else:
            self._shown = True
            shown.append(text)


def _is_quoted(before: str, behind: str) -> bool:
    """Tell if a mark stands between quotation marks; one behind a word closes a quotation, and opens none."""
    opens = not before[:-1].strip(" \t\n([¿¡")
    return opens and behind[:1] == _QUOTES.get(before[-1:], "\0") and not behind.startswith(_CODE_BLOCK)


def refused_parameters(status: int, text: str, sent: Collection[str], table: Habits | None = None) -> list[Parameter]:
    """Return the optional parameters that an error of a server refuses, of those that were sent.

    ``text`` is the body of the response. Its field ``param`` and the paths of a validation error (``loc``) decide;
    without them, all sent parameters that the text names are refused.
    """
    rows = [row for row in (table or habits()).parameters if row.name in sent]
    if status not in _REFUSING or _TOO_LONG.search(text):
        return []
    named = [row for row in rows if _FIELD_OF_ERROR(row.name).search(text)]
    said = [row for row in rows if _wording(row).search(text)]
    return named or (said if status < 500 or _UNSUPPORTED.search(text) else [])


_REFUSING = frozenset({400, 422, 500, 501})
_TOO_LONG = re.compile(r"context_length_exceeded|exceed_context_size|reduce the length of the (?:messages|prompt)")
_UNSUPPORTED = re.compile(r"(?:un|not )(?:\w+ )?(?:supported|recognized|implemented|permitted|allowed)", re.IGNORECASE)


def _FIELD_OF_ERROR(name: str) -> re.Pattern[str]:  # noqa: N802
    return re.compile(rf'"(?:param|loc)"\s*:\s*(?:\[[^\]]*)?"(?:body\.)?{name}["./\[]')


@cache
def _wording(row: Parameter) -> re.Pattern[str]:
    name = r"[_\s-]?".join(row.name.split("_"))
    return re.compile(row.says or rf"(?<![\w-]){name}(?![\w-])", re.IGNORECASE)


_WORD = re.compile(r"\w+")
LEAST_WINDOW = 256
"""Tokens of the smallest context window in use: fewer are reported by servers that count those not in their cache."""


def words_if_cut(prompt: str, tokens: int) -> int:
    """Return the words of a prompt of which a server cannot have read all, by the tokens that it reports; else 0.

    Tokenizers do not join two words, so a prompt has at least one token a word.
    """
    words = sum(1 for _ in _WORD.finditer(prompt))
    return words if LEAST_WINDOW <= tokens < words else 0


Kind = Literal["thoughts", "silent", "frames", "ends", "parameters"]


def without(table: Habits, kind: Kind, name: str) -> Habits:
    """Return a table without one row, to try what the row does."""
    rows = tuple(row for row in getattr(table, kind) if row.name != name)
    return table.model_copy(update={kind: rows})
