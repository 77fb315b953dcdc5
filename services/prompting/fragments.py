"""The context as the principal sees it: fragments, one a candidate, and the parser that reads them back.

A fragment reads, empty fields left out::

    [C1] Estatuto de los Trabajadores > Artículo 38. Vacaciones anuales
    Capítulo: TÍTULO I > CAPÍTULO II > Sección 5.ª
    Resumen (en lenguaje claro, no oficial): …
    [NOTA: …]
    Texto:
    …
    Fuente: https://…

Fragments are parted by a line ``---``. Data can never pass for frame: what in a field looks like a mark, a parting
line, a label at the beginning of a line, or the metadata of a reply, is altered just enough that it is none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.prompting.citation_markers import defuse_markers, write_marker
from services.prompting.stream_splitter import defuse_metadata
from state.chunks import Candidate, Chunk

SEPARATOR = "---"
OFFICIAL = "Texto:"
PLAIN_LANGUAGE = "Texto (resumen en lenguaje claro, no oficial):"

LAST_CONSULTATION = "ÚLTIMA CONSULTA"
"""The line before the question that tells a principal that nothing more will be fetched."""

_FRAGMENTS, _LAST, _QUESTION = "FRAGMENTOS:\n\n", f"\n\n{LAST_CONSULTATION}", "\n\nPREGUNTA:\n"
_CHAPTER, _SUMMARY, _NOTE, _SOURCE = "Capítulo: ", "Resumen (en lenguaje claro, no oficial): ", "[NOTA: ", "Fuente: "
_LEADING_MARK = re.compile(r"^\[C\d+\] ?")
_NAMES = "FRAGMENTOS|PREGUNTA|Capítulo|Resumen|Fuente|Texto"
_LABEL = re.compile(rf"^(\s*(?:{_NAMES})(?: \([^)]{{0,60}}\))?):", re.IGNORECASE)
_DASHES = re.compile(r"^\s*-{3,}\s*$")
_LAST_LINE = re.compile(r"^\s*(?:Ú|U\u0301?)LTIMA\s+CONSULTA\W*$", re.IGNORECASE)
_STOPS = re.compile(r"\.+(?= |$)")
_BRACKET_NOTE = re.compile(r"\[(?=\s*NOTA\s*:)", re.IGNORECASE)


@dataclass(frozen=True)
class Fragment:
    """One fragment as it was rendered; ``mark`` is what an answer cites it by, empty where it has none."""

    mark: str
    law_name: str
    provision: str
    title: str
    breadcrumb: str
    summary: str
    note: str
    text: str
    url: str
    official: bool


def prompt(candidates: Sequence[Candidate], question: str, *, marks: bool = True, last: bool = False) -> str:
    """Write the user message of a principal: the fragments, then the question, which changes most.

    ``last`` tells it that nothing more will be fetched.
    """
    return f"{_FRAGMENTS}{render(candidates, marks=marks)}{_LAST if last else ''}{_QUESTION}{question}"


def read_prompt(message: str) -> tuple[list[Fragment], str]:
    """Take the user message of a principal apart; one of another form is all question."""
    body, parting, question = message.partition(_QUESTION)
    if not parting or not body.startswith(_FRAGMENTS):
        return [], message
    return parse(body.removeprefix(_FRAGMENTS).removesuffix(_LAST)), question


def render(candidates: Sequence[Candidate], *, marks: bool = True) -> str:
    """Write candidates as fragments, in their order, marked ``[C1]``, ``[C2]`` … unless without ``marks``."""
    return f"\n{SEPARATOR}\n".join(
        _render(f"{write_marker(number)} " if marks else "", candidate["chunk"])
        for number, candidate in enumerate(candidates, start=1)
    )


def parse(text: str) -> list[Fragment]:
    """Read fragments that ``render`` wrote."""
    blocks: list[list[str]] = [[]]
    for line in text.strip().split("\n"):
        if line == SEPARATOR:
            blocks.append([])
        else:
            blocks[-1].append(line)
    return [_parse(block) for block in blocks if any(block)]


def neutralise(text: str) -> str:
    """Alter what would look like frame or a reply: ``[C1]`` -> ``(C1)``, ``---`` -> ``—``, ``USED|1`` -> ``USED/1``.

    It defuses all that the parsers of marks, metadata and fragments accept, and more. Line breaks become newlines.
    """
    text = _BRACKET_NOTE.sub("(", defuse_metadata(defuse_markers(text)))
    return "\n".join(_neutral_line(line) for line in text.split("\n"))


def _neutral_line(line: str) -> str:
    if _DASHES.match(line):
        return "—"
    if _LAST_LINE.match(line):
        return f"({line.strip()})"
    return _LABEL.sub(r"\1 :", line)


def _render(mark: str, chunk: Chunk) -> str:
    # The first ". " parts provision from title. Neutralised last: without its full stops, it may look like a mark.
    provision = _line(_STOPS.sub("", _line(chunk["provision"])))
    heading = ". ".join(filter(None, (provision, _line(chunk["title"]))))
    law = _line(chunk["law_name"]).replace(" > ", " › ")
    lines = [mark + " > ".join(filter(None, (law, heading)))]
    for label, value, end in (
        (_CHAPTER, _line(chunk["breadcrumb"]), ""),
        (_SUMMARY, _line(chunk["summary"]), ""),
        (_NOTE, _line(chunk["status_note"]), "]"),
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
    if url := _line(chunk["url"]):
        lines.append(f"{_SOURCE}{url}")
    return "\n".join(lines)


def _line(value: str) -> str:
    return neutralise(" ".join(value.split()))


def _parse(lines: list[str]) -> Fragment:
    mark = _LEADING_MARK.match(lines[0])
    law, _, heading = _LEADING_MARK.sub("", lines[0]).partition(" > ")
    provision, _, title = heading.partition(". ")
    rest = lines[1:]

    def take(label: str) -> str:
        return rest.pop(0).removeprefix(label) if rest and rest[0].startswith(label) else ""

    breadcrumb, summary, note = take(_CHAPTER), take(_SUMMARY), take(_NOTE).removesuffix("]")
    url = rest.pop().removeprefix(_SOURCE) if rest and rest[-1].startswith(_SOURCE) else ""
    label = rest.pop(0) if rest else OFFICIAL
    return Fragment(
        mark=mark[0].strip() if mark else "",
        law_name=law,
        provision=provision,
        title=title,
        breadcrumb=breadcrumb,
        summary=summary,
        note=note,
        text="\n".join(rest),
        url=url,
        official=label != PLAIN_LANGUAGE,
    )
