"""Documents of the user from the file to the answer: named as their own, and with the gaps of their reading told."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.laboral import write_laboral
from support.small_laws import write_law
from support.word import paragraph, run, word_of

from articulado.config.settings import Settings
from articulado.langchain import retriever
from cli.main import run as command

PICTURE = (
    '<w:r><w:drawing><wp:inline><wp:extent cx="990000" cy="360000"/><wp:docPr id="1" name="x" descr="19"/></wp:inline>'
    "</w:drawing></w:r>"
)
GAP = "[imagen con texto que no se ha podido leer]"
BONUS = "¿Cuánto es el plus de nocturnidad de Herrajes Tolmo?"
PRIZE = "¿Qué premio de antigüedad hay en Herrajes Tolmo?"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("pactos")
    bonus = paragraph(run("El plus de nocturnidad de Herrajes Tolmo es de 63,17 euros por noche trabajada."))
    prize = paragraph(run("El premio de antigüedad de Herrajes Tolmo es de "), PICTURE, run(" por año."))
    (folder / "pacto nocturno.docx").write_bytes(word_of(bonus))
    (folder / "premio.docx").write_bytes(word_of(prize + paragraph(run("secreto", "<w:vanish/>"))))
    write_law(folder / "et.md", "BOE-A-2015-11430", "Las vacaciones anuales son de treinta días naturales como mínimo.")
    where = str(folder / "indice")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARTICULADO_PROFILE", write_laboral(folder))
        assert command(["ingest", str(folder), "--index", where]) == 0
        yield where


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert command(list(arguments)) == 0
    return capsys.readouterr().out


def test_a_document_of_ones_own_is_called_so_and_never_official(index: str, capsys) -> None:
    result = json.loads(output(capsys, "ask", BONUS, "--index", index, "--json"))
    [citation] = result["citations"]
    assert (citation["official"], citation["document"]) == (False, "pacto nocturno.docx")
    assert (result["checked"], result["findings"]) == (["citations"], [])
    shown = output(capsys, "ask", BONUS, "--index", index)
    assert "Documento propio: pacto nocturno.docx" in shown
    assert "no es el texto oficial" not in shown
    hits = json.loads(output(capsys, "search", BONUS, "--index", index, "--json"))["hits"]
    own = next(hit for hit in hits if hit["document"])
    assert (own["official"], own["status"], own["document"]) == (False, None, "pacto nocturno.docx")
    law = json.loads(output(capsys, "show", "art. 1 ET", "--index", index, "--json"))["provisions"][0]
    assert (law["official"], law["document"], law["status"]) == (True, "", "vigente")


def test_langchain_documents_mark_own_documents(index: str) -> None:
    found = retriever(Settings.read(None, index=Path(index)), k=1).invoke(BONUS)
    kept = {name: found[0].metadata[name] for name in ("source", "document", "status")}
    assert kept == {"source": "own_document", "document": "pacto nocturno.docx", "status": None}


def test_an_answer_from_a_source_with_a_gap_says_so_in_place_of_having_been_checked(index: str, capsys) -> None:
    result = json.loads(output(capsys, "ask", PRIZE, "--index", index, "--json"))
    assert GAP in result["answer"]
    [finding] = result["findings"]
    assert (finding["check"], finding["kind"], finding["severity"]) == ("gap", "quoted", "warning")
    assert result["answer"][finding["start"] : finding["end"]] == finding["where"] == GAP
    shown = " ".join(output(capsys, "ask", PRIZE, "--index", index).split())
    assert "La fuente tiene partes que no se han podido leer" in shown
    assert "se ha comprobado" not in shown


def test_an_ingest_says_what_it_left_out(index: str, capsys, tmp_path: Path) -> None:
    body = paragraph(run("El plus es de 10 euros."), run("secreto", "<w:vanish/>"))
    (tmp_path / "plus.docx").write_bytes(word_of(body))
    said = " ".join(output(capsys, "ingest", str(tmp_path / "plus.docx"), "--index", str(tmp_path / "i")).split())
    assert "plus.docx: Se han dejado fuera 7 caracteres que no se ven" in said
