"""What a principal says of its own answer: the fragments it used and dropped, and what it still needs."""

import re
from dataclasses import dataclass

from legal.labels import INITIALS, WRITTEN_SUFFIXES
from services.prompting.citation_markers import markers_in, numbers_in
from services.prompting.stream_splitter import DELIMITER, StreamSplitter
from state.values import Need

__all__ = ["DELIMITER", "MAX_NEEDS", "Reply", "StreamSplitter", "parse_reply", "read_metadata"]

MAX_NEEDS = 2

_NOTHING = re.compile(r"^\W*(?:ning[uú]n[oa]?s?|nada|none|no|n/a)?\W*$", re.IGNORECASE)
_NEXT_KEYWORD = re.compile(r"[\s*_`]+(USED|DROP|NEED)\s*[|:｜]", re.IGNORECASE)
_ALL = re.compile(r"^\W*(?:tod[oa]s|all)\W*$", re.IGNORECASE)
_PROVISION = re.compile(
    rf"\b(?:art|disp|d\.?\s?[{INITIALS}]\b)|^\W*\d+(?:\.\d+)*\s*(?:{WRITTEN_SUFFIXES})?\W*$", re.IGNORECASE
)
_LABEL = re.compile(r"^\W*(?:art[ií]culo|article|ley|law|keywords|palabras clave)\W*$", re.IGNORECASE)


@dataclass(frozen=True)
class Reply:
    """A principal's reply, taken apart. Numbers are 1-based, known, unique; none is both used and dropped."""

    answer: str
    used: list[int]
    dropped: list[int]
    needs: list[Need]


def parse_reply(text: str, fragments: int) -> Reply:
    """Take a whole reply apart; ``fragments`` is how many the context had. Never raises."""
    splitter = StreamSplitter()
    splitter.feed(text)
    splitter.close()
    return read_metadata(splitter, fragments)


def read_metadata(splitter: StreamSplitter, fragments: int) -> Reply:
    """Read the metadata of a closed splitter.

    DROP wins over USED; without any USED line that can be read, the fragments marked in the answer were used.
    """
    values: dict[str, list[str]] = {"USED": [], "DROP": [], "NEED": []}
    for keyword, line in splitter.metadata:
        first, *rest = _NEXT_KEYWORD.split(line)
        values[keyword].append(first)
        for name, value in zip(rest[::2], rest[1::2], strict=True):
            values[name.upper()].append(value)
    known = range(1, fragments + 1)
    dropped = _numbers(values["DROP"], known)
    readable = [value for value in values["USED"] if _NOTHING.match(value) or _numbers([value], known)]
    named = _numbers(readable, known) if readable else markers_in(splitter.answer, known)
    used = [n for n in named if n in known and n not in dropped]
    needs = [need for need in map(_need, values["NEED"]) if need][:MAX_NEEDS]
    return Reply(splitter.answer, used, dropped, needs)


def _numbers(values: list[str], known: range) -> list[int]:
    found = (n for value in values for n in (known if _ALL.match(value) else numbers_in(value, known)))
    return [n for n in dict.fromkeys(found) if n in known]


def _need(value: str) -> Need | None:
    parts = [part.strip(" \t*_`[]\"'«»") for part in value.replace("｜", "|").split("|")]
    parts = [part[:200] for part in parts if not _NOTHING.match(part) and not _LABEL.match(part)]
    if not parts:
        return None
    if len(parts) > 1 and _PROVISION.search(parts[0]):
        return {"kind": "article", "article": parts[0], "law": parts[1], "keywords": ""}
    return {"kind": "keywords", "article": "", "law": "", "keywords": " ".join(parts)}
