"""Candidates as fragments: values for programs, and text for the prompt of a chat model.

In a prompt a fragment has this form, without its empty fields::

    [C1] Estatuto de los Trabajadores > Artículo 38. Vacaciones anuales
    Relevancia: 0.83
    Parte: 1 de 3
    Para qué: frase decisiva de la ley («…»)
    Vigencia pactada: 2023-2025
    Página: 14
    Capítulo: TÍTULO I > CAPÍTULO II > Sección 5.ª Resumen (en lenguaje claro, no oficial): … [NOTA: …] Texto: …
    Fuente: https://…

A fragment that continues a provision (``Parte: 3 de 3, continuación``) does not repeat the shared fields. Parts that
share a marker are one fragment (``Parte: 1, 3 de 3``), with ``[…]`` for omitted parts. Without markers a fragment
begins with its number (``Fragmento 1:``). A line ``---`` separates fragments. Below them stand the current day
(``FECHA DE HOY: …``), the day of the law if another one, the subject of the conversation (``TEMA DE LA CONVERSACIÓN:
…``) and the question. Field texts that look like part of this frame are altered minimally (``neutralise``).
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
from articulado.values.chunks import Candidate, Purpose, ordering_score, page_of, portable_url

SEPARATOR = "---"  # Line between two fragments

OFFICIAL = "Texto:"
PLAIN_LANGUAGE = "Texto (resumen en lenguaje claro, no oficial):"
"""Labels of a fragment's text: official, or a plain-language summary."""

LAST_CONSULTATION, NOT_FOUND, UNSUPPORTED = "ÚLTIMA CONSULTA", "NO SE HA ENCONTRADO", "NO CONSTABA EN LO CITADO"
"""Labels before the question: nothing more is fetched, needs not found, unsupported parts of the first answer."""

TODAY, AS_OF = "FECHA DE HOY", "DERECHO VIGENTE EN"  # Labels of the current day, and of the day whose law is asked for

SUBJECT = "TEMA DE LA CONVERSACIÓN"

_FRAGMENTS, _LAST, _QUESTION = "FRAGMENTOS:\n\n", f"\n\n{LAST_CONSULTATION}", "\n\nPREGUNTA:\n"
_RELEVANCE = "Relevancia: "
_PART, _OF, _CONTINUED = "Parte: ", " de ", ", continuación"
_PURPOSE, _SAYS = "Para qué: ", " («"
PURPOSES: Mapping[Purpose, str] = {
    "card": "ficha revisada, no es la ley: sígala si responde a lo preguntado, y cite la norma de cada frase",
    "caveat": "advertencia: dígala al principio",
    "decisive": "frase decisiva de la ley",
    "value": "valor de referencia con fecha",
    "calculation": "cálculo ya hecho: dé su resultado y sus pasos tal cual, sin volver a calcular",
    "community": "norma propia de una comunidad autónoma, además de la regla general",
    "own": "documento de quien pregunta, no es la ley: diga que es de su documento, y si la ley le da más",
    "missing_data": "datos que faltan para el cálculo: dé la regla y pídalos al final",
}
_VALIDITY, _PAGE = "Vigencia pactada: ", "Página: "
_CHAPTER, _SUMMARY, _NOTE, _SOURCE = "Capítulo: ", "Resumen (en lenguaje claro, no oficial): ", "[NOTA: ", "Fuente: "
_NAMES = (
    f"{TODAY}|{AS_OF}|{SUBJECT}|{NOT_FOUND}|{UNSUPPORTED}|FRAGMENTOS|PREGUNTA|Relevancia|Parte|Para qué"
    "|Vigencia pactada|Página|Capítulo|Resumen|Fuente|Texto|FRAGMENTS|QUESTION"
)
_LABEL = re.compile(rf"^(\s*(?:{_NAMES})(?: \([^)]{{0,60}}\))?):", re.IGNORECASE)
_DASHES = re.compile(r"^\s*-{3,}\s*$")
_LAST_LINE = re.compile(r"^\s*(?:Ú|U\u0301?)LTIMA\s+CONSULTA\W*$", re.IGNORECASE)
_FRAME = re.compile("|".join(line.pattern for line in (_LABEL, _DASHES, _LAST_LINE)), re.IGNORECASE)
_STOPS = re.compile(r"\.+(?= |$)")
_BRACKET_NOTE = re.compile(r"\[(?=\s*NOTA\s*:)", re.IGNORECASE)


@dataclass(frozen=True)
class Fragment:
    """One fragment of a context; its texts cannot pass for frame or reply (``neutralise``).

    ``number`` is 1-based; ``marker`` is empty without markers. ``relevance`` in [0, 1] is the score of its rank.
    ``purposes`` are pairs of purpose and text. ``validity`` is that of an agreement; ``page`` is where the provision
    begins. ``parts`` says which of several parts it has, ``whole`` that it has all; it is ``continued`` after another
    fragment of its provision. ``gloss`` translates ``says``; ``language`` is that of the text, empty for the index's.
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
    purposes: tuple[tuple[Purpose, str], ...] = ()
    number: int = 0
    validity: str = ""
    page: str = ""
    parts: str = ""
    continued: bool = False
    whole: bool = True
    law_id: str = ""
    provision_key: str = ""
    gloss: str = ""
    language: str = ""

    @property
    def purpose(self) -> Purpose | None:
        return self.purposes[0][0] if self.purposes else None

    @property
    def says(self) -> str:
        return self.purposes[0][1] if self.purposes else ""


def write_prompt(
    candidates: Sequence[Candidate],
    question: str,
    *,
    subject: str = "",
    days: Days | None = None,
    markers: bool = True,
    last: bool = False,
    not_found: Sequence[str] = (),
    unsupported: Sequence[str] = (),
    brief: bool = False,
) -> str:
    """Return the user message of a principal: fragments, then days and question, which change most (prompt caching).

    ``days``: today and the day of the law. ``last``: nothing more will be fetched, ``not_found`` is missing, and
    ``unsupported`` parts of the first answer had no source. ``subject``: topic of the conversation.
    """
    fragments = render(candidates, markers=markers, brief=brief)
    told = f"{_LAST}{_line(NOT_FOUND, not_found)}{_line(UNSUPPORTED, unsupported)}" if last else ""
    about = f"\n\n{SUBJECT}: {_field(subject)}" if subject else ""
    return f"{_FRAGMENTS}{fragments}{told}{_days(days) if days else ''}{about}{_QUESTION}{neutralise(question)}"


def _line(label: str, names: Sequence[str]) -> str:
    return f"\n{label}: {'; '.join(map(_field, names))}" if names else ""


def _days(days: Days) -> str:
    lines = [f"{TODAY}: {long_day(days.today.isoformat())}"]
    if days.as_of and days.as_of != days.today:
        lines.append(f"{AS_OF}: {long_day(days.as_of.isoformat())}")
    return "\n\n" + "\n".join(lines)


def render(candidates: Sequence[Candidate], *, markers: bool = True, brief: bool = False) -> str:
    """Return candidates as fragments in order, with markers or bare numbers.

    ``brief`` omits the source's address, the chapter of a titled provision, and the summary of a complete text.
    """
    fragments = fragments_of(candidates, markers=markers)
    return f"\n{SEPARATOR}\n".join(_written(fragment, brief=brief) for fragment in fragments)


def fragments_of(candidates: Sequence[Candidate], *, markers: bool = True) -> list[Fragment]:
    """Return candidates as fragments in order; parts that share a marker are one."""
    fragments: list[Fragment] = []
    groups = [list(group) for _, group in groupby(candidates, key=wording_of)]
    law_notes = law_notes_once([candidate["chunk"] for candidate in parts] for parts in groups)
    for parts, law_note in zip(groups, law_notes, strict=True):
        note = " ".join(filter(None, (note_on([candidate["chunk"] for candidate in parts]), law_note)))
        for shared in by_mark(parts):
            number = len(fragments) + 1
            marker = write_marker(number) if markers else ""
            fragments.append(_fragment(number, marker, shared, note, continued=shared[0] is not parts[0]))
    return fragments


@lru_cache(maxsize=1_024)
def neutralise(text: str) -> str:
    r"""Return a text with newlines only and nothing that could pass for frame or reply, also after rendering.

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


def _fragment(number: int, marker: str, shared: Sequence[Candidate], note: str, *, continued: bool) -> Fragment:
    chunks = [candidate["chunk"] for candidate in shared]
    chunk = chunks[0]
    title, given = _field(chunk["title"]), _field(chunk["provision"])
    several = chunk["parts"] > 1 or continued
    numbers = ", ".join(str(each["part"]) for each in chunks)
    return Fragment(
        marker=marker,
        law_name=_field(chunk["law_name"]).replace(" > ", " › "),
        # The first ". " ends the provision. Neutralised last: without its full stops, it may look like a marker.
        provision=_field(_STOPS.sub("", given)),
        # An article's pieces are called by their titles, and their chapter by that of the article.
        title=title if title != given else "",
        breadcrumb=_field(chunk["breadcrumb"]) if chunk["breadcrumb"] != chunk["law_name"] else "",
        summary=_field(chunk["summary"]),
        note=_field(note),
        text=neutralise(text_of_parts(chunks)),
        url=_field(portable_url(chunk["url"])),
        official=chunk["source"] != "plain_language",
        relevance=max(map(ordering_score, shared)),
        purposes=tuple((each["purpose"], _field(each["says"])) for each in shared if each.get("purpose")),
        number=number,
        validity=validity_of(chunk["agreement"]) if "agreement" in chunk else "",
        page=_field(page_of(chunk)),
        parts=f"{numbers}{_OF}{chunk['parts']}" if several else "",
        continued=continued,
        whole=len(chunks) == chunk["parts"],
        law_id=chunk["law_id"],
        provision_key=chunk["provision_key"],
        gloss=_field(next((each["gloss"] for each in shared if each.get("gloss")), "")),
        language=shared[0].get("language", ""),
    )


def _written(fragment: Fragment, *, brief: bool) -> str:
    name = fragment.marker or f"Fragmento {fragment.number}:"
    heading = ". ".join(filter(None, (fragment.provision, fragment.title)))
    lines = [f"{name} {' > '.join(filter(None, (fragment.law_name, heading)))}"]
    if fragment.relevance is not None:
        lines.append(f"{_RELEVANCE}{fragment.relevance:.2f}")
    if fragment.parts:
        lines.append(f"{_PART}{fragment.parts}{_CONTINUED if fragment.continued else ''}")
    if fragment.purposes:
        said = (PURPOSES[purpose] + (f"{_SAYS}{says}»)" if says else "") for purpose, says in fragment.purposes)
        lines.append(f"{_PURPOSE}{'; '.join(said)}")
    if not fragment.continued:
        lines += _written_once(fragment, brief=brief)
    if not fragment.official:
        lines.append(PLAIN_LANGUAGE)
    elif fragment.text:
        lines.append(OFFICIAL)
    if fragment.text:
        lines.append(fragment.text)
    if not fragment.continued and not brief and fragment.url:
        lines.append(f"{_SOURCE}{fragment.url}")
    return "\n".join(lines)


def _written_once(fragment: Fragment, *, brief: bool) -> Iterator[str]:
    for label, value, end in (
        (_VALIDITY, fragment.validity, ""),
        (_PAGE, fragment.page, ""),
        (_CHAPTER, "" if brief and fragment.title else fragment.breadcrumb, ""),
        (_SUMMARY, "" if brief and fragment.whole else fragment.summary, ""),
        (_NOTE, fragment.note, "]"),
    ):
        if value:
            yield f"{label}{value}{end}"


@lru_cache(maxsize=8_192)
def _field(value: str) -> str:
    return neutralise(" ".join(value.split()))
