"""What an article file may say, and how an editor is told what is wrong with it."""

from datetime import date

import pytest
from support.small_articles import decision_guide, guardrails, required_data, write_article

from articulado.guides.chunks import read_article
from articulado.values.errors import InvalidInput


def test_an_article_is_read_with_its_date(tmp_path):
    read = read_article(write_article(tmp_path / "a.article.yaml", provisions=["BOE-A-2015-11430#Artículo 55"]))
    assert (read.id, read.topic, read.updated) == ("dry-zone-pruning", "pruning", date(2026, 11, 1))
    assert read.filters == {"climate": "Dry zone"}
    assert read.provisions == ["BOE-A-2015-11430#Artículo 55"]
    assert [chunk.type for chunk in read.chunks] == ["required_data", "decision_guide", "guardrails"]
    assert read.chunks[1].rules[0].when.below == 2


def with_chunk(*chunks):
    return {"chunks": list(chunks)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"title": None}, "title: falta"),
        (
            {"id": "Dry_Zone"},
            "id: «Dry_Zone» no vale: solo letras minúsculas sin acentos y cifras, separadas por guiones.",
        ),
        ({"title": 401}, "title: debe ser un texto (póngalo entre comillas si parece un número"),
        ({"updated": "nunca"}, "updated: debe ser una fecha, AAAA-MM-DD."),
        ({"inquiries": "one"}, "inquiries: debe ser una lista."),
        ({"provisions": ["ET 55"]}, "provisions 1: «ET 55» no nombra un precepto."),
        (with_chunk(), "trozo: no puede estar vacía."),
        (with_chunk("text"), "trozo 1: debe ser una serie de claves con su valor."),
        (with_chunk({"type": "examples"}), "trozo 1: no tiene texto."),
        (with_chunk({"type": "examples", "text": "x", "note": "y"}), "trozo 1, note: no es una clave conocida."),
        (with_chunk({"type": "faqs", "text": "x"}), "trozo 1: un trozo «faqs» debe llevar «faqs»."),
        (with_chunk({**guardrails(), "type": "examples"}), "trozo 1: «guards» va en un trozo «guardrails»."),
        (with_chunk({"type": "examples", "text": "x", "critical": "yes"}), "critical: debe ser true o false."),
        (with_chunk(required_data(data_type="money")), "trozo 1, fields 1, data_type: los valores posibles son 'text'"),
        (with_chunk(required_data(group="people")), "trozo 1, fields 1, group: los valores posibles son"),
        (with_chunk(required_data(field="Plant age")), "separadas por guiones bajos."),
        (with_chunk(required_data(aliases=["plant_age"])), "fields 1: «plant_age» está dos veces en el artículo."),
        (with_chunk(required_data(), guardrails(), guardrails()), "trozo 3, guards 1: «no-promise» está dos veces"),
        (with_chunk(required_data(), guardrails("a(")), "violated_by 1: «a(» no es una expresión regular: "),
        (
            with_chunk(required_data(), decision_guide(when={"field": "height", "above": 1})),
            "trozo 2, rules 1, when, field: «height» no está entre los «fields» del artículo (plant_age).",
        ),
        (
            with_chunk(required_data(), decision_guide(when={"field": "plant_age", "above": 1, "below": 2})),
            "trozo 2, rules 1, when: debe llevar una, y solo una, de las claves one_of, below, above, before y after.",
        ),
        (
            with_chunk(required_data(), decision_guide(when={"field": "plant_age"})),
            "debe llevar una, y solo una, de las claves one_of, below, above, before y after.",
        ),
        (
            with_chunk(required_data(), decision_guide(when={"field": "plant_age", "one_of": [True]})),
            "one_of 1: debe ser un texto (póngalo entre comillas",
        ),
        (with_chunk(required_data(), decision_guide(decision="maybe")), "decision: los valores posibles son"),
    ],
)
def test_errors_name_file_chunk_and_key(tmp_path, changes, message):
    file = write_article(tmp_path / "a.article.yaml", **changes)
    with pytest.raises(InvalidInput) as refused:
        read_article(file)
    said = str(refused.value)
    assert said.startswith(f"El artículo «{file}» no se puede usar: ")
    assert message in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("title: [", "no es YAML válido"),
        ("title: one\ntitle: two\n", "no se entiende su línea 2, o repite una clave"),
        ("chunks:\n  - text: one\n    text: two\n", "no se entiende su línea 3, o repite una clave"),
        ("updated: 2026-02-30", "no es YAML válido"),
        ("- one", "no es una serie de claves con su valor"),
        ("", "está vacío"),
    ],
)
def test_rejects_files_that_are_no_articles(tmp_path, written, message):
    file = tmp_path / "a.article.yaml"
    file.write_text(written)
    with pytest.raises(InvalidInput, match=message):
        read_article(file)


def test_a_type_of_a_profiles_own_may_have_any_list(tmp_path):
    own = {**guardrails(), "type": "house_rules", "steps": ["One"]}
    read = read_article(write_article(tmp_path / "a.article.yaml", **with_chunk(own)))
    assert (read.chunks[0].steps, read.chunks[0].guards[0].id) == (["One"], "no-promise")
