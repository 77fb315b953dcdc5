"""The laws of an index by number and title: any law that was ingested can be named, also where no registry knows it."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from articulado.language.days import MONTHS
from articulado.language.folding import fold
from articulado.language.spanish import content_words
from legal.laws.numbers import NumberedLaw, numbered_laws

MIN_NAME = 2
"""Content words of a name at least: "la ley" names none, "la ley del ruido" does."""

MIN_SHARE = 2 / 3
"""Share of the content words of a title that its name says at least."""

_DATED = re.compile(
    rf"(?P<kind>[a-z]+)\s+de\s+(?P<day>\d{{1,2}})\s+de\s+(?P<month>{MONTHS})\s+(?:de\s+)?(?P<year>\d{{4}})\b"
)
"""A norm without a number goes by its day: "Resolución de 3 de mayo de 2019"."""

_APPROVING = re.compile(r".*\bpor (?:el|la) que se aprueban? (?:el|la|los|las)\b", re.IGNORECASE)
"""How a title begins that has the name of what it approves after that."""


@dataclass(frozen=True)
class _Title:
    """A law of the index: the number that its title begins with, and the content words of its name without that.

    ``dated`` are its kind and day where the title begins with them instead ("Orden de 2 de enero de 2031"), else none.

    A norm that approves another goes by the name of that.
    """

    law_id: str
    number: NumberedLaw | None
    dated: tuple[str, ...]
    words: frozenset[str]

    @property
    def year(self) -> str:
        return self.number.number.rpartition("/")[2] if self.number else ""


class IndexedLaws:
    """Finds the laws of an index that a text names by the number or the words of their titles.

    ``titles`` returns the titles by identifier; it is called once, when a text first names an unknown law.

    >>> laws = IndexedLaws(lambda: {"BOE-A-2003-20976": "Ley 37/2003, de 17 de noviembre, del Ruido"})
    >>> laws.law_cited("artículo 5 de la Ley 37/2003", 10), laws.law_cited("artículo 5 de la ley del ruido", 10)
    ('BOE-A-2003-20976', 'BOE-A-2003-20976')
    """

    def __init__(self, titles: Callable[[], Mapping[str, str]]) -> None:
        self._read_titles = titles

    def law_cited(self, text: str, position: int) -> str | None:
        """Return the law of the index that a text names for what it cites before a position; ``None`` without one.

        A number that the registry does not know goes before a name: the next one after the position, else the last one
        before it.
        """
        folded = fold(text)
        unknown = [law for law in numbered_laws(folded) if law.law is None]
        if not unknown:
            return self._by_day(folded, position, text) or self._by_name(text[position:])
        return self._by_number(next((law for law in unknown if law.start >= position), unknown[-1]), text)

    @cached_property
    def _titles(self) -> list[_Title]:
        titles = []
        for law_id, title in self._read_titles().items():
            number = next(numbered_laws(fold(title)), None)
            own = number if number and number.start == 0 else None
            approving = _APPROVING.match(title)
            name = title[approving.end() :] if approving else f"{title.split()[0]} {title[own.end :]}" if own else title
            words = content_words(name)
            dated = _DATED.match(fold(title).removeprefix("real "))
            titles.append(_Title(law_id, own, dated.groups() if dated else (), frozenset(words)))
        return titles

    @cached_property
    def _numbered(self) -> Mapping[tuple[str, str], list[tuple[_Title, NumberedLaw]]]:
        numbered = defaultdict(list)
        for title in self._titles:
            if title.number:
                for kind in title.number.kinds:
                    numbered[kind, title.number.number].append((title, title.number))
        return numbered

    @cached_property
    def _dated(self) -> Mapping[tuple[str, ...], list[_Title]]:
        dated = defaultdict(list)
        for title in self._titles:
            if title.dated:
                dated[title.dated].append(title)
        return dated

    def _by_day(self, folded: str, position: int, text: str) -> str | None:
        """Return the norm without a number of the first kind and day after a position; of several as for a number."""
        named = _DATED.search(folded, position)
        return _said_most(self._dated.get(named.groups(), []), text) if named else None

    def _by_number(self, named: NumberedLaw, text: str) -> str | None:
        """Return the law of a number; communities number theirs as the state does, so that there may be several.

        It is the one of the day that is given, then the one whose title the text says most of; none if two are left.
        """
        titles = next((titles for kind in named.kinds if (titles := self._numbered.get((kind, named.number)))), [])
        of_day = [title for title, number in titles if named.day is None or number.day in (None, named.day)]
        return _said_most(of_day, text)

    def _by_name(self, text: str) -> str | None:
        """Return the law whose name has the most of the words at the beginning of a text, and the fewest others.

        Of laws of one name it is the latest; none if several of different names are left, or most of the name is not
        said.
        """
        titles, said = self._titles, 0
        for word in content_words(text):
            having = [title for title in titles if word in title.words]
            if not having:
                break
            titles, said = having, said + 1
        if said < MIN_NAME:
            return None
        shortest = min(len(title.words) for title in titles)
        best = [title for title in titles if len(title.words) == shortest]
        if len({title.words for title in best}) > 1 or said < MIN_SHARE * shortest:
            return None
        return max(best, key=lambda title: title.year).law_id


def _said_most(titles: Sequence[_Title], text: str) -> str | None:
    """Return the law whose title a text says most of; none if two are left."""
    said = frozenset(content_words(text))
    most = max((len(said & title.words) for title in titles), default=0)
    best = [title for title in titles if len(said & title.words) == most]
    return best[0].law_id if len(best) == 1 else None


NO_LAWS = IndexedLaws(dict)
"""Stands for an index of which nothing is known but its chunks."""
