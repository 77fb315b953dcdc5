"""What a question says beside its matter: words of the protocol, citations, courtesies, references to what was said."""

import re
from collections.abc import Sequence
from datetime import date

from legal.citations import parse_citations
from legal.dates import without_days
from legal.folding import fold
from legal.laws import law_mentions
from services.figures import without_measure
from services.text import content_words

_PROTOCOL = re.compile(
    r"=+\s*META\s*=+|\b(?:USED|DROP|NEED)\s*\|\s*(?:[C\d,\s]*\d\b|ninguno\b)?|\[\s*C\s*\d+\s*\]", re.IGNORECASE
)
_CITING = re.compile(
    r"\b(?:arts?|articulos?|apartados?|letras?|parrafos?|numeros?|num|puntos?|disposicion(?:es)?|adicional|transitoria"
    r"|derogatoria|final|anexos?|preceptos?|norma|texto|contenido|literal(?:mente)?|segun"
    r"|conforme|dicen?|dijo|deci[ar]|regula(?:n|ba|r)?|establec(?:e|en|ia)|dispon(?:e|en|ia)|preve|explica(?:me|r)?"
    r"|e\.\s?t\.?|[a-z]|\d+(?:\.\d+)*|[ivx]+|bis|ter|quater)\b\.?"
)
_OPENING = re.compile(
    r"\W*(?:y|e|o|pero|entonces|ademas|tambien|tampoco|o sea|en (?:ese|tal|este) caso|aunque|ni)\b(?! que\b)"
)
_POINTING = re.compile(
    r"\b(?:ell[ao]s?|es[ao]s?|ese|lo (?:mismo|anterior|dicho)|(?:me|te|se|nos) l[aeo]s?|\w{2,}[aei]rl[ao]s?)\b"
)
_SHORT = 2
_COURTESY = re.compile(
    r"(?:\W*\b(?:(?:much(?:isim)?as |mil )?gracias(?: por (?:todo|[st]u ayuda|la ayuda))?|vale|ok(?:ay|ey)?|de acuerdo"
    r"|perfecto|entendido|genial|estupendo|muy bien|adios|hasta (?:luego|pronto)|(?:un )?saludos?)\b)+\W*"
)


def without_protocol(question: str) -> str:
    """Leave out what only the protocol between the models says: ``===META===``, ``USED|1``, ``[C1]``."""
    return " ".join(_PROTOCOL.sub(" ", question).split())


def searched_matter(question: str) -> str:
    """Return what of a question is to be searched: no words of the protocol, no named provisions, no measures."""
    return without_measure(matter_of(without_protocol(question)))


def matter_of(question: str) -> str:
    """Return what a question says beside the provisions that it names, and the days as of which it asks for the law."""
    question = without_days(question, today=date.today()) or question
    citations = parse_citations(question)
    if not citations:
        return question
    spans = [(one.start, one.end) for one in citations]
    spans += [(one.start, one.end) for one in law_mentions(question)]
    for start, end in sorted(spans, reverse=True):
        question = f"{question[:start]} {question[end:]}"
    kept = [word for word in question.split() if _CITING.sub("", fold(word)).strip(" .,;:¿?¡!()\"'«»")]
    return " ".join(kept) if content_words(" ".join(kept)) else ""


def is_courtesy(question: str) -> bool:
    """Tell whether a message only thanks, agrees or takes leave."""
    return bool(_COURTESY.fullmatch(fold(question)))


def points_back(question: str) -> bool:
    """Tell whether a question begins like a follow-up, or has a pronoun for what was spoken of before."""
    folded = fold(question)
    return bool(_OPENING.match(folded) or _POINTING.search(folded))


def earlier_matter(question: str, asked: Sequence[str]) -> str:
    """Return the earlier question that a follow-up is about, empty where it stands by itself.

    ``asked`` are the questions before it, in order. A short question may be about what was asked before, too.
    """
    if not asked or (not points_back(question) and len(set(content_words(question))) > _SHORT):
        return ""
    return next((one for one in reversed(asked) if not points_back(one) and not is_courtesy(one)), asked[-1])
