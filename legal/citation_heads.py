"""Find where a citation begins: "artículo", "arts.", "disposición adicional", "D.T.", "disp. final".

Works on folded text (see ``language.folding``). A number must follow, which ``legal.citation_items`` reads.
"""

import re

from legal.labels import ADJECTIVES, CUT_ADJECTIVES, INITIALS, disposition

_NUMERO = r"(?:\s*(?:numero|num\.?|n\.?\s?º)(?=\s*\d))?"


def _head(bare: str, annex: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w.])(?:(?P<art>(?:articulos?(?=\s)|art\.?º\s?|arti?c?\.\s?|arts\.\s?|arts?\s|art(?=\d)){_NUMERO})"
        rf"|disposicion(?:es)?\s+(?P<disp>{ADJECTIVES})(?:e?s)?"
        rf"|disp(?:osic)?(?:\.\s?|\s)(?P<short>{CUT_ADJECTIVES})[a-z]*\.?"
        rf"|(?P<bare>{bare})|(?P<annex>{annex})"
        rf"|(?P<initials>d\.?\s?[{INITIALS}][.ªº]*)(?=\s?(?:\d{{1,2}}(?!\d)|[ivxl]+\b|[a-z]+a\b)))"
    )


HEAD = _head("(?!)", "(?!)")
QUESTION_HEAD = _head(rf"(?:(?<!\w )|(?<=\bla ))(?!final)(?:{ADJECTIVES})(?=\s)", r"anexos?\b")
"""People leave out the word "disposición" ("la adicional 23 del ET"), and ask for annexes, which laws do not cite; but
"final" alone says nothing."""


def kind_of(head: re.Match[str]) -> str:
    """Return the kind of what a head announces as provision keys write it, such as ``art`` or ``da``."""
    if head["art"]:
        return "art"
    if head["annex"]:
        return "anexo"
    named = head["disp"] or head["short"] or head["bare"]
    return disposition(named or head["initials"].replace("d", "", 1).strip(". ªº") or "d")
