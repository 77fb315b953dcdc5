"""The context as the principal sees it: a fragment for each candidate, and the parser that reads them back.

A fragment reads, empty fields left out::

    [C1] Estatuto de los Trabajadores > Artículo 38. Vacaciones anuales
    Relevancia: 0.83
    Capítulo: TÍTULO I > CAPÍTULO II > Sección 5.ª
    Resumen (en lenguaje claro, no oficial): …
    [NOTA: …]
    Texto:
    …
    Fuente: https://…

The relevance is for a principal that cannot weigh the fragments itself: it is written where it is asked for only.
A line ``---`` separates fragments. Data can never pass for frame: what in a field looks like a marker, a separator, a
label at the beginning of a line, or a self-evaluation, is altered just enough that it is none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.prompting.citation_markers import defuse_markers, write_marker
from services.prompting.stream_splitter import defuse_self_evaluation
from state.chunks import Candidate, Chunk, ordering_score

SEPARATOR = "---"
"""The line between two fragments."""

OFFICIAL = "Texto:"
PLAIN_LANGUAGE = "Texto (resumen en lenguaje claro, no oficial):"
"""The labels of a fragment's text: the law's own, or a summary in our words."""

LAST_CONSULTATION = "ÚLTIMA CONSULTA"
"""The line before the question that tells a principal that nothing more will be fetched."""

_FRAGMENTS, _LAST, _QUESTION = "FRAGMENTOS:\n\n", f"\n\n{LAST_CONSULTATION}", "\n\nPREGUNTA:\n"
_RELEVANCE = "Relevancia: "
_CHAPTER, _SUMMARY, _NOTE, _SOURCE = "Capítulo: ", "Resumen (en lenguaje claro, no oficial): ", "[NOTA: ", "Fuente: "
_LEADING_MARKER = re.compile(r"^\[C\d+\] ?")
_NAMES = "FRAGMENTOS|PREGUNTA|Relevancia|Capítulo|Resumen|Fuente|Texto"
_LABEL = re.compile(rf"^(\s*(?:{_NAMES})(?: \([^)]{{0,60}}\))?):", re.IGNORECASE)
_DASHES = re.compile(r"^\s*-{3,}\s*$")
_LAST_LINE = re.compile(r"^\s*(?:Ú|U\u0301?)LTIMA\s+CONSULTA\W*$", re.IGNORECASE)
_STOPS = re.compile(r"\.+(?= |$)")
_BRACKET_NOTE = re.compile(r"\[(?=\s*NOTA\s*:)", re.IGNORECASE)


@dataclass(frozen=True)
class Fragment:
    """One fragment, read back.

    ``marker`` is what an answer cites it by, empty where it has none; ``relevance`` in [0, 1] is the score that decided
    its place, ``None`` where the prompt does not say it.
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


def write_prompt(
    candidates: Sequence[Candidate],
    question: str,
    *,
    markers: bool = True,
    last: bool = False,
    relevance: bool = False,
) -> str:
    """Return the user message of a principal: the fragments, then the question, which changes most.

    ``last`` announces to it that nothing more will be fetched; with ``relevance`` each fragment says its score.
    """
    fragments = render(candidates, markers=markers, relevance=relevance)
    return f"{_FRAGMENTS}{fragments}{_LAST if last else ''}{_QUESTION}{question}"


def read_prompt(message: str) -> tuple[list[Fragment], str]:
    """Return the fragments and the question of a principal's user message; one of another form is all question."""
    body, heading, question = message.partition(_QUESTION)
    if not heading or not body.startswith(_FRAGMENTS):
        return [], message
    return parse(body.removeprefix(_FRAGMENTS).removesuffix(_LAST)), question


def render(candidates: Sequence[Candidate], *, markers: bool = True, relevance: bool = False) -> str:
    """Return candidates as fragments, in their order, with markers ``[C1]``, ``[C2]`` … unless without ``markers``."""
    return f"\n{SEPARATOR}\n".join(
        _render(
            f"{write_marker(number)} " if markers else "",
            candidate["chunk"],
            ordering_score(candidate) if relevance else None,
        )
        for number, candidate in enumerate(candidates, start=1)
    )


def parse(text: str) -> list[Fragment]:
    """Return the fragments that ``render`` wrote."""
    blocks: list[list[str]] = [[]]
    for line in text.strip().split("\n"):
        if line == SEPARATOR:
            blocks.append([])
        else:
            blocks[-1].append(line)
    return [_parse(block) for block in blocks if any(block)]


def neutralise(text: str) -> str:
    r"""Return a text without what would look like frame or a reply; line breaks become newlines.

    It defuses all that the parsers of markers, self-evaluations and fragments accept, and more.

    >>> neutralise("Lo dice [C1].\n---\nUSED|1\nFuente: x").split("\n")
    ['Lo dice (C1).', '—', 'USED/1', 'Fuente : x']
    """
    text = _BRACKET_NOTE.sub("(", defuse_self_evaluation(defuse_markers(text)))
    return "\n".join(_neutral_line(line) for line in text.split("\n"))


def _neutral_line(line: str) -> str:
    if _DASHES.match(line):
        return "—"
    if _LAST_LINE.match(line):
        return f"({line.strip()})"
    return _LABEL.sub(r"\1 :", line)


def _render(marker: str, chunk: Chunk, relevance: float | None) -> str:
    """Return one fragment; ``marker`` is written before it as it is."""
    # The first ". " ends the provision. Neutralised last: without its full stops, it may look like a marker.
    provision = _field(_STOPS.sub("", _field(chunk["provision"])))
    heading = ". ".join(filter(None, (provision, _field(chunk["title"]))))
    law = _field(chunk["law_name"]).replace(" > ", " › ")
    lines = [marker + " > ".join(filter(None, (law, heading)))]
    if relevance is not None:
        lines.append(f"{_RELEVANCE}{relevance:.2f}")
    for label, value, end in (
        (_CHAPTER, _field(chunk["breadcrumb"]), ""),
        (_SUMMARY, _field(chunk["summary"]), ""),
        (_NOTE, _field(chunk["status_note"]), "]"),
    ):
        if value:
            lines.append(f"{label}{value}{end}")
    text = neutralise(chunk["text"].strip())
    if chunk["source"] == "plain_language":
        lines.append(PLAIN_LANGUAGE)
    elif text:
        lines.append(OFFICIAL)
    if text:
        lines.append(text)
    if url := _field(chunk["url"]):
        lines.append(f"{_SOURCE}{url}")
    return "\n".join(lines)


def _field(value: str) -> str:
    """Return the value of a field on one line, neutralised."""
    return neutralise(" ".join(value.split()))


def _parse(lines: list[str]) -> Fragment:
    """Return the fragment of some lines, of which a field that was left out is empty."""
    marker = _LEADING_MARKER.match(lines[0])
    law, _, heading = _LEADING_MARKER.sub("", lines[0]).partition(" > ")
    provision, _, title = heading.partition(". ")
    rest = lines[1:]

    def take(label: str) -> str:
        return rest.pop(0).removeprefix(label) if rest and rest[0].startswith(label) else ""

    # Nothing of the data can stand here: every field below has its label.
    relevance = take(_RELEVANCE)
    breadcrumb, summary, note = take(_CHAPTER), take(_SUMMARY), take(_NOTE).removesuffix("]")
    url = rest.pop().removeprefix(_SOURCE) if rest and rest[-1].startswith(_SOURCE) else ""
    label = rest.pop(0) if rest else OFFICIAL
    return Fragment(
        marker=marker[0].strip() if marker else "",
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
    )
