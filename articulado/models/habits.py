"""Habits of models and servers (``habits.toml``), and the filter of reasoning that uses them."""

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
    """A habit: name, and models or servers with it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    met: str


class Marks(_Row):
    """Patterns that open and close a part of a reply; a mark that ends the reply has no closing one."""

    opens: str
    closes: str = ""


class Silent(_Row):
    """Patterns of models, or beginnings of replies, with reasoning that no mark opens."""

    models: str = ""
    begins: str = ""


class Parameter(_Row):
    """Optional request parameter; ``instead``: replacement for its value; ``says``: wording of a refusal."""

    instead: str = ""
    says: str = ""


class TextKinds(_Row):
    """Family of embedders with its marks of queries and passages: prefixes, or ``input_type``."""

    models: str = ""
    query: str = ""
    passage: str = ""
    query_type: str = ""
    passage_type: str = ""

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits of the marks, or "" without marks."""
        told = (self.query, self.passage, self.query_type, self.passage_type)
        return blake2b(repr(told).encode(), digest_size=4).hexdigest() if any(told) else ""


class Wrappers(BaseModel):
    """Code fences, JSON keys and announcements around an answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    fences: str
    answers: tuple[str, ...]
    used: tuple[str, ...]
    dropped: tuple[str, ...]
    needs: tuple[str, ...]
    preambles: str


class Habits(BaseModel):
    """Table of habits."""

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
    text = resources.files("articulado.models").joinpath("habits.toml").read_text(encoding="utf-8")
    return Habits.model_validate(tomllib.loads(text))


class _Patterns:
    """Compiled patterns of a table; groups of ``marks`` are named by kind and row."""

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
    """Return True if a model writes reasoning that no mark opens."""
    return bool(_patterns(table or habits()).silent_models.search(model))


def kinds_of(model: str, query: str | None = None, passage: str | None = None) -> TextKinds:
    """Return an embedder's marks of queries and passages, by model name.

    ``query`` and ``passage``: prefixes set by the user, which replace the family's marks.

    >>> kinds_of("intfloat/multilingual-e5-small").passage, kinds_of("bge-m3").passage, kinds_of("bge-m3", "q: ").query
    ('passage: ', '', 'q: ')
    """
    plain = TextKinds(name="", met="")
    family = next((row for row in habits().embedders if re.search(row.models, model, re.IGNORECASE)), plain)
    if query is None and passage is None:
        return family
    prefixes = (family.query if query is None else query, family.passage if passage is None else passage)
    return plain.model_copy(update={"query": prefixes[0], "passage": prefixes[1]})


_LONGEST_WAIT = 200  # characters after a mark that are held until they show its meaning
_QUOTES = {"`": "`", '"': '"', "'": "'", "«": "»", "“": "”", "‘": "’", "‹": "›"}
_SENTENCE_ENDS = frozenset(".!?…]")
_GOES_ON = re.compile(r"[^\S\n]*[^\W\d_A-ZÁÉÍÓÚÜÑÇ]|[,.;:)?!]")
_CODE_BLOCK = "```"


class ReasoningFilter:
    """Passes on the answer of a reply, in pieces of any size, without reasoning, template tokens and frames.

    A mark counts at the beginning of a line or after a sentence, outside code and quotation marks. ``void``: earlier
    text was reasoning, and the caller withdraws it. ``silent``: hold the reply until its reasoning or the reply ends.

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
        """Take the next piece; return the text that is certainly no reasoning."""
        self._pending += text
        return self._read(last=False)

    def rest(self) -> str:
        """Return the held text at the end of the reply; unclosed reasoning is dropped."""
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
        """Return True if the meaning of a mark depends on text that has not arrived."""
        if behind in ("`", "``"):
            return True  # a quotation mark, or a code block
        kind = mark.lastgroup or ""
        if self._hidden is not None or kind.startswith(("open", "frame")) or len(behind) >= _LONGEST_WAIT:
            return False
        # A token that ends a part may begin the header of the next one.
        return kind.startswith(("end", "unframe")) or not behind.strip()

    def _has_begun(self, *, last: bool) -> bool:
        """Skip leading white space, and detect a monologue; return True once the beginning is known."""
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
        """Drop the text before a mark that closes unopened reasoning."""
        self.void = self.void or self._shown
        self.closed_silently = True
        self._shown = self._silent = self._in_block = False
        self._line = ""
        self._held.clear()
        shown.clear()

    def _counts(self, behind: str, *, closes: bool) -> bool:
        """Return True if a mark in visible text is one, not a mention of it."""
        line = self._line.rstrip()
        if self._in_block or self._line.count("`") % 2 or _is_quoted(self._last, behind):
            return False
        if not line or line[-1] in _SENTENCE_ENDS:
            return True
        return closes and not _GOES_ON.match(behind)

    def _pass_on(self, text: str, shown: list[str]) -> None:
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
    opens = not before[:-1].strip(" \t\n([¿¡")
    return opens and behind[:1] == _QUOTES.get(before[-1:], "\0") and not behind.startswith(_CODE_BLOCK)


def refused_parameters(status: int, text: str, sent: Collection[str], table: Habits | None = None) -> list[Parameter]:
    """Return the sent optional parameters that an error response refuses.

    The field ``param`` and paths of validation errors (``loc``) of the body ``text`` decide; without them, all sent
    parameters that it names are refused.
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
LEAST_WINDOW = 256  # smallest context window in use; servers that count only uncached tokens report less


def words_if_cut(prompt: str, tokens: int) -> int:
    """Return the number of words of a prompt if the server has cut it, else 0.

    The server has cut it if it counts fewer ``tokens`` than the prompt has words: no tokenizer joins words.
    """
    words = sum(1 for _ in _WORD.finditer(prompt))
    return words if LEAST_WINDOW <= tokens < words else 0


Kind = Literal["thoughts", "silent", "frames", "ends", "parameters"]


def without(table: Habits, kind: Kind, name: str) -> Habits:
    """Return a table without one row, to test the effect of the row."""
    rows = tuple(row for row in getattr(table, kind) if row.name != name)
    return table.model_copy(update={kind: rows})
