"""Laws read without our own reader of laws, so that the checks of the corpus do not rest on it."""

import re

from legal.labels import split_heading

STRUCTURE = re.compile(
    r"(?:(?:LIBRO|T[ÍI]TULO|CAP[ÍI]TULO|SECCI[ÓO]N|SUBSECCI[ÓO]N|PRE[ÁA]MBULO|PARTE|DISPOSICION\w*|REGLAMENTO|TEXTO)\b"
    r"|[IVXLC]+\b)",
    re.IGNORECASE,
)

ANNEX = re.compile(r"\[?ANEXO(?: [IVX\d.]+)?\]?")


def read_provisions(markdown: str) -> dict[str, str]:
    """Map labels to text, in the order of the law; notes and superseded wordings (block quotes) are left out.

    Where a label stands twice (approving decree and approved text) the later one is meant, but for one that the source
    itself calls wrong. A heading that is neither of a provision nor of a part of the law is text: the title of a table.
    """
    found: dict[str, str] = {}
    label = ""
    for line in (" ".join(line.split()) for line in markdown.splitlines()):
        if line.startswith("#") or ANNEX.fullmatch(line):
            heading = (
                split_heading(line.strip("# *[]").replace("ANEXO", "Anexo"))
                if not line.startswith("#") or line.startswith("#####")
                else None
            )
            if heading and not ("[sic]" in line and heading.label in found):
                label = heading.label
                found.pop(label, None)
                found[label] = f"{label}. {heading.title}"
                continue
            # The headings inside an annex are its own.
            if heading or (STRUCTURE.match(line.lstrip("# *")) and not label.startswith("Anexo")):
                label = ""
                continue
        if label and not line.startswith(">"):
            found[label] += "\n" + line.replace("*", "").lstrip("# ")
    return found
