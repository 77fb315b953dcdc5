"""Context of child chunks: prompt, reply parsing, durable SQLite cache, and cost estimate."""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache as memoize
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import ClassVar, Self

from articulado.config.profile import Profile
from articulado.config.settings import ChunkContext, ModelSettings
from articulado.language.formats import written
from articulado.language.languages import language
from articulado.language.sentences import sentences
from articulado.language.translation import reason, translate
from articulado.prompting.prompts import load_prompt
from articulado.values.chunks import Chunk
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import TokenCounter

ParentChild = tuple[Chunk, Chunk]

MAX_SENTENCE = 300  # maximum characters of a sentence: 40 words and room to spare

_QUOTES = "«»“”\"'`*_"
_LEAD = re.compile(r"^(?:[-•*]\s+|\d{1,2}[.)]\s+|(?:frase|contexto|sentence|context)\s*:\s*)+", re.IGNORECASE)


def breadcrumb(chunk: Chunk) -> str:
    r"""Return law, chapter, and provision with its title, a line each, without empty or repeated lines.

    >>> breadcrumb({"law_name": "ET", "breadcrumb": "TÍTULO I", "provision": "Artículo 38", "title": "Vacaciones"})
    'ET\nTÍTULO I\nArtículo 38. Vacaciones'
    """
    heading = ". ".join(filter(None, dict.fromkeys((chunk["provision"], chunk["title"]))))
    return "\n".join(filter(None, dict.fromkeys((chunk["law_name"], chunk["breadcrumb"], heading))))


def context_of(chunk: Chunk, kind: ChunkContext, sentences: Mapping[int, str]) -> str:
    """Return the context of a child: nothing, its breadcrumb, or breadcrumb and model sentence (by id of child)."""
    if kind == "none":
        return ""
    sentence = sentences.get(chunk["id"], "") if kind == "reader" else ""
    return "\n".join(filter(None, (breadcrumb(chunk), sentence)))


@dataclass(frozen=True)
class ContextPrompt:
    """Request to the reader model: the profile's instructions, and the tags that quote its texts."""

    instructions: str
    text_tag: str
    passage_tag: str

    @classmethod
    def of(cls, profile: Profile) -> Self:
        """Load the prompt of a profile; raise ``ConfigurationError`` if it is unreadable or empty."""
        tongue = language(profile.language)
        return cls(
            load_prompt("situate", profile), tongue.translate("prompt_text_tag"), tongue.translate("prompt_passage_tag")
        )

    def quoted_parent(self, parent: Chunk) -> str:
        return _quoted(f"{breadcrumb(parent)}\n\n{parent['text'].strip()}", self.text_tag)

    def quoted_child(self, child: Chunk) -> str:
        return _quoted(child["text"], self.passage_tag)

    def message(self, parent: Chunk, child: Chunk) -> str:
        return f"{self.quoted_parent(parent)}\n\n{self.quoted_child(child)}"

    def key(self, parent: Chunk, child: Chunk, reader_name: str) -> str:
        """Return the cache key of a request: 128 bits of BLAKE2b over the reader's name and all text sent."""
        content = "\x1f".join((reader_name, self.instructions, self.message(parent, child)))
        return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def keyed(self, children: Sequence[ParentChild], reader_name: str) -> list[tuple[str, ParentChild]]:
        return [(self.key(parent, child, reader_name), (parent, child)) for parent, child in children]


def sentence_of(reply: str) -> str:
    """Return the first sentence of a reply, without marks and announcements ("Aquí tiene la frase:"); else ""."""
    for line in map(_unmarked, reply.splitlines()):
        for sentence in map(_shortened, [] if line.endswith(":") else sentences(line)):
            if any(map(str.isalpha, sentence)):
                return sentence
    return ""


def _unmarked(line: str) -> str:
    line = "".join(character for character in line if character.isprintable() or character.isspace()).replace("**", "")
    line = _LEAD.sub("", " ".join(line.split()))
    bare = line.removesuffix(".")
    return bare.strip(_QUOTES) if bare and bare[0] in _QUOTES and bare[-1] in _QUOTES else line


def _shortened(sentence: str) -> str:
    if len(sentence) <= MAX_SENTENCE:
        return sentence
    cut = sentence[: MAX_SENTENCE - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"


def _quoted(text: str, tag: str) -> str:
    return f"<{tag}>\n{text.strip().replace('<', '‹')}\n</{tag}>"


BUSY_TIMEOUT = 30.0  # seconds to wait for a writing process

_REASONS = {
    sqlite3.SQLITE_BUSY: "system.busy",
    sqlite3.SQLITE_LOCKED: "system.busy",
    sqlite3.SQLITE_FULL: "system.disk_full",
    sqlite3.SQLITE_READONLY: "system.not_permitted",
    sqlite3.SQLITE_PERM: "system.not_permitted",
    sqlite3.SQLITE_CANTOPEN: "system.not_opened",
    sqlite3.SQLITE_IOERR: "system.disk_fails",
}


class PaidCache:
    """Values by key, durable once ``put_many`` returns, even if the process is killed.

    Write-ahead log with ``synchronous=NORMAL``: a power cut may lose the last values, but cannot damage the file.
    Raises ``ConfigurationError`` if the file is damaged or cannot be accessed.
    """

    contents: ClassVar[str]  # translation key of the name of the contents in messages

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unusable(reason(error)) from error
        with self._explained():
            self._connection = sqlite3.connect(
                path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False
            )
        try:
            with self._explained():
                self._connection.execute("PRAGMA journal_mode=WAL")
                self._connection.execute("PRAGMA synchronous=NORMAL")
                self._connection.execute(
                    "CREATE TABLE IF NOT EXISTS paid (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
                )
        except ConfigurationError:
            self._connection.close()
            raise

    def _get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        query = "SELECT key, value FROM paid WHERE key IN (SELECT value FROM json_each(?))"
        with self._lock, self._explained():
            return dict(self._connection.execute(query, (json.dumps(list(keys)),)))

    def _put_many(self, values: Mapping[str, bytes]) -> None:
        with self._lock, self._explained():
            self._connection.execute("BEGIN")
            try:
                self._connection.executemany("INSERT OR REPLACE INTO paid VALUES (?, ?)", values.items())
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.ProgrammingError):  # a mistake of ours, not the file's
                raise
            # The low byte is the primary code; the other bytes only refine it.
            if why := _REASONS.get(error.sqlite_errorcode & 0xFF):
                raise self._unusable(translate(why)) from error
            raise ConfigurationError(
                translate("ingest.cache_damaged", contents=translate(self.contents), path=self._path, error=error)
            ) from error

    def _unusable(self, why: str) -> ConfigurationError:
        return ConfigurationError(
            translate("ingest.cache_unusable", contents=translate(self.contents), path=self._path, why=why)
        )


class ContextCache(PaidCache):
    """Context sentences of the reader model, by the key of the request."""

    contents = "ingest.kind_sentences"

    def get_many(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the non-empty sentences stored for these keys."""
        return {key: sentence.decode() for key, sentence in self._get_many(keys).items() if sentence}

    def put(self, key: str, sentence: str) -> None:
        self._put_many({key: sentence.encode()})


SENTENCE_TOKENS = 60  # maximum tokens of a reply: 40 words at one and a half tokens a word
MILLION = 1_000_000
MESSAGE_TOKENS = 4  # tokens that a provider adds to each message of a request: role and separators


@dataclass(frozen=True)
class ContextCost:
    """Number of requests to send, their tokens, and the number of sentences already cached."""

    requests: int
    input_tokens: int
    output_tokens: int
    cached: int

    def __add__(self, other: "ContextCost") -> "ContextCost":
        return ContextCost(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached + other.cached,
        )


NO_COST = ContextCost(0, 0, 0, 0)


def estimate(
    children: Sequence[ParentChild], cache: ContextCache, reader_name: str, counter: TokenCounter, prompt: ContextPrompt
) -> ContextCost:
    """Estimate the cost of ``nodes.ingest.contextualize``; ``reader_name`` is that of its ``ModelSettings``."""
    requests = dict(prompt.keyed(children, reader_name))
    cached = cache.get_many(list(requests))
    count = memoize(counter.count)  # the children of a parent share most of their request
    fixed = count(prompt.instructions) + 2 * MESSAGE_TOKENS
    missing = [pair for key, pair in requests.items() if key not in cached]
    tokens = sum(
        fixed + count(prompt.quoted_parent(parent)) + count(prompt.quoted_child(child)) for parent, child in missing
    )
    return ContextCost(len(missing), tokens, len(missing) * SENTENCE_TOKENS, len(cached))


def explain(cost: ContextCost, reader: ModelSettings) -> str:
    """Describe the requests and, if the reader's prices are configured, their price."""
    if not cost.requests:
        return translate("ingest.cost_none", cached=written(cost.cached))

    from articulado.models.openai import refuses_sampling

    key = "ingest.cost_one" if cost.requests == 1 else "ingest.cost_many"
    asked = translate(key, requests=written(cost.requests), model=reader.model)
    cached = translate("ingest.cost_cached", cached=written(cost.cached)) if cost.cached else ""
    millions = cost.output_tokens >= MILLION
    output = (
        translate("ingest.cost_millions_more", count=_millions(cost.output_tokens))
        if millions
        else written(cost.output_tokens)
    )
    return translate(
        "ingest.cost",
        asked=asked + cached,
        input=_tokens(cost.input_tokens),
        output=output,
        price=_price(cost, reader),
        warning=translate("ingest.cost_reasons") if refuses_sampling(reader.model) else "",
    )


def _tokens(count: int) -> str:
    if count < MILLION:
        return translate("ingest.cost_tokens", count=written(count))
    return translate("ingest.cost_millions", count=_millions(count))


def _millions(count: int) -> str:
    return written(count / MILLION, 1)


def _price(cost: ContextCost, reader: ModelSettings) -> str:
    if reader.input_price is None or reader.output_price is None:
        return ""
    price = (cost.input_tokens * reader.input_price + cost.output_tokens * reader.output_price) / MILLION
    told = price >= 0.005 or not price
    amount = translate("ingest.cost_about", price=written(price, 2)) if told else translate("ingest.cost_less")
    return translate("ingest.cost_price", amount=amount)
