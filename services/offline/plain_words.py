"""Our words on a provision: the points of its packaged record, each with the apartado and the letter that it is of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from articulado.language.folding import fold
from articulado.language.numerals import read_words
from articulado.language.spanish import sentences
from articulado.legal.labels import provision_key
from articulado.legal.laws.mentions import find_law
from articulado.prompting.fragments import Fragment, neutralise
from articulado.store.records.chunks import records_of_law
from articulado.store.records.schema import ProvisionRecord

_LETTER = r"[A-Za-zñ](?: bis| ter)?\)"
_LETTERS = rf"{_LETTER}(?:, {_LETTER})*(?: [ye] {_LETTER})?"
_LABEL = re.compile(
    r"(?:(?P<apartado>\d{1,3}|[A-Z][a-zé]*)(?:(?:, \d+)* [ye] \d+)?\.(?:\d+\.?)?[ºª]?)?"
    rf"(?P<letters>{_LETTERS})?(?:\d+\.[ºª])? +(?=\S)"
)


@dataclass(frozen=True)
class Point:
    """A sentence of ours; ``apartado`` and ``letters`` are what of the provision it is about, empty: all of it."""

    text: str
    apartado: str = ""
    letters: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlainWords:
    """What a record says of a provision: the sentences of its summary, and its points."""

    summary: tuple[str, ...]
    points: tuple[Point, ...]


def plain_words(fragments: Sequence[Fragment]) -> PlainWords | None:
    """Return our words on a provision of official text, ``None`` where there are none on the wording in the prompt."""
    first = fragments[0]
    law = find_law(first.law_name)
    if law is None or not first.summary:
        return None
    record = records_of_law(law.id).get((law.id, provision_key(first.provision) or ""))
    # The summary is hidden where the record was written against another wording.
    if not isinstance(record, ProvisionRecord) or neutralise(" ".join(record.summary.split())) != first.summary:
        return None
    return PlainWords(tuple(sentences(record.summary)), tuple(map(read_point, record.points)))


def read_point(line: str) -> Point:
    """Read a point as records write it.

    >>> read_point("3.b bis) Por muerte de un familiar hay 2 días.")
    Point(text='Por muerte de un familiar hay 2 días.', apartado='3', letters=('b',))
    >>> read_point("Dos. Durante la huelga no se cobra.")
    Point(text='Durante la huelga no se cobra.', apartado='2', letters=())
    """
    label = _LABEL.match(line)
    if label is None or not label[0].strip():
        return Point(line)
    apartado = label["apartado"] or ""
    if apartado.isalpha() and len(apartado) > 1:
        words = read_words(fold(apartado))
        if words is None:
            return Point(line)
        apartado = str(words[0])
    letters = tuple(re.findall(r"([A-Za-zñ])(?: bis| ter)?\)", label["letters"] or ""))
    return Point(line[label.end() :], apartado, letters)
