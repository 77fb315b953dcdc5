import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from legal.synonym_table import load_synonyms
from legal.synonyms import expand, find_terms, of_the_field, root
from services.text import SpanishStemmer

stem = SpanishStemmer().stem_word


def legal_terms(text):
    return [term for term, _ in expand(text, stem)]


EXPECTED = """
estoy de baja de maternidad | suspensión del contrato por nacimiento y cuidado del menor
cuánto dura la baja por paternidad | suspensión del contrato por nacimiento y cuidado del menor
baja maternal | prestación por nacimiento y cuidado de menor
me han echado del trabajo | despido
ME ECHARON | extinción del contrato
despido | extinción del contrato
me despidieron ayer | extinción del contrato
cobrar el paro | prestación por desempleo
estoy de baja | incapacidad temporal
baja médica | incapacidad temporal
pensión | jubilación
pensiones | prestación contributiva
finiquito | liquidación de haberes
qué es el IMV | ingreso mínimo vital
imv y menores | ingreso mínimo vital
necesito el NIE | autorización de residencia y trabajo
en el SEPE | Servicio Público de Empleo Estatal
nos meten en un erte | suspensión del contrato o reducción de jornada
un ERE | despido colectivo
estoy de IT | incapacidad temporal
pasar a IP | incapacidad permanente
RETA | Régimen Especial de los Trabajadores por Cuenta Propia o Autónomos
el SMI de este año | salario mínimo interprofesional
TGSS | Tesorería General de la Seguridad Social
INSS | Instituto Nacional de la Seguridad Social
FOGASA | Fondo de Garantía Salarial
trabajo por una ETT | empresas de trabajo temporal
soy TRADE | trabajador autónomo económicamente dependiente
ITSS | Inspección de Trabajo y Seguridad Social
los EPIS | equipos de protección individual
PRL | prevención de riesgos laborales
IPREM | indicador público de rentas de efectos múltiples
estoy embarazada | trabajadora embarazada
pedir una excedencia | excedencia voluntaria
teletrabajo | trabajo a distancia
horas extras | horas extraordinarias
la nómina | recibo de salarios
soy autónoma | trabajador por cuenta propia
empleada de hogar | servicio del hogar familiar
mobbing | acoso moral
permiso por boda | permiso retribuido
lactancia | cuidado del lactante
pensión de viudedad | muerte y supervivencia
jubilación anticipada | coeficientes reductores
estar a prueba | período de prueba
avisar con 15 días | preaviso
contrato temporal | contrato de duración determinada
"""


@pytest.mark.parametrize("row", EXPECTED.strip().splitlines())
def test_the_table_knows_what_people_mean(row):
    text, legal = row.split(" | ")
    assert legal in legal_terms(text)


def test_the_table_is_large_enough():
    assert len(load_synonyms().synonym) >= 80


def test_the_longest_term_wins():
    assert "incapacidad temporal" not in legal_terms("baja de maternidad")
    assert "incapacidad temporal" not in legal_terms("pedir la baja voluntaria")


def test_lookalikes_of_function_words_call_for_nothing():
    assert expand("¿Para qué sirve?", stem) == []
    assert expand("¿Eres un robot bajo Madrid?", stem) == []


def test_acronyms_are_whole_words_in_any_case():
    assert legal_terms("smi") == ["salario mínimo interprofesional"]
    assert "incapacidad temporal" not in legal_terms("situación")


def test_terms_that_the_text_has_already_are_left_out():
    assert legal_terms("teletrabajo o trabajo a distancia") == []


def test_both_ways_leads_back_to_the_first_term():
    assert "SMI" in legal_terms("salario mínimo interprofesional")


def test_weights_and_order():
    assert expand("pensión, si me echaron", stem) == [
        ("jubilación", 0.6),
        ("prestación contributiva", 0.6),
        ("despido", 0.9),
        ("extinción del contrato", 0.9),
    ]


def test_found_terms_carry_the_stems_that_they_were_found_by():
    (found,) = find_terms("mis vacaciones", stem)
    assert found.stems == ("vacacion",)
    assert found.legal == (("vacaciones anuales retribuidas", 0.8),)


def test_without_a_stemmer_accents_and_plurals_still_do_not_matter():
    assert ("recibo de salarios", 0.9) in expand("NOMINAS")
    assert root("vacaciones") == root("vacación") == "vacacion"


@pytest.mark.parametrize(
    "text",
    [
        "mi jefe no me paga",
        "¿Cuándo me jubilo?",
        "el erte",
        "horas extra",
        "mi contrato",
        "periodo de prueba de un ingeniero",
        "si quiero irme",
        "cuánto preaviso",
        "quiero dimitir",
        "tarifa plana",
        "me han dado de alta",
        "servicios mínimos",
    ],
)
def test_words_of_the_field(text):
    assert of_the_field(text, stem)


@pytest.mark.parametrize(
    "text",
    [
        "la capital de Francia",
        "receta de paella",
        "una multa de tráfico",
        "horario del museo",
        "permiso de conducir",
        "alquiler de un piso",
        "un puesto de helados",
    ],
)
def test_words_of_other_fields(text):
    assert not of_the_field(text, stem)


ENTRY = 'field = ["trabajo"]\n[[synonym]]\nterms = ["paro"]\nlegal = ["desempleo"]\n'


def test_a_table_of_ones_own():
    assert load_synonyms(ENTRY).synonym[0].weight == 1.0


@pytest.mark.parametrize(
    "broken",
    [
        ENTRY + "weight = 1.5\n",
        ENTRY + "weight = 0\n",
        ENTRY + 'note = "x"\n',
        ENTRY.replace('"paro"', ""),
        ENTRY.replace('"desempleo"', '"de la"'),
        ENTRY.replace("field", "fields"),
        'field = ["trabajo"]\n',
    ],
)
def test_a_broken_table_is_refused(broken):
    with pytest.raises(ValidationError):
        load_synonyms(broken)


def test_a_term_of_two_entries_is_refused_by_name():
    with pytest.raises(ValueError, match="«el paro» está en dos entradas"):
        load_synonyms(ENTRY + '[[synonym]]\nterms = ["el paro"]\nlegal = ["x"]\n')


@given(st.text(max_size=80))
def test_expansion_never_fails(text):
    assert all(0 < weight <= 1 for _, weight in expand(text, stem))
