"""Tell claims that make a general rule of what their source says under a condition."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from articulado.language.folding import fold
from articulado.language.sentence_spans import sentences
from articulado.language.spanish import stem_word, stop_words
from services.verification.claims.polarity import clause_at
from services.verification.sources import Source

MIN_SHARED = 3
"""Content words that a claim and the sentence of its source share at least."""
MIN_SHARE = 0.4
"""Share of the content words of the claim that stand in the sentence at least."""

_GENERAL = re.compile(
    r"\b(?:en (?:todos los|cualquier) (?:casos?|momentos?|supuestos?)(?: posterior)?|en todo momento"
    r"|siempre(?! (?:que|dentro|con|por|como|y cuando)\b)|con independencia de|independientemente de|cualquiera que sea"
    r"|sea cual sea|al margen de|tantas veces como|cuantas veces|sin (?:limites?|limitacion|necesidad de|importar)"
    r"|sin (?:condicion(?:es)?|excepcion(?:es)?|mas requisitos?|tener que)|aunque (?:no|su|tu|el|la|los|las)\b"
    r"|incluso (?:si|cuando)|tanto si|este[sn]? o no|tenga[sn]? o no|haya[sn]? o no|sea[sn]? o no|lo pidas? o no"
    r"|no hace falta que)"
)
"""Folded phrases that make a claim general."""
_ALSO_GENERAL = re.compile(
    r"\b(?:en todo caso|en cualquier|siempre(?! que)|con independencia|independientemente|cualquiera que|aun cuando"
    r"|aunque|sin necesidad|no sera (?:necesari|precis|exigibl)|incluso|tod[oa]s l[oa]s|en ningun caso|ni siquiera"
    r"|o no\b|sin que sea necesari|sin perjuicio|tanto .{1,60} como)"
)
"""What a source says that is as general."""
_RESTRICTED = re.compile(
    r"\b(?:siempre que|siempre y cuando|cuando|si|salvo|excepto|unicamente|solo|solamente|exclusivamente|a menos que"
    r"|dentro de|en el plazo|hayan? transcurrido|transcurridos?|una vez|por una sola vez|en el supuesto"
    r"|en los supuestos|en caso de)\b"
)
"""What restricts a rule."""
_KEEPS = re.compile(r"\b(?:siempre que|salvo|excepto|a menos que|solo|unicamente|solamente|siempre y cuando)\b")
"""What keeps a restriction in the claim itself."""
_TOKEN = re.compile(r"[a-zñ]{3,}|\d[\d.,]*")


@dataclass(frozen=True)
class Generalised:
    """A clause ``sentence[start:end]`` that is more general than the ``wording`` of its source."""

    start: int
    end: int
    wording: str
    source: Source


def generalised(sentence: str, sources: Sequence[Source]) -> Generalised | None:
    """Return the clause of a sentence that is general where the sentence of the source on it is not."""
    folded = fold(sentence)
    phrase = _GENERAL.search(folded)
    if phrase is None or _KEEPS.search(folded):
        return None
    claim = _stems(folded[: phrase.start()] + " " + folded[phrase.end() :])
    best: tuple[float, str, Source] | None = None
    for source in sources:
        for wording, stems in _sentences(source.text):
            shared = claim & stems
            share = len(shared) / max(len(claim), 1)
            if len(shared) >= MIN_SHARED and share >= MIN_SHARE and (best is None or share > best[0]):
                best = share, wording, source
    if best is None or _ALSO_GENERAL.search(fold(best[1])) or not _RESTRICTED.search(fold(best[1])):
        return None
    start, end = clause_at(sentence, phrase.start(), phrase.end())
    return Generalised(start, end, best[1], best[2])


def _stems(folded: str) -> frozenset[str]:
    stop = stop_words()
    return frozenset(stem_word(word) for word in _TOKEN.findall(folded) if word not in stop)


@lru_cache(maxsize=512)
def _sentences(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((text[start:end], _stems(fold(text[start:end]))) for start, end in sentences(text))
