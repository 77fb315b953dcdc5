"""Parse the self-evaluation of the principal: fragments used, fragments dropped, and needs."""

import re
from dataclasses import dataclass

from articulado.legal.labels import INITIALS, WRITTEN_SUFFIXES
from articulado.prompting.citation_markers import markers_in, numbers_in
from articulado.prompting.stream_splitter import StreamSplitter
from articulado.values.answers import Need

MAX_NEEDS = 2
"""Needs of a reply that are met; further ones are left out."""

_NOTHING = re.compile(r"^\W*(?:ning[uú]n[oa]?s?|nada|none|no|n/a)?\W*$", re.IGNORECASE)
_NEXT_KEYWORD = re.compile(r"[\s*_`]+(USED|DROP|NEED)\s*[|:｜]", re.IGNORECASE)
_ALL = re.compile(r"^\W*(?:tod[oa]s|all)\W*$", re.IGNORECASE)
_PROVISION = re.compile(
    rf"\b(?:art|disp|d\.?\s?[{INITIALS}]\b)|^\W*\d+(?:\.\d+)*\s*(?:{WRITTEN_SUFFIXES})?\W*$", re.IGNORECASE
)
_LABEL = re.compile(r"^\W*(?:art[ií]culo|article|ley|law|keywords|palabras clave)\W*$", re.IGNORECASE)


@dataclass(frozen=True)
class SelfEvaluation:
    """Numbers of the fragments used and dropped, and needs. Numbers are 1-based, valid, unique; none is in both."""

    used: list[int]
    dropped: list[int]
    needs: list[Need]


@dataclass(frozen=True)
class Reply(SelfEvaluation):
    """A principal's reply, taken apart."""

    answer: str


def parse_reply(text: str, fragments: int) -> Reply:
    r"""Return a whole reply, taken apart; ``fragments`` is the number of those in the context. Never raises.

    >>> reply = parse_reply("Son 30 días [C1].\n===META===\nUSED|1\nDROP|2, 3\nNEED|artículo 49|ET", fragments=3)
    >>> reply.answer, reply.used, reply.dropped
    ('Son 30 días [C1].', [1], [2, 3])
    >>> reply.needs
    [{'kind': 'article', 'article': 'artículo 49', 'law': 'ET', 'keywords': ''}]
    """
    splitter = StreamSplitter()
    splitter.feed(text)
    splitter.close()
    evaluation = read_self_evaluation(splitter, fragments)
    return Reply(evaluation.used, evaluation.dropped, evaluation.needs, splitter.answer)


def read_self_evaluation(splitter: StreamSplitter, fragments: int, *, marked: bool = True) -> SelfEvaluation:
    """Return the self-evaluation of the reply that a closed splitter has.

    DROP wins over USED. Without any USED line that can be read, the fragments cited in the answer were used; of an
    answer that was not to be ``marked``, all.
    """
    values: dict[str, list[str]] = {"USED": [], "DROP": [], "NEED": []}
    for keyword, line in splitter.self_evaluation:
        first, *rest = _NEXT_KEYWORD.split(line)
        values[keyword].append(first)
        for name, value in zip(rest[::2], rest[1::2], strict=True):
            values[name.upper()].append(value)
    valid = range(1, fragments + 1)
    dropped = _numbers(values["DROP"], valid)
    readable = [value for value in values["USED"] if _NOTHING.match(value) or _numbers([value], valid)]
    cited = markers_in(splitter.answer, valid) if marked else list(valid)
    claimed = _numbers(readable, valid) if readable else cited
    used = [n for n in claimed if n in valid and n not in dropped]
    needs = [need for need in map(_need, values["NEED"]) if need][:MAX_NEEDS]
    return SelfEvaluation(used, dropped, needs)


def _numbers(values: list[str], valid: range) -> list[int]:
    """Return the fragment numbers in some values, each once; "todos" are all."""
    numbers = (n for value in values for n in (valid if _ALL.match(value) else numbers_in(value, valid)))
    return [n for n in dict.fromkeys(numbers) if n in valid]


def _need(value: str) -> Need | None:
    """Return the provision or the keywords that a value names; ``None`` where it names nothing."""
    parts = [part.strip(" \t*_`[]\"'«»") for part in value.replace("｜", "|").split("|")]
    parts = [part[:200] for part in parts if not _NOTHING.match(part) and not _LABEL.match(part)]
    if not parts:
        return None
    if len(parts) > 1 and _PROVISION.search(parts[0]):
        return {"kind": "article", "article": parts[0], "law": parts[1], "keywords": ""}
    return {"kind": "keywords", "article": "", "law": "", "keywords": " ".join(parts)}
