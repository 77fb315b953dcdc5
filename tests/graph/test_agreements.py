"""From files to answers: of several agreements only the one that applies is cited, with its scope; all are made up."""

import json
from collections.abc import Iterator

import pytest
from support.laboral import write_laboral
from support.small_laws import write_law

from cli.main import run

AGREEMENTS = {
    "sevilla.txt": (
        "Convenio colectivo del sector de la hostelería de la provincia de Sevilla, 2021-2023",
        "treinta y dos",
    ),
    "malaga.txt": (
        "Convenio colectivo del sector de la hostelería de la provincia de Málaga, 2025-2039",
        "treinta y cinco",
    ),
    "tarambana.txt": ("Convenio colectivo de la empresa Tarambana Logística, S.L.", "veintinueve"),
}
MALAGA = "Convenio colectivo de hostelería (Málaga)"


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Iterator[str]:
    """Folder of an index of the agreements beside a law on the same, under a profile that brings nothing along."""
    folder = tmp_path_factory.mktemp("convenios")
    law = "Las vacaciones anuales retribuidas serán las que se pacten en convenio colectivo: treinta días como mínimo."
    for name, (title, days) in AGREEMENTS.items():
        articles = (
            f"Vacaciones.\n\nLas vacaciones anuales retribuidas son de {days} días naturales.",
            "Pagas extraordinarias.\n\nSe abonan tres pagas extraordinarias al año, de una mensualidad cada una.",
            "Jornada.\n\nLa jornada máxima es de treinta y nueve horas semanales de trabajo efectivo.",
        )
        text = "\n\n".join(f"Artículo {number}. {article}" for number, article in enumerate(articles, start=1))
        (folder / name).write_text(f"{title}\n\n{text}\n")
    write_law(folder / "et.md", "BOE-A-2015-11430", law)
    where = str(folder / "indice")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARTICULADO_PROFILE", write_laboral(folder))
        assert run(["ingest", *(str(folder / name) for name in ("et.md", *AGREEMENTS)), "--index", where]) == 0
        yield where


def asked(index: str, capsys, question: str) -> dict:
    capsys.readouterr()
    assert run(["ask", question, "--index", index, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_agreement_that_is_named_is_cited_alone(index, capsys):
    result = asked(index, capsys, "¿Cuántos días de vacaciones da el convenio de hostelería de Málaga?")
    assert "treinta y cinco días" in result["answer"]
    assert result["answer"].startswith("Lo que dicen las fuentes:")
    assert f"{MALAGA}, artículo 1, vigencia 2025-2039" in result["answer"]
    [citation] = [citation for citation in result["citations"] if citation["agreement"]]
    assert (citation["law"], citation["provision"]) == (MALAGA, "Artículo 1")
    assert (citation["agreement"]["province"], citation["agreement"]["last_day"]) == ("Málaga", "2039-12-31")


def test_an_expired_agreement_is_cited_with_a_note(index, capsys):
    result = asked(index, capsys, "¿Qué vacaciones hay en el convenio de la hostelería sevillana?")
    notes = {citation["law"]: citation["note"] for citation in result["citations"] if citation["agreement"]}
    assert notes == {
        "Convenio colectivo de hostelería (Sevilla)": "Vigencia pactada hasta el 31 de diciembre de 2023; puede seguir "
        "aplicándose."
    }


def test_a_missing_agreement_is_not_replaced(index, capsys):
    result = asked(index, capsys, "¿Cuántos días de vacaciones da el convenio de hostelería de Huelva?")
    assert not any(citation["agreement"] for citation in result["citations"])
    assert any("no está el «convenio de hostelería de Huelva»" in warning for warning in result["warnings"])


@pytest.mark.parametrize(
    "name", ["malaga.txt", "Convenio colectivo de hostelería (Málaga)", AGREEMENTS["malaga.txt"][0]]
)
def test_an_agreement_is_shown_by_file_name_and_title(index, capsys, name):
    capsys.readouterr()
    assert run(["show", name, "--index", index, "--json"]) == 0
    [law] = json.loads(capsys.readouterr().out)["laws"]
    assert (law["title"], law["agreement"]["sector"]) == (AGREEMENTS["malaga.txt"][0], "hostelería")
    assert run(["show", f"art. 1 {name}", "--index", index]) == 0
    page = capsys.readouterr().out
    assert page.startswith(MALAGA)
    assert "Vigencia pactada: 2025-2039." in page
    assert "treinta y cinco días" in page


def test_unknown_names_list_the_indexed_agreements(index, capsys):
    capsys.readouterr()
    assert run(["show", "lo de siempre", "--index", index]) == 2
    assert AGREEMENTS["tarambana.txt"][0].removesuffix(".") in capsys.readouterr().err
