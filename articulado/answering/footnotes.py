"""Sources of an answer as a Markdown block for chat programs that show text only, and names of sources."""

import re
from collections.abc import Iterable, Iterator

from articulado.language.folding import fold
from articulado.language.languages import LANGUAGES, Language
from articulado.language.languages import language as language_of
from articulado.legal.agreements.names import validity_of
from articulado.legal.laws.registry import name_in
from articulado.values.answers import Citation

RULE = "---"  # First line of the block; an answer may have such a line too
_MARKS = " .,:;–—-"
_SPECIAL = re.compile(r"([\\`*_<>\[\]#|~&$])")
_ROUND = str.maketrans("[]", "()")
_WEB = re.compile(r"https?://[^\s<>()]+")


def footnotes(citations: Iterable[Citation], warnings: Iterable[str], language: Language, *, law: bool) -> str:
    """Return a Markdown block of a rule, the sources and warnings and, with ``law``, the notice on legal advice.

    Put an empty line between an answer and the block.
    """
    sources = [f"- {_line(marks, citation, language)}" for marks, citation in by_source(citations)]
    notes = [_warned(warning, language) for warning in warnings]
    blocks = [RULE, *([_heading(language), "\n".join(sources)] if sources else []), *notes]
    return "\n\n".join([*blocks, f"*{_text(_notice(language, law=law))}*"])


def cut_note(language: Language) -> str:
    """Return the Markdown line on a cut answer; put an empty line before it."""
    return _warned(language.translate("rag_answer_cut"), language)


def without_footnotes(text: str) -> str:
    """Return an answer without the additions of ``footnotes`` and ``cut_note``, in any language."""
    kept = _without_block(text)
    before, _, last = kept.rstrip().rpartition("\n")
    return before.rstrip() if last.strip() in {cut_note(language_of(code)) for code in LANGUAGES} else kept


def _without_block(text: str) -> str:
    lines = text.rstrip().splitlines()
    if not lines or lines[-1].strip() not in _endings():
        return text
    rules = [number for number, line in enumerate(lines) if line.strip() == RULE]
    for number in reversed(rules):
        if all(_is_of_block(line.strip()) for line in lines[number + 1 : -1]):
            return "\n".join(lines[:number]).rstrip()
    return text


def by_source(citations: Iterable[Citation]) -> Iterator[tuple[str, Citation]]:
    """Yield every source once with its markers ("[C1][C2]"); the parts of a provision are one source."""
    sources: dict[tuple[object, ...], list[Citation]] = {}
    for citation in citations:
        source = (
            citation["law_id"],
            citation["provision"],
            citation["url"],
            citation["note"],
            citation["official"],
            citation.get("wording"),
        )
        sources.setdefault(source, []).append(citation)
    for parts in sources.values():
        yield "".join(f"[{part['mark']}]" for part in parts if part["mark"]), parts[0]


def name_of(citation: Citation, language: Language) -> str:
    """Return law, provision and title of a citation, with validity of the agreement and page."""
    law = name_in(language.code, citation["law_id"], citation["law"])
    return named(law, citation["provision"], citation["title"]) + place_in(citation, language)


def remarks_on(citation: Citation, language: Language) -> list[str]:
    """Return the remarks on a source: wording, note, and kind if it is no official text."""
    note = language.translate("view_note", note=citation["note"]) if citation["note"] else ""
    return [remark for remark in (citation.get("wording", ""), note, kind_of_source(citation, language)) if remark]


def web_address(url: str) -> str:
    """Return the address if it is one of http or https, else an empty text."""
    return url if _WEB.fullmatch(url) else ""


def escaped(text: str) -> str:
    r"""Return text that Markdown shows literally, without loading anything.

    >>> print(escaped("![x](http://x) *a* & b"))
    !\[x\](http://x) \*a\* \& b
    """
    return _SPECIAL.sub(r"\\\1", text)


def kind_of_source(citation: Citation, language: Language) -> str:
    """Return the label of a summary or a user's document; empty for law and worked results."""
    if document := citation.get("document"):
        return language.translate("view_own_document", document=document)
    return "" if citation["official"] or not citation["law_id"] else language.translate("view_not_official")


def place_in(citation: Citation, language: Language) -> str:
    """Return the validity of the agreement and the page, or an empty text."""
    agreement = citation.get("agreement")
    validity = validity_of(agreement) if agreement else ""
    place = language.translate("place_validity", validity=validity) if validity else ""
    return place + (language.translate("place_page", page=citation["page"]) if citation.get("page") else "")


def titled(provision: str, title: str) -> str:
    """Return the label of a provision with its title, without repeating the label.

    >>> titled("Artículo 38", "Vacaciones anuales"), titled("Artículo 38", "Artículo 38. Vacaciones anuales")
    ('Artículo 38. Vacaciones anuales', 'Artículo 38. Vacaciones anuales')
    >>> titled("Ejemplo", "Ejemplo"), titled("Artículo 3", "Artículo 38"), titled("Pasos", "Pasos previos")
    ('Ejemplo', 'Artículo 3. Artículo 38', 'Pasos. Pasos previos')
    """
    rest = title.strip()
    while rest and _begins(rest, provision):
        rest = rest[len(provision) :].lstrip(_MARKS)
    if not rest or fold(provision).endswith(fold(rest)):
        return provision or rest
    return f"{provision}. {rest}" if provision else rest


def named(law: str, provision: str, title: str = "") -> str:
    """Return a law with a provision, without repeating the name of the law.

    >>> named("Estatuto de los Trabajadores", "Artículo 38", "Vacaciones anuales")
    'Estatuto de los Trabajadores, Artículo 38. Vacaciones anuales'
    >>> named("Convenio del metal", "Convenio del metal")
    'Convenio del metal'
    """
    of_law = titled(provision, title)
    if _begins(of_law, law):
        return of_law
    return ", ".join(filter(None, (law, of_law)))


def _begins(text: str, name: str) -> bool:
    """Tell if a text begins with a name and a punctuation mark: "Pasos previos" does not with "Pasos"."""
    rest = text[len(name) :].strip()
    return bool(name) and fold(text).startswith(fold(name)) and (not rest or rest[0] in _MARKS)


def _line(marks: str, citation: Citation, language: Language) -> str:
    name, url = _text(name_of(citation, language)), web_address(citation["url"])
    remarks = " ".join(map(_text, remarks_on(citation, language)))
    return " ".join(filter(None, (marks, f"[{name}]({url})" if url else name, remarks)))


def _text(text: str) -> str:
    """Return escaped text of one line; chat programs would read an escaped bracket as a formula."""
    shown = "".join(sign for sign in text if sign.isprintable() or sign.isspace())
    return escaped(" ".join(shown.translate(_ROUND).split()))


def _warned(warning: str, language: Language) -> str:
    return f"> {_text(language.translate('view_warning', text=warning))}"


def _heading(language: Language) -> str:
    return f"**{language.translate('view_sources')}**"


def _notice(language: Language, *, law: bool) -> str:
    return language.translate("view_notice_law" if law else "view_notice")


def _endings() -> set[str]:
    languages = map(language_of, LANGUAGES)
    return {f"*{_text(_notice(language, law=law))}*" for language in languages for law in (True, False)}


def _is_of_block(line: str) -> bool:
    return not line or line.startswith(("- ", "> ")) or line in {_heading(language_of(code)) for code in LANGUAGES}
