"""Documents that a person brings: what became of the file, and questions that are answered from it, over real HTTP."""

import base64
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
import httpx
import openpyxl
import pytest
from support.pdf import partly_scanned_pdf, pdf_of
from support.served_law import index_law, v1_client

AGREEMENT = """CONVENIO COLECTIVO DE LA EMPRESA TALLERES ARANDA, S.A.

Artículo 1. Ámbito de aplicación
El presente convenio será de aplicación a todo el personal de Talleres Aranda, S.A. en la provincia de Burgos.

Artículo 2. Vigencia
El convenio tendrá vigencia desde el 1 de enero de 2025 hasta el 31 de diciembre de 2027.

Artículo 15. Vacaciones
El personal disfrutará de 32 días naturales de vacaciones al año.

Artículo 18. Plus de nocturnidad
Las horas trabajadas entre las 22:00 y las 6:00 se abonarán con un plus del 28 por ciento sobre el salario base.

Artículo 21. Licencias retribuidas
El personal podrá ausentarse 18 días naturales por boda, y 2 días al año por asuntos propios.
"""
LETTER = """Burgos, 24 de julio de 2026

Por medio de la presente le comunicamos su despido disciplinario, con fecha de efectos de 24 de julio de 2026,
conforme al artículo 54.2.d) del Estatuto de los Trabajadores.

Su antigüedad es de 1 de marzo de 2019. La liquidación asciende a 1.845,30 euros.
"""
PAYSLIP = [["Recibo individual de salarios", ""], ["Total devengado", "1.950,00"], ["Líquido a percibir", "1.612,40"]]
BRIEF = """AL JUZGADO DE LO SOCIAL

Comparezco y digo:

SUPLICO que se estime la demanda (artículo 56 del Estatuto de los Trabajadores).
"""


def sheet(rows: list[list[str]]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def word(text: str) -> bytes:
    document = docx.Document()
    for paragraph in filter(None, text.splitlines()):
        document.add_paragraph(paragraph)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("documents")
    index_law(made)
    return made


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[httpx.Client]:
    with v1_client(folder) as http:
        yield http


def sent(name: str, content: bytes) -> dict[str, str]:
    return {"name": name, "content": base64.b64encode(content).decode()}


def read(client: httpx.Client, name: str, content: bytes) -> dict[str, Any]:
    answer = client.post("/v1/documents", json=sent(name, content))
    assert answer.status_code == 200, answer.text
    return answer.json()


def ask(client: httpx.Client, question: str, **more: Any) -> dict[str, Any]:
    answer = client.post("/v1/ask", json={"question": question, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture(scope="module")
def agreement(client: httpx.Client) -> dict[str, Any]:
    return read(client, "convenio.txt", AGREEMENT.encode())["document"]


@pytest.mark.parametrize(
    ("name", "content", "kind", "pages", "citations"),
    [
        ("convenio.txt", AGREEMENT.encode(), "agreement", 0, 0),
        ("carta.docx", word(LETTER), "dismissal", 0, 1),
        ("nómina.xlsx", sheet(PAYSLIP), "payslip", 0, 0),
        ("demanda.md", BRIEF.encode(), "brief", 0, 1),
        ("carta.pdf", pdf_of([LETTER.splitlines()[:4], LETTER.splitlines()[4:]]), "dismissal", 2, 1),
        ("receta.txt", b"Seis huevos y medio kilo de patatas para la tortilla de cada semana.", "", 0, 0),
    ],
)
def test_a_document_is_read_and_its_kind_told(
    client: httpx.Client, name: str, content: bytes, kind: str, pages: int, citations: int
) -> None:
    told = read(client, name, content)
    assert (told["kind"], told["pages"], told["citations"]) == (kind, pages, citations)
    assert (told["gaps"], told["warnings"]) == (0, [])
    assert told["document"]["name"] == name
    assert told["can_check"] == (not name.endswith(".xlsx"))
    text = " ".join(passage["text"] for passage in told["document"]["passages"])
    assert len(text.split()) <= told["words"] + 10


def test_an_agreement_is_read_article_by_article(agreement: dict[str, Any]) -> None:
    assert "TALLERES ARANDA" in agreement["title"]
    articles = {passage["provision"]: passage["title"] for passage in agreement["passages"]}
    assert articles["Artículo 15"] == "Vacaciones"
    assert list(articles)[-3:] == ["Artículo 15", "Artículo 18", "Artículo 21"]


def test_pages_that_cannot_be_read_are_told(client: httpx.Client) -> None:
    told = read(client, "medio.pdf", partly_scanned_pdf([LETTER.splitlines(), []]))
    assert told["warnings"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("carta.doc", b"\xd0\xcf\x11\xe0"),
        ("carta.pdf", b"no es un PDF"),
        ("carta.txt", b""),
        ("../../etc/carta", b"hola"),
        ("foto.jpg", b"\xff\xd8\xff"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_by_its_own_name(client: httpx.Client, name: str, content: bytes) -> None:
    told = client.post("/v1/documents", json={"name": name, "content": base64.b64encode(content).decode() or "IA=="})
    assert told.status_code == 422
    assert name.rpartition("/")[2] in told.json()["detail"]
    assert tempfile.gettempdir() not in told.text
    assert "escrito." not in told.text


def test_nothing_of_a_file_stays_on_the_disk(client: httpx.Client) -> None:
    before = set(Path(tempfile.gettempdir()).iterdir())
    read(client, "carta.txt", LETTER.encode())
    assert not [left for left in set(Path(tempfile.gettempdir()).iterdir()) - before if list(left.rglob("escrito*"))]


@pytest.mark.parametrize(
    ("question", "provision", "said"),
    [
        ("¿Cuántos días de vacaciones da el convenio?", "Artículo 15", "32 días naturales"),
        ("¿Qué plus de nocturnidad se paga?", "Artículo 18", "28 por ciento"),
        ("¿Hasta cuándo tiene vigencia el convenio?", "Artículo 2", "31 de diciembre de 2027"),
        ("¿Cuántos días hay por asuntos propios?", "Artículo 21", "2 días al año por asuntos propios"),
        ("¿Cuántos días por boda tengo?", "Artículo 21", "18 días naturales por boda"),
    ],
)
def test_a_question_is_answered_from_the_document(
    client: httpx.Client, agreement: dict[str, Any], question: str, provision: str, said: str
) -> None:
    answer = ask(client, question, document=agreement)
    assert answer["outcome"] == "answer"
    assert answer["answer"].startswith("Su documento dice:")
    assert said in answer["answer"]
    first = answer["citations"][0]
    assert (first["provision"], first["document"], first["official"]) == (provision, "convenio.txt", False)
    assert first["mark"] == "C1"


def test_the_law_stands_beside_the_document(client: httpx.Client, agreement: dict[str, Any]) -> None:
    answer = ask(client, "¿Cuántos días de permiso por boda da el artículo 1 de la Ley 9/2001?", document=agreement)
    assert "18 días naturales por boda" in answer["answer"]
    assert "20 días naturales" in answer["answer"]
    assert [one["official"] for one in answer["citations"]][:2] == [False, True]


@pytest.mark.parametrize("question", ["¿Quién ganó la liga de fútbol?", "¿Cuánto cuesta el billete de metro?"])
def test_a_document_without_an_answer_is_told(client: httpx.Client, agreement: dict[str, Any], question: str) -> None:
    answer = ask(client, question, document=agreement)
    assert "En «convenio.txt» no se ha encontrado nada sobre esto." in answer["warnings"]
    assert not any(one["document"] for one in answer["citations"])


def test_the_next_question_does_not_know_the_document(client: httpx.Client, agreement: dict[str, Any]) -> None:
    thread = {"thread_id": "con-documento"}
    first = ask(client, "¿Qué plus de nocturnidad se paga?", document=agreement, **thread)
    assert first["context_chunk_ids"] == []
    second = ask(client, "¿Qué plus de nocturnidad se paga de noche?", **thread)
    assert "28 por ciento" not in second["answer"]
    assert second["warnings"] == [] or not any("índice" in one for one in second["warnings"])


def test_a_conversation_stores_only_cited_parts_of_a_document(
    client: httpx.Client, folder: Path, agreement: dict[str, Any]
) -> None:
    secret = {
        "provision": "Anexo",
        "title": "",
        "text": "Plus de nocturnidad: la clave del archivo es zafiro.",
        "page": "",
    }
    document = {**agreement, "passages": [*agreement["passages"], secret]}
    answer = ask(client, "¿Qué plus de nocturnidad se paga?", document=document, thread_id="guardada")
    assert "28 por ciento" in answer["answer"]
    kept = b"".join(file.read_bytes() for file in folder.glob("kept.sqlite*"))
    assert b"28 por ciento" in kept
    assert b"32 d" not in kept
    assert (b"zafiro" in kept) == ("zafiro" in answer["answer"])


def test_another_document_of_the_same_name_is_another(client: httpx.Client, agreement: dict[str, Any]) -> None:
    other = {**agreement, "passages": agreement["passages"][::-1]}
    for document in (agreement, other, agreement):
        assert "28 por ciento" in ask(client, "¿Qué plus de nocturnidad se paga?", document=document)["answer"]


def test_a_long_document_may_come_with_a_question(client: httpx.Client, agreement: dict[str, Any]) -> None:
    filler = {"provision": "Anexo", "title": "", "text": "Tabla de categorías. " * 8_000, "page": ""}
    answer = ask(
        client,
        "¿Qué plus de nocturnidad se paga?",
        document={**agreement, "passages": [filler, *agreement["passages"]]},
    )
    assert "28 por ciento" in answer["answer"]


@pytest.mark.parametrize(
    "document",
    [
        {"name": "x.txt", "passages": []},
        {"name": "", "passages": [{"provision": "1", "text": "x"}]},
        {"name": "x.txt", "passages": [{"provision": "1", "text": "x", "more": 1}]},
        "x",
        {"passages": [{"provision": "1", "text": "x"}]},
    ],
)
def test_a_document_of_another_form_is_refused(client: httpx.Client, document: Any) -> None:
    refused = client.post("/v1/ask", json={"question": "¿Y esto?", "document": document})
    assert refused.status_code == 422
