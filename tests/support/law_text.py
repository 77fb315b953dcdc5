"""Laws read without our own reader of laws, so that the checks of the corpus do not rest on it."""

import re
from collections.abc import Iterator

from articulado.legal.labels import Heading, split_heading

STRUCTURE = re.compile(
    r"(?:(?:LIBRO|T[ÍI]TULO|CAP[ÍI]TULO|SECCI[ÓO]N|SUBSECCI[ÓO]N|PRE[ÁA]MBULO|PARTE|DISPOSICION\w*|REGLAMENTO|TEXTO)\b"
    r"|[IVXLC]+\b)",
    re.IGNORECASE,
)
ANNEX = re.compile(r"\[?ANEXO(?: [IVX\d.]+)?\]?")


def read_provisions(markdown: str) -> dict[str, str]:
    """Map labels to text, in the order of the law; notes and superseded wordings (block quotes) are left out.

    Where a label stands twice (approving decree and approved text) the later one is meant, but for one that the source
    itself calls wrong, and one below which a block quote begins at once: that is an article of another law.
    """
    found: dict[str, str] = {}
    for label, title, lines, quoted in sections(markdown):
        if label in found and quoted:
            continue
        found.pop(label, None)
        found[label] = "\n".join([f"{label}. {title}", *lines])
    return found


def sections(markdown: str) -> Iterator[tuple[str, str, list[str], bool]]:
    """Yield label, title and text of each provision, and whether its label does not count where there is another.

    A heading that is neither of a provision nor of a part of the law is text: the title of a table.
    """
    current: tuple[str, str, list[str], bool] | None = None
    for line in filter(None, (" ".join(line.split()) for line in markdown.splitlines())):
        heading = heading_of(line)
        of_annex = current is not None and current[0].startswith("Anexo")
        part = line.startswith("#") and STRUCTURE.match(line.lstrip("# *")) and not of_annex
        if heading or part:
            if current:
                yield current
            current = (heading.label, heading.title, [], "[sic]" in line) if heading else None
        elif current and line.startswith(">"):
            current = (*current[:3], current[3] or not current[2])
        elif current:
            current[2].append(line.replace("*", "").lstrip("# "))
    if current:
        yield current


def heading_of(line: str) -> Heading | None:
    """Return the heading of a provision that a line is."""
    if line.startswith("#####") or ANNEX.fullmatch(line):
        return split_heading(line.strip("# *[]").replace("ANEXO", "Anexo"))
    return None
