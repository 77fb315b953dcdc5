"""Tell whether two snapshots have the same wording of a provision, of which one may lack tables and images."""

import re

from ingestion.markdown.body import IMAGE
from ingestion.model import Provision

_NO_TEXT = re.compile(r'[\s"«»“”]')
_ANNOUNCED = re.compile(r"\b(?:cuadro|tabla|escala|baremo)s?\b[^.]*:$")


def has_tables(provision: Provision) -> bool:
    """Tell whether a provision has a table or the place of an image."""
    return any(map(_is_table, provision.paragraphs))


def lacks_tables(provision: Provision) -> bool:
    """Tell whether a provision announces a table and has none."""
    return not has_tables(provision) and any(_ANNOUNCED.search(paragraph) for paragraph in provision.paragraphs)


def same_text(older: Provision, newer: Provision) -> bool:
    """Tell whether two texts are one wording; blanks, quotation marks and notes do not count.

    Where only one has tables, they do not count either: one generation of the source drops them.
    """
    tables = has_tables(older) == has_tables(newer)
    return _letters(older, tables) == _letters(newer, tables)


def fullest(older: Provision, newer: Provision) -> Provision:
    """Return the newer of two copies of one wording, unless only the older has its tables."""
    return older if has_tables(older) and not has_tables(newer) else newer


def _letters(provision: Provision, tables: bool) -> str:
    return _NO_TEXT.sub("", "".join(text for text in provision.paragraphs if tables or not _is_table(text)))


def _is_table(paragraph: str) -> bool:
    return " | " in paragraph or paragraph == IMAGE
