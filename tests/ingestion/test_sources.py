"""Which files are documents, and which of them are of one document."""

import os
from pathlib import Path

from support.small_laws import write_law

from ingestion.sources import SUFFIXES, companions, source_files


def paths(*named: Path) -> list[str]:
    files, failures = source_files([str(path) for path in named])
    assert failures == []
    return [file["path"] for file in files]


def test_a_file_reached_twice_is_read_once(tmp_path: Path) -> None:
    law = write_law(tmp_path / "a.md", "BOE-A-2000-1")
    assert paths(law, tmp_path, tmp_path / ".." / tmp_path.name, Path(os.path.relpath(law))) == [str(law)]


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    law = write_law(tmp_path / "dentro" / "ley.MD", "BOE-A-2000-1")
    (tmp_path / "roto.md").symlink_to("nada.md")
    (tmp_path / "ciclo.md").symlink_to("ciclo.md")
    os.mkfifo(tmp_path / "tubo.md")
    (tmp_path / "notas.odt").write_text("texto")
    (tmp_path / "vacía").mkdir()
    named = [tmp_path, tmp_path / "nada.md", tmp_path / "nada", tmp_path / "notas.odt", tmp_path / "vacía"]
    files, failures = source_files([str(path) for path in named])
    assert [file["path"] for file in files] == [str(law)]
    known = f"{', '.join(SUFFIXES)}, .article.yaml"
    assert {Path(failure["source"]).name: failure["reason"] for failure in failures} == {
        "roto.md": "es un enlace a un fichero que no existe",
        "ciclo.md": "los enlaces simbólicos no llevan a ningún fichero",
        "tubo.md": "no es un fichero normal",
        "nada.md": "no existe",
        "nada": "no existe",
        "notas.odt": f"formato no admitido; los posibles son {known}",
        "vacía": f"la carpeta no contiene documentos ({known})",
    }


def test_hidden_files_and_what_the_gazette_gives_beside_a_text_are_no_documents(tmp_path: Path) -> None:
    for name in (".oculto.md", ".git/x.md", "BOE-A-2000-1/indice.xml", "BOE-A-2000-1/full.xml", "nota.txt"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("<texto><bloque/></texto>" if file.name == "full.xml" else "texto")
    assert [Path(path).name for path in paths(tmp_path)] == ["full.xml", "nota.txt"]
    assert paths(tmp_path / "BOE-A-2000-1" / "indice.xml"), "one that is named is read"


def test_files_of_one_law_share_its_identity(tmp_path: Path) -> None:
    write_law(tmp_path / "a.md", "BOE-A-2000-1")
    write_law(tmp_path / "BOE-A-2000-1@2001-01-01.md", "BOE-A-2000-1")
    (tmp_path / "full.xml").write_text(
        "<response><data><metadatos><identificador> BOE-A-2000-1 </identificador></metadatos>"
        "<texto><bloque/></texto></data></response>"
    )
    note = tmp_path / "z.txt"
    note.write_text("identifier: BOE-A-2000-1")
    files, _ = source_files([str(tmp_path)])
    assert [file["identity"] for file in files] == ["BOE-A-2000-1"] * 3 + [str(note)]


def test_what_lies_beside_a_file_and_is_read_with_it_counts_for_its_digest(tmp_path: Path) -> None:
    ruling = tmp_path / "sentencia.txt"
    ruling.write_text("Fallo.")
    law = write_law(tmp_path / "ley.md", "BOE-A-2000-1")

    def digests() -> list[str]:
        return [file["digest"] for file in source_files([str(law), str(ruling)])[0]]

    before = digests()
    assert digests() == before
    (tmp_path / "sentencia.yaml").write_text("court: TS")
    with_header = digests()
    assert with_header[0] == before[0]
    assert with_header[1] != before[1]
    (tmp_path / "reforms.tsv").write_text("law_id\n")
    assert digests()[0] != before[0]


def test_an_identifier_below_the_header_is_none_of_the_file(tmp_path: Path) -> None:
    note = tmp_path / "nota.md"
    note.write_text("---\ntitle: Nota\n---\nidentifier: BOE-A-2015-11430\n")
    assert source_files([str(note)])[0][0]["identity"] == str(note)


def test_laws_of_a_region_have_their_own_identifiers(tmp_path: Path) -> None:
    law = write_law(tmp_path / "a.md", "DOGC-f-2015-90448")
    assert source_files([str(law)])[0][0]["identity"] == "DOGC-f-2015-90448"


def test_an_article_is_a_document_and_other_yaml_belongs_to_one(tmp_path: Path) -> None:
    article, text = tmp_path / "a.article.yaml", tmp_path / "a.article.md"
    article.write_text("id: a\n")
    text.write_text("Texto.")
    (tmp_path / "notas.yaml").write_text("title: a\n")
    (tmp_path / ".oculto.article.yaml").write_text("id: b\n")
    files, failures = source_files([str(tmp_path)])
    assert ([file["path"] for file in files], failures) == ([str(text), str(article)], [])
    assert [file["identity"] for file in files] == [str(text), str(article)]
    assert companions(text) == companions(article) == []
    assert source_files([str(tmp_path / "notas.yaml")])[1][0]["reason"].startswith("formato no admitido")
