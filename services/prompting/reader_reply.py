"""What a reader's reply says: the searches, and whether the question leaves the field or the subject."""

import json
import re
from dataclasses import dataclass, field

MAX_QUERY_CHARACTERS = 300
"""Characters of a search; what is longer is cut."""
MAX_BARE_WORDS = 12
"""Words of a reply without a JSON array that may still be a search; a longer one is talk."""

_FENCE = re.compile(r"^\s*```[a-zA-Z]*\s*|\s*```\s*$")
_ARRAY = re.compile(r"\[.*\]", re.DOTALL)
_WORD = re.compile(r"\w")
_BRACKET = re.compile(r"[\[\]{}]")
_NEW_TOPIC = re.compile(r"TEMA\\?_NUEVO\W*", re.IGNORECASE)
"""Says that a follow-up leaves the subject of its conversation."""
_OTHER_MATTER = re.compile(r"OTRA\\?_MATERIA[^\w\n\"]*(?P<matter>[^\n\"\]`*]*)", re.IGNORECASE)
"""Says that a question is of another field, and what that is."""


@dataclass(frozen=True)
class ReaderReply:
    """A reader's reply, taken apart.

    ``other_matter`` is the field that the question is of instead, empty where the reader does not name it, ``None``
    where it says nothing of the kind. ``new_topic`` tells that a follow-up leaves the subject of its conversation,
    ``broken`` that the reply is neither an array of texts nor a sentence.
    """

    queries: list[str]
    other_matter: str | None = None
    new_topic: bool = False
    broken: bool = field(default=False, repr=False, compare=False)


def read_reader_reply(text: str, limit: int, *, follow_up: bool = False) -> ReaderReply:
    r"""Return what a reply says, at most ``limit`` searches. Never raises.

    Code fences and talk around the JSON array are stripped, and whatever is no text is dropped. Without a valid array
    a short text is the one search, unless it is a ``follow_up``'s: that may have nothing to search for, and says so
    in a sentence. ``OTRA_MATERIA`` and ``TEMA_NUEVO`` count wherever they stand, and are never searched for.

    >>> read_reader_reply('```json\n["despido embarazo", "nulidad despido", "readmisión"]\n```', limit=2).queries
    ['despido embarazo', 'nulidad despido']
    >>> read_reader_reply("[] OTRA_MATERIA: derecho fiscal", limit=4)
    ReaderReply(queries=[], other_matter='derecho fiscal', new_topic=False)
    >>> read_reader_reply('["TEMA_NUEVO", "smi cuantía 2026"]', limit=3, follow_up=True)
    ReaderReply(queries=['smi cuantía 2026'], other_matter=None, new_topic=True)
    """
    other = _OTHER_MATTER.search(text)
    matter = " ".join(other["matter"].split()).strip(" .,;:'»)")[:MAX_QUERY_CHARACTERS] if other else None
    array = _array(text)
    items = _talk(text, follow_up=follow_up) if array is None else array
    queries = list(dict.fromkeys(filter(None, map(_query, items))))[:limit]
    broken = array is None and (_BRACKET.search(text) is not None or not text.strip())
    return ReaderReply(queries, matter, bool(_NEW_TOPIC.search(text)), broken)


def _array(text: str) -> list[str] | None:
    """Return the texts of the array, ``None`` where there is none that can be read."""
    bare = _FENCE.sub("", text).strip()
    for attempt in (bare, *_ARRAY.findall(bare)):
        try:
            parsed = json.loads(attempt)
        except (ValueError, RecursionError):
            continue
        if isinstance(parsed, list):
            return [item for item in parsed if isinstance(item, str)]
    return None


def _talk(text: str, *, follow_up: bool) -> list[str]:
    """Return a reply without an array as what it may be: a search, if it is short."""
    bare = _FENCE.sub("", text).strip()
    return [] if follow_up or len(bare.split()) > MAX_BARE_WORDS else [bare]


def _query(item: str) -> str:
    """Return an item as a search, without what it says of the question; empty where it says nothing else."""
    search = " ".join(_NEW_TOPIC.sub("", _OTHER_MATTER.sub("", item)).split())
    return search[:MAX_QUERY_CHARACTERS] if _WORD.search(search) else ""
