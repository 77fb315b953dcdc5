"""Render candidates as the fragments of a prompt, and parse the fragments back.

A fragment has this form, without its empty fields::

    [C1] Estatuto de los Trabajadores > Artículo 38. Vacaciones anuales
    Relevancia: 0.83
    Parte: 1 de 3
    Para qué: frase decisiva de la ley («…»)
    Vigencia pactada: 2023-2025
    Página: 14
    Capítulo: TÍTULO I > CAPÍTULO II > Sección 5.ª
    Resumen (en lenguaje claro, no oficial): …
    [NOTA: …]
    Texto:
    …
    Fuente: https://…

A fragment that continues the provision of the one before it says so (``Parte: 3 de 3, continuación``). It
does not repeat validity, page, chapter, summary, note and source. Only collective agreements have a
validity, only sources with pages have a page, and only what a card or a
calculation brings has a purpose. A prompt without markers
begins a fragment with its number (``Fragmento 1:``).

Parts that share a marker (``articulado.prompting.citation_markers``) are one fragment (``Parte: 1, 3 de 3``), with
``[…]`` for the parts left out between them.

A line ``---`` separates fragments. Below them stand the current day (``FECHA DE HOY: 23 de noviembre de
2026``), the day whose law is asked for if it is another one, and the question. Text in a field that looks
like a marker, a separator, a label at the beginning of a line or a self-evaluation is altered minimally, so
that no parser reads it as part of the frame.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from articulado.language.folding import as_rendered
from articulado.language.formats import long_day
from articulado.legal.agreements.names import validity_of
from articulado.prompting.citation_markers import by_mark, defuse_markers, text_of_parts, wording_of, write_marker
from articulado.prompting.notes import law_notes_once, note_on
from articulado.prompting.stream_splitter import defuse_self_evaluation, unify_breaks
from articulado.values.answers import Days
from articulado.values.chunks import Candidate, Chunk, Purpose, ordering_score, page_of, portable_url

SEPARATOR = "---"
"""The line between two fragments."""

OFFICIAL = "Texto:"
PLAIN_LANGUAGE = "Texto (resumen en lenguaje claro, no oficial):"
"""The labels of a fragment's text: the law's own, or a summary in our words."""

LAST_CONSULTATION, NOT_FOUND, UNSUPPORTED = "ÚLTIMA CONSULTA", "NO SE HA ENCONTRADO", "NO CONSTABA EN LO CITADO"
"""The lines before the question that tell a principal that nothing more will be fetched, what it asked for and there is
not, and what of its first answer its sources did not have.
"""

TODAY, AS_OF = "FECHA DE HOY", "DERECHO VIGENTE EN"
"""The labels of the day on which is asked, and of the day whose law is asked for where that is another."""

_FRAGMENTS, _LAST, _QUESTION = "FRAGMENTOS:\n\n", f"\n\n{LAST_CONSULTATION}", "\n\nPREGUNTA:\n"
_LAST_LINES = re.compile(rf"{_LAST}(?:\n{NOT_FOUND}: [^\n]*)?(?:\n{UNSUPPORTED}: [^\n]*)?$")
_DAYS = re.compile(rf"\n\n{TODAY}: [^\n]*(?:\n{AS_OF}: [^\n]*)?$")
_RELEVANCE = "Relevancia: "
_PART, _OF, _CONTINUED = "Parte: ", " de ", ", continuación"
_PURPOSE, _SAYS = "Para qué: ", " («"
_PURPOSES: Mapping[Purpose, str] = {
    "card": "ficha revisada, no es la ley: sígala si responde a lo preguntado, y cite la norma de cada frase",
    "caveat": "advertencia: dígala al principio",
    "decisive": "frase decisiva de la ley",
    "value": "valor de referencia con fecha",
    "calculation": "cálculo ya hecho: dé su resultado y sus pasos tal cual, sin volver a calcular",
    "missing_data": "datos que faltan para el cálculo: dé la regla y pídalos al final",
}
_VALIDITY, _PAGE = "Vigencia pactada: ", "Página: "
_CHAPTER, _SUMMARY, _NOTE, _SOURCE = "Capítulo: ", "Resumen (en lenguaje claro, no oficial): ", "[NOTA: ", "Fuente: "
_LEADING_NUMBER = re.compile(r"^(?:(\[C(\d+)\])|Fragmento (\d+):) ?")
_NAMES = (
    f"{TODAY}|{AS_OF}|{NOT_FOUND}|{UNSUPPORTED}|FRAGMENTOS|PREGUNTA|Relevancia|Parte|Para qué|Vigencia pactada|Página"
    "|Capítulo|Resumen|Fuente|Texto|FRAGMENTS|QUESTION"
)
_LABEL = re.compile(rf"^(\s*(?:{_NAMES})(?: \([^)]{{0,60}}\))?):", re.IGNORECASE)
_DASHES = re.compile(r"^\s*-{3,}\s*$")
_LAST_LINE = re.compile(r"^\s*(?:Ú|U\u0301?)LTIMA\s+CONSULTA\W*$", re.IGNORECASE)
_FRAME = re.compile("|".join(line.pattern for line in (_LABEL, _DASHES, _LAST_LINE)), re.IGNORECASE)
"""What a line of the frame begins with: hardly any line of data does."""
_STOPS = re.compile(r"\.+(?= |$)")
_BRACKET_NOTE = re.compile(r"\[(?=\s*NOTA\s*:)", re.IGNORECASE)


@dataclass(frozen=True)
class Fragment:
    """One fragment, read back.

    ``number`` is 1-based, 0 where the prompt does not say it; ``marker`` is what an answer cites it by, empty where it
    has none; ``relevance`` in [0, 1] is the score that decided its place, ``None`` where the prompt does not say it.
    ``purpose`` is what it is in the context for, ``says`` are its words on that. ``validity`` is that of an agreement
    as it is cited, ``page`` the number of the page on which the provision begins; either may be empty.
    """

    marker: str
    law_name: str
    provision: str
    title: str
    breadcrumb: str
    summary: str
    note: str
    text: str
    url: str
    official: bool
    relevance: float | None = None
    purpose: Purpose | None = None
    says: str = ""
    number: int = 0
    validity: str = ""
    page: str = ""


def write_prompt(
    candidates: Sequence[Candidate],
    question: str,
    *,
    days: Days | None = None,
    markers: bool = True,
    last: bool = False,
    not_found: Sequence[str] = (),
    unsupported: Sequence[str] = (),
    brief: bool = False,
) -> str:
    """Return the user message of a principal: the fragments, then the days and the question, which change most.

    ``days`` are today and the day whose law is asked for; ``last`` announces to it that nothing more will be fetched,
    that ``not_found`` is not there, and that ``unsupported`` parts of its first answer did not stand in its sources.
    ``brief`` is that of ``render``.
    """
    fragments = render(candidates, markers=markers, brief=brief)
    told = f"{_LAST}{_line(NOT_FOUND, not_found)}{_line(UNSUPPORTED, unsupported)}" if last else ""
    return f"{_FRAGMENTS}{fragments}{told}{_days(days) if days else ''}{_QUESTION}{question}"


def _line(label: str, names: Sequence[str]) -> str:
    return f"\n{label}: {'; '.join(map(_field, names))}" if names else ""


def _days(days: Days) -> str:
    lines = [f"{TODAY}: {long_day(days.today.isoformat())}"]
    if days.as_of and days.as_of != days.today:
        lines.append(f"{AS_OF}: {long_day(days.as_of.isoformat())}")
    return "\n\n" + "\n".join(lines)


def read_prompt(message: str) -> tuple[list[Fragment], str]:
    """Return the fragments and the question of a principal's user message; one of another form is all question."""
    body, heading, question = message.partition(_QUESTION)
    if not heading or not body.startswith(_FRAGMENTS):
        return [], message
    return parse(_LAST_LINES.sub("", _DAYS.sub("", body.removeprefix(_FRAGMENTS)))), question


def render(candidates: Sequence[Candidate], *, markers: bool = True, brief: bool = False) -> str:
    """Return candidates as fragments, in their order, with markers ``[C1]``, ``[C2]`` …, or with bare numbers.

    Parts that share a marker are one fragment. ``brief`` leaves out the fields that a chat model does without: the
    source's address, the chapter of a provision that has a title, the summary of one whose text is complete.
    """
    fragments: list[str] = []
    groups = [list(group) for _, group in groupby(candidates, key=wording_of)]
    law_notes = law_notes_once([candidate["chunk"] for candidate in parts] for parts in groups)
    for parts, law_note in zip(groups, law_notes, strict=True):
        note = " ".join(filter(None, (note_on([candidate["chunk"] for candidate in parts]), law_note)))
        for shared in by_mark(parts):
            fragments.append(
                _render(
                    write_marker(len(fragments) + 1) if markers else f"Fragmento {len(fragments) + 1}:",
                    shared,
                    note,
                    continued=shared[0] is not parts[0],
                    brief=brief,
                )
            )
    return f"\n{SEPARATOR}\n".join(fragments)


def _purpose_of(parts: Sequence[Candidate]) -> str:
    """Return the line that says what fragments are brought for; empty where nothing says it."""
    purposes = [
        _PURPOSES[purpose] + (f"{_SAYS}{says}»)" if (says := _field(candidate["says"])) else "")
        for candidate in parts
        if (purpose := candidate.get("purpose"))
    ]
    return f"{_PURPOSE}{'; '.join(purposes)}" if purposes else ""


def parse(text: str) -> list[Fragment]:
    """Return the fragments that ``render`` wrote."""
    blocks: list[list[str]] = [[]]
    for line in text.strip().split("\n"):
        if line == SEPARATOR:
            blocks.append([])
        else:
            blocks[-1].append(line)
    fragments: list[Fragment] = []
    for block in filter(any, blocks):
        fragments.append(_parse(block, fragments[-1] if fragments else None))
    return fragments


@lru_cache(maxsize=1_024)
def neutralise(text: str) -> str:
    r"""Return a text without what would look like frame or a reply; line breaks become newlines.

    It defuses all that the parsers of markers, self-evaluations and fragments accept, and more; also what is that only
    once characters that cannot be seen are gone or written as references are read, as they are in an answer.

    >>> neutralise("Lo dice [C1].\n---\nUSED|1\nFuente: x").split("\n")
    ['Lo dice (C1).', '—', 'USED/1', 'Fuente : x']
    """
    text = as_rendered(unify_breaks(text))
    text = _BRACKET_NOTE.sub("(", defuse_self_evaluation(defuse_markers(text)))
    return "\n".join(_neutral_line(line) if _FRAME.match(line) else line for line in text.split("\n"))


def _neutral_line(line: str) -> str:
    if _DASHES.match(line):
        return "—"
    if _LAST_LINE.match(line):
        return f"({line.strip()})"
    return _LABEL.sub(r"\1 :", line)


def _render(name: str, shared: Sequence[Candidate], note: str, *, continued: bool, brief: bool) -> str:
    """Return one fragment; ``name`` is written before it as it is, ``continued`` is what the one before began."""
    chunks = [candidate["chunk"] for candidate in shared]
    chunk = chunks[0]
    # The first ". " ends the provision. Neutralised last: without its full stops, it may look like a marker.
    provision = _field(_STOPS.sub("", _field(chunk["provision"])))
    title = _field(chunk["title"])
    # An article's pieces are called by their titles, and their chapter by that of the article.
    heading = ". ".join(filter(None, (provision, title if title != _field(chunk["provision"]) else "")))
    law = _field(chunk["law_name"]).replace(" > ", " › ")
    relevance = max(map(ordering_score, shared))
    lines = [f"{name} {' > '.join(filter(None, (law, heading)))}", f"{_RELEVANCE}{relevance:.2f}"]
    if chunk["parts"] > 1 or continued:
        numbers = ", ".join(str(each["part"]) for each in chunks)
        lines.append(f"{_PART}{numbers}{_OF}{chunk['parts']}{_CONTINUED if continued else ''}")
    if purpose := _purpose_of(shared):
        lines.append(purpose)
    if not continued:
        lines += _written_once(chunk, note, is_whole=len(chunks) == chunk["parts"], brief=brief)
    text = neutralise(text_of_parts(chunks))
    if chunk["source"] == "plain_language":
        lines.append(PLAIN_LANGUAGE)
    elif text:
        lines.append(OFFICIAL)
    if text:
        lines.append(text)
    if not continued and not brief and (url := _field(portable_url(chunk["url"]))):
        lines.append(f"{_SOURCE}{url}")
    return "\n".join(lines)


def _written_once(chunk: Chunk, note: str, *, is_whole: bool, brief: bool) -> Iterator[str]:
    """Yield the fields that the fragments of a provision have in common; empty ones are left out."""
    has_title = chunk["title"] not in ("", chunk["provision"])
    chapter = chunk["breadcrumb"] if chunk["breadcrumb"] != chunk["law_name"] else ""
    for label, value, end in (
        (_VALIDITY, validity_of(chunk["agreement"]) if "agreement" in chunk else "", ""),
        (_PAGE, _field(page_of(chunk)), ""),
        (_CHAPTER, "" if brief and has_title else _field(chapter), ""),
        (_SUMMARY, "" if brief and is_whole else _field(chunk["summary"]), ""),
        (_NOTE, _field(note), "]"),
    ):
        if value:
            yield f"{label}{value}{end}"


@lru_cache(maxsize=8_192)
def _field(value: str) -> str:
    """Return the value of a field on one line, neutralised."""
    return neutralise(" ".join(value.split()))


def _parse(lines: list[str], before: Fragment | None) -> Fragment:
    """Return the fragment of some lines, of which a field that was left out is empty, or that of the one ``before``."""
    named = _LEADING_NUMBER.match(lines[0])
    law, _, heading = _LEADING_NUMBER.sub("", lines[0]).partition(" > ")
    provision, _, title = heading.partition(". ")
    rest = lines[1:]

    def take(label: str) -> str:
        return rest.pop(0).removeprefix(label) if rest and rest[0].startswith(label) else ""

    # Nothing of the data can stand here: every field below has its label.
    relevance = take(_RELEVANCE)
    continued = take(_PART).endswith(_CONTINUED)
    purpose, _, says = take(_PURPOSE).partition(_SAYS)
    validity, page = take(_VALIDITY), take(_PAGE)
    breadcrumb, summary, note = take(_CHAPTER), take(_SUMMARY), take(_NOTE).removesuffix("]")
    url = rest.pop().removeprefix(_SOURCE) if rest and rest[-1].startswith(_SOURCE) else ""
    label = rest.pop(0) if rest else OFFICIAL
    if continued and before:
        breadcrumb, summary, note, url = before.breadcrumb, before.summary, before.note, before.url
        validity, page = before.validity, before.page
    return Fragment(
        marker=named[1] or "" if named else "",
        law_name=law,
        provision=provision,
        title=title,
        breadcrumb=breadcrumb,
        summary=summary,
        note=note,
        text="\n".join(rest),
        url=url,
        official=label != PLAIN_LANGUAGE,
        relevance=float(relevance) if relevance else None,
        purpose=next((known for known, words in _PURPOSES.items() if words == purpose), None),
        says=says.removesuffix("»)"),
        number=int(named[2] or named[3]) if named else 0,
        validity=validity,
        page=page,
    )
