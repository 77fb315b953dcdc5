"""What articulado brings along, as the commands tell of it."""

import json
from pathlib import Path

from support.small_corpus import small_corpus

from cli.main import run


def test_packaged_documents_are_reported_shown_and_excluded_on_request(
    tmp_path, monkeypatch, capsys, bring_along
) -> None:
    bring_along(small_corpus())
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    for name in ("guia.txt", "copia.txt", "viejo.doc"):
        Path("docs", name).write_text("Nada que citar.")

    def told(*arguments: str) -> str:
        capsys.readouterr()
        assert run([*arguments, "--index", "indice"]) == 0
        output = capsys.readouterr()
        assert output.err == ""
        return " ".join(output.out.split())

    report = told("ingest", "docs")
    assert "Normas con su texto oficial 0 Normas con solo nuestro resumen 2 " in report
    assert "docs/guia.txt es lo mismo que " in report
    assert "Omitidos por su formato: 1 fichero .doc (viejo.doc): guárdelo como .docx." in report
    assert "puntos de 2 normas (de 2, solo nuestro resumen)" in told("doctor")
    [law] = json.loads(told("show", "ET", "--json"))["laws"]
    assert (law["official"], list(law["labels"].values())) == (False, ["Artículo 1", "Artículo 9"])
    [shown] = json.loads(told("show", "art. 1 ET", "--json"))["provisions"]
    assert shown["official"] is False

    assert "resumen" not in told("ingest", "--without-packaged")
    page = told("doctor")
    assert "solo nuestro resumen" not in page
    assert "El índice no lleva los resúmenes, las sentencias y los criterios que trae articulado" in page
    assert "Normas con solo nuestro resumen 2 " in told("ingest", "docs", "--with-packaged")
