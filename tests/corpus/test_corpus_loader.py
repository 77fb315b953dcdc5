import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from articulado.store.records.schema import Corpus, read_corpus
from articulado.values.errors import ConfigurationError

PROVISION = {
    "law_id": "BOE-A-2015-11430",
    "provision": "Artículo 38",
    "title": "Vacaciones anuales",
    "summary": "Treinta días.",
    "points": ["1. Son 30 días."],
    "questions": ["cuantas vacaciones tengo"],
    "keywords": ["descanso"],
    "topics": ["vacaciones"],
    "refs": ["BOE-A-2015-11430#Artículo 48"],
    "written_against": {"content_hash": "0123456789abcdef", "date": "2015-11-13"},
}
EMPTY = {
    "law_id": "BOE-A-2015-11430",
    "provision": "Disposición final primera",
    "title": "Título competencial",
    "reason": "titulo_competencial",
    "note": "Dice qué competencia del Estado ejerce la ley.",
    "replaced_by": [],
    "written_against": {"content_hash": "0123456789abcdef", "date": "2015-11-13"},
}
RULING = {
    "id": "sts-1-2020",
    "court": "Tribunal Supremo",
    "number": "STS 1/2020",
    "date": "2020-01-31",
    "case": "Recurso 1/2019",
    "ecli": "ECLI:ES:TS:2020:1",
    "title": "Vacaciones",
    "doctrine": "No se pierden.",
    "status_note": "",
    "questions": [],
    "keywords": [],
    "topics": ["vacaciones"],
    "refs": ["BOE-A-2015-11430#Artículo 38"],
    "url": "",
}
LAW = "BOE-A-2015-11430"
LAW_FILE = f"normativa/{LAW}.jsonl"


def corpus_folder(folder: Path, **files: list[dict | str]) -> Path:
    for name in ("normativa", "sin_contenido", "sentencias", "criterios_inss"):
        (folder / name).mkdir(exist_ok=True)
    for name, lines in files.items():
        path = f"{name}/{LAW}.jsonl" if name in ("normativa", "sin_contenido") else f"{name}/{name}.jsonl"
        written = (line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
        (folder / path).write_text("".join(f"{line}\n" for line in written), encoding="utf-8")
    return folder


def test_records_are_read_by_collection(tmp_path):
    corpus = read_corpus(corpus_folder(tmp_path, normativa=[PROVISION], sin_contenido=[EMPTY], sentencias=[RULING]))
    assert [record.provision for record in corpus.provisions] == ["Artículo 38"]
    assert corpus.provisions[0].points == ("1. Son 30 días.",)
    assert [(record.provision, record.repealed) for record in corpus.empty] == [("Disposición final primera", False)]
    assert corpus.law_records == (*corpus.provisions, *corpus.empty)
    assert [record.ecli for record in corpus.rulings] == ["ECLI:ES:TS:2020:1"]
    assert corpus.criteria == ()
    assert corpus.decisions == corpus.rulings


def test_an_empty_folder_is_an_empty_corpus_and_other_files_are_ignored(tmp_path):
    corpus_folder(tmp_path)
    (tmp_path / "normativa" / "NOTES.txt").write_text("nothing to read")
    assert read_corpus(tmp_path) == Corpus()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"points": []}, "points"),
        ({"points": ["1. Bien.", " sobra un espacio"]}, "points.1"),
        ({"topics": ["Vacaciones Anuales"]}, "topics.0"),
        ({"refs": ["Artículo 48"]}, "refs.0"),
        ({"law_id": "ET"}, "law_id"),
        ({"extra": 1}, "extra"),
        ({"summary": None}, "summary"),
        ({"written_against": {"content_hash": "xyz", "date": "2015-11-13"}}, "written_against.content_hash"),
        ({"written_against": {"content_hash": "0123456789abcdef", "date": "ayer"}}, "written_against.date"),
    ],
)
def test_a_broken_record_is_named_by_file_line_and_field(tmp_path, change, field):
    folder = corpus_folder(tmp_path, normativa=[PROVISION, PROVISION | change])
    with pytest.raises(ConfigurationError) as caught:
        read_corpus(folder)
    assert f"{LAW_FILE}, línea 2, campo «{field}»" in str(caught.value)
    assert "corpus/README.md" in str(caught.value)


def test_a_folder_that_is_missing_is_named(tmp_path):
    corpus_folder(tmp_path)
    (tmp_path / "sin_contenido").rmdir()
    with pytest.raises(ConfigurationError, match="le falta la carpeta sin_contenido"):
        read_corpus(tmp_path)


def test_a_provision_without_rules_needs_a_reason_that_is_known(tmp_path):
    with pytest.raises(ConfigurationError, match=rf"sin_contenido/{LAW}.jsonl, línea 1, campo «reason»"):
        read_corpus(corpus_folder(tmp_path, sin_contenido=[EMPTY | {"reason": "porque sí"}]))


@pytest.mark.parametrize("change", [{"date": "ayer"}, {"ecli": "ES:TS"}, {"url": "boe.es"}, {"id": "STS 1/2020"}])
def test_a_broken_ruling_is_refused(tmp_path, change):
    with pytest.raises(ConfigurationError, match=r"sentencias/sentencias.jsonl, línea 1, campo"):
        read_corpus(corpus_folder(tmp_path, sentencias=[RULING | change]))


def test_a_provision_in_the_file_of_another_law_is_refused(tmp_path):
    folder = corpus_folder(tmp_path, normativa=[PROVISION | {"law_id": "BOE-A-2015-11724"}])
    with pytest.raises(ConfigurationError, match="línea 1: la norma BOE-A-2015-11724 no es la del fichero"):
        read_corpus(folder)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    line=st.one_of(
        st.binary(max_size=60),
        st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8), st.lists, max_leaves=5).map(
            lambda value: json.dumps(value).encode()
        ),
        st.tuples(st.sampled_from(sorted(PROVISION)), st.none() | st.integers() | st.text(max_size=8)).map(
            lambda change: json.dumps(PROVISION | {change[0]: change[1]}).encode()
        ),
    )
)
def test_any_line_is_read_or_refused_in_our_own_words(tmp_path, line):
    folder = corpus_folder(tmp_path)
    (folder / LAW_FILE).write_bytes(line)
    try:
        read_corpus(folder)
    except ConfigurationError as error:
        assert "línea" in str(error)  # noqa: PT017 - either outcome is right
