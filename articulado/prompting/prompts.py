"""Prompt texts by language (Markdown files in ``texts/``), and the parser of the reader's reply."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from articulado.config.profile import Profile
from articulado.language.folding import words_of
from articulado.language.languages import Language, phrases_of_forms
from articulado.language.translation import translate
from articulado.values.answers import TurnQuestion
from articulado.values.errors import ConfigurationError

Prompts = Mapping[str, str]

NAMES = ("decompose", "decompose_followup", "answer", "answer_classic", "repair_marks", "check_claims")

_FOLDER = Path(str(resources.files("articulado.prompting").joinpath("texts")))


def load_prompts(profile: Profile) -> Prompts:
    """Return all prompts of the answering graph."""
    return {name: load_prompt(name, profile) for name in NAMES}


def load_prompt(name: str, profile: Profile) -> str:
    """Return ``prompts/<name>.md`` of the profile's folder, else the packaged prompt, with its ``{title}`` filled in.

    Raise ``ConfigurationError`` if the profile's own prompt cannot be read, or is empty.
    """
    own_file = profile.own_folder / "prompts" / f"{name}.md"
    file = own_file if own_file.is_file() else _FOLDER / profile.language / f"{name}.md"
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(translate("profile.prompt_unreadable", file=file)) from error
    if not text:
        raise ConfigurationError(translate("profile.prompt_empty", file=file))
    # Not str.format: a profile's own prompt may have braces.
    return text.replace("{title}", profile.title)


def asked_text(question: TurnQuestion, language: Language) -> str:
    """Return a question as shown to a chat model, with the subject of its turn on a second line."""
    if not question["subject"]:
        return question["text"]
    return f"{question['text']}\n{language.translate('prompt_subject')}: {question['subject']}"


MAX_QUERY_CHARACTERS = 300
MAX_BARE_WORDS = 12  # Words of a reply without a JSON array that may still be a search; a longer one is chatter

_FENCE = re.compile(r"^\s*```[a-zA-Z]*\s*|\s*```\s*$")
_ARRAY = re.compile(r"\[.*\]", re.DOTALL)
_WORD = re.compile(r"\w")
_BRACKET = re.compile(r"[\[\]{}]")
_NEW_TOPIC = re.compile(r"TEMA\\?_NUEVO\W*", re.IGNORECASE)
_OTHER_MATTER = re.compile(r"OTRA\\?_MATERIA[^\w\n\"]*(?P<matter>[^\n\"\]`*]*)", re.IGNORECASE)


@dataclass(frozen=True)
class ReaderReply:
    """A parsed reply of the reader.

    ``other_matter``: other field of law that the question belongs to, empty if unnamed, ``None`` if not reported.
    ``new_topic``: the follow-up changes the subject. ``broken``: neither an array of texts nor a sentence.
    """

    queries: list[str]
    other_matter: str | None = None
    new_topic: bool = False
    broken: bool = field(default=False, repr=False, compare=False)


def read_reader_reply(text: str, limit: int, *, follow_up: bool = False) -> ReaderReply:
    r"""Parse a reply into at most ``limit`` searches; never raises.

    Code fences and text around the JSON array are dropped. Without an array, a short text is the one search, unless a
    ``follow_up`` begins with a denial ("No hace falta …"). ``OTRA_MATERIA`` and ``TEMA_NUEVO`` count anywhere.

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
    bare = _FENCE.sub("", text).strip()
    denied = follow_up and (_BRACKET.search(bare) or tuple(words_of(bare)[:1]) in phrases_of_forms("denial"))
    return [] if denied or len(bare.split()) > MAX_BARE_WORDS else [bare]


def _query(item: str) -> str:
    search = " ".join(_NEW_TOPIC.sub("", _OTHER_MATTER.sub("", item)).split())
    return search[:MAX_QUERY_CHARACTERS] if _WORD.search(search) else ""
