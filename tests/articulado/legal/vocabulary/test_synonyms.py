import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from articulado.language.spanish import stem_word as stem
from articulado.legal.vocabulary.synonyms import TermTable, expand, find_terms, has_field_term, load_synonyms, root


def legal_terms(text):
    return [term for term, _ in expand(text, stem)]


EXPECTED = """
me han despedido sin carta, ¿qué plazo tengo para reclamar? | caducidad
¿cuántos días tengo para impugnar un despido verbal? | caducidad
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
finiquito | documento de liquidación
qué es el IMV | ingreso mínimo vital
imv y menores | ingreso mínimo vital
necesito el NIE | número de identidad de extranjero
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
me he quedado viuda | pensión de viudedad
se ha muerto mi marido | cónyuge superviviente
jubilación anticipada | coeficientes reductores
estar a prueba | período de prueba
avisar con 15 días | preaviso
contrato temporal | contrato de duración determinada
me han bajado de categoría | movilidad funcional
me quieren cambiar de turno | modificación sustancial de condiciones de trabajo
una MSCT | modificación sustancial de condiciones de trabajo
no me dejan coger vacaciones | fijación de la fecha de disfrute de las vacaciones
me cambian de centro | movilidad geográfica
mi empresa ha cerrado | extinción de la personalidad jurídica del contratante
trabajo en negro | no solicitar la afiliación inicial o el alta de los trabajadores
se ha muerto mi marido | pensión de viudedad
cuidar de mi madre enferma | cuidado directo de un familiar
me he roto la pierna trabajando | accidente de trabajo
accidente yendo al trabajo | al ir o al volver del lugar de trabajo
me duele la espalda y la mutua me da el alta | impugnación de altas médicas
tengo un hijo discapacitado | asignación económica por hijo con discapacidad
hospitalización de un familiar | accidente o enfermedad graves, hospitalización o intervención quirúrgica
días por mudanza | traslado del domicilio habitual
el día de mi boda | quince días naturales en caso de matrimonio o registro de pareja de hecho
permiso para exámenes | permisos necesarios para concurrir a exámenes
días de asuntos propios | permiso por asuntos particulares
me espía el jefe | intimidad y uso de dispositivos digitales en el ámbito laboral
hay cámaras en el almacén | dispositivos de videovigilancia
correos fuera de horario | desconexión digital
un whatsapp fuera de horario | desconexión digital
trabajo de niñera | servicio del hogar familiar
soy futbolista | deportistas profesionales
soy cantante | artistas en espectáculos públicos
abogado en un bufete | abogados que prestan servicios en despachos
soy comercial | representantes de comercio
marinero en un pesquero | trabajadores del mar
soy estibador | trabajadores portuarios
médico MIR | residencia para la formación de especialistas en Ciencias de la Salud
trabajo en la cárcel | penados en instituciones penitenciarias
mineros | minería del carbón
las peonadas | trabajadores agrarios eventuales
ayuda de los 52 años | subsidio por desempleo para mayores de cincuenta y dos años
no puedo hacer mi trabajo, ¿IPT? | incapacidad permanente total
estoy cobrando el paro, ¿puedo viajar al extranjero? | prestación por desempleo
quiero pagar a plazos | aplazamiento de pago
me han despedido por denunciar | indemnidad frente a represalias
nos ponen servicios mínimos | mantenimiento de los servicios esenciales
me deben la nómina | falta de pago o retrasos continuados en el abono del salario
me han hechado | despido
el MEI | Mecanismo de Equidad Intergeneracional
CCC de la empresa | código de cuenta de cotización
el TC2 | relación nominal de trabajadores
CNAE | Clasificación Nacional de Actividades Económicas
SOVI | Seguro Obligatorio de Vejez e Invalidez
RLT | representantes de los trabajadores
AT/EP | accidentes de trabajo y enfermedades profesionales
"""


@pytest.mark.parametrize("row", EXPECTED.strip().splitlines())
def test_the_table_knows_what_people_mean(row):
    text, legal = row.split(" | ")
    assert legal in legal_terms(text)


def test_the_table_is_large_enough():
    assert len(load_synonyms().synonym) >= 320


def test_the_longest_term_wins():
    assert "incapacidad temporal" not in legal_terms("baja de maternidad")
    assert "incapacidad temporal" not in legal_terms("pedir la baja voluntaria")


TABLE = """
field = ["=paro"]
[[synonym]]
terms = ["pedir la baja", "baja"]
legal = ["incapacidad temporal"]
[[synonym]]
terms = ["la baja voluntaria de la empresa"]
legal = ["dimisión"]
[[synonym]]
terms = ["=casa"]
legal = ["vivienda"]
[[synonym]]
terms = ["me caso"]
legal = ["matrimonio"]
"""


OWN = TermTable(load_synonyms(TABLE), stem)


def found_in(text):
    return [lay_term.legal[0][0] for lay_term in OWN.find(text)]


def test_a_longer_term_wins_wherever_it_begins():
    assert found_in("quiero pedir la baja voluntaria en la empresa") == ["dimisión"]
    assert found_in("quiero pedir la baja en la empresa") == ["incapacidad temporal"]


def test_a_term_with_an_equals_sign_is_matched_as_it_stands():
    assert found_in("mi CASA") == ["vivienda"]
    assert found_in("en caso de duda, casado") == []
    assert found_in("si me caso") == ["matrimonio"]
    assert OWN.has_field_term("en paro")
    assert not OWN.has_field_term("parar en la parada")


@pytest.mark.parametrize(
    ("text", "legal"),
    [
        ("en caso de duda", "domicilio"),
        ("los buques del mar", "cónyuge"),
        ("las ayudas de la comunidad autónoma", "trabajador por cuenta propia"),
        ("de mutuo acuerdo", "mutuas colaboradoras con la Seguridad Social"),
        ("conciliación previa al juicio", "conciliación de la vida familiar y laboral"),
        ("lo paga directamente", "alta dirección"),
        ("asistencia sanitaria", "servicio del hogar familiar"),
        (
            "el registro de jornada",
            "registros sobre la persona del trabajador, en sus taquillas y efectos particulares",
        ),
        ("firmar un contrato", "contratas y subcontratas"),
        ("cuántas horas son", "contrato a tiempo parcial"),
        ("la sentencia es firme", "forma escrita"),
        ("bajar las escaleras", "incapacidad temporal"),
        ("la Seguridad Social", "cuotas de la Seguridad Social"),
        ("el parte de accidente", "nacimiento y cuidado de menor"),
        ("la plaza de garaje no es un plazo", "trabajos de temporada"),
        ("trabajador por cuenta ajena", "trabajador por cuenta propia"),
        ("seguir cobrando", "medidas de vigilancia y control para verificar el cumplimiento"),
        ("los servicios sociales", "servicio militar obligatorio"),
    ],
)
def test_words_that_only_look_alike_call_for_nothing(text, legal):
    assert legal not in legal_terms(text)


def test_function_words_call_for_nothing():
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
        ("jubilación", 0.3),
        ("prestación contributiva", 0.3),
        ("despido", 0.9),
        ("extinción del contrato", 0.9),
    ]


def test_found_terms_carry_the_stems_that_they_were_found_by():
    (lay_term,) = find_terms("mis vacaciones", stem)
    assert lay_term.stems == ("vacacion",)
    assert lay_term.legal == (("vacaciones anuales retribuidas", 0.8),)


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
        "soy autónoma",
        "estoy en paro",
        "el TC2 de marzo",
        "me han bajado la jornada reducida",
    ],
)
def test_words_of_the_field(text):
    assert has_field_term(text, stem)


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
        "la parada de taxi",
        "los impuestos de la comunidad autónoma",
    ],
)
def test_words_of_other_fields(text):
    assert not has_field_term(text, stem)


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
        ENTRY.replace('"desempleo"', '"=desempleo"'),
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
