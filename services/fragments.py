"""The context as the principal sees it: fragments, one a candidate, and the parser that reads them back.

A fragment reads, empty fields left out::

    [C1] Estatuto de los Trabajadores > Artículo 38. Vacaciones anuales
    Capítulo: TÍTULO I > CAPÍTULO II > Sección 5.ª
    Resumen: …
    [NOTA: …]
    Texto:
    …
    Fuente: https://…

Fragments are parted by a line ``---``. Data can never pass for frame: what in a field looks like a mark, a parting
line, a label at the beginning of a line, or the delimiter of the reply, is altered just enough that it is none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from state.chunks import Candidate, Chunk

PARTING = "---"
OFFICIAL = "Texto:"
PLAIN_LANGUAGE = "Texto (resumen en lenguaje claro, no oficial):"

_FRAGMENTS, _QUESTION = "FRAGMENTOS:\n\n", "\n\nPREGUNTA:\n"
_CHAPTER, _SUMMARY, _NOTE, _SOURCE = "Capítulo: ", "Resumen: ", "[NOTA: ", "Fuente: "
_LEADING_MARK = re.compile(r"^\[C\d+\] ?")
_MARK = re.compile(r"\[(\s*C\s*\d[^\[\]]{0,80})\]", re.IGNORECASE)
_DASHES = re.compile(r"^\s*-{3,}\s*$", re.MULTILINE)
_LABEL = re.compile(
    r"^(\s*(?:Capítulo|Resumen|Fuente|FRAGMENTOS|PREGUNTA|Texto(?: \([^)\n]{0,60}\))?)):", re.IGNORECASE | re.MULTILINE
)
_BRACKET_NOTE = re.compile(r"\[(?=\s*NOTA\s*:)", re.IGNORECASE)
_DELIMITER = re.compile(r"={3,}(?=[ \t]*META)", re.IGNORECASE)


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


def prompt(candidates: Sequence[Candidate], question: str, *, marks: bool = True) -> str:
    """Write the user message of a principal: the fragments, then the question, which changes most."""
    return f"{_FRAGMENTS}{render(candidates, marks=marks)}{_QUESTION}{question}"


def read_prompt(message: str) -> tuple[list[Fragment], str]:
    """Take the user message of a principal apart; one of another form is all question."""
    body, parting, question = message.partition(_QUESTION)
    if not parting or not body.startswith(_FRAGMENTS):
        return [], message
    return parse(body.removeprefix(_FRAGMENTS)), question


def render(candidates: Sequence[Candidate], *, marks: bool = True) -> str:
    """Write candidates as fragments, in their order, marked ``[C1]``, ``[C2]`` … unless without ``marks``."""
    return f"\n{PARTING}\n".join(
        _render(f"[C{number}] " if marks else "", candidate["chunk"])
        for number, candidate in enumerate(candidates, start=1)
    )


def parse(text: str) -> list[Fragment]:
    """Read fragments that ``render`` wrote."""
    blocks: list[list[str]] = [[]]
    for line in text.strip().split("\n"):
        if line == PARTING:
            blocks.append([])
        else:
            blocks[-1].append(line)
    return [_parse(block) for block in blocks if any(block)]


def neutralise(text: str) -> str:
    """Alter what would look like the frame: ``[C1]`` -> ``(C1)``, ``---`` -> ``—``, ``Texto:`` -> ``Texto :``."""
    text = _MARK.sub(r"(\1)", text)
    text = _BRACKET_NOTE.sub("(", text)
    text = _LABEL.sub(r"\1 :", text)
    text = _DELIMITER.sub("=", text)
    return _DASHES.sub("—", text)


def _render(mark: str, chunk: Chunk) -> str:
    provision = _line(chunk["provision"]).replace(". ", " ").rstrip(".")
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
    text = neutralise("\n".join(chunk["text"].splitlines()).strip())
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
