"""A third profile, of data files alone, without a line of Python: its articles are ingested and its cases answered."""

import json

import pytest

from cli.main import run

PROFILE = """
name = "gimnasio"
title = "Atención al socio de un gimnasio"
language = "es"

[[collections]]
name = "fichas"
label = "Fichas"

[[filter_fields]]
name = "tarifa"
label = "Tarifa"

[[filter_fields]]
name = "topic"
label = "Asunto"

[case.required_data]
filter = ["tarifa"]

[case.response]
filter = ["tarifa", "topic"]
max_tokens = 1200

[case.categories]
participant_data = "Datos del socio"
plan_data = "Datos de la cuota"
"""

LEAVING = """
id: baja
title: Baja de un socio
topic: baja
updated: 2026-10-01
inquiries: [Un socio quiere darse de baja, "Quiero dejar el gimnasio, ¿qué hago?"]
chunks:
  - type: required_data
    title: Datos para la baja
    text: La baja se tramita con estos datos.
    fields:
      - {field: numero_socio, group: participant_data, description: Número del carné, data_type: number,
         why_needed: Identifica la ficha, required: true, aliases: [carne]}
      - {field: permanencia, group: plan_data, description: Si la cuota tiene permanencia, data_type: boolean,
         why_needed: Decide si hay penalización, required: true, aliases: []}
  - type: decision_guide
    title: ¿Se puede tramitar la baja?
    text: Con permanencia decide la encargada.
    rules: [{when: {field: permanencia, one_of: ["sí"]}, decision: uncertain, because: La revisa la encargada}]
  - type: response_frames
    title: Frases sobre la baja
    text: ""
    frames: [{topic: Efecto, text: La baja surte efecto el último día del mes en que se pide.}]
  - type: guardrails
    title: Límites
    text: ""
    guards: [{id: sin-devoluciones, rule: No prometa devoluciones, violated_by: ['le devolveremos']}]
  - type: steps
    title: Pasos de la baja
    text: ""
    steps: [Pida el carné., Anote la baja en la ficha., Entregue el justificante.]
    warnings: [{about: deadlines, text: Después del día 25 se cobra el mes siguiente.}]
"""

LOCKER = """
id: taquillas
title: Alquiler de taquillas
topic: taquilla
updated: 2026-10-01
tarifa: Premium
inquiries: [Una socia pide una taquilla fija]
chunks:
  - type: required_data
    title: Datos para la taquilla
    text: Solo hace falta la talla.
    fields:
      - {field: talla, group: participant_data, description: Grande o pequeña, why_needed: Hay dos tamaños,
         data_type: text, required: true, aliases: []}
  - {type: steps, title: Pasos para alquilar, text: "", steps: [Elija una libre., Entregue la llave.]}
"""

NOTICE = "Información general de la base de conocimiento; no es asesoramiento."


@pytest.fixture
def gym(tmp_path, monkeypatch) -> str:
    monkeypatch.setenv("ARTICULADO_HOME", str(tmp_path / "home"))
    (tmp_path / "gimnasio.toml").write_text(PROFILE, encoding="utf-8")
    folder = tmp_path / "fichas"
    folder.mkdir()
    (folder / "baja.article.yaml").write_text(LEAVING, encoding="utf-8")
    (folder / "taquillas.article.yaml").write_text(LOCKER, encoding="utf-8")
    assert run(["ingest", str(folder), "--profile", str(tmp_path / "gimnasio.toml")]) == 0
    return str(tmp_path / "gimnasio.toml")


def handled(capsys, *arguments: str) -> dict:
    capsys.readouterr()
    assert run(["case", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_cases_of_another_profile_are_answered(gym, capsys):
    asked = ["--profile", gym, "--inquiry", "Una socia quiere darse de baja"]

    needed = handled(capsys, "required-data", *asked)
    assert needed["article_reference"]["article_id"] == "baja"
    assert [field["field"] for field in needed["required_fields"]["participant_data"]] == ["numero_socio"]
    assert [field["field"] for field in needed["required_fields"]["plan_data"]] == ["permanencia"]

    data = '{"carné": 17, "permanencia": true}'
    found = handled(capsys, "respond", *asked, "--topic", "baja", "--collected-data", data)
    sections = {section["topic"]: section for section in found["response"]["sections"]}
    assert sections["Efecto"]["answer_components"] == ["La baja surte efecto el último día del mes en que se pide."]
    assert sections["Pasos de la baja"]["steps"] == [
        "Pida el carné.",
        "Anote la baja en la ficha.",
        "Entregue el justificante.",
    ]
    assert sections["Pasos de la baja"]["warnings"] == ["Después del día 25 se cobra el mes siguiente."]
    assert found["metadata"]["missing_data"] == []
    assert found["guardrails"]["checked"] == 2
    assert found["metadata"]["token_count"] <= 1200
    assert {source["article_id"] for source in found["sources"]} == {"baja"}
    assert found["decision"] == "uncertain"


def test_filter_fields_of_another_profile_are_options(gym, capsys):
    asked = ["--profile", gym, "--inquiry", "Una socia pide una taquilla"]

    premium = handled(capsys, "required-data", *asked, "--tarifa", "Premium")
    basic = handled(capsys, "required-data", *asked, "--tarifa", "Básica")

    assert premium["article_reference"]["article_id"] == "taquillas"
    assert "taquillas" not in {source["article_id"] for source in basic["sources"]}


def test_another_profile_answers_free_questions(gym, capsys):
    capsys.readouterr()
    assert run(["ask", "¿Cuándo surte efecto la baja?", "--profile", gym]) == 0
    answer = capsys.readouterr().out
    assert "último día del mes" in answer
    assert answer.endswith(f"\n{NOTICE}\n")


def test_texts_of_another_profile_do_not_mention_law(gym, capsys):
    capsys.readouterr()
    asked = ["--profile", gym, "--inquiry", "Una socia quiere darse de baja"]
    for command in ("required-data", "respond"):
        assert run(["case", command, *asked]) == 0
        page = capsys.readouterr().out
        assert f"\n{NOTICE}\n" in page
        assert "normativa" not in page
