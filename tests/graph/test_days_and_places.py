"""Law that is not yet in force, has lost its object or is of a community, through the real graph, offline."""

import pytest
from support.searching import services_over

from articulado.ingestion.boe.reader import read_boe
from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.markdown.reader import read_law
from graph.rag import build_rag

HEAD = """---
title: "{title}"
identifier: "{id}"
rank: "ley"
publication_date: "2024-03-20"
last_updated: "2024-03-20"
status: "in_force"
scope: "{scope}"
department: "{department}"
---
# {title}

"""
OF_COMMUNITY = "Autonómico", "Comunidad Autónoma de "
STATE = ("Ley 3/2024, de 12 de marzo, de faros", "BOE-A-2024-99013", "Estatal", "Jefatura del Estado")
BASQUE = ("Ley 4/2024, de 12 de marzo, de faros vascos", "BOE-A-2024-99011", OF_COMMUNITY[0], "País Vasco")
CATALAN = ("Ley 5/2024, de 12 de marzo, de faros catalanes", "BOE-A-2024-99012", OF_COMMUNITY[0], "Cataluña")
LEAVE = (
    "##### Artículo 2. Permiso por temporal.\n\nEl personal de faros tiene un permiso por temporal de {days} días.\n\n"
)
FINAL = "##### Disposición final única. Entrada en vigor.\n\n{text}\n"
QUESTION = "¿Cuántos días dura el permiso por temporal del personal de faros?"


def chunks_of(folder, law, text):
    title, id_, scope, department = law
    department = f"{OF_COMMUNITY[1]}{department}" if scope == OF_COMMUNITY[0] else department
    file = folder / f"{id_}.md"
    file.write_text(HEAD.format(title=title, id=id_, scope=scope, department=department) + text, encoding="utf-8")
    return law_chunks(read_law(file))


async def answered(folder, chunks, question, **context):
    services = await services_over(folder / "index", chunks, question, None)
    keys = ["answer", "outcome", "context", "citations", "warnings"]
    return await build_rag(services).ainvoke({"question": question}, context=context, output_keys=keys)


@pytest.mark.parametrize(
    "final",
    [
        "Esta ley entrará en vigor el 1 de julio de 2099.",
        "Esta ley entrará en vigor al día siguiente de su publicación, salvo el artículo 2, que lo hará el 1 de julio "
        "de 2099.",
        "Esta ley entra en vigor el día siguiente al de su publicación; el artículo 2, el 1 de julio de 2099.",
        "Entrará en vigor a los veinte días de su publicación y surtirá efectos desde el 1 de julio de 2099.",
        "La presente ley entrará en vigor al mes de su publicación. No obstante, el artículo 2 producirá efectos a "
        "partir del 1 de julio de 2099.",
    ],
)
async def test_a_provision_that_is_not_yet_in_force_says_since_when_it_will_be(tmp_path, final):
    chunks = chunks_of(tmp_path, STATE, LEAVE.format(days=5) + FINAL.format(text=final))
    result = await answered(tmp_path, chunks, QUESTION)
    assert result["answer"].startswith("Todavía no está en vigor: rige desde el 1 de julio de 2099")
    assert "un permiso por temporal de 5 días" in result["answer"]
    later = await answered(tmp_path / "later", chunks, QUESTION, as_of="2099-07-01")
    assert "no está en vigor" not in later["answer"]
    assert "No consta con seguridad" not in " ".join(later["warnings"])


WORDINGS = """<response><data><metadatos><identificador>BOE-A-2024-99002</identificador><rango codigo="1300">Ley</rango>
<titulo>Ley 88/2024, de faros</titulo><fecha_publicacion>20240301</fecha_publicacion></metadatos><texto>
<bloque id="a1" titulo="Artículo 1"><version fecha_publicacion="20240301" fecha_vigencia="20240302">
<p class="articulo">Artículo 1. Permiso por temporal.</p>
<p>El permiso por temporal del personal de faros es de 2 días.</p>
</version><version fecha_publicacion="20240501" fecha_vigencia="20990701">
<p class="articulo">Artículo 1. Permiso por temporal.</p>
<p>El permiso por temporal del personal de faros es de 6 días.</p>
</version></bloque></texto></data></response>
"""


@pytest.mark.parametrize(
    ("day", "days"), [(None, "2 días"), ("2024-03-02", "2 días"), ("2099-06-30", "2 días"), ("2099-07-01", "6 días")]
)
async def test_the_wording_of_the_day_answers_without_doubt_where_its_days_are_exact(tmp_path, day, days):
    file = tmp_path / "law.xml"
    file.write_text(WORDINGS, encoding="utf-8")
    context = {"as_of": day} if day else {}
    result = await answered(tmp_path, law_chunks(read_boe(file)), QUESTION, **context)
    assert days in result["answer"]
    assert not [warning for warning in result["warnings"] if "No consta" in warning]
    assert [one["wording"] for one in result["citations"] if "compruebe" in one["wording"]] == []


DECREE = ("Real Decreto 2720/1998, de 18 de diciembre", "BOE-A-1999-346", "Estatal", "Ministerio de Trabajo")
CASUAL = """##### Artículo 1. Objeto.

Se regulan los contratos de duración determinada.

##### Artículo 3. Contrato eventual.

El contrato eventual dura seis meses.
"""


@pytest.mark.parametrize(
    "question",
    [
        "¿Qué dice el artículo 3 del RD 2720/1998?",
        "¿Sigue en vigor el RD 2720/1998?",
        "¿Está derogado el Real Decreto 2720/1998?",
        "¿Aún está vigente el Real Decreto 2720/1998?",
        "Artículo 1 del Real Decreto 2720/1998",
    ],
)
async def test_a_norm_without_object_that_is_not_repealed_says_so(tmp_path, question):
    chunks = chunks_of(tmp_path, DECREE, CASUAL)
    assert {chunk["emptied"]["since"] for chunk in chunks} == {"2022-03-30"}
    answer = (await answered(tmp_path, chunks, question))["answer"]
    assert "no está derogado, pero" in answer
    assert "30 de marzo de 2022" in answer
    assert "Real Decreto-ley 32/2021" in answer


async def test_before_it_lost_its_object_a_norm_was_law_like_any_other(tmp_path):
    question = "¿Qué dice el artículo 3 del RD 2720/1998?"
    result = await answered(tmp_path, chunks_of(tmp_path, DECREE, CASUAL), question, as_of="2019-05-01")
    assert "perdió su objeto" not in result["answer"]


@pytest.mark.parametrize(
    "question",
    [
        "¿Está en vigor la Ley 19/2021?",
        "¿Sigue vigente la Ley del ingreso mínimo vital?",
        "¿Cuándo entró en vigor la Ley 19/2021?",
        "¿Aún se aplica la Ley 19/2021?",
        "¿Rige todavía la Ley 19/2021?",
    ],
)
async def test_a_question_on_the_force_of_a_law_is_answered_by_its_first_day(tmp_path, question):
    law = ("Ley 19/2021, de 20 de diciembre", "BOE-A-2021-21007", "Estatal", "Jefatura del Estado")
    chunks = chunks_of(tmp_path, law, "##### Artículo 1. Objeto.\n\nEsta ley regula el ingreso mínimo vital.\n")
    answer = (await answered(tmp_path, chunks, question))["answer"]
    assert answer.startswith("Ley del ingreso mínimo vital: en vigor desde el 1 de enero de 2022")


@pytest.fixture
def lighthouses(tmp_path):
    laws = ((STATE, 1), (BASQUE, 5), (CATALAN, 4))
    return [chunk for law, days in laws for chunk in chunks_of(tmp_path, law, LEAVE.format(days=days))]


@pytest.mark.parametrize(
    "question",
    [
        QUESTION,
        "permiso por temporal del personal de faros",
        "¿Tiene el personal de faros permiso por temporal?",
        "¿Cuántos días de permiso por temporal tengo como personal de faros?",
        "¿Qué permiso por temporal hay para el personal de faros?",
    ],
)
async def test_without_a_place_the_general_rule_goes_first_and_communities_are_named(tmp_path, lighthouses, question):
    answer = (await answered(tmp_path, lighthouses, question))["answer"]
    first, _, rest = answer.partition("\n")
    assert first.startswith("La regla general es la del Estado; tienen norma propia: ")
    assert "País Vasco (artículo 2 de la Ley 4/2024" in first
    assert "Cataluña (artículo 2 de la Ley 5/2024" in first
    assert rest.index("de 1 días") < min(rest.index("de 5 días"), rest.index("de 4 días"))


@pytest.mark.parametrize(
    ("question", "own", "other"),
    [
        (f"{QUESTION[:-1]} en el País Vasco?", "de 5 días", "de 4 días"),
        ("Soy del personal de faros de Bilbao, ¿tengo permiso por temporal?", "de 5 días", "de 4 días"),
        ("¿Cuántos días de permiso por temporal tiene el personal de faros en Cataluña?", "de 4 días", "de 5 días"),
        ("¿Hay permiso por temporal para el personal de faros en Tarragona?", "de 4 días", "de 5 días"),
        ("Soy personal de faros en Euskadi: ¿qué permiso por temporal tengo?", "de 5 días", "de 4 días"),
    ],
)
async def test_the_rule_of_the_community_that_is_named_goes_before_that_of_the_state(
    tmp_path, lighthouses, question, own, other
):
    answer = (await answered(tmp_path, lighthouses, question))["answer"]
    assert "tiene norma propia, que va primero; la del Estado la completa." in answer
    assert answer.index(own) < answer.index("de 1 días")
    assert other not in answer


async def test_a_community_without_law_of_its_own_has_the_general_rule(tmp_path, lighthouses):
    answer = (await answered(tmp_path, lighthouses, f"{QUESTION[:-1]} en Galicia?"))["answer"]
    assert answer.startswith("No consta norma propia de Galicia. La regla general es la del Estado")
    assert "de 1 días" in answer
    assert "de 5 días" not in answer


async def test_law_of_a_community_on_another_topic_is_not_told(tmp_path, lighthouses):
    law = ("Ley 6/2024, de 12 de marzo, de barcas", "BOE-A-2024-99014", "Estatal", "Jefatura del Estado")
    boats = chunks_of(tmp_path, law, "##### Artículo 8. Fianza.\n\nLa fianza de las barcas es de 90 euros.\n")
    answer = (await answered(tmp_path, [*lighthouses, *boats], "¿De cuánto es la fianza de las barcas?"))["answer"]
    assert "norma propia" not in answer
    assert "90 euros" in answer
