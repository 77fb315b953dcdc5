import numpy as np
import pytest

from articulado.ingestion.chunking.chunks import document_chunks
from articulado.ingestion.files.formats.lines import running_text
from articulado.ingestion.model import Document, Page
from articulado.legal.ids import chunk_id
from articulado.values.chunks import Chunk

URL = "https://example.org/sts.pdf"
PAGES = (
    Page(4, ("Los hechos son estos. La empresa despidió a la traba-",)),
    Page(5, ("jadora. Ella reclama.", "Fallamos que es nulo.")),
)


async def by_first_letter(texts):
    """Facts (L, E) one way, the ruling (F) another."""
    return [np.array((0, 1) if text[0] == "F" else (1, 0), dtype=np.float32) for text in texts]


def ruling(**fields):
    given = {
        "id": "ECLI:ES:TS:2024:123",
        "collection": "sentencias",
        "kind": "sentencia",
        "title": "Despido nulo",
        "pages": PAGES,
        "author": "Tribunal Supremo",
        "number": "STS 123/2024",
        "ecli": "ECLI:ES:TS:2024:123",
        "published": "2024-02-01",
        "status_note": "Firme",
        "territory": "Galicia",
        "url": URL,
    }
    return Document(**(given | fields))


async def test_the_chunks_of_a_ruling():
    first, second = await document_chunks(ruling(), by_first_letter)
    assert set(first) == Chunk.__required_keys__
    assert first["text"] == "Los hechos son estos. La empresa despidió a la trabajadora. Ella reclama."
    assert second["text"] == "Fallamos que es nulo."
    expected = {
        "collection": "sentencias",
        "law_id": "ECLI:ES:TS:2024:123",
        "law_name": "Tribunal Supremo",
        "rank": 5,
        "kind": "sentencia",
        "provision": "STS 123/2024",
        "title": "Despido nulo",
        "breadcrumb": "Despido nulo",
        "parts": 2,
        "parent_id": None,
        "strategy": "semantic",
        "refs": [],
        "notes": [],
        "valid_from": "2024-02-01",
        "valid_to": None,
        "status": "vigente",
        "status_note": "Firme",
        "territory_ccaa": "Galicia",
        "chunk_type": "doctrine",
        "source": "official",
    }
    for chunk, part, page in ((first, 1, "4"), (second, 2, "5")):
        assert {name: chunk[name] for name in expected} == expected
        assert chunk["part"] == part
        assert chunk["url"] == f"{URL}#page={page}"
        assert chunk["attributes"] == {"ecli": "ECLI:ES:TS:2024:123", "page": page}
        assert chunk["provision_key"] == f"ECLI:ES:TS:2024:123#{part}"
        assert chunk["id"] == chunk_id("sentencias", chunk["law_id"], chunk["provision_key"], "2024-02-01", part)
    assert first["content_hash"] != second["content_hash"]


async def test_the_same_document_gives_the_same_chunks():
    assert await document_chunks(ruling(), by_first_letter) == await document_chunks(ruling(), by_first_letter)


@pytest.mark.parametrize(
    ("pages", "names", "urls"),
    [
        (PAGES, ["Páginas 4 a 5", "Página 5"], [f"{URL}#page=4", f"{URL}#page=5"]),
        ((Page(None, ("Los hechos. El daño.", "Fallo.")),), ["Parte 1", "Parte 2"], [URL, URL]),
    ],
)
async def test_parts_without_a_number_go_by_their_page_or_place(pages, names, urls):
    chunks = await document_chunks(
        ruling(number="", ecli="", author="", kind="documento", pages=pages), by_first_letter
    )
    assert [chunk["provision"] for chunk in chunks] == names
    assert [chunk["url"] for chunk in chunks] == urls
    assert {(chunk["law_name"], chunk["chunk_type"]) for chunk in chunks} == {("Despido nulo", "document")}


@pytest.mark.parametrize(
    ("pages", "names"),
    [
        (PAGES, ["Pages 4 to 5", "Page 5"]),
        ((Page(None, ("Los hechos. El daño.", "Fallo.")),), ["Part 1", "Part 2"]),
    ],
)
async def test_parts_are_named_in_the_language_of_the_profile_under_the_same_ids(pages, names):
    document = ruling(number="", kind="documento", pages=pages)
    english = await document_chunks(document, by_first_letter, "en")
    spanish = await document_chunks(document, by_first_letter)
    assert [chunk["provision"] for chunk in english] == names
    assert [chunk["id"] for chunk in english] == [chunk["id"] for chunk in spanish]
    assert [chunk["content_hash"] for chunk in english] != [chunk["content_hash"] for chunk in spanish]


async def test_ids_and_hashes_of_spanish_parts_are_stable():
    chunks = await document_chunks(ruling(number="", kind="documento"), by_first_letter)
    assert [(chunk["id"], chunk["content_hash"]) for chunk in chunks] == [
        (606323526297945, "90c5c9e871c972ce022756bd70608115"),
        (7087807333810313, "21e364004328895d604ca969effa8aaa"),
    ]


async def test_document_without_url_has_chunks_without_url():
    assert {chunk["url"] for chunk in await document_chunks(ruling(url=""), by_first_letter)} == {""}


def test_running_text_keeps_the_page_of_each_offset():
    running = running_text([*PAGES, Page(6, ()), Page(7, ("A | B\n1 | 2",)), Page(8, ("sin mayúscula.",))])
    assert list(running.paragraphs()) == [
        (0, "Los hechos son estos. La empresa despidió a la trabajadora. Ella reclama."),
        (75, "Fallamos que es nulo."),
        (98, "A | B\n1 | 2"),
        (111, "sin mayúscula."),
    ]
    assert [
        running.page_at(running.text.index(word)) for word in ("Los", "jadora", "Ella", "Fallamos", "A |", "sin")
    ] == [
        4,
        5,
        5,
        5,
        7,
        8,
    ]
    assert running_text([]).page_at(0) is None
