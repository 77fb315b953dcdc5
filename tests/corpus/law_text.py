"""Laws read without our own reader of laws, so that the checks of the corpus do not rest on it."""

import re

from legal.labels import split_heading


def read_provisions(markdown: str) -> dict[str, str]:
    """Map labels to text, in the order of the law; notes and superseded wordings (block quotes) are left out.

    Where a label stands twice (approving decree and approved text) the later one is meant.
    """
    found: dict[str, str] = {}
    for section in re.split(r"(?m)^(?=#{1,6} )", markdown):
        head, _, body = section.partition("\n")
        heading = split_heading(head.lstrip("# ")) if head.startswith("#####") else None
        if heading:
            lines = [" ".join(line.split()) for line in body.replace("*", "").splitlines() if not line.startswith(">")]
            found.pop(heading.label, None)
            found[heading.label] = "\n".join([f"{heading.label}. {heading.title}", *lines])
    return found
