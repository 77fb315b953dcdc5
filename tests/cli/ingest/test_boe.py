"""``articulado ingest boe`` against a server that answers as the gazette does."""

import json
from pathlib import Path

import pytest
from support.boe_law import LAW, article, block, read_law_of
from support.boe_server import running_boe

from cli.main import run


@pytest.mark.integration  # the client pauses between requests
@pytest.mark.usefixtures("nothing_comes_along")
def test_a_law_is_downloaded_shown_and_brought_up_to_date(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "servidor" / LAW
    folder.mkdir(parents=True)
    read_law_of(folder, block("Artículo 1", article("Artículo 1. Pausa.", "La pausa es de diez minutos.")))
    metadata = Path(folder, "full.xml").read_text().replace("<texto>", "<ignored>").replace("</texto>", "</ignored>")
    Path(folder, "metadatos.xml").write_text(metadata)
    monkeypatch.setenv("ARTICULADO_HOME", str(tmp_path / "home"))
    with running_boe(tmp_path / "servidor") as server:
        monkeypatch.setenv("ARTICULADO_BOE_URL", server.url)
        assert run(["ingest", "boe", LAW, "BOE-A-1999-1", "--json"]) == 1
        output = capsys.readouterr()
        report = json.loads(output.out)
        assert report["added"] == ["Ley 9/2001, de 2 de febrero, de Pruebas"]
        assert [failure["source"] for failure in report["failures"]] == ["BOE-A-1999-1"]
        assert "omitido BOE-A-1999-1" in output.err
        assert run(["ingest", "boe"]) == 0
        assert capsys.readouterr().out.startswith("Sin cambios: ")
        server.failures.append((503, {"Retry-After": "3600"}))
        assert run(["ingest", "boe", "--json"]) == 1
        report = json.loads(capsys.readouterr().out)
        assert (report["unchecked"], report["failures"]) == ([LAW], [])
        server.failures.append((503, {"Retry-After": "3600"}))
        assert run(["ingest", "boe"]) == 1
        shown = capsys.readouterr().out
        assert "al día." in shown.splitlines()[0]
        assert f"Sin comprobar en el BOE: 1 de 1 normas ({LAW})." in shown
    assert run(["show", f"art. 1 {LAW}", "--json"]) == 0
    [shown] = json.loads(capsys.readouterr().out)["provisions"]
    assert (shown["text"], shown["valid_from"]) == ("La pausa es de diez minutos.", "2001-03-01")
