"""Sources of an answer as a Markdown block for chat programs that show text alone, and their names for all fronts.

``footnotes`` writes the block, ``cut_note`` the line below an answer that was cut, and ``without_footnotes`` takes both
off again, so that a conversation that a program sends back never has them as part of an answer. Text of documents and
models is escaped: a program shows it as it is written.
"""

import re
from collections.abc import Iterable, Iterator

from articulado.language.folding import fold
from articulado.language.languages import LANGUAGES, Language
from articulado.language.languages import language as language_of
from articulado.legal.agreements.names import validity_of
from articulado.legal.laws.registry import name_in
from articulado.values.answers import Citation

RULE = "---"
"""Line that begins the block; an answer may have such a line, too, but no heading of the block after it."""
_MARKS = " .,:;–—-"
_SPECIAL = re.compile(r"([\\`*_<>\[\]#|~&$])")
_ROUND = str.maketrans("[]", "()")
_WEB = re.compile(r"https?://[^\s<>()]+")


def footnotes(citations: Iterable[Citation], warnings: Iterable[str], language: Language, *, law: bool) -> str:
    """Return the sources of an answer, its warnings and the line that it is no advice, as a block of Markdown.

    The parts of a provision are one line with several marks. ``law``: the line speaks of legal advice. The block begins
    with a rule and has no line before it; put an empty line between an answer and it.
    """
    sources = [f"- {_line(marks, citation, language)}" for marks, citation in by_source(citations)]
    said = [_warned(warning, language) for warning in warnings]
    blocks = [RULE, *([_heading(language), "\n".join(sources)] if sources else []), *said]
    return "\n\n".join([*blocks, f"*{_text(_notice(language, law=law))}*"])


def cut_note(language: Language) -> str:
    """Return the line of Markdown that says below an answer that it was cut; put an empty line between them."""
    return _warned(language.translate("rag_answer_cut"), language)


def without_footnotes(text: str) -> str:
    """Return an answer without what ``footnotes`` and ``cut_note`` have put behind it; other text as it is.

    A block is told by its first line, a rule, and its last, the line that the answer is no advice, in any language.
    """
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
    """Yield every source once with its marks ("[C1][C2]"): the parts of a provision are one source."""
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
    """Return the law and the provision of a citation with its title, the validity of its agreement and its page."""
    law = name_in(language.code, citation["law_id"], citation["law"])
    return named(law, citation["provision"], citation["title"]) + place_in(citation, language)


def remarks_on(citation: Citation, language: Language) -> list[str]:
    """Return what is said beside the name of a source: its wording, a note, and its kind if it is no official text."""
    note = language.translate("view_note", note=citation["note"]) if citation["note"] else ""
    return [said for said in (citation.get("wording", ""), note, kind_of_source(citation, language)) if said]


def web_address(url: str) -> str:
    """Return an address that may be linked to, of http or https; empty for any other."""
    return url if _WEB.fullmatch(url) else ""


def escaped(text: str) -> str:
    r"""Return text that Markdown shows as it is written: no page or picture is loaded by what somebody else wrote.

    >>> print(escaped("![x](http://x) *a* & b"))
    !\[x\](http://x) \*a\* \& b
    """
    return _SPECIAL.sub(r"\\\1", text)


def kind_of_source(citation: Citation, language: Language) -> str:
    """Return the line that tells a summary of ours or a user's document from law; empty for law and worked results."""
    if document := citation.get("document"):
        return language.translate("view_own_document", document=document)
    return "" if citation["official"] or not citation["law_id"] else language.translate("view_not_official")


def place_in(citation: Citation, language: Language) -> str:
    """Return what goes with the name of a provision: the validity of its agreement, and its page; else ""."""
    agreement = citation.get("agreement")
    validity = validity_of(agreement) if agreement else ""
    said = language.translate("place_validity", validity=validity) if validity else ""
    return said + (language.translate("place_page", page=citation["page"]) if citation.get("page") else "")


def titled(provision: str, title: str) -> str:
    """Return the label of a provision with its title, which may begin with the label, or be it.

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
    """Return a law with one of its provisions; what is named after its law goes by its own name.

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
    """Tell whether a text is a name, or begins with one that a mark ends: "Pasos previos" does not with "Pasos"."""
    rest = text[len(name) :].strip()
    return bool(name) and fold(text).startswith(fold(name)) and (not rest or rest[0] in _MARKS)


def _line(marks: str, citation: Citation, language: Language) -> str:
    name, url = _text(name_of(citation, language)), web_address(citation["url"])
    said = " ".join(map(_text, remarks_on(citation, language)))
    return " ".join(filter(None, (marks, f"[{name}]({url})" if url else name, said)))


def _text(text: str) -> str:
    """Return text of one line, escaped, without characters that control a terminal or a page.

    Brackets become round ones: chat programs read an escaped one as the beginning of a formula.
    """
    shown = "".join(sign for sign in text if sign.isprintable() or sign.isspace())
    return escaped(" ".join(shown.translate(_ROUND).split()))


def _warned(warning: str, language: Language) -> str:
    return f"> {_text(language.translate('view_warning', text=warning))}"


def _heading(language: Language) -> str:
    return f"**{language.translate('view_sources')}**"


def _notice(language: Language, *, law: bool) -> str:
    return language.translate("view_notice_law" if law else "view_notice")


def _endings() -> set[str]:
    known = map(language_of, LANGUAGES)
    return {f"*{_text(_notice(language, law=law))}*" for language in known for law in (True, False)}


def _is_of_block(line: str) -> bool:
    """Tell whether a line may stand between the rule and the notice: nothing, the heading, a source or a warning."""
    return not line or line.startswith(("- ", "> ")) or line in {_heading(language_of(code)) for code in LANGUAGES}
