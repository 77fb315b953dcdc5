"""Which files are documents, and which of them are of one document."""

import os
from pathlib import Path

import pytest
from support.small_laws import write_law

from articulado.ingestion.sources import SUFFIXES, companions, source_files


def paths(*named: Path) -> list[str]:
    files, failures, _ = source_files([str(path) for path in named])
    assert failures == []
    return [file["path"] for file in files]


def test_a_file_reached_twice_is_read_once(tmp_path: Path) -> None:
    law = write_law(tmp_path / "a.md", "BOE-A-2000-1")
    assert paths(law, tmp_path, tmp_path / ".." / tmp_path.name, Path(os.path.relpath(law))) == [str(law)]


def test_invalid_paths_are_reported(tmp_path: Path) -> None:
    law = write_law(tmp_path / "dentro" / "ley.MD", "BOE-A-2000-1")
    (tmp_path / "roto.md").symlink_to("nada.md")
    (tmp_path / "ciclo.md").symlink_to("ciclo.md")
    os.mkfifo(tmp_path / "tubo.md")
    for name in ("notas.zip", "notas.rara"):
        (tmp_path / name).write_text("texto")
    (tmp_path / "vacía").mkdir()
    named = [tmp_path, tmp_path / "nada.md", tmp_path / "nada", tmp_path / "notas.zip", tmp_path / "notas.rara"]
    named.append(tmp_path / "vacía")
    files, failures, _ = source_files([str(path) for path in named])
    assert [file["path"] for file in files] == [str(law)]
    known = f"{', '.join(SUFFIXES)}, .article.yaml"
    assert {Path(failure["source"]).name: failure["reason"] for failure in failures} == {
        "roto.md": "es un enlace a un fichero que no existe",
        "ciclo.md": "los enlaces simbólicos no llevan a ningún fichero",
        "tubo.md": "no es un fichero normal",
        "nada.md": "no existe",
        "nada": "no existe",
        "notas.zip": "formato no admitido; descomprímalo",
        "notas.rara": f"formato no admitido; los formatos que se leen son {known}",
        "vacía": f"la carpeta no contiene documentos ({known})",
    }


def test_links_to_outside_folders_are_reported_and_not_read(tmp_path: Path) -> None:
    inside, outside = tmp_path / "carpeta", tmp_path / "fuera"
    inside.mkdir()
    outside.mkdir()
    (outside / "ajeno.md").write_text("texto ajeno")
    (outside / "titulo.yaml").write_text("title: Ajeno")
    (inside / "propio.md").write_text("texto propio")
    (inside / "de-un-fichero.md").symlink_to(outside / "ajeno.md")
    (inside / "relativo.md").symlink_to("../fuera/ajeno.md")
    (inside / "de-una-carpeta").symlink_to(outside, target_is_directory=True)
    (inside / "por-dos-enlaces.md").symlink_to(inside / "relativo.md")
    (inside / "propio.yaml").symlink_to(outside / "titulo.yaml")
    (inside / "dentro.md").symlink_to("propio.md")
    files, failures, _ = source_files([str(inside)])
    assert [Path(file["path"]).name for file in files] == ["propio.md"]
    refused = ["de-un-fichero.md", "de-una-carpeta", "por-dos-enlaces.md", "propio.yaml", "relativo.md"]
    assert sorted(Path(failure["source"]).name for failure in failures) == refused
    assert all("lleva fuera de la carpeta" in failure["reason"] for failure in failures)
    assert companions(inside / "propio.md") == []
    assert paths(inside / "de-un-fichero.md") == [str(outside / "ajeno.md")], "one that is named is read"


def test_hidden_files_and_other_boe_xml_are_no_documents(tmp_path: Path) -> None:
    for name in (".oculto.md", ".git/x.md", "BOE-A-2000-1/indice.xml", "BOE-A-2000-1/full.xml", "nota.txt"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("<texto><bloque/></texto>" if file.name == "full.xml" else "texto")
    assert [Path(path).name for path in paths(tmp_path)] == ["full.xml", "nota.txt"]
    assert paths(tmp_path / "BOE-A-2000-1" / "indice.xml"), "one that is named is read"


def test_xml_pipes_are_reported_and_never_opened(tmp_path: Path) -> None:
    (tmp_path / "nada.xml").symlink_to(os.devnull)
    (tmp_path / "nota.txt").write_text("texto")
    files, failures, _ = source_files([str(tmp_path)])
    assert [Path(file["path"]).name for file in files] == ["nota.txt"]
    assert failures == [{"source": str(tmp_path / "nada.xml"), "reason": "no es un fichero normal"}]


def test_files_of_one_law_share_its_identity(tmp_path: Path) -> None:
    write_law(tmp_path / "a.md", "BOE-A-2000-1")
    write_law(tmp_path / "BOE-A-2000-1@2001-01-01.md", "BOE-A-2000-1")
    (tmp_path / "full.xml").write_text(
        "<response><data><metadatos><identificador> BOE-A-2000-1 </identificador></metadatos>"
        "<texto><bloque/></texto></data></response>"
    )
    note = tmp_path / "z.txt"
    note.write_text("identifier: BOE-A-2000-1")
    files, *_ = source_files([str(tmp_path)])
    assert [file["identity"] for file in files] == ["BOE-A-2000-1"] * 3 + [str(note)]


def test_digest_covers_sidecars(tmp_path: Path) -> None:
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
    files, failures, _ = source_files([str(tmp_path)])
    assert ([file["path"] for file in files], failures) == ([str(text), str(article)], [])
    assert [file["identity"] for file in files] == [str(text), str(article)]
    assert companions(text) == companions(article) == []
    assert source_files([str(tmp_path / "notas.yaml")])[1][0]["reason"].startswith("formato no admitido")


def test_unknown_formats_are_listed_by_kind_with_advice(tmp_path: Path) -> None:
    for name in (
        "a.txt",
        "viejo.DOC",
        "otro.doc",
        "cuentas.ods",
        "escaneo/1.jpg",
        "escaneo/2.png",
        "todo.zip",
        "correo.eml",
        "charla.pptx",
        "LEEME",
        # None of these is a document.
        "~$otro.doc",
        ".oculto.doc",
        "Thumbs.db",
        "reforms.tsv",
        "a.yaml",
        "otro.doc.yml",
        "pagina.html",
        "pagina_files/logo.png",
        "pagina_files/estilo/x.css",
        "norma/indice.xml",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("texto")
    files, failures, skipped = source_files([str(tmp_path), str(tmp_path)])
    assert ([Path(file["path"]).name for file in files], failures) == (["a.txt", "pagina.html"], [])
    told = {kind["kind"]: ([Path(file).name for file in kind["files"]], kind["advice"]) for kind in skipped}
    assert told.pop("") == (["LEEME"], f"los formatos que se leen son {', '.join(SUFFIXES)}, .article.yaml")
    scan = "por un OCR que dé un PDF con texto"
    assert told == {
        ".doc": (["otro.doc", "viejo.DOC"], "guárdelos como .docx"),
        ".eml": (["correo.eml"], "guárdelo como .pdf, y lo adjunto aparte"),
        ".jpg": (["1.jpg"], f"páselo {scan}"),
        ".ods": (["cuentas.ods"], "guárdelo como .xlsx"),
        ".png": (["2.png"], f"páselo {scan}"),
        ".pptx": (["charla.pptx"], "guárdelo como .pdf"),
        ".zip": (["todo.zip"], "descomprímalo"),
    }


def test_folder_without_documents_is_reported(tmp_path: Path) -> None:
    (tmp_path / "viejo.doc").write_text("texto")
    _, [failure], _ = source_files([str(tmp_path)])
    assert failure["reason"].endswith("): 1 de .doc (guárdelo como .docx)")


@pytest.mark.parametrize("name", ["nota.txt", "hondo/nota.md", "nota.pdf", "ley.xml", "nota.txt.yaml", "carpeta"])
def test_link_out_of_the_folder_is_reported_and_not_read(tmp_path: Path, name: str) -> None:
    folder, secret = tmp_path / "documentos", tmp_path / "fuera" / "secreto"
    (folder / "hondo").mkdir(parents=True)
    (folder / "nota.txt" if name != "nota.txt" else folder / "otra.txt").write_text("Texto de la nota.")
    secret.parent.mkdir()
    secret.write_text("<texto><bloque>secreto</bloque></texto>")
    target = secret.parent if name == "carpeta" else secret
    link = folder / name
    link.symlink_to(target)
    files, failures, _ = source_files([str(folder)])
    assert [Path(file["path"]).parent for file in files] == [folder]
    assert [failure["source"] for failure in failures] == [str(link)]
    assert "lleva fuera de la carpeta" in failures[0]["reason"]
    assert companions(folder / "nota.txt") == []


def test_links_within_a_folder_and_files_that_are_named_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "documentos"
    folder.mkdir()
    (folder / "nota.txt").write_text("Texto.")
    (folder / "otra.txt").symlink_to("nota.txt")
    (tmp_path / "enlace").symlink_to(folder)
    (tmp_path / "suelta.txt").symlink_to(folder / "nota.txt")
    assert paths(folder) == paths(tmp_path / "enlace") == paths(tmp_path / "suelta.txt") == [str(folder / "nota.txt")]
