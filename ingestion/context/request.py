"""The context of a child, the request for the sentence that situates it in its parent, and the sentence of a reply."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Self

from articulado.config.profile import Profile
from articulado.config.settings import ChunkContext
from articulado.language.languages import language
from articulado.language.spanish import sentences
from articulado.prompting.prompts import load_prompt
from articulado.values.chunks import Chunk

ParentChild = tuple[Chunk, Chunk]
"""A parent and one of its children."""

MAX_SENTENCE = 300
"""Characters of a sentence at most: 40 words and room to spare."""

_QUOTES = "«»“”\"'`*_"
_LEAD = re.compile(r"^(?:[-•*]\s+|\d{1,2}[.)]\s+|(?:frase|contexto|sentence|context)\s*:\s*)+", re.IGNORECASE)


def breadcrumb(chunk: Chunk) -> str:
    """Return law, chapter, and provision with its title, a line each; what would be empty, or there twice, is not.

    >>> print(breadcrumb({"law_name": "Estatuto de los Trabajadores", "breadcrumb": "TÍTULO I > CAPÍTULO II",
    ...     "provision": "Artículo 38", "title": "Vacaciones anuales"}))
    Estatuto de los Trabajadores
    TÍTULO I > CAPÍTULO II
    Artículo 38. Vacaciones anuales
    """
    heading = ". ".join(filter(None, dict.fromkeys((chunk["provision"], chunk["title"]))))
    return "\n".join(filter(None, dict.fromkeys((chunk["law_name"], chunk["breadcrumb"], heading))))


def context_of(chunk: Chunk, kind: ChunkContext, sentences: Mapping[int, str]) -> str:
    """Return the context of a child: nothing, its breadcrumb, or that and the reader's sentence, if it has one.

    ``sentences`` are those of ``ingestion.context.situate``, by the id of the child.
    """
    if kind == "none":
        return ""
    sentence = sentences.get(chunk["id"], "") if kind == "reader" else ""
    return "\n".join(filter(None, (breadcrumb(chunk), sentence)))


@dataclass(frozen=True)
class ContextPrompt:
    """What the reader model is asked: the profile's own instructions, and the tags that quote its texts."""

    instructions: str
    text_tag: str
    passage_tag: str

    @classmethod
    def of(cls, profile: Profile) -> Self:
        """Return what a profile asks, in its language.

        Raises:
            ConfigurationError: its own prompt cannot be read, or is empty.
        """
        tongue = language(profile.language)
        return cls(
            load_prompt("situate", profile), tongue.translate("prompt_text_tag"), tongue.translate("prompt_passage_tag")
        )

    def quoted_parent(self, parent: Chunk) -> str:
        """Return the first part of the message, which the children of a parent share."""
        return _quoted(f"{breadcrumb(parent)}\n\n{parent['text'].strip()}", self.text_tag)

    def quoted_child(self, child: Chunk) -> str:
        """Return the second part of the message."""
        return _quoted(child["text"], self.passage_tag)

    def message(self, parent: Chunk, child: Chunk) -> str:
        """Return the message: parent and child, quoted as data."""
        return f"{self.quoted_parent(parent)}\n\n{self.quoted_child(child)}"

    def key(self, parent: Chunk, child: Chunk, reader_name: str) -> str:
        """Return the key of the sentence: 128 bits of BLAKE2b over all that is sent, and to whom.

        So a changed prompt, model, heading or text is asked for anew, and the same passage is asked for once.
        """
        content = "\x1f".join((reader_name, self.instructions, self.message(parent, child)))
        return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def keyed(self, children: Sequence[ParentChild], reader_name: str) -> list[tuple[str, ParentChild]]:
        """Return the pairs, each after the key of its request; some may share theirs."""
        return [(self.key(parent, child, reader_name), (parent, child)) for parent, child in children]


def sentence_of(reply: str) -> str:
    r"""Return the first sentence of a reply, one line of at most ``MAX_SENTENCE`` characters; empty if it has none.

    A line that only announces the sentence ("Aquí tiene la frase:"), list marks and quotation marks are no part of it.

    >>> sentence_of('Aquí tiene la frase:\n\n- «Regula las vacaciones.»')
    'Regula las vacaciones.'
    """
    for line in map(_unmarked, reply.splitlines()):
        for sentence in map(_shortened, [] if line.endswith(":") else sentences(line)):
            if any(map(str.isalpha, sentence)):
                return sentence
    return ""


def _unmarked(line: str) -> str:
    """Return a line without what does not print, list marks, emphasis, and quotation marks around all of it."""
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
    """Return a text between tags, one that cannot close its own quotation."""
    return f"<{tag}>\n{text.strip().replace('<', '‹')}\n</{tag}>"
