"""Texts that are long in one respect are read in a time that grows with their length, not with its square.

The texts are of a size at which linear work takes a second, and its square would take hours: the process that reads
them is ended by its limit then, on any machine.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from articulado.config.files import Limits
from articulado.ingestion.chunking.semantic import blocks, split_text
from articulado.ingestion.files.reader import read_document
from articulado.ingestion.markdown.reader import read_law
from articulado.ingestion.worker import Workers
from articulado.language.sentences import sentence_spans

MANY = 200_000
FRONT = "---\nidentifier: BOE-A-2000-1\ntitle: Ley de prueba\npublication_date: 2000-01-01\n---\n"


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    shared = Workers(Limits())
    yield shared
    shared.close()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a word without an end.txt", "x" * 5 * MANY),
        ("broken lines.txt", "una línea del texto que sigue y no acaba en ningún punto, ni tiene\n" * (MANY // 10)),
        ("broken words.txt", "uno dos tres cuatro cinco seis siete ocho nueve diez once do-\n" * (MANY // 10)),
        ("dots.txt", "fin" + "." * 5 * MANY + "x"),
        ("ellipses.txt", "…" * 5 * MANY + "x"),
        ("underscores.txt", "_" * 5 * MANY + "x"),
        ("accents.txt", "a" + "\u0301\u0316" * MANY),
        ("brackets.md", "[" * 5 * MANY),
        ("links.md", "[a](http://" * MANY),
        ("hashes.md", "# a " + "#" * 5 * MANY + "x"),
        ("items.html", "<ol>" + "<li>uno" * 60_000 + "</ol>"),
    ],
)
async def test_documents(workers: Workers, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert (await workers.call(read_document, tmp_path / name)).pages[0].paragraphs


async def test_articles_that_are_called_the_same(workers: Workers, tmp_path: Path) -> None:
    (tmp_path / "ley.md").write_text(FRONT + "###### Artículo 1\n\nTexto.\n\n" * (MANY // 8), encoding="utf-8")
    law = await workers.call(read_law, tmp_path / "ley.md")
    assert law.provisions[1].key == "art:1~2"
    assert len({provision.key for provision in law.provisions}) == MANY // 8


@pytest.mark.parametrize(
    ("text", "count"), [("A. " * MANY, 1), ("art. A " * MANY, 1), ("." * 5 * MANY, 1), ("Fin. " * MANY, MANY)]
)
async def test_sentences(workers: Workers, text: str, count: int) -> None:
    assert len(await workers.call(sentence_spans, text)) == count


async def test_a_line_of_many_sentences(workers: Workers) -> None:
    assert len(await workers.call(blocks, "Así es. " * (MANY // 2))) == MANY // 2


async def test_a_table_of_many_rows(workers: Workers) -> None:
    parts = await workers.call(split_text, "Puesto | Salario\n" + "Guarda | 1.100,00\n" * (MANY // 2))
    assert len(parts) > 500
    assert all(part.startswith("Puesto | Salario\nGuarda") for part in parts)
