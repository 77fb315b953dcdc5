"""Made-up norms as long as real ones: how a corpus of any size is had without any text of anybody.

How many provisions a norm has, how many paragraphs a provision, how long these are and how often they cite are drawn
from what 66 consolidated laws have; the words are made of syllables, and their ranks follow Zipf's law.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

QUANTILES = (0, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 99, 99.5, 100)
"""Per cent of what is below each figure of the tables that follow, which were measured on 66 laws."""

PROVISIONS = (8, 13, 15, 20, 24, 36, 45, 60, 74, 107, 146, 176, 361, 423, 467, 511)
"""Of a norm: 74 on average."""

PARAGRAPHS = (1, 1, 1, 1, 2, 2, 3, 4, 5, 8, 12, 17, 24, 35, 44, 234)
"""Of a provision: 5.5 on average."""

CHARACTERS = (2, 41, 71, 121, 165, 206, 249, 294, 349, 422, 541, 651, 792, 893, 987, 15_324)
"""Of a paragraph: 285 on average."""

CHARACTERS_PER_POINT = 167
"""Of text, for each parent or child that it is cut into."""

CITATIONS_PER_CHARACTER = 0.77 / 1_000
OF_OTHER_LAWS = 0.22
"""Share of the citations that name another law."""

KNOWN_LAWS = (
    "del Estatuto de los Trabajadores",
    "de la Ley General de la Seguridad Social",
    "de la Ley 31/1995, de 8 de noviembre",
    "de la Ley 36/2011, de 10 de octubre",
)
SENTENCE_WORDS = (12, 90)
CLAUSE_WORDS = 11
"""Words after which a sentence has a comma: real ones are cut there where they are long."""

FILLERS = ("de", "la", "que", "el", "en", "y", "los", "del", "se", "las", "por", "un", "para", "con", "no")
FILLER_SHARE = 0.45
VOCABULARY = 30_000


class MadeUpNorms:
    """Norms as Markdown texts, the same ones for a seed."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._numbers = np.random.default_rng(seed)
        syllables = [consonant + vowel for consonant in "bcdfglmnprstv" for vowel in "aeiou"]
        words = ["".join(self._random.choices(syllables, k=self._random.randint(2, 5))) for _ in range(VOCABULARY)]
        self._words = np.array([*words, *FILLERS])
        weights = 1 / np.arange(1, VOCABULARY + 1)
        weights *= (1 - FILLER_SHARE) / weights.sum()
        self._cumulative = np.cumsum([*weights, *[FILLER_SHARE / len(FILLERS)] * len(FILLERS)])

    def norms(self) -> Iterator[tuple[str, str]]:
        """Yield identifier and text of each norm, without end."""
        for number in count(1):
            identifier = f"BOE-A-{1980 + number % 40}-{90_000 + number}"
            yield identifier, self._norm(identifier, number)

    def _norm(self, identifier: str, number: int) -> str:
        provisions = self._drawn(PROVISIONS)
        lines = [
            "---",
            f'title: "Ley {number}/{1980 + number % 40}, {self._text(60)[:-1].lower()}"',
            f'identifier: "{identifier}"',
            'rank: "ley"',
            'status: "in_force"',
            'scope: "Estatal"',
            f'publication_date: "{1980 + number % 40}-03-01"',
            "---",
        ]
        for article in range(1, provisions + 1):
            lines += ["", f"##### Artículo {article}. {self._text(40).capitalize()}"]
            paragraphs = self._drawn(PARAGRAPHS)
            for paragraph in range(1, paragraphs + 1):
                mark = f"{paragraph}. " if paragraphs > 1 else ""
                lines += ["", mark + self._paragraph(self._drawn(CHARACTERS), provisions)]
        return "\n".join(lines) + "\n"

    def _drawn(self, table: Sequence[float]) -> int:
        """Draw from a table of quantiles; between two of them logarithms are drawn evenly, for tails are long."""
        return round(float(np.exp(np.interp(100 * self._random.random(), QUANTILES, np.log(table)))))

    def _paragraph(self, characters: int, provisions: int) -> str:
        text = self._text(characters)
        for _ in range(self._numbers.poisson(characters * CITATIONS_PER_CHARACTER)):
            article = self._random.randint(1, provisions)
            law = f" {self._random.choice(KNOWN_LAWS)}" if self._random.random() < OF_OTHER_LAWS else ""
            text = f"{text[:-1]}, conforme al artículo {article}{law}."
        return text

    def _text(self, characters: int) -> str:
        """Return sentences, about so many characters of them."""
        words = list(self._chosen(characters // 5 + 2))
        sentences: list[str] = []
        length = 0
        while words and length < characters:
            size = self._random.randint(*SENTENCE_WORDS)
            clauses = [" ".join(words[at : min(at + CLAUSE_WORDS, size)]) for at in range(0, size, CLAUSE_WORDS)]
            sentence, words = ", ".join(filter(None, clauses)).capitalize() + ".", words[size:]
            sentences.append(sentence)
            length += len(sentence) + 1
        return f"{' '.join(sentences)[: max(2, characters - 1)].rstrip(' .')}."

    def _chosen(self, number: int) -> NDArray[np.str_]:
        positions = np.searchsorted(self._cumulative, self._numbers.random(number))
        chosen: NDArray[np.str_] = self._words[np.minimum(positions, len(self._words) - 1)]
        return chosen


def write_norms(folder: Path, points: int, seed: int = 1) -> int:
    """Write as many norms as make about so many points of an index; return how many norms that are."""
    folder.mkdir(parents=True, exist_ok=True)
    left = points * CHARACTERS_PER_POINT
    for written, (identifier, text) in enumerate(MadeUpNorms(seed).norms(), start=1):
        (folder / f"{identifier}.md").write_text(text, encoding="utf-8")
        left -= len(text)
        if left <= 0:
            return written
    raise AssertionError("norms are made without end")


def change_paragraph(folder: Path) -> Path:
    """Change a word in one paragraph of the norm in the middle of a folder; return its file."""
    files = sorted(folder.glob("*.md"))
    file = files[len(files) // 2]
    head, separator, rest = file.read_text(encoding="utf-8").partition("##### Artículo 5.")
    heading, _, text = rest.partition("\n\n")
    changed = f"{head}{separator}{heading}\n\nTexto que ha cambiado hoy. {text}"
    file.write_text(changed, encoding="utf-8")
    return file
